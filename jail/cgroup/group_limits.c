#include "jail/cgroup/group_limits.h"

static bool limit_swap(const struct jail_cgroups *g, const struct jail_limits *l, struct error *err)
{
    return jail_cgroups_limit_swap(g, l->memory, l->swap, err);
}

static bool limit_memory(const struct jail_cgroups *g, const struct jail_limits *l, struct error *err)
{
    return jail_cgroups_limit_memory(g, l->memory, err);
}

static bool limit_cpu(const struct jail_cgroups *g, const struct jail_limits *l, struct error *err)
{
    return jail_cgroups_limit_cpu(g, l->cpu, err);
}

static bool count_cpu_time(const struct jail_cgroups *g, const struct jail_limits *l, struct error *err)
{
    (void)l;
    return jail_cgroups_unified(g) != NULL || jail_cgroups_with(g, JAIL_CONTROLLER_CPUACCT) != NULL ||
           error_set(err, ERROR_NOT_FOUND, "no control group that counts it can be made here");
}

bool jail_limit_groups(const struct jail_cgroups *g, const struct jail_policy *p, struct jail_mechanisms *mechanisms, struct error *err)
{
    const struct jail_limits *l = &p->limits;
    const struct {
        enum jail_mechanism mechanism;
        int64_t value;
        bool (*set)(const struct jail_cgroups *g, const struct jail_limits *l, struct error *err);
    } limits[] = {{JAIL_MECHANISM_MEMORY, l->memory, limit_memory},
                  {JAIL_MECHANISM_SWAP, l->memory == JAIL_NONE ? JAIL_NONE : l->swap, limit_swap},
                  {JAIL_MECHANISM_CPU, l->cpu, limit_cpu},
                  {JAIL_MECHANISM_CPU_TIME, l->cpu_time, count_cpu_time}};
    struct error why;

    for (size_t i = 0; i < COUNT(limits); i++) {
        if (limits[i].value != JAIL_NONE && !limits[i].set(g, l, &why) &&
            !jail_mechanism_missing(mechanisms, p, limits[i].mechanism, &why, err)) {
            return false;
        }
    }
    /* Besides RLIMIT_NPROC, which always holds; not every machine has it. */
    (void)!jail_cgroups_limit_pids(g, l->pids, &why);
    return true;
}
