#include "judge/classify.h"

#include "view/segment.h"
#include "text/utf8.h"

static const double not_wanted = 2;

/* One unit under judgement. */
struct unit {
    struct finder *finder;
    const struct find_request *request;
    struct finding_list *list;
    struct span text;
    size_t from; /* where it begins in the request's text */
    size_t first, end; /* the uses of the current classifier */
    bool has_last; /* the place reported last is none of a rule's exceptions */
};

static bool is_wanted(const struct find_request *request, const struct rule_use *use)
{
    return request->has_rule == NULL || request->has_rule[use->rule];
}

/* A place counts for each rule of its head that asks for no more and does not allow it, whole. */
static bool on_place(void *context, const struct classifier_place *place, struct error *err)
{
    struct unit *u = context;
    const struct rule_set *set = u->request->rules;
    const bool has_whole = place->whole_from < place->whole_to;
    const struct span value = span_slice(u->text, place->from, place->to);
    const struct span whole = has_whole ? span_slice(u->text, place->whole_from, place->whole_to) : value;

    if (place->is_part && !u->has_last) {
        return true;
    }
    u->has_last = place->is_part;
    for (size_t i = u->first; i < u->end; i++) {
        const struct rule_use *use = &set->uses[i];
        const struct rule *rule = &set->rules[use->rule];
        if (use->head != place->head || place->score < rule->threshold || finder_allows(u->finder, set, use->rule, whole)) {
            continue;
        }
        u->has_last = true;
        if (value.len == 0 || !is_wanted(u->request, use)) {
            continue;
        }
        const struct finding finding = {.source = FINDING_CLASSIFIER,
                                        .rule = rule,
                                        .channel = u->request->channel,
                                        .from = u->from + place->from,
                                        .to = u->from + place->to,
                                        .match_from = u->from + place->from,
                                        .view = VIEW_RAW,
                                        .transform = "raw",
                                        .confidence = place->score,
                                        .is_shadow = rule->is_shadow,
                                        .value = value};
        if (!finding_list_add(u->finder, u->list, &finding, err)) {
            return false;
        }
    }
    return true;
}

/* The least score that any wanted rule asks of each head. False when there is none. */
static bool thresholds(const struct unit *u, double wanted[CLASSIFIER_HEADS_MAX])
{
    const struct rule_set *set = u->request->rules;
    bool has_any = false;

    for (unsigned i = 0; i < CLASSIFIER_HEADS_MAX; i++) {
        wanted[i] = not_wanted;
    }
    for (size_t i = u->first; i < u->end; i++) {
        const struct rule_use *use = &set->uses[i];
        double threshold = set->rules[use->rule].threshold;
        if (is_wanted(u->request, use)) {
            wanted[use->head] = threshold < wanted[use->head] ? threshold : wanted[use->head];
            has_any = true;
        }
    }
    return has_any;
}

static bool judge_unit(struct unit *u, struct error *err)
{
    const struct rule_set *set = u->request->rules;
    double wanted[CLASSIFIER_HEADS_MAX];

    for (u->first = 0; u->first < set->n_uses; u->first = u->end) {
        const struct classifier *c = set->uses[u->first].classifier;
        for (u->end = u->first; u->end < set->n_uses && set->uses[u->end].classifier == c; u->end++) {
        }
        if (thresholds(u, wanted) && !c->judge(c->self, u->text, wanted, on_place, u, err)) {
            return false;
        }
    }
    return true;
}

size_t classify_unit(enum hold_unit hold, struct span text, bool is_whole)
{
    switch (hold) {
    case HOLD_SENTENCE:
        return segment_first(SEGMENT_SENTENCE, text, is_whole);
    case HOLD_PARAGRAPH:
        return segment_first(SEGMENT_PARAGRAPH, text, is_whole);
    case HOLD_ALL:
    case HOLD_NONE:
        break;
    }
    return is_whole ? text.len : 0;
}

bool classify_text(struct finder *f, const struct find_request *request, struct finding_list *list, struct error *err)
{
    struct unit u = {.finder = f, .request = request, .list = list};
    struct span text;

    if (request->classify.is_off || !rule_set_has_use(request->rules, request->has_rule)) {
        return true;
    }
    if (!utf8_repair(f->arena, request->text, &text, err)) {
        return false;
    }
    for (u.from = 0; u.from < text.len; u.from += u.text.len) {
        struct span rest = span_slice(text, u.from, text.len);
        u.text = span_slice(rest, 0, classify_unit(request->classify.hold, rest, !request->classify.is_open));
        if (u.text.len == 0) {
            break;
        }
        if (!judge_unit(&u, err)) {
            return false;
        }
    }
    return true;
}
