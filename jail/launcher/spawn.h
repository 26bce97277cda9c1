/* spawn.h - starts init of a jail in new namespaces, and maps its user. */
#ifndef FILTERD_JAIL_LAUNCHER_SPAWN_H
#define FILTERD_JAIL_LAUNCHER_SPAWN_H

#include "jail/cgroup/cgroup.h"
#include "jail/launcher/launch.h"

/* Starts jail_init_process, in the version 2 group if there is one. `owner` owns the user namespace, for a caller that is root;
 * NULL: the caller. */
MUST_CHECK bool jail_spawn(struct jail_launch *l, const struct jail_cgroups *g, const uid_t *owner, pid_t *pid, int *pidfd,
                           struct error *err);
/* Maps the jail's user and group to `uid` and `gid` of the machine; all others are unmapped. */
MUST_CHECK bool jail_map_user(pid_t pid, uid_t uid, gid_t gid, bool is_privileged, struct error *err);

#endif
