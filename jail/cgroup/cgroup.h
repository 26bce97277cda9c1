/* cgroup.h - one jail's control group, in every hierarchy of this machine.
 *
 * Supports version 2, version 1 and both together (a version 2 mount without controllers still kills and
 * freezes). Groups are created below the launcher's own, so its limits apply to the jail, too. A missing controller
 * is not an error here: the caller checks which exist and decides. Not thread-safe. */
#ifndef FILTERD_JAIL_CGROUP_CGROUP_H
#define FILTERD_JAIL_CGROUP_CGROUP_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/span.h"

enum { JAIL_TREES_MAX = 8, JAIL_CGROUP_PATH_MAX = 512 };

enum jail_controller {
    JAIL_CONTROLLER_MEMORY,
    JAIL_CONTROLLER_PIDS,
    JAIL_CONTROLLER_CPU,
    JAIL_CONTROLLER_CPUACCT, /* version 1; version 2 always accounts */
    JAIL_CONTROLLER_FREEZER, /* version 1; part of version 2 */
    JAIL_CONTROLLER_COUNT
};

struct jail_tree {
    char parent[JAIL_CGROUP_PATH_MAX]; /* the launcher's own group */
    char path[JAIL_CGROUP_PATH_MAX];   /* the jail's, once made */
    unsigned controllers;              /* bit per enum jail_controller */
    bool is_unified;                   /* version 2 */
    int fd;                            /* the jail's folder; -1: not made */
    int reason;                        /* errno of why it was not made */
};

struct jail_cgroups {
    struct jail_tree trees[JAIL_TREES_MAX];
    size_t n;
};

/* From the texts of /proc/self/cgroup and /proc/self/mountinfo. */
void jail_cgroups_find(struct jail_cgroups *g, struct span membership, struct span mounts);
/* From this process's own. */
MUST_CHECK bool jail_cgroups_find_own(struct jail_cgroups *g, struct error *err);

/* Notes the paths that jail_cgroups_make will use, so that another process can remove them. `name`
 * begins with this process's id and '-'. */
void jail_cgroups_name(struct jail_cgroups *g, const char *name);
void jail_cgroups_make(struct jail_cgroups *g);
/* Removes the groups, which must be empty; retries a busy one for a second. False when one
 * remains. Needs only the names: another process may have called jail_cgroups_make. */
bool jail_cgroups_remove(struct jail_cgroups *g);
/* Removes empty groups of other jails with the same parent, whose monitor and watchdog were both killed. */
void jail_cgroups_sweep(const struct jail_cgroups *g);
void jail_cgroups_close(struct jail_cgroups *g);

/* The made tree that has the controller; NULL: none. */
const struct jail_tree *jail_cgroups_with(const struct jail_cgroups *g, enum jail_controller controller);
const struct jail_tree *jail_cgroups_unified(const struct jail_cgroups *g);

/* No process moves another one: during such a move the kernel blocks every fork, exit and group kill until all
 * active forks are done, which took up to two seconds with a thousand processes (decision 065). clone3 creates a process
 * in the version 2 group; it joins the others itself. */

/* fork() into every made tree; the child exits if it cannot join one. The caller has one thread. */
MUST_CHECK bool jail_cgroups_fork(const struct jail_cgroups *g, pid_t *pid, struct error *err);
/* Opens descriptors of version 1 trees for jail_cgroups_join; -1: not made. On failure the caller must close those that are
 * open. */
MUST_CHECK bool jail_cgroups_open_fds(const struct jail_cgroups *g, int fds[JAIL_TREES_MAX], struct error *err);
/* Joins the calling process, which has one thread, to the groups; skips -1. */
MUST_CHECK bool jail_cgroups_join(const int fds[JAIL_TREES_MAX], struct error *err);

/* Limits: bytes, bytes, processes, thousandths of a processor. */
MUST_CHECK bool jail_cgroups_limit_memory(const struct jail_cgroups *g, int64_t bytes, struct error *err);
/* Swap in addition to memory; limit memory first. A machine without swap needs no limit. */
MUST_CHECK bool jail_cgroups_limit_swap(const struct jail_cgroups *g, int64_t memory, int64_t swap, struct error *err);
MUST_CHECK bool jail_cgroups_limit_pids(const struct jail_cgroups *g, int64_t n, struct error *err);
MUST_CHECK bool jail_cgroups_limit_cpu(const struct jail_cgroups *g, int64_t thousandths, struct error *err);

/* Processor time used so far in ms; -1: not accounted here. */
int64_t jail_cgroups_cpu_ms(const struct jail_cgroups *g);
/* The peak of memory use in bytes; -1: not accounted here. */
int64_t jail_cgroups_memory_peak(const struct jail_cgroups *g);
/* Reads a small file of a group as a NUL-terminated text; false leaves it empty. */
bool jail_cgroup_read(int folder, const char *file, char *text, size_t size);
/* True when the kernel's OOM killer killed a process of the group. */
bool jail_cgroups_ran_out_of_memory(const struct jail_cgroups *g);
/* How many forks pids.max refused; 0 where the kernel does not count them. */
int64_t jail_cgroups_refused_processes(const struct jail_cgroups *g);

#endif
