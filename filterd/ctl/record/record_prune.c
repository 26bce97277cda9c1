/* record_prune.c - filterctl record prune: sealed originals that have expired are removed. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/record/keeping.h"
#include "query/timestamp.h"
#include "seal/blobs.h"

enum { PARAMETERS_MAX = 1024 };

static int run(const struct arguments *args);

const struct command command_record_prune = {
    .name = "record prune",
    .operands = "",
    .summary = "Remove sealed originals that have expired",
    .details = "Of each line of the log whose original is over its time the file is removed, unless a hold is in force over\n"
               "the line. The running service puts on record how many; the lines stay.",
    .options = OPTION_BIT(OPTION_LOG) | OPTION_BIT(OPTION_OPERATORS) | OPTION_BIT(OPTION_TOKEN),
    .run = run,
};

struct pruning {
    const struct keeping *keeping;
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
    if (keeping_held_by(p->keeping, line) != NULL) {
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
    return keeping_add(&parameters, "originals", count, err) && keeping_add(&parameters, "expired", expired, err) &&
           keeping_record(args, "/v1/prunes", &parameters, err);
}

/* On record first: what is missing later was removed by this, even when it is stopped half-way. */
static bool prune(const struct arguments *args, struct keeping *keeping, struct pruning *p, struct error *err)
{
    if (!keeping_each(keeping, visit, p, err)) {
        return false;
    }
    if (p->n == 0) {
        return true;
    }
    size_t n_held = p->n_held;
    bool is_recorded = record_prune(args, p, err);
    p->n = 0;
    p->is_removing = true;
    bool is_done = is_recorded && keeping_each(keeping, visit, p, err) && !p->has_failed;
    p->n_held = n_held;
    return is_done;
}

static int run(const struct arguments *args)
{
    struct error err;
    struct pruning p = {.now_ns = clock_utc_ns(), .err = &err};
    struct keeping *keeping = keeping_open(args->log, &err);

    if (keeping == NULL) {
        return command_failed(&err);
    }
    const char *slash = strrchr(args->log, '/');
    int folder = slash == NULL ? 0 : (int)(slash + 1 - args->log);
    (void)snprintf(p.folder, sizeof(p.folder), "%.*s" BLOBS_FOLDER, folder, args->log);
    p.keeping = keeping;
    bool is_done = prune(args, keeping, &p, &err);
    keeping_free(keeping);
    if (!is_done) {
        return command_failed(&err);
    }
    (void)printf("removed %zu, held %zu\n", p.n, p.n_held);
    return fflush(stdout) == 0 ? EXIT_CLEAN : EXIT_FAILED;
}
