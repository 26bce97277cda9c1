#include "jail/policy/walls.h"

static const struct {
    const char *name, *purpose;
} walls[JAIL_WALL_COUNT] = {
    [JAIL_WALL_MEMORY] = {"memory", "memory and files in memory are limited together"},
    [JAIL_WALL_SWAP] = {"swap", "swap is limited"},
    [JAIL_WALL_CPU] = {"cpu", "processor time per second is limited"},
    [JAIL_WALL_CPU_TIME] = {"cpu_time", "processor time of all processes together is counted"},
    [JAIL_WALL_KILL] = {"kill", "every process ends at once, whatever the jail does (cgroup.kill)"},
    [JAIL_WALL_LANDLOCK] = {"landlock", "files are denied by inode, also those that appear later"},
    [JAIL_WALL_SCOPES] = {"landlock_scopes", "abstract Unix sockets and signals stay inside (Landlock 6)"},
    [JAIL_WALL_PROC] = {"proc", "the jail has a /proc of its own, which shows its own processes only"},
    [JAIL_WALL_NO_NESTING] = {"no_nesting", "no user namespace can be made inside"},
    [JAIL_WALL_TABLES] = {"tables", "what the kernel has for the whole machine or a user of it is left to others"},
};

const char *jail_wall_name(enum jail_wall wall)
{
    return walls[wall].name;
}

const char *jail_wall_purpose(enum jail_wall wall)
{
    return walls[wall].purpose;
}

bool jail_wall_missing(struct jail_walls *w, const struct jail_policy *p, enum jail_wall wall, const struct error *why,
                       struct error *err)
{
    w->missing |= 1U << wall;
    w->reasons[wall] = *why;
    return p->on_missing == JAIL_MISSING_DEGRADE ||
           error_set(err, ERROR_DENIED, "wall '%s' is missing: %s (on_missing_wall: degrade goes on without it)",
                     walls[wall].name, why->text);
}
