/* command_learn.c - filterd-jail learn: runs a command in its jail and prints the minimal policy that would have sufficed. */
#include <stdio.h>

#include "base/cleanup.h"
#include "jail/ctl/command.h"
#include "jail/launcher/launch.h"
#include "jail/learn/learning.h"

static bool learn(struct jail_run *r, const struct jail_policy *p, char *const *command, struct buf *out, struct jail_outcome *outcome,
                  struct error *err)
{
    struct jail_learning l CLEANUP(jail_learning_deinit);

    jail_learning_init(&l, p);
    const struct jail_watcher watcher = {.filter = jail_learning_filter, .take = jail_learning_take, .context = &l};
    if (!jail_run_command(r, command, &watcher, err)) {
        return false;
    }
    if (!l.has_observed) {
        return error_set(err, ERROR_NOT_FOUND, "seccomp user notification is not available on this machine");
    }
    return jail_learning_print(&l, outcome, out, err);
}

static int run(const struct jail_arguments *args)
{
    static struct jail_outcome outcome;
    struct buf out CLEANUP(buf_deinit);
    struct error err;
    struct jail_policy *p = jail_policy_load(args->policy, &err);
    struct jail_run *r = p == NULL ? NULL : jail_run_begin(p, &outcome, &err);

    buf_init(&out, PRINT_MAX);
    bool has_learned = r != NULL && learn(r, p, args->operands, &out, &outcome, &err);
    jail_run_end(r);
    jail_policy_free(p);
    if (!has_learned) {
        return jail_command_failed(&err);
    }
    if (out.len > 0 && fwrite(out.data, 1, out.len, stderr) != out.len) {
        return EXIT_FAILED;
    }
    return outcome.exit_code == 0 ? EXIT_CLEAN : EXIT_FOUND;
}

const struct jail_command jail_command_learn = {
    .name = "learn",
    .operands = "[--] COMMAND [ARGUMENT…]",
    .summary = "Run a command in its jail and print the minimal policy that would have sufficed",
    .details = "Every mechanism of the policy stays in force, with the agent profile of system calls; what the command uses is noted. The\n"
               "policy is printed to standard error, as the command's output goes to standard output. Exit code: 0 when the command\n"
               "exited with 0, 1 when it did not, 2 when nothing was learned.\n",
    .needs_policy = true,
    .min_operands = 1,
    .max_operands = -1,
    .run = run,
};
