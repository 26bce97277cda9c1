/* members.h - the processes that a control group lists, and their end one by one.
 *
 * cgroup.kill ends a group at once, but waits for a mutex of the kernel that others may hold for seconds: whoever moves a
 * process between groups while a thousand fork (decision 065). Signals wait for nothing. A list is a moment long past when a
 * process with a number from it is signalled: the number may be another's by then. So a handle (pidfd) is opened first,
 * and signalled only when a later look at the list has the number again: what the handle names is then in the group,
 * or gone. Allocates nothing. */
#ifndef FILTERD_JAIL_KILL_MEMBERS_H
#define FILTERD_JAIL_KILL_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Calls for each process of a cgroup.procs; NULL only counts. How many there were; -1: it cannot be read. The kernel gives the list
 * a page at a time: of hundreds one may be left out, or come twice. */
int64_t jail_members_each(int procs, void (*act)(void *context, pid_t pid), void *context);

/* SIGKILL to each member, some hundred handles at a time, of a group of at most JAIL_MEMBERS_MAX: of more it would take
 * longer than what it is for. Those that are made meanwhile may be missed, and all are where no handle can be opened.
 * How many were signalled. Opens and closes pidfds: not for filterd's sandbox. */
enum { JAIL_MEMBERS_MAX = 4096 };
int64_t jail_members_kill(int procs);

#endif
