#include <jansson.h>

#include "base/cleanup.h"
#include "ctl/lines.h"
#include "ctl/lab/score.h"

/* Half-open, in bytes of the text. */
struct place {
    size_t from, to;
};

enum row_form { ROW_SPANS, ROW_POSITIVE, ROW_QUIET };

struct row {
    const json_t *json;
    struct span text;
    enum row_form form;
    struct span secret; /* ROW_POSITIVE: where it is to be found; empty: anywhere */
    bool is_benign;     /* ROW_QUIET: no other rule may rightly fire */
    bool is_ordinary;   /* ROW_QUIET: without label and kind */
};

struct row_run {
    const struct score_row_options *options;
    struct batch *batch;
    size_t line;
    struct row row;
    struct judging judging;
};

/* --- reading ----------------------------------------------------------------- */

static struct span member(const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);

    return json_is_string(value) ? span_of(json_string_value(value), json_string_length(value))
                                 : (struct span){0};
}

static bool is_text_or_absent(const json_t *row, const char *key, struct error *err)
{
    const json_t *value = json_object_get(row, key);

    return value == NULL || json_is_null(value) || json_is_string(value) ||
           error_set(err, ERROR_INVALID, "\"%s\": a string expected", key);
}

static bool is_positive_label(const struct arguments *args, struct span label)
{
    const char *at = args->positive != NULL ? args->positive : "secret,pii,injection";

    while (*at != '\0') {
        size_t n = strcspn(at, ",");
        if (n == label.len && memcmp(at, label.ptr, n) == 0) {
            return true;
        }
        at += at[n] == ',' ? n + 1 : n;
    }
    return false;
}

static bool read_kind(const json_t *json, struct row *out, struct error *err)
{
    struct span kind = member(json, "kind");

    if (span_is(kind, "positive")) {
        out->form = ROW_POSITIVE;
        out->secret = member(json, "secret");
        return true;
    }
    out->form = ROW_QUIET;
    return span_is(kind, "negative") ||
           error_set(err, ERROR_INVALID, "\"kind\": \"positive\" or \"negative\" expected");
}

static bool read_row(const struct arguments *args, const json_t *json, struct row *out,
                     struct error *err)
{
    const json_t *spans = json_object_get(json, "spans");

    *out = (struct row){.json = json, .text = member(json, "text")};
    if (!json_is_object(json) || out->text.ptr == NULL) {
        return error_set(err, ERROR_INVALID, "an object with \"text\": a string expected");
    }
    if (!is_text_or_absent(json, "label", err) || !is_text_or_absent(json, "secret", err)) {
        return false;
    }
    if (spans != NULL) {
        out->form = ROW_SPANS;
        return json_is_array(spans) || error_set(err, ERROR_INVALID, "\"spans\": a list expected");
    }
    struct span label = member(json, "label");
    if (label.ptr != NULL) {
        out->form = is_positive_label(args, label) ? ROW_POSITIVE : ROW_QUIET;
        out->is_benign = true;
        return true;
    }
    if (json_object_get(json, "kind") != NULL) {
        return read_kind(json, out, err);
    }
    out->form = ROW_QUIET;
    out->is_benign = out->is_ordinary = true;
    return true;
}

/* --- places ------------------------------------------------------------------- */

static size_t chars_until(struct span text, size_t byte)
{
    size_t n = 0;

    for (size_t i = 0; i < byte; i++) {
        n += ((unsigned char)text.ptr[i] & 0xC0) != 0x80 ? 1 : 0;
    }
    return n;
}

/* The byte at which code point `n` begins; text.len also for what lies behind. */
static size_t byte_of_char(struct span text, size_t n)
{
    size_t at = 0;

    for (; at < text.len; at++) {
        if (((unsigned char)text.ptr[at] & 0xC0) != 0x80 && n-- == 0) {
            break;
        }
    }
    return at;
}

static bool read_place(struct span text, const json_t *span, struct place *out, struct error *err)
{
    const json_t *from = json_array_get(span, 0), *to = json_array_get(span, 1);

    if (!json_is_integer(from) || !json_is_integer(to) ||
        !json_is_string(json_array_get(span, 2)) || json_integer_value(from) < 0 ||
        json_integer_value(from) >= json_integer_value(to) ||
        (size_t)json_integer_value(to) > chars_until(text, text.len)) {
        return error_set(err, ERROR_INVALID,
                         "\"spans\": [start, end, \"kind\"] within the text expected");
    }
    *out = (struct place){byte_of_char(text, (size_t)json_integer_value(from)),
                          byte_of_char(text, (size_t)json_integer_value(to))};
    return true;
}

/* True when [from, to) meets an occurrence of the secret; an absent secret is met everywhere. */
static bool meets(struct span text, struct span secret, size_t from, size_t to)
{
    bool occurs = false;

    for (size_t at = 0; secret.len > 0 && at < text.len; at++) {
        const char *found = memmem(text.ptr + at, text.len - at, secret.ptr, secret.len);
        if (found == NULL) {
            break;
        }
        occurs = true;
        at = (size_t)(found - text.ptr);
        if (from < at + secret.len && at < to) {
            return true;
        }
    }
    return !occurs;
}

/* --- findings ------------------------------------------------------------------ */

const char *score_level_name(enum score_level level)
{
    static const char *const names[] = {
        [SCORE_REPORT] = "report", [SCORE_REDACT] = "redact", [SCORE_BLOCK] = "block"};

    return names[level];
}

static enum score_level level_of(const struct finding *f)
{
    if (f->is_shadow || f->is_excepted || f->action == ACTION_ALLOW) {
        return SCORE_REPORT;
    }
    return f->action == ACTION_REDACT ? SCORE_REDACT : SCORE_BLOCK;
}

static bool is_wanted(const struct arguments *a, const struct finding *f)
{
    static const char *const views[] = {
        [VIEW_RAW] = "raw", [VIEW_FOLDED] = "folded", [VIEW_DECODED] = "decoded"};

    return f->confidence >= a->min_confidence &&
           (a->view == NULL || strcmp(a->view, views[f->view]) == 0) &&
           (a->category == NULL || strcmp(a->category, category_name(f->rule->category)) == 0);
}

static bool is_counted(const struct row_run *r, const struct finding *f)
{
    return is_wanted(r->options->args, f) && level_of(f) >= r->options->level;
}

/* --- events -------------------------------------------------------------------- */

static void copy_name(char *to, struct span from)
{
    struct span name = from.len > 0 ? from : span_str("-");
    size_t n = name.len < SCORE_NAME_MAX - 1 ? name.len : SCORE_NAME_MAX - 1;

    memcpy(to, name.ptr, n);
    to[n] = '\0';
}

static struct span group_of(const struct row_run *r)
{
    const struct row *row = &r->row;
    struct span named =
        member(row->json, r->options->args->by != NULL ? r->options->args->by : "rule");
    struct span label = member(row->json, "label");

    if (named.ptr != NULL) {
        return named;
    }
    return label.ptr != NULL ? label : span_str("(no label)");
}

static struct score_event event_of(const struct row_run *r, enum score_outcome outcome)
{
    struct score_event e = {.outcome = outcome, .line = r->line, .is_benign = r->row.is_benign};

    copy_name(e.group, group_of(r));
    copy_name(e.rule, member(r->row.json, "rule"));
    copy_name(e.source, member(r->row.json, "source"));
    copy_name(e.provider, member(r->row.json, "provider"));
    return e;
}

static enum score_class class_of(const struct row *row)
{
    return row->form == ROW_POSITIVE ? SCORE_CLASS_POSITIVE : row->is_ordinary ? SCORE_CLASS_ORDINARY : SCORE_CLASS_QUIET;
}

/* Of any level: what the policy does about a finding does not change how sure it is. */
static double highest_confidence(const struct row_run *r)
{
    const struct exchange *x = &r->judging.exchange;
    double highest = 0;

    for (size_t i = 0; i < x->n_findings; i++) {
        bool is_higher = is_wanted(r->options->args, &x->findings[i]) && x->findings[i].confidence > highest;
        highest = is_higher ? x->findings[i].confidence : highest;
    }
    return highest;
}

static bool add_event(struct row_run *r, const struct score_event *e, struct error *err)
{
    return buf_append(&r->batch->output, span_of((const char *)e, sizeof(*e)), err);
}

static bool add_false(struct row_run *r, const struct finding *f, struct error *err)
{
    struct score_event e = event_of(r, SCORE_FALSE);

    copy_name(e.rule, f->rule->id);
    e.is_counted = is_counted(r, f);
    e.is_span = r->row.form == ROW_SPANS;
    if (e.is_span) {
        copy_name(e.group, span_str("(no span)"));
    }
    e.level = level_of(f);
    e.category = f->rule->category;
    e.from = chars_until(r->row.text, f->from);
    e.to = chars_until(r->row.text, f->to);
    return add_event(r, &e, err);
}

/* --- the three forms of rows ------------------------------------------------------ */

static bool score_positive(struct row_run *r, struct error *err)
{
    const struct exchange *x = &r->judging.exchange;
    struct score_event e = event_of(r, SCORE_MISSED);

    e.class = class_of(&r->row);
    e.score = highest_confidence(r);
    for (size_t i = 0; i < x->n_findings && e.outcome == SCORE_MISSED; i++) {
        const struct finding *f = &x->findings[i];
        if (is_counted(r, f) && meets(r->row.text, r->row.secret, f->from, f->to)) {
            e.outcome = SCORE_FOUND;
            copy_name(e.rule, f->rule->id);
        }
    }
    return add_event(r, &e, err);
}

static bool score_quiet(struct row_run *r, struct error *err)
{
    const struct exchange *x = &r->judging.exchange;
    struct score_event e = event_of(r, SCORE_CLEAN);

    e.class = class_of(&r->row);
    e.score = highest_confidence(r);
    e.bytes = r->row.text.len;
    for (size_t i = 0; i < x->n_findings; i++) {
        const struct finding *f = &x->findings[i];
        if (is_wanted(r->options->args, f) && !add_false(r, f, err)) {
            return false;
        }
        e.outcome = is_counted(r, f) ? SCORE_FLAGGED : e.outcome;
    }
    return add_event(r, &e, err);
}

static bool score_place(struct row_run *r, const json_t *span, const struct place *at,
                        struct error *err)
{
    const struct exchange *x = &r->judging.exchange;
    struct score_event e = event_of(r, SCORE_MISSED);
    const json_t *kind = json_array_get(span, 2);

    e.is_span = true;
    e.from = (size_t)json_integer_value(json_array_get(span, 0));
    e.to = (size_t)json_integer_value(json_array_get(span, 1));
    copy_name(e.rule, span_of(json_string_value(kind), json_string_length(kind)));
    if (r->options->args->by == NULL) {
        memcpy(e.group, e.rule, sizeof(e.group));
    }
    for (size_t i = 0; i < x->n_findings && e.outcome == SCORE_MISSED; i++) {
        const struct finding *f = &x->findings[i];
        if (is_counted(r, f) && f->from < at->to && at->from < f->to) {
            e.outcome = SCORE_FOUND;
            copy_name(e.rule, f->rule->id);
        }
    }
    return add_event(r, &e, err);
}

static bool score_spans(struct row_run *r, struct error *err)
{
    const struct exchange *x = &r->judging.exchange;
    const json_t *spans = json_object_get(r->row.json, "spans");
    bool *has_met CLEANUP(cleanup_free) = calloc(x->n_findings + 1, sizeof(*has_met));
    struct place at;

    if (has_met == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "no memory");
    }
    for (size_t i = 0; i < json_array_size(spans); i++) {
        const json_t *span = json_array_get(spans, i);
        if (!read_place(r->row.text, span, &at, err) || !score_place(r, span, &at, err)) {
            return false;
        }
        for (size_t k = 0; k < x->n_findings; k++) {
            has_met[k] |= x->findings[k].from < at.to && at.from < x->findings[k].to;
        }
    }
    for (size_t k = 0; k < x->n_findings; k++) {
        if (!has_met[k] && is_counted(r, &x->findings[k]) && !add_false(r, &x->findings[k], err)) {
            return false;
        }
    }
    return true;
}

/* In place of the findings: a head's score. */
static bool score_row_by_head(struct row_run *r, struct error *err)
{
    const struct score_head *by = &r->options->by_head;
    bool is_positive = r->row.form == ROW_POSITIVE;
    double score;

    if (r->row.form == ROW_SPANS) {
        return error_set(err, ERROR_INVALID, "--classifier: a row with \"label\", \"kind\" or neither expected, not \"spans\"");
    }
    if (!score_by_head(by, r->options->session->policy->hold, r->row.text, &score, err)) {
        return false;
    }
    bool is_found = score >= by->threshold;
    struct score_event e = event_of(r, is_positive ? (is_found ? SCORE_FOUND : SCORE_MISSED) : is_found ? SCORE_FLAGGED : SCORE_CLEAN);
    e.class = class_of(&r->row);
    e.score = score;
    e.bytes = r->row.text.len;
    if (is_found) {
        copy_name(e.rule, span_str(r->options->args->classifier));
    }
    return add_event(r, &e, err);
}

static bool score_line(struct row_run *r, struct worker *w, const json_t *json, struct error *err)
{
    static bool (*const forms[])(struct row_run *, struct error *) = {
        [ROW_SPANS] = score_spans, [ROW_POSITIVE] = score_positive, [ROW_QUIET] = score_quiet};

    if (!read_row(r->options->args, json, &r->row, err)) {
        return false;
    }
    if (r->options->by_head.classifier != NULL) {
        return score_row_by_head(r, err);
    }
    judging_text(r->options->session, w, r->row.text, &r->judging);
    if (!judging_is_complete(&r->judging)) {
        return error_set(err, ERROR_LIMIT, "not judged: %s",
                         r->judging.exchange.unjudged_reason != NULL
                             ? r->judging.exchange.unjudged_reason
                             : "a limit was met");
    }
    return forms[r->row.form](r, err);
}

void score_rows(const struct score_row_options *options, struct worker *w, struct batch *b)
{
    struct row_run r = {.options = options, .batch = b, .line = b->first_line};
    struct span rest = buf_span(&b->input), line;
    json_error_t where;
    struct error err;

    b->totals.bytes = b->input.len;
    for (; lines_split(&rest, &line); r.line++) {
        if (line.len == 0) {
            continue;
        }
        size_t before = b->output.len;
        json_t *json = json_loadb(line.ptr, line.len, JSON_REJECT_DUPLICATES, &where);
        if (json == NULL) {
            error_set(&err, ERROR_MALFORMED, "a JSON object expected (column %d)", where.column);
        }
        if (json == NULL || !score_line(&r, w, json, &err)) {
            b->output.len = before; /* a row counts whole or not at all */
            batch_problem(b, PROBLEM_UNJUDGED, r.line, err.text);
        }
        json_decref(json);
    }
}
