#include "ctl/explain.h"

#include "ctl/explain_classifier.h"
#include "ctl/judging.h"
#include "ctl/mask.h"
#include "judge/partner.h"
#include "policy/links.h"
#include "text/utf8.h"

struct explanation {
    const struct session *session;
    const struct rule *rule;
    uint32_t rule_index;
    struct view raw;
    const struct view *view;
    const struct judging *judging; /* what the whole pipeline found in the same text */
    struct finder finder; /* what looks for partners */
    struct regex_scratch *regex;
    struct buf *out;
    size_t n;
};

/* A candidate on its way through the rule. */
struct trial {
    const struct scanner_match *match;
    struct span value;
    size_t raw_from, raw_to;
    double confidence;
    bool is_dropped;
};

/* The named group of the match, else the span. */
static struct span value_for(const struct explanation *e, const struct trial *t,
                             const struct rule_check *check)
{
    size_t from, to;

    if (check->group.len == 0) {
        return t->value;
    }
    if (!regex_group_range(t->match->regex, t->match->groups, check->group, &from, &to)) {
        return (struct span){0};
    }
    const struct view_piece *piece = view_piece_at(e->view, t->match->from);
    return span_slice(e->view->text, piece->from + from, piece->from + to);
}

static bool explain_checks(struct explanation *e, struct trial *t, struct error *err)
{
    const struct viewed_match viewed = {e->session->snapshot->rules, e->view, t->match};

    for (size_t i = 0; i < e->rule->n_checks; i++) {
        const struct rule_check *check = &e->rule->checks[i];
        bool passes = check_passes(check, &viewed, value_for(e, t, check));
        double change = passes ? check->raise : check->drops ? 0 : -check->lower;
        t->confidence += change;
        t->is_dropped |= !passes && check->drops;
        if (!buf_appendf(e->out, err, "    check %s: %s", check->type->name,
                         passes ? "passes" : "fails") ||
            !(!passes && check->drops ? buf_append_str(e->out, ", drops the finding\n", err)
                                      : buf_appendf(e->out, err, ", %+.2f\n", change))) {
            return false;
        }
    }
    return true;
}

/* Whether what the context asks for is near [from, to) of the text; *what is it. */
static bool is_near(struct explanation *e, const struct rule_context *context, struct span text, struct raw_place at,
                    struct span *what)
{
    const struct partner_query query = {
        .rules = e->session->snapshot->rules, .context = context, .text = text, .from = at.from, .to = at.to};

    if (context->rules.n == 0) {
        return context_is_near(context, query.rules, text, at.from, at.to, what);
    }
    *what = context->rules.items[0];
    return partner_find(&e->finder, &query) == NEAR;
}

static bool explain_contexts(struct explanation *e, struct trial *t, struct error *err)
{
    const struct view_piece *piece = view_piece_at(e->view, t->match->from);
    struct span text = span_slice(e->view->text, piece->from, piece->to);
    const struct raw_place in_view = {t->match->span_from - piece->from, t->match->span_to - piece->from};
    const struct raw_place in_raw = {t->raw_from, t->raw_to};

    for (size_t i = 0; i < e->rule->n_contexts; i++) {
        const struct rule_context *context = &e->rule->contexts[i];
        const char *kind = context->rules.n > 0 ? "rule" : "word";
        struct span what;
        bool is_there = is_near(e, context, text, in_view, &what) ||
                        (e->view != &e->raw && is_near(e, context, e->raw.text, in_raw, &what));
        bool is_ok;
        if (is_there) {
            t->confidence += context->raise;
            is_ok = buf_appendf(e->out, err,
                                "    context: '" SPAN_FMT "' is within %u bytes, %+.2f\n",
                                SPAN_ARG(what), context->within, context->raise);
        } else if (context->is_required) {
            t->is_dropped = true;
            is_ok = buf_appendf(e->out, err,
                                "    context: no %s within %u bytes, drops the finding\n",
                                kind, context->within);
        } else {
            t->confidence -= context->lower;
            is_ok = buf_appendf(e->out, err, "    context: no %s within %u bytes, %+.2f\n", kind,
                                context->within, -context->lower);
        }
        if (!is_ok) {
            return false;
        }
    }
    return true;
}

static bool is_allowed(const struct explanation *e, struct span value)
{
    const struct rule_set *set = e->session->snapshot->rules;

    for (uint32_t i = set->allow_first[e->rule_index]; i < set->allow_first[e->rule_index + 1];
         i++) {
        if (regex_matches_all(set->allow[i], e->regex, value)) {
            return true;
        }
    }
    return false;
}

/* Whether it is a link that the policy permits. */
static bool ask_links(const struct explanation *e, struct span value, bool *is_permitted, struct error *err)
{
    *is_permitted = false;
    return e->rule->link == LINK_NONE || links_permit(e->finder.arena, e->judging->exchange.policy->links, e->rule->link,
                                                      value, is_permitted, err);
}

static const char *shadow_note(const struct finding *f)
{
    return f->is_excepted ? " (an exception covers it)" : f->is_shadow ? " (in shadow)" : "";
}

/* What became of the candidate, as the pipeline itself says. */
static bool explain_outcome(struct explanation *e, const struct trial *t, struct error *err)
{
    const struct exchange *x = &e->judging->exchange;

    if (t->is_dropped) {
        return buf_append_str(e->out, "    dropped\n", err);
    }
    for (size_t i = 0; i < x->n_findings; i++) {
        const struct finding *f = &x->findings[i];
        if (f->rule == e->rule && f->from == t->raw_from && f->to == t->raw_to) {
            return buf_appendf(
                e->out, err, "    confidence %.2f, action %s under policy " SPAN_FMT "%s\n",
                f->confidence, action_name(f->action), SPAN_ARG(x->policy->name), shadow_note(f));
        }
    }
    return buf_appendf(e->out, err,
                       "    confidence %.2f, but policy " SPAN_FMT " does not have this rule\n",
                       t->confidence, SPAN_ARG(x->policy->name));
}

/* 1 for the rule's first pattern. */
static uint32_t pattern_number(const struct explanation *e, uint32_t pattern)
{
    uint32_t first = pattern;

    while (first > 0 && e->session->snapshot->rules->rule_of_pattern[first - 1] == e->rule_index) {
        first--;
    }
    return pattern - first + 1;
}

static bool explain_match(void *context, const struct scanner_match *match, struct error *err)
{
    struct explanation *e = context;

    if (e->session->snapshot->rules->rule_of_pattern[match->pattern] != e->rule_index) {
        return true;
    }
    const struct view_piece *piece = view_piece_at(e->view, match->from);
    struct trial t = {.match = match,
                      .value = span_slice(e->view->text, match->span_from, match->span_to),
                      .confidence = e->rule->confidence};
    uint32_t number = pattern_number(e, match->pattern);
    view_to_raw(e->view, match->span_from, match->span_to, &t.raw_from, &t.raw_to);
    e->n++;
    if (!buf_appendf(e->out, err, "  candidate %zu: ", e->n) ||
        !mask_append(e->out, t.value, err) ||
        !buf_appendf(e->out, err,
                     "  bytes %zu..%zu in %s\n    pattern %u of %zu: " SPAN_FMT "\n    base %.2f\n",
                     t.raw_from, t.raw_to, piece->transform, number, e->rule->patterns.n,
                     SPAN_ARG(e->rule->patterns.items[number - 1]), t.confidence)) {
        return false;
    }
    if (match->is_over_limit) {
        return buf_append_str(
                   e->out,
                   "    longer or costlier than the rule's limits: checks are passed over\n",
                   err) &&
               explain_outcome(e, &t, err);
    }
    bool is_permitted;
    if (!ask_links(e, t.value, &is_permitted, err)) {
        return false;
    }
    if (is_permitted) {
        t.is_dropped = true;
        return buf_append_str(e->out, "    a link that the policy permits\n", err) && explain_outcome(e, &t, err);
    }
    if (is_allowed(e, t.value)) {
        t.is_dropped = true;
        return buf_append_str(e->out, "    on the rule's allow list\n", err) &&
               explain_outcome(e, &t, err);
    }
    return explain_checks(e, &t, err) && explain_contexts(e, &t, err) &&
           explain_outcome(e, &t, err);
}

/* The same views, made the same way, as judge/find.c does. */
static bool explain_views(struct explanation *e, struct arena *arena, struct scanner_scratch *scan,
                          struct span text, struct error *err)
{
    const struct scanner *scanner = e->session->snapshot->rules->scanner;
    struct view_limits limits = {.depth = worker_limits_default().depth,
                                 .max_bytes = VIEW_TEXT_MAX,
                                 .max_pieces = UINT32_MAX / 64};
    struct view_piece whole;
    struct span repaired;

    if (!utf8_repair(arena, text, &repaired, err)) {
        return false;
    }
    view_raw(repaired, &whole, &e->raw);
    for (e->view = &e->raw; e->view != NULL;) {
        struct scanner_hints hints;
        const struct view *child = NULL;
        if (!find_hints(arena, e->view, &hints, err) || !scanner_mark(scanner, scan, e->view, &hints, err) ||
            !scanner_confirm(scanner, scan, e->view, explain_match, e, err) ||
            !view_expand(arena, e->view, hints.items, hints.n, &limits, &child, err)) {
            return false;
        }
        e->view = child;
    }
    return true;
}

bool explain_rule(const struct explain_request *request, struct worker *w, struct buf *out,
                  size_t *n, struct error *err)
{
    const struct rule *rule = request->rule;
    struct judging j;
    struct explanation e = {.session = request->session,
                            .rule = rule,
                            .rule_index = rule_set_index(request->session->snapshot->rules, rule),
                            .judging = &j,
                            .out = out};

    if (rule->classifier.len > 0) {
        return explain_classifier(request, worker_begin(w), out, n, err);
    }
    judging_text(request->session, w, request->text, &j);
    struct scanner_scratch *scan = scanner_scratch_new(err);
    e.finder = (struct finder){.arena = worker_arena(w), .scan = scan};
    e.regex = scan != NULL ? regex_scratch_new(err) : NULL;
    bool is_ok =
        e.regex != NULL &&
        buf_appendf(out, err, SPAN_FMT ": " SPAN_FMT " (" SPAN_FMT ":%u)\n", SPAN_ARG(rule->id),
                    SPAN_ARG(rule->title), SPAN_ARG(rule->source.file), rule->source.line) &&
        explain_views(&e, worker_arena(w), scan, request->text, err) &&
        (e.n > 0 ||
         buf_append_str(out, "  no pattern of it matches where its boundary allows\n", err));
    scanner_scratch_free(scan);
    regex_scratch_free(e.regex);
    *n = e.n;
    return is_ok;
}
