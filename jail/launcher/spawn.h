/* spawn.h - init of a jail in its new namespaces, and who its user is outside. */
#ifndef FILTERD_JAIL_LAUNCHER_SPAWN_H
#define FILTERD_JAIL_LAUNCHER_SPAWN_H

#include "jail/cgroup/cgroup.h"
#include "jail/launcher/launch.h"

/* Starts jail_init_process, in the version 2 group where there is one. `owner`: of the user namespace, for a caller that is root;
 * NULL: the caller. */
MUST_CHECK bool jail_spawn(struct jail_launch *l, const struct jail_cgroups *g, const uid_t *owner, pid_t *pid, int *pidfd,
                           struct error *err);
/* The jail's user and group become `uid` and `gid` of the machine, all others are unmapped. */
MUST_CHECK bool jail_map_user(pid_t pid, uid_t uid, gid_t gid, bool is_privileged, struct error *err);

#endif
