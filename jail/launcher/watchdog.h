/* watchdog.h - a process that kills the jail when the monitor dies, or does not keep the time limits.
 *
 * It waits for the monitor's message that the run is over. When the channel closes without it, the watchdog kills
 * the jail. In both cases it then removes the control groups, so the launcher need not wait for the kernel to do that. It
 * is started before there is anything to kill, in its own session. When it dies, its channel becomes readable in the
 * monitor, which then kills the jail. */
#ifndef FILTERD_JAIL_LAUNCHER_WATCHDOG_H
#define FILTERD_JAIL_LAUNCHER_WATCHDOG_H

#include "jail/cgroup/cgroup.h"

struct jail_watchdog {
    int channel; /* readable: it has died */
    pid_t pid;
};

/* The groups have their names and are not made yet. */
MUST_CHECK bool jail_watchdog_start(struct jail_watchdog *s, struct jail_cgroups *g, struct error *err);
/* What to kill besides the groups: init; and when else: as soon as the other side of `lease` closes (-1:
 * there is none), so that a monitor that hangs holds nothing up; and when nothing has come from there for lease_ms, read by
 * the monitor (jail_watchdog_renew) or not: a filterd that was killed closes nothing while it waits for a disk; and when
 * wall_ms (JAIL_NONE: no limit) are over since, or since jail_watchdog_begin, and a second more, which is the monitor's: one
 * that is stopped ends nothing. */
MUST_CHECK bool jail_watchdog_watch(const struct jail_watchdog *s, int pidfd, int lease, int64_t lease_ms, int64_t wall_ms,
                                    struct error *err);
/* The command begins: the time of the wall clock is counted anew. Never waits. */
void jail_watchdog_begin(const struct jail_watchdog *s);

enum jail_watchdog_reason { JAIL_WATCHDOG_DIED, JAIL_WATCHDOG_LEASE, JAIL_WATCHDOG_WALL_CLOCK };
/* Its channel is readable: why it ended the jail, if it did. */
enum jail_watchdog_reason jail_watchdog_reason(const struct jail_watchdog *s);
/* The monitor has heard from filterd. Never waits. */
void jail_watchdog_renew(const struct jail_watchdog *s);
/* All is over: the watchdog clears up and ends, in its own time, with a copy of `last` (-1: none) as its last holder: what
 * the kernel does when that is closed is then not waited for. False: there is none, or it has died, and who clears up is
 * the caller. */
MUST_CHECK bool jail_watchdog_dismiss(struct jail_watchdog *s, int last);

#endif
