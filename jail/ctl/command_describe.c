/* command_describe.c - filterd-jail describe: the policy in words, for the system prompt of the agent
 * that will run in it. It names only what the agent could find out itself, and no path of the machine. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "jail/ctl/command.h"
#include "jail/network/egress.h"

/* Denied names, in copies and in live inputs. */
static bool describe_names(const struct jail_policy *p, struct buf *out, struct error *err)
{
    bool has_live = false;

    for (size_t i = 0; i < p->n_inputs; i++) {
        has_live |= !p->inputs[i].is_snapshot;
    }
    bool is_good = buf_append_str(out, has_live ? "- There you cannot open files with these names:" : "- Files with these names are missing there:", err);
    for (size_t i = 0; is_good && i < p->n_denied_names; i++) {
        is_good = buf_appendf(out, err, "%s %s", i > 0 ? "," : "", p->denied_names[i]);
    }
    return is_good && buf_append_str(out, !has_live ? ".\n"
                                          : jail_policy_has_snapshots(p)
                                              ? ". Nor can you open files that appear there later. Snapshots do not contain them.\n"
                                              : ". Nor can you open files that appear there later.\n", err);
}

static bool describe_inputs(const struct jail_policy *p, struct buf *out, struct error *err)
{
    for (size_t i = 0; i < p->n_inputs; i++) {
        if (!buf_appendf(out, err, "- You can read %s%s; you cannot change it.\n", p->inputs[i].to,
                         p->inputs[i].is_snapshot ? ", a snapshot made before you started: it does not show later changes" : "")) {
            return false;
        }
    }
    return p->n_inputs == 0 || p->n_denied_names == 0 || describe_names(p, out, err);
}

static bool describe_files(const struct jail_policy *p, struct buf *out, struct error *err)
{
    return buf_appendf(out, err,
                       "- You run in a jail. Of the machine you see only /usr and the folders named here.\n"
                       "- Work in %s (%" PRId64 " MiB, in memory, lost when you end)%s. /tmp has %" PRId64 " MiB.\n",
                       p->work_path, p->work.bytes >> 20, p->work.may_exec ? "" : "; you cannot execute files in it",
                       p->tmp.bytes >> 20) &&
           describe_inputs(p, out, err) &&
           (p->outputs.path == NULL ||
            buf_appendf(out, err,
                        "- Put files to keep into %s (%" PRId64 " MiB, %" PRId64
                        " files): only plain files; a person reviews them.\n",
                        p->outputs.path, p->outputs.bytes >> 20, p->outputs.files));
}

static bool describe_limit(const char *text, int64_t value, int64_t unit, const char *name, struct buf *out,
                           struct error *err)
{
    return value == JAIL_NONE || buf_appendf(out, err, " %s %" PRId64 " %s;", text, value / unit, name);
}

static bool describe_limits(const struct jail_policy *p, struct buf *out, struct error *err)
{
    const struct jail_limits *l = &p->limits;

    return buf_append_str(out, "- Limits:", err) &&
           describe_limit("memory", l->memory, 1 << 20, "MiB", out, err) &&
           describe_limit("processes", l->pids, 1, "at once", out, err) &&
           describe_limit("time", l->wall, 1000, "s", out, err) &&
           describe_limit("processor time", l->cpu_time, 1000, "s", out, err) &&
           describe_limit("idle time", l->idle, 1000, "s", out, err) &&
           describe_limit("output", l->output, 1024, "KiB", out, err) &&
           buf_append_str(out, " a process above a limit is killed or gets an error.\n", err);
}

static bool describe_network(const struct jail_policy *p, struct buf *out, struct error *err)
{
    if (p->network.egress == NULL) {
        return buf_appendf(out, err, "- There is no network%s.\n",
                           p->profile == JAIL_PROFILE_AGENT ? ", only the jail's own 127.0.0.1; Unix sockets are refused"
                                                            : "");
    }
    return buf_append_str(out,
                          "- The network permits only what is listed here, without configuration. It refuses everything else: "
                          "HTTP with status 403\n  and a reason; UDP, other ports and names of other hosts without a reason. "
                          "127.0.0.1 is the jail itself. Each attempt is recorded.\n",
                          err) &&
           jail_egress_ask(p, "--describe", NULL, out, err);
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
    bool is_good =
        describe_files(p, &out, &err) &&
        describe_network(p, &out, &err) &&
        describe_limits(p, &out, &err) &&
        buf_append_str(&out,
                       "- A refusal (\"Operation not permitted\", \"Permission denied\") is final: do not try to work around "
                       "it.\n  If you need more, say what and why; a person can change the policy.\n",
                       &err);
    jail_policy_free(p);
    return is_good ? jail_command_finish(&out, EXIT_CLEAN) : jail_command_failed(&err);
}

const struct jail_command jail_command_describe = {
    .name = "describe",
    .operands = "",
    .summary = "Print a note for the system prompt of the agent in the jail",
    .needs_policy = true,
    .run = run,
};
