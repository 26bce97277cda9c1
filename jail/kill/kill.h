/* kill.h - kills every process of a jail and verifies that all are dead.
 *
 * Everything is opened when the jail starts; jail_kill itself neither allocates nor forks, so it works when memory and
 * processes are exhausted. It opens no file, except cgroup.procs on machines with version 1 only, where an open
 * list shows only the processes of the time of open. The escalation steps, as far as the machine has them, are: lift the cpu
 * quota (a process needs processor time to die); forbid new processes (pids.max); SIGKILL to each member, where pidfds may be
 * opened (members.h); cgroup.kill; SIGKILL to the pid namespace's init; and without cgroup.kill, SIGKILL to each
 * member of the frozen group. It repeats the steps until no process is left or the deadline passes.
 * Several processes may use a target, each with its own descriptors. */
#ifndef FILTERD_JAIL_KILL_KILL_H
#define FILTERD_JAIL_KILL_KILL_H

#include "jail/cgroup/cgroup.h"

enum { JAIL_KILL_DEADLINE_MS = 2000 };

struct jail_kill_target {
    int pidfd;                  /* of the pid namespace's init */
    int kill, events;           /* version 2: cgroup.kill, cgroup.events */
    int freeze;                 /* version 2: cgroup.freeze */
    int freezer;                /* version 1: freezer.state */
    int procs;                  /* version 2: cgroup.procs */
    int folder;                 /* version 1, where there is no version 2: a group with all processes */
    int pids_max, pids_current; /* of the tree that limits processes */
    int quota;                  /* cpu.max or cpu.cfs_quota_us */
    bool is_unified_quota;
    bool may_open; /* the killer may open pidfds of members; filterd's sandbox forbids it */
};

enum jail_kill_step {
    JAIL_KILL_STEP_QUOTA = 1,
    JAIL_KILL_STEP_PIDS_MAX = 2,
    JAIL_KILL_STEP_FREEZE = 4,
    JAIL_KILL_STEP_CGROUP_KILL = 8,
    JAIL_KILL_STEP_EACH = 16,
    JAIL_KILL_STEP_INIT = 32,
};

struct jail_kill_report {
    bool is_verified;   /* observed, not assumed: no process is left */
    unsigned steps;     /* bits of enum jail_kill_step that took effect */
    unsigned rounds;    /* escalation rounds */
    int64_t processes;  /* when it began; -1: not known */
    int64_t survivors;  /* when it ended; -1: not known */
    int64_t signalled_us, total_us;
};

/* All descriptors -1: an empty target. */
void jail_kill_init(struct jail_kill_target *t);
/* Opens the files that the groups have and takes pidfd over (-1: none yet). */
void jail_kill_open(struct jail_kill_target *t, const struct jail_cgroups *g, int pidfd);
void jail_kill_close(struct jail_kill_target *t);

/* Sends SIGKILL to init, and so to every process of its namespace. True when the group has no other member, so that
 * no process of the jail is left. */
bool jail_kill_last(const struct jail_kill_target *t);
/* Stops every process; false when the machine cannot. Not needed before a kill. */
bool jail_kill_freeze(const struct jail_kill_target *t);
/* Lets them continue. */
bool jail_kill_thaw(const struct jail_kill_target *t);
/* Waits at most deadline_ms; is_verified is false when that was too short. Does not reap. */
struct jail_kill_report jail_kill(const struct jail_kill_target *t, int deadline_ms);

/* True when no process is left: observed, not assumed. */
bool jail_kill_is_over(const struct jail_kill_target *t);
/* True when each step that this target has can still be reached: descriptors are open and answer. */
bool jail_kill_is_ready(const struct jail_kill_target *t);

#endif
