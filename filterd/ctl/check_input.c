/* check_input.c - what the threads of filterctl check do: judge one file or some lines. */
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "ctl/check.h"
#include "ctl/file_text.h"
#include "ctl/lines.h"
#include "ctl/place.h"

/* Below it a finding that the policy does nothing about is not worth an exit code. */
static const double default_min_confidence = 0.5;

static bool has_ending(struct span file, const char *ending)
{
    size_t n = strlen(ending);

    return file.len > n && strncasecmp(file.ptr + file.len - n, ending, n) == 0;
}

enum input_kind check_input_kind(const struct arguments *args, const char *file)
{
    static const char *const lines[] = {".ndjson", ".jsonl"};
    struct span name = span_str(file);

    if (args->input != NULL) {
        return args->input[0] == 't'   ? INPUT_TEXT
               : args->input[0] == 'j' ? INPUT_JSON
                                       : INPUT_NDJSON;
    }
    if (has_ending(name, ".gz")) {
        name.len -= strlen(".gz");
    }
    for (size_t i = 0; i < COUNT(lines); i++) {
        if (has_ending(name, lines[i])) {
            return INPUT_NDJSON;
        }
    }
    if (args->field != NULL || args->is_pipe) {
        return INPUT_NDJSON;
    }
    return has_ending(name, ".json") ? INPUT_JSON : INPUT_TEXT;
}

bool check_is_found(const struct arguments *args, const struct finding *f)
{
    if (f->is_shadow || f->is_excepted) {
        return false;
    }
    if (args->min_confidence >= 0) {
        return f->confidence >= args->min_confidence;
    }
    bool is_content = f->rule->category == CATEGORY_CONTENT;
    return f->action != ACTION_ALLOW || (f->confidence >= default_min_confidence && !is_content);
}

enum action check_fail_on(const struct arguments *args)
{
    static const char *const names[] = {[ACTION_BLOCK] = "block", [ACTION_REDACT] = "redact", [ACTION_ALLOW] = "allow"};
    enum action action = ACTION_REDACT;

    for (size_t i = 0; args->fail_on != NULL && i < COUNT(names); i++) {
        action = strcmp(names[i], args->fail_on) == 0 ? (enum action)i : action;
    }
    return action;
}

/* The report has a finding of this rule; returns how many of it the text had before. */
static size_t count_rule(const struct check *c, const struct finding *f, size_t *counts)
{
    const struct rule_set *set = c->session->snapshot->rules;

    if (f->rule < set->rules || f->rule >= set->rules + set->n_rules) {
        return 0; /* filterd's own */
    }
    uint32_t i = rule_set_index(set, f->rule);
    atomic_store_explicit(&c->rules_found[i], true, memory_order_relaxed);
    return counts != NULL ? counts[i]++ : 0;
}

/* `counts`: of the text's findings, per rule; NULL: they are not counted. */
static bool append_item(const struct check *c, struct batch *b, const struct judging *j,
                        const struct finding *f, struct place *place, size_t *counts, struct error *err)
{
    struct report_item item = {
        .file = b->file, .judging = j, .finding = f, .is_coloured = c->is_coloured};
    size_t from, to;

    judging_range(j, f, &from, &to);
    place_seek(place, from);
    struct place end = *place;
    place_seek(&end, to);
    item.line = place->line;
    item.column = place->column;
    item.end_line = end.line;
    item.end_column = end.column;
    item.offset = from;
    item.text_line = b->first_line != 0 ? place->line : 0;
    item.ordinal = count_rule(c, f, counts);
    item.length = to - from;
    return (b->output.len == 0 || buf_append_str(&b->output, c->format->separator, err)) &&
           c->format->finding(&b->output, &item, err);
}

static void report(const struct check *c, struct batch *b, const struct judging *j,
                   size_t first_line)
{
    const struct exchange *x = &j->exchange;
    bool is_numbered = c->format == &report_sarif && x->n_findings > 0;
    size_t *counts CLEANUP(cleanup_free) =
        is_numbered ? calloc((size_t)c->session->snapshot->rules->n_rules + 1, sizeof(*counts)) : NULL;
    struct place place;
    struct error err;

    b->totals.texts++;
    if (!judging_is_complete(j)) {
        const char *reason =
            x->unjudged_reason != NULL ? x->unjudged_reason : "could not be judged";
        batch_problem(b, PROBLEM_UNJUDGED, b->first_line == 0 ? 0 : first_line, reason);
    } else {
        b->totals.verdicts[x->action]++;
    }
    place_init(&place, j->source, first_line);
    for (size_t i = 0; i < x->n_findings; i++) {
        bool is_found = check_is_found(c->args, &x->findings[i]);
        if (is_found) {
            b->totals.findings++;
            b->totals.actions[x->findings[i].action]++;
        }
        if ((is_found || c->args->is_all) && !c->args->is_quiet &&
            !append_item(c, b, j, &x->findings[i], &place, counts, &err)) {
            batch_problem(b, PROBLEM_UNJUDGED, first_line, err.text);
            return;
        }
    }
}

/* A document when it is one, or must be one; otherwise the text itself is judged, so that nothing
 * escapes by being malformed. */
static void judge_json_or_text(const struct check *c, struct worker *w, struct batch *b,
                               struct span text, size_t line)
{
    struct judging j;
    struct error err;
    bool is_strict = c->args->input != NULL || c->args->field != NULL;

    if (judging_document(c->session, w, text, c->field, &j, &err)) {
        report(c, b, &j, line);
    } else if (is_strict) {
        batch_problem(b, PROBLEM_UNJUDGED, line, err.text);
    } else {
        judging_text(c->session, w, text, &j);
        report(c, b, &j, line);
    }
}

static bool read_file(struct batch *b, struct error *err)
{
    struct buf *input = &b->input;

    input->max = VIEW_TEXT_MAX;
    bool is_read = strcmp(b->file, "<stdin>") == 0 ? file_read_fd(STDIN_FILENO, b->file, input, err)
                                                   : file_read(b->file, input, err);
    if (!is_read && err->kind == ERROR_LIMIT) {
        return error_set(err, ERROR_LIMIT, "at most %d MiB expected",
                         VIEW_TEXT_MAX / (1024 * 1024));
    }
    return is_read;
}

static void judge_file(const struct check *c, struct worker *w, struct batch *b)
{
    const char *skipped = NULL;
    struct error err;
    struct judging j;

    if (!read_file(b, &err)) {
        batch_problem(b, PROBLEM_UNJUDGED, 0, err.text);
        return;
    }
    b->totals.bytes += b->input.len; /* as the folder counts them, for the progress */
    if (!file_text_decode(&b->input, &skipped, &err)) {
        batch_problem(b, PROBLEM_UNJUDGED, 0, err.text);
        return;
    }
    struct span text = buf_span(&b->input);
    if (skipped != NULL) {
        batch_problem(b, PROBLEM_SKIPPED, 0, skipped);
        return;
    }
    if (check_input_kind(c->args, b->file) == INPUT_JSON) {
        judge_json_or_text(c, w, b, text, 1);
        return;
    }
    judging_text(c->session, w, text, &j);
    report(c, b, &j, 1);
}

void check_run(void *context, struct worker *w, struct batch *b)
{
    const struct check *c = context;
    struct span rest = buf_span(&b->input), line;

    if (b->first_line == 0) {
        judge_file(c, w, b);
        return;
    }
    b->totals.bytes += rest.len;
    for (size_t number = b->first_line; lines_split(&rest, &line); number++) {
        if (line.len > 0 && line.ptr[line.len - 1] == '\r') {
            line.len--;
        }
        if (line.len > 0) {
            judge_json_or_text(c, w, b, line, number);
        }
    }
}
