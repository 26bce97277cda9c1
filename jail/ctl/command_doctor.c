/* command_doctor.c - filterd-jail doctor: probes the isolation mechanisms that this machine offers this user. */
#include "base/cleanup.h"
#include "jail/ctl/command.h"
#include "jail/ctl/features.h"

static bool print(const struct jail_feature *found, size_t n, struct buf *out, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        const char *state = found[i].is_there ? "ok" : found[i].is_needed ? "MISSING" : "missing";
        if (!buf_appendf(out, err, "%-8s %-16s %s\n", state, found[i].name, found[i].detail)) {
            return false;
        }
    }
    return true;
}

static int run(const struct jail_arguments *args)
{
    struct jail_feature found[JAIL_FEATURES_MAX];
    struct buf out CLEANUP(buf_deinit);
    struct error err;
    size_t n = jail_features_find(found), n_missing = 0, n_needed = 0;

    (void)args;
    buf_init(&out, PRINT_MAX);
    for (size_t i = 0; i < n; i++) {
        n_needed += !found[i].is_there && found[i].is_needed;
        n_missing += !found[i].is_there && !found[i].is_needed;
    }
    const char *verdict = n_needed > 0  ? "no jail is possible here\n"
                          : n_missing > 0 ? "mechanisms are missing: on_missing_mechanism refuses (default) or degrades\n"
                                        : "every mechanism is available\n";
    if (!print(found, n, &out, &err) || !buf_append_str(&out, verdict, &err)) {
        return jail_command_failed(&err);
    }
    return jail_command_finish(&out, n_needed > 0 ? EXIT_FAILED : n_missing > 0 ? EXIT_FOUND : EXIT_CLEAN);
}

const struct jail_command jail_command_doctor = {
    .name = "doctor",
    .operands = "",
    .summary = "Probe which isolation mechanisms this machine offers",
    .details = "Exit code: 0 when every mechanism is available, 1 when some are missing, 2 when no jail is possible here.\n",
    .run = run,
};
