/* watchdog.h - a process that kills the jail when the monitor dies or does not enforce the time limits.
 *
 * It waits for the monitor's message that the run is over. When the channel closes without it, the watchdog kills
 * the jail. In both cases it then removes the control groups, so the launcher need not wait for the kernel to do that. It
 * is started before there is anything to kill, in its own session. When it dies, its channel becomes readable in the
 * monitor, which then kills the jail. */
#ifndef FILTERD_JAIL_LAUNCHER_WATCHDOG_H
#define FILTERD_JAIL_LAUNCHER_WATCHDOG_H

#include "jail/cgroup/cgroup.h"

struct jail_watchdog {
    int channel; /* readable: the watchdog has died */
    pid_t pid;
};

/* Call it when the groups are named but not yet made. */
MUST_CHECK bool jail_watchdog_start(struct jail_watchdog *s, struct jail_cgroups *g, struct error *err);
/* Passes init's pidfd and further reasons to kill the jail, so that a hanging or stopped monitor delays nothing: the peer
 * closes `lease` (-1: no lease); the watchdog sees no renewal (jail_watchdog_renew) and no data on `lease` for lease_ms, since a
 * killed filterd keeps its sockets while it waits for a disk; wall_ms (JAIL_NONE: no limit) and one second, reserved for the
 * monitor, have passed since now or since jail_watchdog_begin. */
MUST_CHECK bool jail_watchdog_watch(const struct jail_watchdog *s, int pidfd, int lease, int64_t lease_ms, int64_t wall_ms,
                                    struct error *err);
/* Restarts the wall clock when the command starts. Does not block. */
void jail_watchdog_begin(const struct jail_watchdog *s);

enum jail_watchdog_reason { JAIL_WATCHDOG_DIED, JAIL_WATCHDOG_LEASE, JAIL_WATCHDOG_WALL_CLOCK };
/* Why the watchdog killed the jail, if it did. Call it once its channel is readable. */
enum jail_watchdog_reason jail_watchdog_reason(const struct jail_watchdog *s);
/* Reports that filterd has renewed the lease. Does not block. */
void jail_watchdog_renew(const struct jail_watchdog *s);
/* Ends the watchdog after the run: it removes the groups and exits. It holds the last copy of `last` (-1: none), so the caller
 * does not wait for its close. False: it has died or was not started, and the caller must remove the groups. */
MUST_CHECK bool jail_watchdog_dismiss(struct jail_watchdog *s, int last);

#endif
