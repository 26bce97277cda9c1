/* kill.c - escalation: take all steps at once, then check every LOOK_NS; escalate again after ROUND_US, then after twice that,
 * and so on. The killer is SCHED_FIFO only while it sends, never while it waits: dying processes need the processor. */
#include "jail/kill/kill.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/linux_calls.h"
#include "jail/kill/members.h"

enum {
    LOOK_NS = 500000,       /* between looks */
    ROUND_US = 20000,       /* before the second escalation; a thousand processes usually die within it */
    PAGE = 4096,
};

void jail_kill_init(struct jail_kill_target *t)
{
    *t = (struct jail_kill_target){.pidfd = -1, .kill = -1, .events = -1, .freeze = -1, .freezer = -1,
                                   .procs = -1, .folder = -1, .pids_max = -1, .pids_current = -1, .quota = -1};
}

static int open_in(const struct jail_tree *tree, const char *file, int flags)
{
    return tree == NULL ? -1 : openat(tree->fd, file, flags | O_CLOEXEC);
}

void jail_kill_open(struct jail_kill_target *t, const struct jail_cgroups *g, int pidfd)
{
    const struct jail_tree *unified = jail_cgroups_unified(g);
    const struct jail_tree *pids = jail_cgroups_with(g, JAIL_CONTROLLER_PIDS);
    const struct jail_tree *cpu = jail_cgroups_with(g, JAIL_CONTROLLER_CPU);
    const struct jail_tree *freezer = jail_cgroups_with(g, JAIL_CONTROLLER_FREEZER);
    const struct jail_tree *members = freezer != NULL ? freezer : pids;

    jail_kill_init(t);
    t->pidfd = pidfd;
    t->may_open = true;
    t->kill = open_in(unified, "cgroup.kill", O_WRONLY);
    t->events = open_in(unified, "cgroup.events", O_RDONLY);
    t->freeze = open_in(unified, "cgroup.freeze", O_WRONLY);
    t->freezer = open_in(freezer, "freezer.state", O_WRONLY);
    t->procs = open_in(unified, "cgroup.procs", O_RDONLY);
    t->folder = unified != NULL || members == NULL ? -1 : fcntl(members->fd, F_DUPFD_CLOEXEC, 3);
    t->pids_max = open_in(pids, "pids.max", O_WRONLY);
    t->pids_current = open_in(pids, "pids.current", O_RDONLY);
    t->is_unified_quota = cpu != NULL && cpu->is_unified;
    t->quota = open_in(cpu, t->is_unified_quota ? "cpu.max" : "cpu.cfs_quota_us", O_WRONLY);
}

void jail_kill_close(struct jail_kill_target *t)
{
    const int all[] = {t->pidfd, t->kill, t->events, t->freeze, t->freezer, t->procs, t->folder, t->pids_max, t->pids_current,
                       t->quota};

    for (size_t i = 0; i < COUNT(all); i++) {
        cleanup_fd(&all[i]);
    }
    jail_kill_init(t);
}

static bool has_list(const struct jail_kill_target *t)
{
    return t->procs >= 0 || t->folder >= 0;
}

/* --- steps ---------------------------------------------------------------- */

static bool put(int fd, const char *text)
{
    return fd >= 0 && pwrite(fd, text, strlen(text), 0) == (ssize_t)strlen(text);
}

static bool send_kill(int pidfd)
{
    return pidfd >= 0 && syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) == 0;
}

static int64_t each_process(const struct jail_kill_target *t, void (*act)(void *context, pid_t pid))
{
    if (t->procs >= 0 || t->folder < 0) {
        return jail_members_each(t->procs, act, NULL);
    }
    int fresh CLEANUP(cleanup_fd) = openat(t->folder, "cgroup.procs", O_RDONLY | O_CLOEXEC);
    return jail_members_each(fresh, act, NULL);
}

static void kill_one(void *context, pid_t pid)
{
    (void)context;
    (void)kill(pid, SIGKILL);
}

/* Without cgroup.kill: the freezer keeps members from forking while the list is read. */
static bool kill_each(const struct jail_kill_target *t, unsigned *steps)
{
    if (put(t->freezer, "FROZEN")) {
        *steps |= JAIL_KILL_STEP_FREEZE;
    }
    bool is_listed = each_process(t, kill_one) >= 0;
    (void)put(t->freezer, "THAWED"); /* SIGKILL is delivered only then */
    return is_listed;
}

static unsigned escalate(const struct jail_kill_target *t)
{
    unsigned steps = 0;

    steps |= put(t->quota, t->is_unified_quota ? "max" : "-1") ? JAIL_KILL_STEP_QUOTA : 0U;
    steps |= put(t->pids_max, "0") ? JAIL_KILL_STEP_PIDS_MAX : 0U;
    if (t->kill >= 0 && t->may_open) {
        steps |= jail_members_kill(t->procs) > 0 ? JAIL_KILL_STEP_EACH : 0U; /* in case the next step has to wait */
    }
    if (put(t->kill, "1")) {
        steps |= JAIL_KILL_STEP_CGROUP_KILL;
    } else if (kill_each(t, &steps)) {
        steps |= JAIL_KILL_STEP_EACH;
    }
    steps |= send_kill(t->pidfd) ? JAIL_KILL_STEP_INIT : 0U;
    return steps;
}

/* --- verifying --------------------------------------------------------------- */

static int64_t count_processes(const struct jail_kill_target *t)
{
    char text[32] = "";

    if (t->pids_current >= 0 && pread(t->pids_current, text, sizeof(text) - 1, 0) > 0) {
        return strtoll(text, NULL, 10);
    }
    return each_process(t, NULL);
}

/* Init of a pid namespace becomes a zombie only when all others are gone. */
static bool has_init_ended(const struct jail_kill_target *t)
{
    struct pollfd p = {.fd = t->pidfd, .events = POLLIN};

    return t->pidfd < 0 || (poll(&p, 1, 0) == 1 && (p.revents & POLLIN) != 0);
}

static bool is_group_empty(const struct jail_kill_target *t)
{
    char text[256] = "";

    if (t->events >= 0) {
        ssize_t len = pread(t->events, text, sizeof(text) - 1, 0);
        /* ENODEV: the group was removed, which only an empty one can be. */
        return len < 0 ? errno == ENODEV : strstr(text, "populated 0") != NULL;
    }
    return !has_list(t) || each_process(t, NULL) == 0;
}

static bool can_see(const struct jail_kill_target *t)
{
    return t->pidfd >= 0 || t->events >= 0 || has_list(t);
}

bool jail_kill_is_over(const struct jail_kill_target *t)
{
    return can_see(t) && has_init_ended(t) && is_group_empty(t);
}

bool jail_kill_last(const struct jail_kill_target *t)
{
    bool is_last = count_processes(t) == 1;

    return send_kill(t->pidfd) && is_last;
}

bool jail_kill_freeze(const struct jail_kill_target *t)
{
    return put(t->freeze, "1") || put(t->freezer, "FROZEN");
}

bool jail_kill_thaw(const struct jail_kill_target *t)
{
    return put(t->freeze, "0") || put(t->freezer, "THAWED");
}

/* Real-time priority (root only), to run before a thousand forking processes, and only while the steps are taken: then the
 * dying need the processor more than the killer. */
static unsigned escalate_first(const struct jail_kill_target *t)
{
    const struct sched_param lowest = {.sched_priority = 1}, none = {0};
    bool is_first = call_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) == 0;
    unsigned steps = escalate(t);

    if (is_first) {
        (void)call_setscheduler(0, SCHED_OTHER, &none);
    }
    return steps;
}

struct jail_kill_report jail_kill(const struct jail_kill_target *t, int deadline_ms)
{
    const struct timespec step = {.tv_nsec = LOOK_NS};
    struct sched_param before = {0};
    int policy = call_getscheduler(0);
    int64_t start = clock_monotonic_us(), pause = ROUND_US;
    bool was_first = policy > 0 && call_getparam(0, &before) == 0;
    struct jail_kill_report r = {.survivors = -1};

    r.processes = count_processes(t);
    r.steps = escalate_first(t);
    r.rounds = 1;
    r.signalled_us = clock_monotonic_us() - start;
    int64_t escalated = clock_monotonic_us();
    while (!(r.is_verified = jail_kill_is_over(t)) && can_see(t) && clock_monotonic_us() - start < (int64_t)deadline_ms * 1000) {
        (void)nanosleep(&step, NULL);
        if (clock_monotonic_us() - escalated >= pause) {
            r.steps |= escalate_first(t);
            r.rounds++;
            escalated = clock_monotonic_us();
            pause *= 2; /* signalling a thousand again takes time that they need to die */
        }
    }
    r.total_us = clock_monotonic_us() - start;
    r.survivors = r.is_verified ? 0 : each_process(t, NULL);
    if (was_first) {
        (void)call_setscheduler(0, policy, &before);
    }
    return r;
}

bool jail_kill_is_ready(const struct jail_kill_target *t)
{
    /* cgroup.kill fails with ERANGE for any value but 1, after all other checks: so it is usable. */
    if (t->kill >= 0 && (put(t->kill, "0") || errno != ERANGE)) {
        return false;
    }
    bool can_end = t->kill >= 0 || (t->freezer >= 0 && has_list(t));
    if (t->pidfd >= 0) {
        can_end |= syscall(SYS_pidfd_send_signal, t->pidfd, 0, NULL, 0) == 0;
    }
    return can_end;
}
