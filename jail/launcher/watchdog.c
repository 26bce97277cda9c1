/* watchdog.c - invariants: it never waits for the monitor (its reads come after poll, its writes may be lost); until GO it
 * knows no process, only groups by name; once aimed it neither opens files nor allocates to kill; any end of its loop other than
 * ENDED is a reason to kill. */
#include "jail/launcher/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/linux_calls.h"
#include "jail/kill/kill.h"
#include "jail/launcher/launch.h"
#include "jail/launcher/monitor.h"

enum {
    NICE = -10,
    KILL_DEADLINE_MS = 60000, /* no process is left to kill the jail after this one: long */
    LAST_MS = 1000,           /* for init to exit, after which its groups can be removed */
    SETTLED_MS = 4,           /* a start's length: before it, only the monitor's death is looked at, so no start waits for a wake-up */
    LOOKS = 4,                /* in a lease */
    MONITOR_MS = 1000,        /* more than the wall clock limit, so that the monitor acts first */
};

/* The monitor may have died before or after making any of them. */
static void open_groups(struct jail_cgroups *g)
{
    for (size_t i = 0; i < g->n; i++) {
        struct jail_tree *tree = &g->trees[i];
        tree->fd = tree->path[0] == '\0' ? -1 : open(tree->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
}

/* It must run before a thousand forking processes do. Root only. */
static void come_first(void)
{
    const struct sched_param lowest = {.sched_priority = 1}, none = {0};

    if (call_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) != 0) {
        (void)call_setscheduler(0, SCHED_OTHER, &none);
        (void)setpriority(PRIO_PROCESS, 0, NICE);
    }
}

struct watched {
    int channel, pidfd, lease;  /* the lease is only looked at, the monitor reads it */
    int64_t lease_ms, until_ms; /* when it runs out */
    int64_t looked_ms;          /* when it was last looked at */
    int64_t wall_ms, ends_ms;   /* the wall clock's limit; when the watchdog keeps it; JAIL_NONE: never */
    int unread;                 /* bytes waiting in it, unread by the monitor */
    bool has_settled;           /* the start is over: messages are read as they come */
    bool has_jail, is_aimed;
    struct jail_cgroups *groups;
    struct jail_kill_target target;
};

enum awaited { AWAITED_MESSAGE, AWAITED_TIME, AWAITED_END_OF_LEASE };

/* The start is not disturbed, and a command that ends at once needs none of what comes after. */
static int timeout_ms(const struct watched *w)
{
    if (!w->has_settled || (w->has_jail && !w->is_aimed)) {
        return SETTLED_MS;
    }
    int64_t look = w->looked_ms + w->lease_ms / LOOKS, next = w->ends_ms;
    if (w->lease >= 0) {
        next = look < next ? look : next;
        next = w->until_ms < next ? w->until_ms : next;
    }
    int64_t left = next - clock_monotonic_ms();
    return next == JAIL_NONE ? -1 : left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

static enum awaited await(const struct watched *w)
{
    /* Until it has settled, only the monitor's close ends the wait: a wake-up for each message would slow the start. */
    struct pollfd polled[] = {{.fd = w->channel, .events = w->has_settled ? POLLIN : 0}, {.fd = w->lease}};
    int n;

    while ((n = poll(polled, COUNT(polled), timeout_ms(w))) < 0 && errno == EINTR) {
    }
    bool has_lease_ended = (polled[1].revents & (POLLHUP | POLLERR)) != 0;
    return n == 0 ? AWAITED_TIME : polled[0].revents == 0 && has_lease_ended ? AWAITED_END_OF_LEASE : AWAITED_MESSAGE;
}

/* What it takes to kill, in the groups that are made by now, and in memory whatever becomes of the disk. */
static void aim(struct watched *w)
{
    open_groups(w->groups);
    jail_kill_open(&w->target, w->groups, w->pidfd);
    (void)mlockall(MCL_CURRENT);
    come_first();
    w->is_aimed = true;
}

static void renew(struct watched *w)
{
    w->looked_ms = clock_monotonic_ms();
    w->until_ms = w->looked_ms + w->lease_ms;
    w->unread = 0;
}

/* A monitor that does not get its turn, or hangs, reads nothing: filterd is there as long as more comes. */
static bool has_more_come(struct watched *w)
{
    int before = w->unread;

    return ioctl(w->lease, SIOCINQ, &w->unread) == 0 && w->unread > before;
}

static bool is_overdue(const struct watched *w)
{
    return w->ends_ms != JAIL_NONE && clock_monotonic_ms() >= w->ends_ms;
}

static bool has_lapsed(struct watched *w)
{
    if (w->lease < 0) {
        return false;
    }
    if (has_more_come(w)) {
        w->until_ms = w->looked_ms + w->lease_ms; /* it came after that look, at the latest now */
    }
    w->looked_ms = clock_monotonic_ms();
    return w->looked_ms >= w->until_ms;
}

/* False: the jail is to end. */
static bool take_time(struct watched *w)
{
    if (!w->has_settled || !w->is_aimed) {
        if (w->has_settled) {
            aim(w);
        }
        w->has_settled = true;
        return true;
    }
    return !is_overdue(w) && !has_lapsed(w);
}

/* False: the monitor has gone. */
static bool take_message(struct watched *w, bool *is_over)
{
    struct jail_message m;
    int fds[JAIL_DESCRIPTORS_MAX];

    if (!jail_message_receive(w->channel, &m, fds)) {
        return false;
    }
    *is_over = m.kind == JAIL_MESSAGE_ENDED;
    if (m.kind == JAIL_MESSAGE_GO) {
        w->has_jail = true;
        w->pidfd = fds[0];
        w->lease = fds[1];
        w->lease_ms = m.lease_ms;
        w->wall_ms = m.wall_ms;
    }
    if ((m.kind == JAIL_MESSAGE_GO || m.kind == JAIL_MESSAGE_READY) && w->wall_ms != JAIL_NONE) {
        w->ends_ms = clock_monotonic_ms() + w->wall_ms + MONITOR_MS;
    }
    if (m.kind == JAIL_MESSAGE_GO || m.kind == JAIL_MESSAGE_RENEWED) {
        renew(w);
    }
    return true;
}

/* Init may still be exiting, and a group with a process in it cannot be removed. */
static void await_init(const struct watched *w)
{
    struct pollfd first = {.fd = w->pidfd, .events = POLLIN};

    if (w->pidfd >= 0) {
        (void)poll(&first, 1, LAST_MS);
    }
}

static _Noreturn void watch(int channel, struct jail_cgroups *g)
{
    struct watched w = {.channel = channel, .pidfd = -1, .lease = -1, .ends_ms = JAIL_NONE, .groups = g};
    bool is_over = false, goes_on = true;

    (void)setsid();
    (void)prctl(PR_SET_NAME, "jail-watchdog", 0, 0, 0);
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    jail_close_others(&channel, 1);
    (void)close_range(0, 2, 0);
    while (goes_on && !is_over) {
        enum awaited what = await(&w);
        goes_on = what == AWAITED_TIME ? take_time(&w) : what == AWAITED_MESSAGE && take_message(&w, &is_over);
    }
    if (!is_over) {
        if (!w.is_aimed) {
            aim(&w);
        }
        const struct jail_message why = {.kind = is_overdue(&w) ? JAIL_MESSAGE_OVERDUE : JAIL_MESSAGE_LAPSED};
        (void)!jail_message_send(channel, &why, NULL, 0); /* lost when the monitor is gone */
        (void)jail_kill(&w.target, KILL_DEADLINE_MS);
    }
    await_init(&w);
    bool is_gone = jail_cgroups_remove(g);
    jail_cgroups_sweep(g);
    _exit(is_gone ? 0 : 1);
}

bool jail_watchdog_start(struct jail_watchdog *s, struct jail_cgroups *g, struct error *err)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return error_errno(err, "watchdog");
    }
    pid_t pid = fork();
    if (pid == 0) {
        watch(ends[1], g); /* its own by now */
    }
    (void)close(ends[1]);
    if (pid < 0) {
        (void)close(ends[0]);
        return error_errno(err, "watchdog");
    }
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK); /* a watchdog that hangs must not block the monitor */
    *s = (struct jail_watchdog){.channel = ends[0], .pid = pid};
    return true;
}

bool jail_watchdog_watch(const struct jail_watchdog *s, int pidfd, int lease, int64_t lease_ms, int64_t wall_ms, struct error *err)
{
    const struct jail_message m = {.kind = JAIL_MESSAGE_GO, .lease_ms = (int)lease_ms, .wall_ms = wall_ms};
    const int fds[] = {pidfd, lease};

    return jail_message_send(s->channel, &m, fds, lease < 0 ? 1 : 2) || error_errno(err, "watchdog");
}

enum jail_watchdog_reason jail_watchdog_reason(const struct jail_watchdog *s)
{
    int fds[JAIL_DESCRIPTORS_MAX];
    struct jail_message m;

    if (!jail_message_receive(s->channel, &m, fds)) {
        return JAIL_WATCHDOG_DIED;
    }
    return m.kind == JAIL_MESSAGE_OVERDUE ? JAIL_WATCHDOG_WALL_CLOCK : m.kind == JAIL_MESSAGE_LAPSED ? JAIL_WATCHDOG_LEASE : JAIL_WATCHDOG_DIED;
}

static void notify(const struct jail_watchdog *s, enum jail_message_kind kind)
{
    const struct jail_message m = {.kind = kind};

    (void)!jail_message_send(s->channel, &m, NULL, 0);
}

void jail_watchdog_renew(const struct jail_watchdog *s)
{
    notify(s, JAIL_MESSAGE_RENEWED);
}

void jail_watchdog_begin(const struct jail_watchdog *s)
{
    notify(s, JAIL_MESSAGE_READY);
}

bool jail_watchdog_dismiss(struct jail_watchdog *s, int last)
{
    const struct jail_message m = {.kind = JAIL_MESSAGE_ENDED};
    bool is_there = s->pid > 0 && jail_message_send(s->channel, &m, &last, last < 0 ? 0 : 1);

    if (s->pid > 0) {
        (void)waitpid(s->pid, NULL, WNOHANG);
    }
    cleanup_fd(&s->channel);
    *s = (struct jail_watchdog){.channel = -1};
    return is_there;
}
