/* check_input.c - what the threads of filterctl check do: judge one file or some lines. */
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "ctl/check/check.h"
#include "ctl/file_text.h"
#include "ctl/lines.h"
#include "ctl/source/changed.h"

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

/* A document when it is one, or must be one; otherwise the text itself is judged, so that nothing
 * escapes by being malformed. */
static void judge_json_or_text(const struct check *c, struct worker *w, struct batch *b,
                               struct span text, size_t line, bool is_line)
{
    const struct check_part part = {.first_line = line, .to = text.len, .text_line = is_line ? line : 0};
    struct judging j;
    struct error err;
    bool is_strict = c->args->input != NULL || c->args->field != NULL;

    if (judging_document(c->session, w, text, c->field, &j, &err)) {
        check_report(c, b, &j, &part);
    } else if (is_strict) {
        batch_problem(b, PROBLEM_UNJUDGED, line, err.text);
    } else {
        judging_text(c->session, w, text, &j);
        check_report(c, b, &j, &part);
    }
}

/* Of a blob, a copy: what it was is needed for the version that comes next. */
static bool read_input(struct batch *b, struct error *err)
{
    struct buf *input = &b->input;

    input->max = VIEW_TEXT_MAX;
    if (b->blob.content != NULL) {
        return buf_append(input, span_of(b->blob.content->bytes, b->blob.content->len), err);
    }
    bool is_read = strcmp(b->file, "<stdin>") == 0 ? file_read_fd(STDIN_FILENO, b->file, input, err)
                                                   : file_read(b->file, input, err);
    if (!is_read && err->kind == ERROR_LIMIT) {
        return error_set(err, ERROR_LIMIT, "at most %d MiB expected",
                         VIEW_TEXT_MAX / (1024 * 1024));
    }
    return is_read;
}

static void judge_lines(const struct check *c, struct worker *w, struct batch *b, struct span text, size_t number)
{
    struct span line;

    for (; lines_split(&text, &line); number++) {
        if (line.len > 0 && line.ptr[line.len - 1] == '\r') {
            line.len--;
        }
        if (line.len > 0) {
            judge_json_or_text(c, w, b, line, number, true);
        }
    }
}

/* The whole text, or what a version changed. */
static void judge_part(const struct check *c, struct worker *w, struct batch *b, enum input_kind kind, struct span whole,
                       const struct changed_part *changed)
{
    struct span text = span_slice(whole, changed->from, changed->to);
    const struct check_part part = {.first_line = changed->first_line,
                                    .from = changed->reported_from - changed->from,
                                    .to = changed->reported_to - changed->from};
    struct judging j;

    if (kind == INPUT_NDJSON) {
        judge_lines(c, w, b, text, changed->first_line);
    } else if (kind == INPUT_JSON) {
        judge_json_or_text(c, w, b, text, changed->first_line, false);
    } else {
        judging_text(c->session, w, text, &j);
        j.offset = changed->from;
        check_report(c, b, &j, &part);
    }
}

/* Parts that are most of the text are not worth it. */
static bool is_most(const struct changed *changed, size_t len)
{
    size_t sum = 0;

    for (size_t i = 0; i < changed->n; i++) {
        sum += changed->parts[i].to - changed->parts[i].from;
    }
    return sum > len / 4 * 3;
}

/* Judges a part with little context. *is_clean: nothing in it could be a finding, however much is around it; then it is
 * counted as judged. */
static void judge_near(const struct check *c, struct worker *w, struct batch *b, struct span whole,
                       const struct changed_part *changed, bool *is_clean)
{
    struct span text = span_slice(whole, changed->from, changed->to);
    struct judging j;

    judging_text(c->session, w, text, &j);
    *is_clean = judging_is_complete(&j) && j.exchange.n_findings == 0 && !j.exchange.lacks_words;
    if (*is_clean) {
        check_report(c, b, &j, &(struct check_part){.first_line = changed->first_line, .to = text.len});
    }
}

/* Cells of tables may be anywhere in a record, and classifiers judge a text as a whole: both need the wide context. */
static bool may_judge_near(const struct check *c, enum input_kind kind)
{
    const struct rule_set *rules = c->session->snapshot->rules;

    return kind == INPUT_TEXT && rules->n_tables == 0 && !rule_set_has_use(rules, c->session->policy->has_rule);
}

/* Which of the parts need the wide context: those where something may be found. */
static bool find_wide(const struct check *c, struct worker *w, struct batch *b, enum input_kind kind, struct span text,
                      const struct changed *near, struct changed *wide, struct error *err)
{
    bool may_be_clean = may_judge_near(c, kind);

    for (size_t i = 0; i < near->n; i++) {
        bool is_clean = false;
        if (may_be_clean) {
            judge_near(c, w, b, text, &near->parts[i], &is_clean);
        }
        if (!is_clean && !changed_widen(wide, text, &near->parts[i], err)) {
            return false;
        }
    }
    return true;
}

static void judge_blob(const struct check *c, struct worker *w, struct batch *b, enum input_kind kind, struct span text,
                       bool is_plain)
{
    struct changed near CLEANUP(changed_deinit) = {0}, wide CLEANUP(changed_deinit) = {0};
    const struct content *content = b->blob.before;
    const struct span before = content != NULL ? span_of(content->bytes, content->len) : span_of("", 0);
    const struct changed_part whole = {.to = text.len, .reported_to = text.len, .first_line = 1};
    struct error err;

    if (content == NULL || !is_plain || kind == INPUT_JSON || !file_text_is_plain(before) ||
        !changed_find(&near, before, text, &err) || is_most(&near, text.len) ||
        !find_wide(c, w, b, kind, text, &near, &wide, &err) || is_most(&wide, text.len)) {
        judge_part(c, w, b, kind, text, &whole);
        return;
    }
    for (size_t i = 0; i < wide.n; i++) {
        judge_part(c, w, b, kind, text, &wide.parts[i]);
    }
}

static void judge_file(const struct check *c, struct worker *w, struct batch *b)
{
    enum input_kind kind = check_input_kind(c->args, b->file);
    const char *skipped = NULL;
    struct error err;
    struct judging j;

    if (!read_input(b, &err)) {
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
    } else if (b->blob.content != NULL) {
        judge_blob(c, w, b, kind, text, false);
    } else if (kind == INPUT_JSON) {
        judge_json_or_text(c, w, b, text, 1, false);
    } else {
        judging_text(c->session, w, text, &j);
        check_report(c, b, &j, &(struct check_part){.first_line = 1, .to = text.len});
    }
}

/* A blob that is text as it is needs no copy, which decoding would. */
static void judge_input(const struct check *c, struct worker *w, struct batch *b)
{
    const struct content *content = b->blob.content;
    struct span bytes = content != NULL ? span_of(content->bytes, content->len) : (struct span){0};

    if (content != NULL && file_text_is_plain(bytes)) {
        b->totals.bytes += bytes.len;
        judge_blob(c, w, b, check_input_kind(c->args, b->file), bytes, true);
    } else {
        judge_file(c, w, b);
    }
}

void check_run(void *context, struct worker *w, struct batch *b)
{
    const struct check *c = context;

    if (b->first_line == 0) {
        judge_input(c, w, b);
        return;
    }
    b->totals.bytes += b->input.len;
    judge_lines(c, w, b, buf_span(&b->input), b->first_line);
}
