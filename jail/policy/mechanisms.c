#include "jail/policy/mechanisms.h"

static const char *const names[JAIL_MECHANISM_COUNT] = {
    [JAIL_MECHANISM_MEMORY] = "memory",
    [JAIL_MECHANISM_SWAP] = "swap",
    [JAIL_MECHANISM_CPU] = "cpu",
    [JAIL_MECHANISM_CPU_TIME] = "cpu_time",
    [JAIL_MECHANISM_KILL] = "kill",
    [JAIL_MECHANISM_LANDLOCK] = "landlock",
    [JAIL_MECHANISM_SCOPES] = "landlock_scopes",
    [JAIL_MECHANISM_PROC] = "proc",
    [JAIL_MECHANISM_NO_NESTING] = "no_nesting",
    [JAIL_MECHANISM_TABLES] = "tables",
};

const char *jail_mechanism_name(enum jail_mechanism mechanism)
{
    return names[mechanism];
}

bool jail_mechanism_missing(struct jail_mechanisms *w, const struct jail_policy *p, enum jail_mechanism mechanism, const struct error *why,
                       struct error *err)
{
    w->missing |= 1U << mechanism;
    w->reasons[mechanism] = *why;
    return p->on_missing == JAIL_MISSING_DEGRADE ||
           error_set(err, ERROR_DENIED, "mechanism '%s' is missing: %s (on_missing_mechanism: degrade continues without it)",
                     names[mechanism], why->text);
}
