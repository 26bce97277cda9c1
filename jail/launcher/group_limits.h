/* group_limits.h - the limits of a policy that control groups keep. */
#ifndef FILTERD_JAIL_LAUNCHER_GROUP_LIMITS_H
#define FILTERD_JAIL_LAUNCHER_GROUP_LIMITS_H

#include "jail/kill/cgroup.h"
#include "jail/policy/walls.h"

/* Sets them on groups that nobody is in yet. One that cannot be set is a wall that is missing. */
MUST_CHECK bool jail_limit_groups(const struct jail_cgroups *g, const struct jail_policy *p, struct jail_walls *walls,
                                  struct error *err);

#endif
