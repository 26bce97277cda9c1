/* group_limits.h - the limits of a policy that control groups enforce. */
#ifndef FILTERD_JAIL_CGROUP_GROUP_LIMITS_H
#define FILTERD_JAIL_CGROUP_GROUP_LIMITS_H

#include "jail/cgroup/cgroup.h"
#include "jail/policy/mechanisms.h"

/* Sets them on groups that are still empty. A limit that cannot be set is a missing mechanism. */
MUST_CHECK bool jail_limit_groups(const struct jail_cgroups *g, const struct jail_policy *p, struct jail_mechanisms *mechanisms,
                                  struct error *err);

#endif
