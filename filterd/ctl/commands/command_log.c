/* command_log.c - filterctl log: lines of the decision log that a query matches, once or as they come. */
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/lines.h"
#include "ctl/record/log_place.h"
#include "ctl/record/log_tail.h"
#include "ctl/record/log_output.h"
#include "query/query.h"
#include "record/log_reader.h"

enum { ROTATION_STEP_NS = 20 * 1000 * 1000, ROTATION_STEPS = 100 };

static int run(const struct arguments *args);

const struct command command_log = {
    .name = "log",
    .operands = "[FILE]…",
    .summary = "List lines of the decision log that a query matches, once or as they come",
    .details =
        "FILE is a decision log (also compressed), - standard input; without one, the log of the filterd that runs here,\n"
        "with its closed files.\n\n"
        "QUERY is field:value with spaces between: action:block,redact agent:support-* -rule:iban since:7d\n"
        "Commas mean or, - in front means not, * at the end stands for any rest. Fields: tenant app agent rule category\n"
        "severity action type state disposition who policy token req session since until seq. filterctl(1) says more.\n\n"
        "A last line that a crash left incomplete is skipped. Exit code 0 whether or not a line matched.",
    .options = OPTION_BIT(OPTION_QUERY) | OPTION_BIT(OPTION_AGENT) | OPTION_BIT(OPTION_RULE) | OPTION_BIT(OPTION_ACTION) |
               OPTION_BIT(OPTION_SINCE) | OPTION_BIT(OPTION_UNTIL) | OPTION_BIT(OPTION_FOLLOW) | OPTION_BIT(OPTION_COLOR) |
               OPTION_BIT(OPTION_CONFIG) | OPTION_BIT(OPTION_OPERATORS) | OPTION_BIT(OPTION_TOKEN),
    .texts = {{OPTION_AGENT, "only records of this agent"}},
    .formats = "text|json|ndjson",
    .max_operands = -1,
    .run = run,
};

struct listing {
    const struct arguments *args;
    struct query *query;
    struct query_bounds bounds;
    struct log_output view;
    const char *path;  /* of the open file, where the log is followed over its files */
    uint64_t last_seq; /* 0: none was seen */
    const char *name;  /* of the file that is read, for messages */
    size_t number;     /* of the line in it */
    bool has_failed;
};

/* --- the query ------------------------------------------------------------------ */

static bool append_term(struct buf *text, const char *field, const char *value, struct error *err)
{
    if (value == NULL) {
        return true;
    }
    if (!buf_appendf(text, err, " %s:\"", field)) {
        return false;
    }
    for (; *value != '\0'; value++) {
        if (((*value == '"' || *value == '\\') && !buf_append_char(text, '\\', err)) || !buf_append_char(text, *value, err)) {
            return false;
        }
    }
    return buf_append_char(text, '"', err);
}

/* The options are terms behind --query, so that its columns stay right. */
static bool compile(struct listing *l, struct error *err)
{
    const struct arguments *a = l->args;
    const struct {
        const char *field, *value;
    } terms[] = {{"agent", a->agent}, {"rule", a->rule}, {"action", a->action}, {"since", a->since}, {"until", a->until}};
    struct buf text CLEANUP(buf_deinit);
    int64_t now_ns = clock_utc_ns();

    buf_init(&text, 2 * QUERY_TEXT_MAX);
    if (!buf_append_str(&text, a->query == NULL ? "" : a->query, err)) {
        return false;
    }
    for (size_t i = 0; i < COUNT(terms); i++) {
        struct buf one CLEANUP(buf_deinit);
        buf_init(&one, QUERY_TEXT_MAX);
        if (!append_term(&one, terms[i].field, terms[i].value, err)) {
            return false;
        }
        struct query *alone = query_compile(buf_span(&one), now_ns, err);
        query_free(alone);
        if (alone == NULL) {
            return error_wrap(err, "--%s", terms[i].field);
        }
        if (!buf_append(&text, buf_span(&one), err)) {
            return false;
        }
    }
    l->query = query_compile(buf_span(&text), now_ns, err);
    if (l->query != NULL) {
        l->bounds = query_bounds(l->query);
    }
    return l->query != NULL;
}

/* --- lines ---------------------------------------------------------------------- */

static bool show_line(struct listing *l, struct span line, bool is_torn, struct error *err)
{
    struct error why;

    if (!json_validate(line, &why) || json_root(line).kind != JSON_KIND_OBJECT) {
        complain("%s:%zu: %s", l->name, l->number, is_torn ? "torn last line passed over" : "a JSON object expected");
        l->has_failed |= !is_torn;
        return true;
    }
    return !query_matches(l->query, line) || log_output_line(&l->view, line, err);
}

/* Files of any origin, also from a pipe: lines are what they have. */
static bool show_batch(struct listing *l, const struct lines *from, struct span text, struct error *err)
{
    struct span line;

    for (; lines_split(&text, &line); l->number++) {
        bool is_torn = from->is_at_end && text.len == 0 && line.ptr[line.len] != '\n';
        if (line.len > 0 && !show_line(l, line, is_torn, err)) {
            return false;
        }
    }
    return log_output_flush(&l->view, err);
}

static bool show_lines(struct listing *l, const char *path, struct error *err)
{
    struct lines from CLEANUP(lines_close);
    struct buf batch CLEANUP(buf_deinit);

    buf_init(&batch, LINE_MAX_BYTES + 2 * LINES_BATCH + 1);
    if (!lines_open(&from, path, err)) {
        return false;
    }
    l->name = from.name;
    for (;;) {
        buf_clear(&batch);
        if (!lines_next(&from, &batch, &l->number, err)) {
            return false;
        }
        if (batch.len == 0) {
            return true;
        }
        if (!buf_reserve(&batch, 1, err)) {
            return false;
        }
        batch.data[batch.len] = '\0'; /* what is behind a line is then always readable */
        if (!show_batch(l, &from, buf_span(&batch), err)) {
            return false;
        }
    }
}

/* Lines of the log's closed files, from `first` up to `end`. */
static bool show_reader(struct listing *l, struct log_reader *r, uint64_t first, uint64_t end, struct error *err)
{
    struct log_line line;

    first = first > l->bounds.first ? first : l->bounds.first;
    if (first > 1 && !log_reader_seek(r, first, err)) {
        return false;
    }
    while (log_reader_next(r, &line, err)) {
        if (line.text.ptr == NULL || line.seq >= end || line.seq >= l->bounds.end) {
            return true;
        }
        l->name = line.file->path;
        l->number = line.number;
        l->last_seq = line.seq > l->last_seq ? line.seq : l->last_seq;
        if (!show_line(l, line.text, line.fault == LOG_TORN, err)) {
            return false;
        }
    }
    return false;
}

static bool show_files(struct listing *l, const struct log_files *files, uint64_t first, uint64_t end, struct error *err)
{
    struct log_reader *r = files->n == 0 ? NULL : log_reader_new(files, err);
    bool is_shown = files->n == 0 || (r != NULL && show_reader(l, r, first, end, err));

    log_reader_free(r);
    return is_shown;
}

/* --- the log of a service ------------------------------------------------------- */

/* The closed files of the log, beside the open one at `path`, which names it. */
static bool find_closed(const char *path, struct log_files *files, struct error *err)
{
    struct log_files own CLEANUP(log_files_deinit) = {0};
    char folder[PATH_MAX];
    struct error none;

    (void)snprintf(folder, sizeof(folder), "%s", path);
    if (!log_files_add(&own, path, &none) || own.items[0].origin[0] == '\0') {
        return true; /* empty, or of no proven log: nothing says which files belong to it */
    }
    if (!log_files_scan(files, dirname(folder), err)) {
        return false;
    }
    log_files_select(files, span_str(own.items[0].origin));
    while (files->n > 0 && files->items[files->n - 1].first_seq >= own.items[0].first_seq) {
        free(files->items[--files->n].path);
    }
    return true;
}

/* Of a file that came and went between two looks, when the log is followed. */
static bool catch_up(struct listing *l, uint64_t seq, struct error *err)
{
    struct log_files files CLEANUP(log_files_deinit) = {0};

    return find_closed(l->path, &files, err) && show_files(l, &files, l->last_seq + 1, seq, err);
}

static bool take_line(void *context, struct span line, struct error *err)
{
    struct listing *l = context;
    uint64_t seq = 0;
    bool is_record = log_line_seq(line, &seq);

    if (is_record && l->path != NULL && l->last_seq > 0 && seq > l->last_seq + 1 && !catch_up(l, seq, err)) {
        return false;
    }
    l->last_seq = is_record ? seq : l->last_seq;
    l->number++;
    return line.len == 0 || show_line(l, line, false, err);
}

/* In the middle of a rotation there is no open file. */
static bool open_tail(struct listing *l, struct log_tail *tail, const char *path, bool may_wait, struct error *err)
{
    const struct timespec pause = {.tv_nsec = ROTATION_STEP_NS};

    for (unsigned tries = 0; may_wait && tries < ROTATION_STEPS && access(path, F_OK) != 0; tries++) {
        (void)nanosleep(&pause, NULL);
    }
    return log_tail_open(tail, path, take_line, l, err);
}

/* `has_closed`: the files that were before it, too. */
static bool show_open(struct listing *l, const char *path, bool has_closed, struct error *err)
{
    struct log_files files CLEANUP(log_files_deinit) = {0};
    struct log_tail tail CLEANUP(log_tail_close) = {.fd = -1, .inotify = -1};

    /* Opened first, so that what is moved away meanwhile is read to its end. */
    if (!open_tail(l, &tail, path, has_closed, err) ||
        (has_closed && (!find_closed(path, &files, err) || !show_files(l, &files, 1, UINT64_MAX, err)))) {
        return false;
    }
    l->path = has_closed ? path : NULL;
    l->name = path;
    l->number = 0;
    while (log_tail_read(&tail, err) && log_output_flush(&l->view, err)) {
        if (!l->args->is_following) {
            if (log_tail_has_torn_line(&tail)) {
                complain("%s:%zu: torn last line passed over", path, l->number + 1);
            }
            return true;
        }
        if (!log_tail_wait(&tail, err)) {
            return false;
        }
    }
    return false;
}

static bool show_own(struct listing *l, struct error *err)
{
    struct log_place place;

    return log_place_find(l->args, &place, err) && show_open(l, place.log, true, err);
}

/* A compressed file by the log's own reader, which knows more forms. */
static bool show_operand(struct listing *l, const char *path, struct error *err)
{
    struct log_files files CLEANUP(log_files_deinit) = {0};
    struct error none;

    if (l->args->is_following) {
        return show_open(l, path, false, err);
    }
    if (strcmp(path, "-") != 0 && log_files_add(&files, path, &none) && files.items[0].compression != LOG_PLAIN) {
        return show_files(l, &files, 1, UINT64_MAX, err) && log_output_flush(&l->view, err);
    }
    return show_lines(l, path, err);
}

/* --- the command ---------------------------------------------------------------- */

static bool check_follow(const struct arguments *a, struct error *err)
{
    if (!a->is_following) {
        return true;
    }
    if (a->n_operands > 1 || (a->n_operands == 1 && strcmp(a->operands[0], "-") == 0)) {
        return error_set(err, ERROR_INVALID, "--follow: at most one file expected, and not standard input");
    }
    return a->format == NULL || strcmp(a->format, "json") != 0 ||
           error_set(err, ERROR_INVALID, "--follow: --format text or ndjson expected, as an array has an end");
}

static void init_view(struct listing *l)
{
    const struct arguments *a = l->args;
    bool is_terminal = isatty(STDOUT_FILENO) == 1;
    enum log_form form = a->format == NULL || strcmp(a->format, "text") == 0 ? LOG_TABLE
                         : strcmp(a->format, "json") == 0                    ? LOG_JSON
                                                                             : LOG_NDJSON;
    bool is_coloured = a->color == NULL || strcmp(a->color, "auto") == 0 ? is_terminal && getenv("NO_COLOR") == NULL
                                                                         : strcmp(a->color, "always") == 0;

    log_output_init(&l->view, form, is_terminal, is_coloured);
}

static void fail(struct listing *l, const struct error *err)
{
    l->has_failed = true;
    (void)command_failed(err);
}

static void listing_deinit(struct listing *l)
{
    query_free(l->query);
    log_output_deinit(&l->view);
}

static int run(const struct arguments *args)
{
    struct listing l CLEANUP(listing_deinit) = {.args = args};
    struct error err;

    init_view(&l);
    if (!check_follow(args, &err) || !compile(&l, &err)) {
        return command_failed(&err);
    }
    if (args->n_operands == 0 && !show_own(&l, &err)) {
        fail(&l, &err);
    }
    for (int i = 0; i < args->n_operands; i++) {
        if (!show_operand(&l, args->operands[i], &err)) {
            fail(&l, &err);
        }
    }
    if (!log_output_end(&l.view, &err)) {
        fail(&l, &err);
    }
    return l.has_failed ? EXIT_FAILED : EXIT_CLEAN;
}
