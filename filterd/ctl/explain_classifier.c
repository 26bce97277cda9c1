#include "ctl/explain_classifier.h"

#include "base/cleanup.h"
#include "ctl/mask.h"
#include "judge/classify.h"
#include "text/utf8.h"

enum { REASONS_MAX = 8 };

struct account {
    const struct explain_request *request;
    const struct rule_use *use;
    struct span unit;
    size_t from; /* of the unit in the text */
    struct buf *out;
    struct finder finder; /* its scratch for the allow list */
    size_t n, n_places;
    double best;
};

static void account_end(struct account *a)
{
    regex_scratch_free(a->finder.regex);
}

static const struct rule_use *use_of(const struct rule_set *set, const struct rule *rule)
{
    for (size_t i = 0; i < set->n_uses; i++) {
        if (set->uses[i].rule == rule_set_index(set, rule)) {
            return &set->uses[i];
        }
    }
    return NULL;
}

static bool append_reasons(const struct account *a, struct span text, struct error *err)
{
    const struct classifier *c = a->use->classifier;
    struct classifier_reason reasons[REASONS_MAX];
    size_t n = c->explain(c->self, a->use->head, text, reasons, REASONS_MAX);

    for (size_t i = 0; i < n; i++) {
        if (!buf_appendf(a->out, err, "    %+.3f  '", reasons[i].weight) ||
            !mask_append_visible(a->out, span_slice(text, reasons[i].from, reasons[i].to), err) ||
            !buf_append_str(a->out, "'\n", err)) {
            return false;
        }
    }
    return true;
}

static bool on_place(void *context, const struct classifier_place *place, struct error *err)
{
    struct account *a = context;
    struct span text = span_slice(a->unit, place->from, place->to);

    if (place->head != a->use->head) {
        return true;
    }
    bool is_allowed = finder_allows(&a->finder, a->request->session->snapshot->rules, a->use->rule, text);
    a->n_places++;
    a->n += !is_allowed;
    return buf_appendf(a->out, err, "  place %zu: bytes %zu..%zu, score %.3f, threshold %.6g%s\n", a->n_places,
                       a->from + place->from, a->from + place->to, place->score, a->request->rule->threshold,
                       is_allowed ? "; allowed by the rule" : "") &&
           append_reasons(a, text, err);
}

static bool note_best(void *context, const struct classifier_place *place, struct error *err)
{
    struct account *a = context;

    (void)err;
    if (place->head == a->use->head && place->score > a->best) {
        a->best = place->score;
    }
    return true;
}

static bool each_unit(struct account *a, struct span text, double least, classifier_found_fn *found, struct error *err)
{
    const struct classifier *c = a->use->classifier;
    double wanted[CLASSIFIER_HEADS_MAX];

    for (unsigned i = 0; i < CLASSIFIER_HEADS_MAX; i++) {
        wanted[i] = i == a->use->head ? least : 2;
    }
    for (a->from = 0; a->from < text.len; a->from += a->unit.len) {
        struct span rest = span_slice(text, a->from, text.len);
        a->unit = span_slice(rest, 0, classify_unit(a->request->session->policy->hold, rest, true));
        if (!c->judge(c->self, a->unit, wanted, found, a, err)) {
            return false;
        }
    }
    return true;
}

bool explain_classifier(const struct explain_request *request, struct arena *arena, struct buf *out, size_t *n,
                        struct error *err)
{
    const struct rule_set *set = request->session->snapshot->rules;
    const struct rule *rule = request->rule;
    struct account a CLEANUP(account_end) = {
        .request = request, .use = use_of(set, rule), .out = out, .finder.regex = regex_scratch_new(err)};
    struct span text;

    if (a.use == NULL) {
        return error_set(err, ERROR_INTERNAL, "rule '" SPAN_FMT "': no classifier", SPAN_ARG(rule->id));
    }
    if (a.finder.regex == NULL || !utf8_repair(arena, request->text, &text, err) ||
        !buf_appendf(out, err, SPAN_FMT ": " SPAN_FMT " (" SPAN_FMT ":%u)\n  classifier " SPAN_FMT ", judged by %s\n",
                     SPAN_ARG(rule->id), SPAN_ARG(rule->title), SPAN_ARG(rule->source.file), rule->source.line,
                     SPAN_ARG(rule->classifier), hold_name(request->session->policy->hold)) ||
        !each_unit(&a, text, rule->threshold, on_place, err)) {
        return false;
    }
    *n = a.n;
    if (a.n_places > 0) {
        return true;
    }
    return each_unit(&a, text, 0, note_best, err) &&
           buf_appendf(out, err, "  no place of it scores more than %.3f, the threshold is %.6g\n", a.best, rule->threshold);
}
