/* check_input.c - what the threads of filterctl check do: judge one file or some lines. */
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "ctl/check/check.h"
#include "ctl/file_text.h"
#include "ctl/lines.h"

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
void check_judge_json_or_text(const struct check *c, struct worker *w, struct batch *b, struct span text, size_t line,
                              bool is_line)
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

void check_judge_lines(const struct check *c, struct worker *w, struct batch *b, struct span text, size_t number)
{
    struct span line;

    for (; lines_split(&text, &line); number++) {
        if (line.len > 0 && line.ptr[line.len - 1] == '\r') {
            line.len--;
        }
        if (line.len > 0) {
            check_judge_json_or_text(c, w, b, line, number, true);
        }
    }
}

void check_judge_file(const struct check *c, struct worker *w, struct batch *b)
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
        check_judge_version(c, w, b, text);
    } else if (kind == INPUT_JSON) {
        check_judge_json_or_text(c, w, b, text, 1, false);
    } else {
        judging_text(c->session, w, text, &j);
        check_report(c, b, &j, &(struct check_part){.first_line = 1, .to = text.len});
    }
}

void check_run(void *context, struct worker *w, struct batch *b)
{
    const struct check *c = context;

    if (b->blob.content != NULL || b->next != NULL) {
        check_versions(c, w, b);
    } else if (b->first_line == 0) {
        check_judge_file(c, w, b);
    } else {
        b->totals.bytes += b->input.len;
        check_judge_lines(c, w, b, buf_span(&b->input), b->first_line);
    }
}
