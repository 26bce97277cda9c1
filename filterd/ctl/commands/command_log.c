/* command_log.c - filterctl log: query the decision log by agent, rule, action and time. */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/directory.h"
#include "base/plural.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/lines.h"
#include "ctl/mask.h"
#include "query/timestamp.h"

enum { OUTPUT_MAX = 256 * 1024 * 1024 };

static int run(const struct arguments *args);

const struct command command_log = {
    .name = "log",
    .operands = "[FILE]…",
    .summary = "List records of the decision log by agent, rule, action and time",
    .details = "FILE is a decision log (also gzipped), - standard input; without one, the log where filterd keeps it.\n"
               "A last line that a crash left torn is passed over. Exit code 0 whether or not a record matched.",
    .options = OPTION_BIT(OPTION_AGENT) | OPTION_BIT(OPTION_RULE) | OPTION_BIT(OPTION_ACTION) |
               OPTION_BIT(OPTION_SINCE) | OPTION_BIT(OPTION_UNTIL),
    .texts = {{OPTION_AGENT, "only records of this agent"}},
    .formats = "text|json|ndjson",
    .max_operands = -1,
    .run = run,
};

struct query {
    const struct arguments *args;
    int64_t since_ns, until_ns;
    struct buf out;
    size_t n_matches;
    bool has_failed;
};

/* The text at a key, or at "id" of an object there; "" when there is none. */
static const char *text_at(const json_t *record, const char *key)
{
    const json_t *value = json_object_get(record, key);

    if (json_is_object(value)) {
        value = json_object_get(value, "id");
    }
    return json_is_string(value) ? json_string_value(value) : "";
}

static bool has_rule(const json_t *record, const char *rule)
{
    const json_t *findings = json_object_get(record, "findings");

    if (strcmp(text_at(record, "rule"), rule) == 0) {
        return true;
    }
    for (size_t i = 0; i < json_array_size(findings); i++) {
        if (strcmp(text_at(json_array_get(findings, i), "rule"), rule) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_in_time(const struct query *q, const json_t *record)
{
    int64_t ns;

    if (q->since_ns == INT64_MIN && q->until_ns == INT64_MAX) {
        return true;
    }
    return timestamp_parse(span_str(text_at(record, "ts")), 0, &ns) && ns >= q->since_ns &&
           ns < q->until_ns;
}

static bool matches(const struct query *q, const json_t *record)
{
    const struct arguments *a = q->args;

    return (a->agent == NULL || strcmp(text_at(record, "agent"), a->agent) == 0) &&
           (a->action == NULL || strcmp(text_at(record, "action"), a->action) == 0) &&
           (a->rule == NULL || has_rule(record, a->rule)) && is_in_time(q, record);
}

/* Agents choose their names: nothing in them may reach the terminal as a command. */
static bool append_cell(struct buf *out, const char *text, size_t width, struct error *err)
{
    size_t len = strlen(text);

    if (!mask_append_visible(out, span_str(len > 0 ? text : "-"), err)) {
        return false;
    }
    for (size_t i = len > 0 ? len : 1; i < width; i++) {
        if (!buf_append_char(out, ' ', err)) {
            return false;
        }
    }
    return buf_append_str(out, "  ", err);
}

static bool append_rules(struct buf *out, const json_t *record, struct error *err)
{
    const json_t *findings = json_object_get(record, "findings");
    size_t n = json_array_size(findings);

    if (!buf_appendf(out, err, "%zu finding%s", n, plural_s(n))) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!buf_append_str(out, i == 0 ? ": " : ", ", err) ||
            !mask_append_visible(out, span_str(text_at(json_array_get(findings, i), "rule")),
                                 err)) {
            return false;
        }
    }
    return buf_append_char(out, '\n', err);
}

/* The open record of a stream has no action yet; what became of an agent has an event. */
static const char *action_of(const json_t *record)
{
    static const char *const keys[] = {"action", "phase", "event"};
    const char *text = "";

    for (size_t i = 0; i < COUNT(keys) && text[0] == '\0'; i++) {
        text = text_at(record, keys[i]);
    }
    return text;
}

static bool is_text(const struct arguments *args)
{
    return args->format == NULL || strcmp(args->format, "text") == 0;
}

/* The columns of append_record. */
static bool print_header(struct buf *out, struct error *err)
{
    bool is_printed = buf_appendf(out, err, "%-24s  %-6s  %-28s  %-16s  %-36s  %s\n", "TIME", "ACTION", "RULE", "AGENT",
                                  "ID", "FINDINGS") &&
                      command_print(buf_span(out), err);

    buf_clear(out);
    return is_printed;
}

static bool append_record(struct query *q, const json_t *record, struct span line,
                          struct error *err)
{
    struct buf *out = &q->out;

    if (is_text(q->args)) {
        return append_cell(out, text_at(record, "ts"), 24, err) &&
               append_cell(out, action_of(record), 6, err) &&
               append_cell(out, text_at(record, "rule"), 28, err) &&
               append_cell(out, text_at(record, "agent"), 16, err) &&
               append_cell(out, text_at(record, "id"), 36, err) && append_rules(out, record, err);
    }
    bool is_array = strcmp(q->args->format, "json") == 0;
    const char *before = !is_array ? "" : q->n_matches == 0 ? "[\n" : ",\n";
    return buf_append_str(out, before, err) && buf_append(out, line, err) &&
           (is_array || buf_append_char(out, '\n', err));
}

static bool query_line(struct query *q, const struct lines *l, size_t number, struct span line,
                       bool is_last, struct error *err)
{
    json_error_t why;
    json_t *record = json_loadb(line.ptr, line.len, JSON_REJECT_DUPLICATES, &why);

    if (!json_is_object(record)) {
        complain("%s:%zu: %s", l->name, number,
                      is_last ? "torn last line passed over" : "a JSON object expected");
        q->has_failed |= !is_last;
        json_decref(record);
        return true;
    }
    bool is_ok = true;
    if (matches(q, record)) {
        is_ok = append_record(q, record, line, err);
        q->n_matches++;
    }
    json_decref(record);
    return is_ok;
}

static bool query_batch(struct query *q, const struct lines *l, struct span text, size_t number,
                        struct error *err)
{
    struct span line;

    for (; lines_split(&text, &line); number++) {
        bool is_last = l->is_at_end && text.len == 0 && line.ptr[line.len] != '\n';
        if (line.len > 0 && !query_line(q, l, number, line, is_last, err)) {
            return false;
        }
    }
    bool is_printed = command_print(buf_span(&q->out), err);
    buf_clear(&q->out);
    return is_printed;
}

static bool query_file(struct query *q, const char *path, struct error *err)
{
    struct lines l CLEANUP(lines_close);
    struct buf batch CLEANUP(buf_deinit);
    size_t number;

    buf_init(&batch, LINE_MAX_BYTES + 2 * LINES_BATCH + 1);
    if (!lines_open(&l, path, err)) {
        return false;
    }
    for (;;) {
        buf_clear(&batch);
        if (!lines_next(&l, &batch, &number, err)) {
            return false;
        }
        if (batch.len == 0) {
            return true;
        }
        if (!buf_reserve(&batch, 1, err)) {
            return false;
        }
        batch.data[batch.len] = '\0'; /* what is behind a line is then always readable */
        if (!query_batch(q, &l, buf_span(&batch), number, err)) {
            return false;
        }
    }
}

static bool parse_times(struct query *q, struct error *err)
{
    int64_t now_ns = clock_utc_ns();

    if (q->args->since != NULL &&
        !timestamp_parse(span_str(q->args->since), now_ns, &q->since_ns)) {
        return error_set(err, ERROR_INVALID,
                         "--since: a time such as 2026-11-21T08:00:00Z or 6h expected");
    }
    if (q->args->until != NULL &&
        !timestamp_parse(span_str(q->args->until), now_ns, &q->until_ns)) {
        return error_set(err, ERROR_INVALID,
                         "--until: a time such as 2026-11-21T08:00:00Z or 6h expected");
    }
    return true;
}

/* The first log that can be read. */
static bool find_log(char path[PATH_MAX], struct error *err)
{
    struct directory_candidates places;
    char tried[sizeof(err->text)] = "";
    size_t len = 0;

    directory_candidates(DIRECTORY_LOGS, &places);
    for (unsigned i = 0; i < places.n; i++) {
        bool is_path = (size_t)snprintf(path, PATH_MAX, "%s/decisions.jsonl", places.paths[i]) < PATH_MAX;
        if (is_path && access(path, R_OK) == 0) {
            return true;
        }
        if (len < sizeof(tried)) {
            len += (size_t)snprintf(tried + len, sizeof(tried) - len, "%s%s: %s", i == 0 ? "" : "; ", path,
                                    is_path ? strerrordesc_np(errno) : "a shorter path expected");
        }
    }
    return error_set(err, ERROR_NOT_FOUND, "the file of a decision log expected, as none of these can be read: %s", tried);
}

static bool query_own(struct query *q, struct error *err)
{
    char path[PATH_MAX];

    return find_log(path, err) && query_file(q, path, err);
}

static void query_deinit(struct query *q)
{
    buf_deinit(&q->out);
}

static int run(const struct arguments *args)
{
    struct query q CLEANUP(query_deinit) = {
        .args = args, .since_ns = INT64_MIN, .until_ns = INT64_MAX};
    struct error err;

    buf_init(&q.out, OUTPUT_MAX);
    if (!parse_times(&q, &err)) {
        return command_failed(&err);
    }
    if (is_text(args) && isatty(STDOUT_FILENO) == 1 && !print_header(&q.out, &err)) {
        return command_failed(&err);
    }
    if (args->n_operands == 0 && !query_own(&q, &err)) {
        q.has_failed = true;
        (void)command_failed(&err);
    }
    for (int i = 0; i < args->n_operands; i++) {
        if (!query_file(&q, args->operands[i], &err)) {
            q.has_failed = true;
            (void)command_failed(&err);
        }
    }
    if (args->format != NULL && strcmp(args->format, "json") == 0 &&
        (!buf_append_str(&q.out, q.n_matches == 0 ? "[]\n" : "\n]\n", &err) ||
         !command_print(buf_span(&q.out), &err))) {
        return command_failed(&err);
    }
    return q.has_failed ? EXIT_FAILED : EXIT_CLEAN;
}
