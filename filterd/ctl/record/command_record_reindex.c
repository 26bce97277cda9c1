/* command_record_reindex.c - filterctl record reindex: the index of a decision log, made anew from its lines. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "ctl/command.h"
#include "ctl/record/log_place.h"
#include "review/review_fold.h"

enum { STEP_MS = 1000, SHOW_MS = 500 };

static int reindex(const struct arguments *args);

const struct command command_record_reindex = {
    .name = "record reindex",
    .operands = "[FILE]",
    .summary = "Make the index of a decision log, and review.db, anew from its lines",
    .details = "FILE is the log's open file; its closed ones are beside it, under any name. Without FILE: the log where filterd "
               "keeps it. Not while filterd writes the index.",
    .options = OPTION_BIT(OPTION_CONFIG) | OPTION_BIT(OPTION_OPERATORS) | OPTION_BIT(OPTION_RECORD) | OPTION_BIT(OPTION_QUIET),
    .min_operands = 0,
    .max_operands = 1,
    .run = reindex,
};

struct paths {
    struct log_place found;
    char folder[PATH_MAX], index[PATH_MAX], review[PATH_MAX];
    struct index_place place, review_place;
};

static bool find_paths(const struct arguments *args, struct paths *p, struct error *err)
{
    const char *log = args->n_operands > 0 ? args->operands[0] : p->found.log;

    if (args->n_operands == 0 && !log_place_find(args, &p->found, err)) {
        return false;
    }
    const char *slash = strrchr(log, '/');
    int folder = slash == NULL ? snprintf(p->folder, PATH_MAX, ".")
                               : snprintf(p->folder, PATH_MAX, "%.*s", slash == log ? 1 : (int)(slash - log), log);
    int len = args->record != NULL ? snprintf(p->index, PATH_MAX, "%s/index.db", args->record)
                                   : snprintf(p->index, PATH_MAX, "%s/record/index.db", p->folder);
    int review = args->record != NULL ? snprintf(p->review, PATH_MAX, "%s/review.db", args->record)
                                      : snprintf(p->review, PATH_MAX, "%s/record/review.db", p->folder);
    if (folder >= PATH_MAX || len >= PATH_MAX || review >= PATH_MAX) {
        return error_set(err, ERROR_INVALID, "record reindex: a shorter path expected");
    }
    p->place = (struct index_place){.log = log, .folder = p->folder, .index = p->index};
    p->review_place = (struct index_place){.log = log, .folder = p->folder, .index = p->review, .maker = &review_maker};
    return true;
}

/* The folder of the index. */
static bool make_folder(const struct paths *p, struct error *err)
{
    char folder[PATH_MAX];

    (void)snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(p->index, '/') - p->index), p->index);
    return file_make_directory(folder, err);
}

static void show(uint64_t n, int64_t since_ms, bool is_last)
{
    int64_t ms = clock_monotonic_ms() - since_ms;

    (void)fprintf(stderr, "\r%" PRIu64 " lines, %.0f a second%s", n, ms > 0 ? (double)n * 1000 / (double)ms : 0, is_last ? "\n" : "");
}

static bool index_all(struct index_follow *f, bool is_shown, struct error *err)
{
    int64_t begun_ms = clock_monotonic_ms(), shown_ms = begun_ms;
    bool more = true, was_shown = false;

    while (more) {
        if (!index_follow_step(f, UINT64_MAX, STEP_MS, &more, err)) {
            return false;
        }
        if (is_shown && clock_monotonic_ms() >= shown_ms + SHOW_MS) {
            shown_ms = clock_monotonic_ms();
            was_shown = true;
            show(index_follow_seq(f), begun_ms, false);
        }
    }
    if (was_shown) {
        show(index_follow_seq(f), begun_ms, true);
    }
    return true;
}

static bool rebuild(const struct index_place *place, bool is_shown, uint64_t *n, struct error *err)
{
    struct index_follow *f = index_follow_rebuild(place, err);
    bool is_done = f != NULL && index_all(f, is_shown, err);

    *n = is_done ? index_follow_seq(f) : 0;
    is_done = is_done && index_follow_finish(f, err);
    index_follow_close(f);
    return is_done;
}

static int reindex(const struct arguments *args)
{
    static struct paths paths;
    struct error err;
    struct stat info;

    if (!find_paths(args, &paths, &err)) {
        return command_failed(&err);
    }
    if (stat(paths.place.log, &info) != 0 || !S_ISREG(info.st_mode)) {
        error_set(&err, ERROR_NOT_FOUND, "%s: the open file of a decision log expected", paths.place.log);
        return command_failed(&err);
    }
    bool is_shown = !args->is_quiet && isatty(STDERR_FILENO);
    uint64_t n = 0, n_reviewed = 0;
    if (!make_folder(&paths, &err) || !rebuild(&paths.place, is_shown, &n, &err) ||
        !rebuild(&paths.review_place, is_shown, &n_reviewed, &err)) {
        return command_failed(&err);
    }
    printf("%" PRIu64 " lines in %s\n%" PRIu64 " lines in %s\n", n, paths.index, n_reviewed, paths.review);
    return EXIT_CLEAN;
}
