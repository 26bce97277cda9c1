#include "judge/classify.h"
#include "judge/data.h"
#include "judge/decide.h"
#include "judge/find_parts.h"
#include "judge/label.h"

#include "base/clock.h"
#include "policy/links.h"
#include "text/utf8.h"

const char *stage_name(enum stage stage)
{
    static const char *const names[STAGE_COUNT] = {"views", "scan", "confirm", "classify", "decide", "redact"};

    return names[stage];
}

/* Adds to a stage's time what has passed since `since`, which moves on to now. */
static void take_lap(uint64_t *spent, uint64_t *since)
{
    uint64_t now = clock_monotonic_ns();

    *spent += now - *since;
    *since = now;
}

/* --- from a match to a finding ---------------------------------------------- */

/* Where the line of `at` begins, not before `least`. Outside raw pieces lines are of no meaning: there, and at the end of such a piece. */
static size_t line_begin(const struct view *view, size_t at, size_t least)
{
    const struct view_piece *piece = view_piece_at(view, at);

    while (piece->kind == VIEW_RAW && at > least) {
        const size_t low = piece->from > least ? piece->from : least;
        const char *newline = memrchr(view->text.ptr + low, '\n', at - low);
        if (newline != NULL) {
            return (size_t)(newline + 1 - view->text.ptr);
        }
        if (low == least || view->text.ptr[low - 1] == '\n') {
            return low;
        }
        at = low - 1;
        piece = view_piece_at(view, at);
    }
    return at;
}

/* What a check may read before a value (checks/check.h): nothing before a label. */
static struct span text_before(const struct rule_set *rules, const struct view *view, size_t match_from, struct span value)
{
    const size_t to = (size_t)(value.ptr - view->text.ptr);
    const size_t from = line_begin(view, match_from, match_from > CHECK_BEFORE ? match_from - CHECK_BEFORE : 0);

    return span_slice(view->text, label_last_end(rules, view->text, from, to), to);
}

bool check_passes(const struct rule_check *check, const struct viewed_match *m, struct span value)
{
    const struct check_type *type = check->type;

    if (value.len == 0 || value.len > CHECK_SPAN_MAX) {
        return false;
    }
    return type->passes_behind != NULL ? type->passes_behind(text_before(m->rules, m->view, m->match->from, value), value, &check->args)
                                       : type->passes(value, &check->args);
}

bool finder_allows(const struct finder *f, const struct rule_set *set, uint32_t rule, struct span value)
{
    for (uint32_t i = set->allow_first[rule]; i < set->allow_first[rule + 1]; i++) {
        if (regex_matches_all(set->allow[i], f->regex, value)) {
            return true;
        }
    }
    return false;
}

/* What a check is asked about: a group of the match, or the value. */
static struct span checked_value(const struct search *s, const struct scanner_match *match, const struct rule_check *check,
                                 struct span value)
{
    size_t from, to;

    if (check->group.len == 0) {
        return value;
    }
    if (!regex_group_range(match->regex, match->groups, check->group, &from, &to)) {
        return (struct span){0};
    }
    /* Group offsets are the piece's. */
    const struct view_piece *piece = view_piece_at(s->view, match->from);
    return span_slice(s->view->text, piece->from + from, piece->from + to);
}

static bool passes(struct search *s, const struct scanner_match *match, const struct rule_check *check, struct span value)
{
    const struct check_type *type = check->type;
    const struct span checked = checked_value(s, match, check, value);
    struct scored *last = &s->scored;

    if (type->score == NULL || checked.len == 0 || checked.len > CHECK_SPAN_MAX) {
        return check_passes(check, &(const struct viewed_match){s->request->rules, s->view, match}, checked);
    }
    if (last->type != type || last->value.ptr != checked.ptr || last->value.len != checked.len) {
        *last = (struct scored){type, checked, type->score(text_before(s->request->rules, s->view, match->from, checked), checked)};
    }
    return type->passes_score(last->score, &check->args);
}

/* Whether a check drops the finding. Most matches of the rules that match most are dropped so, before anything else is asked. */
static bool is_dropped_by_check(struct search *s, const struct scanner_match *match, const struct finding *finding)
{
    const struct rule *rule = finding->rule;

    for (size_t i = 0; i < rule->n_checks; i++) {
        if (rule->checks[i].drops && !passes(s, match, &rule->checks[i], finding->value)) {
            return true;
        }
    }
    return false;
}

/* Of a finding that no check drops: those that would have passed. */
static void apply_checks(struct search *s, const struct scanner_match *match, struct finding *finding)
{
    const struct rule *rule = finding->rule;

    for (size_t i = 0; i < rule->n_checks; i++) {
        const struct rule_check *check = &rule->checks[i];
        if (check->drops || passes(s, match, check, finding->value)) {
            finding->checks_passed |= 1U << i;
            finding->confidence += check->raise;
        } else {
            finding->confidence -= check->lower;
        }
    }
}

/* Whether all that checks and exceptions see of a match is as it was of the last one. */
static bool is_checked(const struct search *s, const struct scanner_match *match, const struct finding *finding)
{
    const struct checked *last = &s->checked;
    const struct rule_set *rules = s->request->rules;

    return last->rule == finding->rule && span_equal(last->value, finding->value) &&
           span_equal(text_before(rules, last->view, last->match_from, last->value),
                      text_before(rules, s->view, match->from, finding->value));
}

static bool has_groups(const struct rule *rule)
{
    for (size_t i = 0; i < rule->n_checks; i++) {
        if (rule->checks[i].group.len > 0) {
            return true;
        }
    }
    return false;
}

/* False when a check or an exception drops the finding. */
static bool pass_checks(struct search *s, const struct scanner_match *match, uint32_t rule, struct finding *finding)
{
    struct checked *last = &s->checked;

    if (!is_checked(s, match, finding)) {
        bool is_dropped = is_dropped_by_check(s, match, finding) || finder_allows(s->finder, s->request->rules, rule, finding->value);
        if (!is_dropped) {
            apply_checks(s, match, finding);
        }
        *last = (struct checked){.rule = has_groups(finding->rule) ? NULL : finding->rule,
                                 .view = s->view,
                                 .match_from = match->from,
                                 .value = finding->value,
                                 .is_dropped = is_dropped,
                                 .passed = finding->checks_passed,
                                 .confidence = finding->confidence};
    }
    finding->checks_passed = last->passed;
    finding->confidence = last->confidence;
    return !last->is_dropped;
}

void search_note_open(const struct search *s, size_t raw_from)
{
    struct find_open *open = s->request->open;
    size_t from = raw_from > s->offset ? raw_from - s->offset : 0;

    if (from >= open->no_sooner && from < open->from) {
        open->from = from;
    }
}

static double clamp(double confidence)
{
    return confidence < 0 ? 0 : confidence > 1 ? 1 : confidence;
}

/* Words count when they are near the span in its view, or near where it is in the raw text. */
static bool apply_contexts(const struct search *s, const struct scanner_match *match, struct raw_place raw,
                           struct finding *finding)
{
    double may_rise = 0;
    bool is_dropped = false, may_be_dropped = false;

    for (size_t i = 0; i < finding->rule->n_contexts; i++) {
        const struct rule_context *context = &finding->rule->contexts[i];
        enum nearness nearness = nearness_of(s, match, raw, context);
        if (nearness == NEAR) {
            finding->contexts_found |= 1U << i;
            finding->confidence += context->raise;
            continue;
        }
        if (context->is_required) {
            is_dropped = is_dropped || nearness == FAR;
            may_be_dropped = true;
            may_rise += context->raise;
            continue;
        }
        finding->confidence -= context->lower;
        may_rise += nearness == OPEN ? context->raise + context->lower : 0;
    }
    const struct find_open *open = s->request->open;
    double low = may_be_dropped ? -1 : clamp(finding->confidence);
    if (open != NULL && !is_dropped && (may_be_dropped || may_rise > 0) &&
        decision_may_differ(open->exchange, finding->rule, low, clamp(finding->confidence + may_rise))) {
        search_note_open(s, finding->match_from + s->offset);
    }
    return !may_be_dropped;
}

bool search_place(const struct search *s, struct raw_place raw, struct finding *finding)
{
    if (raw.to <= s->offset) {
        return false;
    }
    finding->from = raw.from > s->offset ? raw.from - s->offset : 0;
    finding->to = raw.to - s->offset;
    finding->match_from = finding->from;
    return true;
}

bool search_is_only_copied(const struct search *s, const struct view_piece *piece, size_t from, size_t to)
{
    if (s->view == s->raw || view_is_in_place(piece)) {
        return false;
    }
    const struct view_segment *segment = view_segment_at(s->view, piece, from);
    return segment->is_copy && to <= (size_t)segment->view_from + segment->view_len;
}

bool search_is_before_change(const struct search *s, const struct view_piece *piece, size_t to)
{
    if (s->view == s->raw || !view_is_in_place(piece)) {
        return false;
    }
    const struct view_segment *first = &s->view->segments[piece->first_segment];
    return first->is_copy && to < (size_t)first->view_from + first->view_len;
}

/* Whether what is before the change says no more here than in the parent, which was searched: then a match is
 * news because the piece begins where it does, and a stream has let the text go before the change came. Words behind the
 * change may still decide about what the parent's search found, too. */
static bool is_no_news(const struct search *s, const struct finding *finding)
{
    return finding->rule->n_contexts == 0 || (!s->is_seen_full && !finding_list_has(&s->seen, s->n_seen, finding));
}

static bool note_seen(struct search *s, const struct finding *finding, struct error *err)
{
    s->is_seen_full = s->is_seen_full || s->seen.n == s->finder->findings_max;
    return finding->rule->n_contexts == 0 || s->is_seen_full || finding_list_add(s->finder, &s->seen, finding, err);
}

/* Sets *is_permitted for a link that is no finding. */
static bool ask_links(const struct search *s, const struct finding *finding, bool *is_permitted, struct error *err)
{
    enum link_use use = finding->rule->link;

    *is_permitted = use != LINK_NONE && s->request->without_links;
    return use == LINK_NONE || *is_permitted ||
           links_permit(s->finder->arena, s->request->links, use, finding->value, is_permitted, err);
}

/* Sets *is_found unless the rule's own conditions drop it, or it is not in the text itself. */
static bool confirm(struct search *s, const struct scanner_match *match, bool is_early, struct finding *finding,
                    bool *is_found, struct error *err)
{
    uint32_t rule = s->request->rules->rule_of_pattern[match->pattern];
    struct raw_place raw;

    *is_found = false;
    view_to_raw(s->view, match->span_from, match->span_to, &raw.from, &raw.to);
    if (!search_place(s, raw, finding)) {
        return true;
    }
    if (match->from < match->span_from) {
        size_t match_from, match_to;
        view_to_raw(s->view, match->from, match->to, &match_from, &match_to);
        finding->match_from = match_from > s->offset ? match_from - s->offset : 0;
    }
    if (match->is_over_limit) {
        finding->confidence = finding->confidence < OVER_LIMIT_CONFIDENCE ? finding->confidence : OVER_LIMIT_CONFIDENCE;
        *is_found = true;
        return true;
    }
    bool is_permitted;
    if (!ask_links(s, finding, &is_permitted, err)) {
        return false;
    }
    if (is_permitted || !pass_checks(s, match, rule, finding)) {
        return true;
    }
    if (is_early && is_no_news(s, finding)) {
        return true;
    }
    if (!note_seen(s, finding, err)) {
        return false;
    }
    *is_found = apply_contexts(s, match, raw, finding) || s->finder->keeps_lacking;
    return true;
}

static bool on_found(void *context, const struct scanner_match *match, struct error *err)
{
    struct search *s = context;
    const struct rule_set *set = s->request->rules;
    uint32_t index = set->rule_of_pattern[match->pattern];
    const struct rule *rule = &set->rules[index];
    bool is_found;

    if (s->request->has_rule != NULL && !s->request->has_rule[index]) {
        return true;
    }
    size_t label = label_end(set, s->view->text, match->from);
    if (label > match->from && label < match->to && !match->is_over_limit) {
        *match->behind = label; /* the label names no value; what is behind it may be another match */
        return true;
    }
    const struct view_piece *piece = view_piece_at(s->view, match->from);
    if (s->request->is_parts && (s->view == s->raw || view_is_in_place(piece))) {
        return true;
    }
    if (search_is_only_copied(s, piece, match->from, match->to) || ((view_is_joined(piece) || s->request->has_tokens_alone) && !rule_is_token(rule))) {
        return true;
    }
    struct finding finding = {.rule = rule,
                              .channel = s->request->channel,
                              .view = piece->kind,
                              .transform = piece->transform,
                              .confidence = rule->confidence,
                              .is_over_limit = match->is_over_limit,
                              .is_shadow = rule->is_shadow,
                              .value = span_slice(s->view->text, match->span_from, match->span_to)};
    s->scored = (struct scored){0};
    if (!confirm(s, match, search_is_before_change(s, piece, match->to), &finding, &is_found, err)) {
        return false;
    }
    finding.confidence = clamp(finding.confidence);
    return !is_found || finding_list_add(s->finder, s->list, &finding, err);
}

/* --- views ---------------------------------------------------------------- */

/* The text as judged: "key: text", so that a member's name is context for its value. */
static bool judged_text(struct finder *f, const struct find_request *request, struct span *out, size_t *offset,
                        struct error *err)
{
    static const char separator[] = ": ";
    struct span text;

    if (request->key.len == 0) {
        *offset = 0;
        return utf8_repair(f->arena, request->text, out, err);
    }
    size_t len = request->key.len + sizeof(separator) - 1;
    char *bytes = arena_alloc(f->arena, len + request->text.len, err);
    if (bytes == NULL) {
        return false;
    }
    memcpy(bytes, request->key.ptr, request->key.len);
    memcpy(bytes + request->key.len, separator, sizeof(separator) - 1);
    if (request->text.len > 0) {
        memcpy(bytes + len, request->text.ptr, request->text.len);
    }
    text = span_of(bytes, len + request->text.len);
    *offset = len;
    return utf8_repair(f->arena, text, out, err);
}

bool find_hints(struct arena *a, const struct view *view, struct scanner_hints *out, struct error *err)
{
    size_t max = FIND_HINTS_MIN + view->text.len / FIND_BYTES_PER_HINT;

    *out = (struct scanner_hints){.items = arena_array(a, max, sizeof(struct view_hint), err), .max = max};
    return out->items != NULL;
}

/* Lines that are rewritten in place are read in one with a changed line behind them. */
static bool is_line_settled(struct span text, size_t to)
{
    enum { APART = 512 };
    const char *end = text.len > to ? memchr(text.ptr + to, '\n', text.len - to) : NULL;
    size_t next = end == NULL ? text.len : (size_t)(end - text.ptr) + 1;

    return text.len - to > APART || (next < text.len && memchr(text.ptr + next, '\n', text.len - next) != NULL);
}

static void note_open_lines(const struct search *s, const struct view *child)
{
    for (size_t i = 0; s->request->open != NULL && child != NULL && i < child->n_pieces; i++) {
        const struct view_piece *piece = &child->pieces[i];
        size_t from, to;
        if (view_is_in_place(piece)) {
            view_to_raw(child, piece->from, piece->to, &from, &to);
            if (!is_line_settled(s->raw->text, to)) {
                search_note_open(s, from > s->offset + s->request->open->no_sooner ? from : s->offset + s->request->open->no_sooner);
            }
        }
    }
}

bool find_in_text(struct finder *f, const struct find_request *request, struct finding_list *list, struct error *err)
{
    const struct scanner *scanner = request->rules->scanner;
    struct span text;
    struct view_piece whole;
    struct view raw;
    struct search s = {.finder = f, .request = request, .list = list, .raw = &raw, .view = &raw};

    if (request->text.len > VIEW_TEXT_MAX || request->key.len > VIEW_TEXT_MAX) {
        return error_set(err, ERROR_LIMIT, "more than %d bytes", VIEW_TEXT_MAX);
    }
    if (!judged_text(f, request, &text, &s.offset, err)) {
        return false;
    }
    view_raw(text, &whole, &raw);
    struct data_search *data = NULL;
    if (!request->is_redacted && !data_begin(&s, &data, err)) {
        return false;
    }
    uint64_t *spent = request->stage_ns;
    uint64_t since = clock_monotonic_ns();
    while (s.view != NULL) {
        struct scanner_hints hints;
        const struct view *child = NULL;
        if (!find_hints(f->arena, s.view, &hints, err) || !scanner_mark(scanner, f->scan, s.view, &hints, err)) {
            return false;
        }
        take_lap(&spent[STAGE_SCAN], &since);
        bool is_confirmed = scanner_confirm(scanner, f->scan, s.view, on_found, &s, err) && data_view(data, err);
        take_lap(&spent[STAGE_CONFIRM], &since);
        if (!is_confirmed || !find_copied(&s, err) || !view_expand(f->arena, s.view, hints.items, hints.n, &f->views, &child, err)) {
            return false;
        }
        take_lap(&spent[STAGE_VIEWS], &since);
        note_open_lines(&s, child);
        finding_list_settle(&s.seen);
        s.n_seen = s.seen.n;
        s.view = child;
    }
    bool is_classified = data_end(data, err) && (request->is_parts || request->has_tokens_alone || classify_text(f, request, list, err));
    take_lap(&spent[STAGE_CLASSIFY], &since);
    return is_classified;
}
