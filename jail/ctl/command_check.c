/* command_check.c - filterd-jail check: the effective policy, its digest and its score. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "jail/ctl/command.h"

/* What a policy permits, and what that costs of a score of 100. Each is a choice that may have a good
 * reasons for; the score is there to compare, not to forbid. */
struct opening {
    bool is_open;
    int points;
    const char *what;
};

static bool passes_own_values(const struct jail_policy *p)
{
    for (size_t i = 0; i < p->n_variables; i++) {
        if (p->variables[i].value == NULL) {
            return true;
        }
    }
    return false;
}

static bool print_score(const struct jail_policy *p, struct buf *out, struct error *err)
{
    const struct jail_limits *l = &p->limits;
    const struct opening openings[] = {
        {p->on_missing == JAIL_MISSING_DEGRADE, 20, "runs although a mechanism is missing (on_missing_mechanism: degrade)"},
        {p->profile == JAIL_PROFILE_AGENT, 10, "sockets inside the jail, code made in memory (syscalls.profile: agent)"},
        {p->work.may_exec, 10, "files that the command writes can be run (work.exec)"},
        {p->tmp.may_exec, 5, "files in /tmp can be run (tmp.exec)"},
        {p->n_inputs > 0 && p->n_denied_names == 0, 15, "no name is denied inside inputs (deny_names: [])"},
        {passes_own_values(p), 5, "values of the caller's environment are passed (environment.pass)"},
        {p->network.egress != NULL, 15, "what the rules of the egress proxy allow leaves (network.egress)"},
        {p->outputs.path != NULL, 5, "files come out (outputs)"},
        {l->memory == JAIL_NONE, 10, "no limit of memory"},
        {l->swap == JAIL_NONE, 2, "no limit of swap"},
        {l->cpu == JAIL_NONE, 5, "no limit of processors"},
        {l->pids > 1024, 5, "more than 1024 processes: a kill takes longer"},
        {l->wall == JAIL_NONE, 5, "no limit of time"},
        {l->cpu_time == JAIL_NONE, 2, "no limit of processor time"},
        {l->idle == JAIL_NONE, 2, "no limit of idleness"},
        {l->output == JAIL_NONE, 2, "no limit of output"},
        {l->file_size == JAIL_NONE, 2, "no limit of a file's size"},
    };
    char digest[JAIL_POLICY_DIGEST];
    int score = 100;

    for (size_t i = 0; i < COUNT(openings); i++) {
        if (openings[i].is_open) {
            score -= openings[i].points;
            if (!buf_appendf(out, err, "# -%d: %s\n", openings[i].points, openings[i].what)) {
                return false;
            }
        }
    }
    return jail_policy_digest(p, digest, err) &&
           buf_appendf(out, err, "# score: %d of 100\n# digest: %s\n", score < 0 ? 0 : score, digest);
}

static int run(const struct jail_arguments *args)
{
    struct buf out CLEANUP(buf_deinit);
    struct error err;
    struct jail_policy *p = jail_policy_load(args->policy, &err);

    buf_init(&out, PRINT_MAX);
    if (p == NULL) {
        return jail_command_failed(&err);
    }
    bool is_printed = jail_policy_print(p, &out, &err) && print_score(p, &out, &err);
    jail_policy_free(p);
    return is_printed ? jail_command_finish(&out, EXIT_CLEAN) : jail_command_failed(&err);
}

const struct jail_command jail_command_check = {
    .name = "check",
    .operands = "",
    .summary = "Print the effective policy, its digest and a score",
    .details = "The output is a policy itself: every default is written out. Exit code: 0, or 2 when the policy is invalid.\n",
    .needs_policy = true,
    .run = run,
};
