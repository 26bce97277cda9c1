#include "jail/policy/mechanisms.h"

static const struct {
    const char *name, *purpose;
} mechanisms[JAIL_MECHANISM_COUNT] = {
    [JAIL_MECHANISM_MEMORY] = {"memory", "memory and files in memory are limited together"},
    [JAIL_MECHANISM_SWAP] = {"swap", "swap is limited"},
    [JAIL_MECHANISM_CPU] = {"cpu", "processor time per second is limited"},
    [JAIL_MECHANISM_CPU_TIME] = {"cpu_time", "processor time of all processes together is counted"},
    [JAIL_MECHANISM_KILL] = {"kill", "every process ends at once, whatever the jail does (cgroup.kill)"},
    [JAIL_MECHANISM_LANDLOCK] = {"landlock", "files are denied by inode, also those that appear later"},
    [JAIL_MECHANISM_SCOPES] = {"landlock_scopes", "abstract Unix sockets and signals stay inside (Landlock 6)"},
    [JAIL_MECHANISM_PROC] = {"proc", "the jail has a /proc of its own, which shows its own processes only"},
    [JAIL_MECHANISM_NO_NESTING] = {"no_nesting", "no user namespace can be made inside"},
    [JAIL_MECHANISM_TABLES] = {"tables", "what the kernel has for the whole machine or a user of it is left to others"},
};

const char *jail_mechanism_name(enum jail_mechanism mechanism)
{
    return mechanisms[mechanism].name;
}

const char *jail_mechanism_purpose(enum jail_mechanism mechanism)
{
    return mechanisms[mechanism].purpose;
}

bool jail_mechanism_missing(struct jail_mechanisms *w, const struct jail_policy *p, enum jail_mechanism mechanism, const struct error *why,
                       struct error *err)
{
    w->missing |= 1U << mechanism;
    w->reasons[mechanism] = *why;
    return p->on_missing == JAIL_MISSING_DEGRADE ||
           error_set(err, ERROR_DENIED, "mechanism '%s' is missing: %s (on_missing_mechanism: degrade continues without it)",
                     mechanisms[mechanism].name, why->text);
}
