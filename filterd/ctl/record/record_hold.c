/* record_hold.c - filterctl record hold: a legal hold is set or lifted, by a line of the log. */
#include "base/cleanup.h"
#include "ctl/command.h"
#include "ctl/operators.h"
#include "ctl/record/legal_holds.h"

enum { PARAMETERS_MAX = 4096 };

static int run(const struct arguments *args);

const struct command command_record_hold = {
    .name = "record hold",
    .operands = "ID",
    .summary = "Set a legal hold, or lift it",
    .details = "What the lines that match --filter name is neither erased nor pruned while the hold is in force. Without a\n"
               "filter it is everything. The running service puts the hold on record; it is as old as that line.",
    .options = OPTION_BIT(OPTION_FILTER) | OPTION_BIT(OPTION_UNTIL) | OPTION_BIT(OPTION_WHY) | OPTION_BIT(OPTION_LIFT) |
               OPTION_BIT(OPTION_OPERATORS) | OPTION_BIT(OPTION_TOKEN),
    .texts = {{OPTION_UNTIL, "when it ends by itself: 2027-11-21, 2027-11-21T08:00:00Z"}},
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};

static int run(const struct arguments *args)
{
    struct buf parameters CLEANUP(buf_deinit);
    struct error err;

    buf_init(&parameters, PARAMETERS_MAX);
    bool is_done = operators_add(&parameters, "id", args->operands[0], &err) &&
                   operators_add(&parameters, "step", args->is_lifting ? "lifted" : "set", &err) &&
                   operators_add(&parameters, "filter", args->filter, &err) &&
                   operators_add(&parameters, "until", args->until, &err) &&
                   operators_add(&parameters, "why", args->why, &err) && legal_holds_record(args, "/v1/holds", &parameters, &err);
    return is_done ? EXIT_CLEAN : command_failed(&err);
}
