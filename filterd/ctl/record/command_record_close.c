/* command_record_close.c - filterctl record close: closed files of the decision log are named and compressed. */
#include <stdio.h>

#include "base/cleanup.h"
#include "base/plural.h"
#include "ctl/command.h"
#include "ctl/record/closing.h"
#include "ctl/record/log_place.h"

static int run(const struct arguments *args);

const struct command command_record_close = {
    .name = "record close",
    .operands = "",
    .summary = "Name and compress the closed files of the decision log",
    .details = "Each file of the log but the newest becomes decisions-<first seq>.jsonl.zst. The compressed file is read back and\n"
               "compared with what was signed, line by line, before the other one is removed. One compressed by gzip is only\n"
               "renamed. Without --log, the log of the filterd that runs here.",
    .options = OPTION_BIT(OPTION_LOG) | OPTION_BIT(OPTION_CONFIG) | OPTION_BIT(OPTION_OPERATORS) | OPTION_BIT(OPTION_TOKEN),
    .run = run,
};

static bool find_log(const struct arguments *args, struct log_place *place, struct error *err)
{
    if (args->log == NULL) {
        return log_place_find(args, place, err);
    }
    return (size_t)snprintf(place->log, sizeof(place->log), "%s", args->log) < sizeof(place->log) ||
           error_set(err, ERROR_INVALID, "--log: a shorter path expected");
}

static int run(const struct arguments *args)
{
    struct closed_log log CLEANUP(closed_log_close) = {.lock = -1};
    struct closing_result result = {.n = 0};
    struct log_place place;
    struct error err;

    bool is_done = find_log(args, &place, &err) && closed_log_open(&log, place.log, &err) && closing_run(&log, &result, &err);
    (void)printf("closed %zu file%s", result.n, plural_s(result.n));
    (void)printf(result.n_waiting == 0 ? "\n" : ", %zu without a checkpoint yet\n", result.n_waiting);
    int flushed = fflush(stdout);
    return !is_done ? command_failed(&err) : flushed == 0 ? EXIT_CLEAN : EXIT_FAILED;
}
