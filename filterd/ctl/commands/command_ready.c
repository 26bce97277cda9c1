/* command_ready.c - filterctl ready: whether a running filterd can judge and record, for health checks of containers. */
#include "base/cleanup.h"
#include "ctl/command.h"
#include "ctl/complain.h"
#include "ctl/operators.h"

enum { OUTPUT_MAX = 64 * 1024 };

static int run(const struct arguments *args)
{
    struct buf out CLEANUP(buf_deinit);
    struct error err;

    buf_init(&out, OUTPUT_MAX);
    if (operators_read(args, "/readyz", &out, &err)) {
        return EXIT_CLEAN;
    }
    complain("%s", err.text);
    return err.kind == ERROR_INVALID ? EXIT_FOUND : EXIT_FAILED; /* an answer that is not 200 */
}

const struct command command_ready = {
    .name = "ready",
    .operands = "",
    .summary = "Ask a running filterd whether it can judge and record, for health checks",
    .details = "Prints nothing when it can. Exit code 1 when filterd answers that it is not ready, 2 when it does not answer.",
    .options = OPTION_BIT(OPTION_OPERATORS) | OPTION_BIT(OPTION_TOKEN),
    .run = run,
};
