/* members.h - kills the processes of a control group one by one.
 *
 * cgroup.kill kills a group at once, but waits for a kernel mutex that another process may hold for seconds, while it moves
 * a process between groups and a thousand fork (decision 065). Signals do not wait. A process ID from the list may be reused
 * by the time it is signalled. So a pidfd is opened first, and signalled only when a later read of the list has
 * the same ID: the pidfd's process is then in the group, or dead. Does not allocate. */
#ifndef FILTERD_JAIL_KILL_MEMBERS_H
#define FILTERD_JAIL_KILL_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Calls `act` for each process of a cgroup.procs; NULL only counts. Returns their number; -1: it cannot be read. The kernel
 * returns the list a page at a time: of hundreds one may be missing or appear twice. */
int64_t jail_members_each(int procs, void (*act)(void *context, pid_t pid), void *context);

/* Sends SIGKILL to each member, some hundred pidfds at a time, of a group of at most JAIL_MEMBERS_MAX: with more it would take
 * longer than cgroup.kill. May miss processes created meanwhile, and misses all if no pidfd can be opened.
 * Returns how many were signalled. Opens and closes pidfds: not for filterd's sandbox. */
enum { JAIL_MEMBERS_MAX = 4096 };
int64_t jail_members_kill(int procs);

#endif
