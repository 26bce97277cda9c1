/* record_prune.c - filterctl record prune: sealed originals that have expired are removed, and files of the log whose lines were
 * kept long enough. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/plural.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/operators.h"
#include "ctl/record/legal_holds.h"
#include "ctl/record/removal.h"
#include "query/timestamp.h"
#include "seal/blobs.h"

enum { PARAMETERS_MAX = 8192 };

static int run(const struct arguments *args);

const struct command command_record_prune = {
    .name = "record prune",
    .operands = "",
    .summary = "Remove sealed originals that have expired, and files of the log",
    .details = "Of each line of the log whose original is over its time the file is removed, unless a hold is in force over\n"
               "the line. Then whole closed files of the log are removed, the oldest first, when each of their lines was kept\n"
               "as long as filterd's option keep says; without that option, none. A file stays, and those behind it, while a\n"
               "hold is over one of its lines, an original of one is there, or a sink of filterd-ship does not have it.\n"
               "The running service puts on record what is removed, first.",
    .options = OPTION_BIT(OPTION_LOG) | OPTION_BIT(OPTION_OPERATORS) | OPTION_BIT(OPTION_TOKEN),
    .run = run,
};

struct pruning {
    const struct legal_holds *holds;
    char folder[PATH_MAX];
    int64_t now_ns;
    bool is_removing; /* false: only counts */
    size_t n, n_held;
    struct error *err;
    bool has_failed;
};

static bool is_expired(const struct pruning *p, const json_t *sealed)
{
    const char *text = json_string_value(json_object_get(sealed, "expires"));
    int64_t expires_ns;

    return text != NULL && timestamp_parse(span_str(text), p->now_ns, &expires_ns) && expires_ns <= p->now_ns;
}

static bool visit(void *context, struct span line, const json_t *record)
{
    struct pruning *p = context;
    const json_t *sealed = json_object_get(record, "sealed");
    const char *blob = json_string_value(json_object_get(sealed, "blob"));
    char path[PATH_MAX];

    if (blob == NULL || !is_expired(p, sealed) || !blobs_path(p->folder, span_str(blob), path) || access(path, F_OK) != 0) {
        return true;
    }
    if (legal_holds_match(p->holds, line) != NULL) {
        p->n_held++;
        return true;
    }
    p->n++;
    if (p->is_removing && unlink(path) != 0 && errno != ENOENT) {
        p->has_failed = true;
        return error_errno(p->err, "%s", path);
    }
    return true;
}

static bool record_prune(const struct arguments *args, const struct pruning *p, struct error *err)
{
    struct buf parameters CLEANUP(buf_deinit);
    time_t seconds = (time_t)(p->now_ns / 1000000000);
    char count[32], expired[32];
    struct tm date;

    buf_init(&parameters, PARAMETERS_MAX);
    (void)gmtime_r(&seconds, &date);
    (void)snprintf(count, sizeof(count), "%zu", p->n);
    (void)strftime(expired, sizeof(expired), "%Y-%m-%dT%H:%M:%SZ", &date);
    return operators_add(&parameters, "originals", count, err) && operators_add(&parameters, "expired", expired, err) &&
           legal_holds_record(args, "/v1/prunes", &parameters, err);
}

/* On record first: what is missing later was removed by this, even when it is stopped half-way. */
static bool prune(const struct arguments *args, struct legal_holds *holds, struct pruning *p, struct error *err)
{
    if (!legal_holds_each_line(holds, visit, p, err)) {
        return false;
    }
    if (p->n == 0) {
        return true;
    }
    size_t n_held = p->n_held;
    bool is_recorded = record_prune(args, p, err);
    p->n = 0;
    p->is_removing = true;
    bool is_done = is_recorded && legal_holds_each_line(holds, visit, p, err) && !p->has_failed;
    p->n_held = n_held;
    return is_done;
}

/* --- files of the log ------------------------------------------------------------- */

static bool record_removal(const void *context, const struct removal_line *line, struct error *err)
{
    char first[32], last[32], lines[32], files[PARAMETERS_MAX / 2], sha256[PARAMETERS_MAX / 2];
    struct buf parameters CLEANUP(buf_deinit);

    buf_init(&parameters, PARAMETERS_MAX);
    (void)snprintf(first, sizeof(first), "%" PRIu64, line->first);
    (void)snprintf(last, sizeof(last), "%" PRIu64, line->last);
    (void)snprintf(lines, sizeof(lines), "%" PRIu64, line->last - line->first + 1);
    (void)snprintf(files, sizeof(files), SPAN_FMT, SPAN_ARG(buf_span(&line->files)));
    (void)snprintf(sha256, sizeof(sha256), SPAN_FMT, SPAN_ARG(buf_span(&line->sha256)));
    return operators_add(&parameters, "files", files, err) && operators_add(&parameters, "sha256", sha256, err) &&
           operators_add(&parameters, "first", first, err) && operators_add(&parameters, "last", last, err) &&
           operators_add(&parameters, "lines", lines, err) && legal_holds_record(context, "/v1/prunes/files", &parameters, err);
}

/* The line goes into the log of the service that answers. */
static bool is_log_of(const char *own, const json_t *place)
{
    const char *log = json_string_value(json_object_get(place, "log"));
    char here[PATH_MAX], there[PATH_MAX];

    return log != NULL && realpath(own, here) != NULL && realpath(log, there) != NULL && strcmp(here, there) == 0;
}

static bool find_positions(const json_t *place, char folder[PATH_MAX])
{
    const char *ship = json_string_value(json_object_get(place, "ship"));
    const char *state = json_string_value(json_object_get(place, "state"));

    (void)snprintf(folder, PATH_MAX, "%s%s", ship != NULL ? ship : state, ship != NULL ? "" : "/ship");
    return ship != NULL || state != NULL;
}

static bool remove_files(const struct arguments *args, const struct pruning *p, const json_t *place, struct removal_result *out,
                         struct error *err)
{
    struct closed_log log CLEANUP(closed_log_close) = {.lock = -1};
    struct retention keep;
    char positions[PATH_MAX];
    struct removal r = {.keep = &keep, .holds = p->holds, .originals = p->folder, .now_ns = p->now_ns, .record = record_removal,
                        .context = args};

    r.ship.required = json_string_value(json_object_get(place, "ship_required"));
    r.ship.folder = find_positions(place, positions) ? positions : NULL;
    return retention_parse(span_str(json_string_value(json_object_get(place, "keep"))), &keep, err) &&
           closed_log_open(&log, args->log, err) && removal_run(&log, &r, out, err);
}

/* What is kept how long is the service's configuration. */
static bool prune_files(const struct arguments *args, const struct pruning *p, struct error *err)
{
    json_t *place = operators_ask(args, "GET", "/v1/record", err);
    struct removal_result result = {.n = 0};
    bool is_done = place != NULL;

    if (is_done && json_object_get(place, "keep") != NULL) {
        is_done = is_log_of(args->log, place)
                      ? remove_files(args, p, place, &result, err)
                      : error_set(err, ERROR_INVALID, "%s: the log of the filterd that was asked expected, which removes files", args->log);
        if (result.n > 0) {
            (void)printf("removed %zu file%s, to line %" PRIu64 "\n", result.n, plural_s(result.n), result.last);
        }
        if (result.kept[0] != '\0') {
            (void)printf("kept %s\n", result.kept);
        }
    }
    json_decref(place);
    return is_done;
}

static bool prune_all(const struct arguments *args, struct pruning *p, struct legal_holds *holds, struct error *err)
{
    if (!prune(args, holds, p, err)) {
        return false;
    }
    (void)printf("removed %zu, held %zu\n", p->n, p->n_held);
    return prune_files(args, p, err);
}

static int run(const struct arguments *args)
{
    struct error err;
    struct pruning p = {.now_ns = clock_utc_ns(), .err = &err};
    struct legal_holds *holds = legal_holds_open(args->log, &err);

    if (holds == NULL) {
        return command_failed(&err);
    }
    const char *slash = strrchr(args->log, '/');
    int folder = slash == NULL ? 0 : (int)(slash + 1 - args->log);
    (void)snprintf(p.folder, sizeof(p.folder), "%.*s" BLOBS_FOLDER, folder, args->log);
    p.holds = holds;
    bool is_done = prune_all(args, &p, holds, &err);
    legal_holds_free(holds);
    int flushed = fflush(stdout);
    return !is_done ? command_failed(&err) : flushed == 0 ? EXIT_CLEAN : EXIT_FAILED;
}
