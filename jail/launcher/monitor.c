/* monitor.c - one poll loop. Invariants: no descriptor it waits on can block it (relays are non-blocking, messages come after
 * poll); end() is called at most once with effect, its first reason is the run's; the loop is left only when init's death or the
 * verified kill was observed, so nothing of the jail runs when jail_monitor_watch returns. */
#include "jail/launcher/monitor.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "jail/launcher/refusals.h"

enum {
    TICK_MS = 200,       /* between looks at processor time and idleness */
    BUSY_MS = 4,         /* processor time in a tick that counts as doing something */
    DRAIN_MS = 1000,     /* for output that the caller does not read, after a kill */
    KILL_TRIES = 30,     /* of JAIL_KILL_DEADLINE_MS each: a minute, then the report says that it is not verified */
    REASON_MS = 500,     /* for filterd's message with the reason, after a kill that came from it */
    END_OF_FILE = 4,     /* Ctrl-D */
    POLLED = JAIL_RELAYS + 8,
};

/* --- the end -------------------------------------------------------------- */

static void end(struct jail_monitor *w, enum jail_end why)
{
    struct jail_outcome *o = w->outcome;

    if (o->was_killed) {
        return;
    }
    o->end = why;
    o->was_killed = true;
    jail_egress_stop(&w->egress);
    o->kill = jail_kill(&w->target, JAIL_KILL_DEADLINE_MS);
    for (int i = 0; !o->kill.is_verified && i < KILL_TRIES; i++) {
        struct jail_kill_report again = jail_kill(&w->target, JAIL_KILL_DEADLINE_MS);
        log_error("jail: processes are still alive after a kill survivors=%lld", (long long)again.survivors);
        again.processes = o->kill.processes;
        again.total_us += o->kill.total_us;
        again.signalled_us = o->kill.signalled_us;
        again.steps |= o->kill.steps;
        again.rounds += o->kill.rounds;
        o->kill = again;
    }
}

/* --- what comes in -------------------------------------------------------- */

static void pass_on_size(const struct jail_monitor *w)
{
    struct winsize window;

    if (w->master >= 0 && ioctl(w->terminal_out, TIOCGWINSZ, &window) == 0) {
        (void)ioctl(w->master, TIOCSWINSZ, &window);
    }
}

static void take_ready(struct jail_monitor *w, const struct jail_message *m, const int *fds)
{
    size_t n = 0;

    w->is_ready = true;
    w->started = w->active = clock_monotonic_ms();
    jail_watchdog_begin(&w->watchdog);
    if (m->has_terminal) {
        w->master = fds[n++];
        pass_on_size(w); /* it may have changed since it was looked at */
        jail_relay_init(&w->relays[JAIL_RELAY_TERMINAL], w->master, w->terminal_out);
        if (w->pipes[0] < 0) {
            jail_relay_init(&w->relays[JAIL_RELAY_IN], STDIN_FILENO, w->master);
        }
    }
    if (m->has_outputs) {
        w->outputs = fds[n++];
    }
    if (m->has_honeytokens) {
        w->honeytokens = fds[n++];
    }
    if (m->has_notify_fd) {
        w->notify_fd = fds[n];
    } else {
        log_warn("jail: refused system calls are not reported here");
    }
}

static void take_message(struct jail_monitor *w)
{
    int fds[JAIL_DESCRIPTORS_MAX];
    struct jail_message m;

    if (!jail_message_receive(w->control, &m, fds)) {
        cleanup_fd(&w->control);
        w->control = -1;
        return;
    }
    if (m.kind == JAIL_MESSAGE_READY) {
        take_ready(w, &m, fds);
    } else if (m.kind == JAIL_MESSAGE_ENDED) {
        w->has_status = true;
        w->status = m.status;
        w->is_over = m.is_alone && jail_kill_last(&w->target);
        if (WIFSIGNALED(m.status) && WTERMSIG(m.status) == SIGSYS) {
            jail_event_report(&w->outcome->events, JAIL_EVENT_SYSCALL_REFUSED, "the command was ended by a call that only attacks make");
        }
    } else if (m.kind == JAIL_MESSAGE_FAILED) {
        w->has_failed = true;
        w->failed = m;
    } else if (m.kind == JAIL_MESSAGE_SNAPSHOT && w->outcome->n_snapshots < COUNT(w->outcome->snapshots)) {
        w->outcome->snapshots[w->outcome->n_snapshots++] = m.snapshot;
    } else if (m.kind == JAIL_MESSAGE_MISSING && (unsigned)m.mechanism < JAIL_MECHANISM_COUNT) {
        w->outcome->mechanisms.missing |= 1U << m.mechanism;
        w->outcome->mechanisms.reasons[m.mechanism] = m.error;
    }
}

static void take_signal(struct jail_monitor *w)
{
    struct signalfd_siginfo info;

    if (read(w->signals, &info, sizeof(info)) != (ssize_t)sizeof(info)) {
        return;
    }
    if (info.ssi_signo == SIGWINCH) {
        pass_on_size(w);
        return;
    }
    w->signal = (int)info.ssi_signo;
    end(w, JAIL_END_SIGNAL);
}

void jail_monitor_note_event(void *outcome, const struct jail_channel_message *m)
{
    struct jail_outcome *o = outcome;

    jail_event_report(&o->events, (enum jail_event_kind)m->event, m->text);
}

/* When it ends before the jail does, the jail goes on: it has no network then, which is what is safe. */
static void take_events(struct jail_monitor *w)
{
    struct jail_channel_message m;

    while (jail_egress_take(&w->egress, &m)) {
        jail_monitor_note_event(w->outcome, &m);
    }
    if (w->egress.channel < 0) {
        jail_event_report(&w->outcome->events, JAIL_EVENT_NET_LOST, "filterd-egress ended, the jail has no network");
        log_error("jail: filterd-egress ended, the jail has no network any more");
    }
}

static bool is_notify_read(const struct jail_monitor *w)
{
    return !w->is_notify_over && (w->watcher != NULL || !jail_refusals_wait(&w->refusals));
}

/* The egress proxy, the honeytokens, the refused calls. */
static void take_reports(struct jail_monitor *w, const struct pollfd polled[3])
{
    if (polled[0].revents != 0) {
        take_events(w);
    }
    if (polled[1].revents != 0) {
        jail_honeytokens_take(w->honeytokens, w->policy, &w->outcome->events);
    }
    if ((polled[2].revents & POLLIN) != 0 && w->watcher != NULL) {
        w->watcher->take(w->watcher->context, w->notify_fd);
    } else if ((polled[2].revents & POLLIN) != 0) {
        jail_refusals_take(&w->refusals, w->notify_fd, &w->egress, &w->outcome->events);
    } else if (polled[2].revents != 0) {
        w->is_notify_over = true;
    }
}

static void keep_lease(struct jail_monitor *w)
{
    int64_t before = w->lease.renewed_ms;
    enum jail_lease_state state = jail_lease_look(&w->lease, clock_monotonic_ms());

    if (w->lease.renewed_ms != before) {
        jail_watchdog_renew(&w->watchdog);
    }
    if (state == JAIL_LEASE_ENDED) {
        (void)snprintf(w->outcome->why, sizeof(w->outcome->why), "%s", w->lease.why);
        end(w, JAIL_END_FILTER);
    } else if (state == JAIL_LEASE_LOST) {
        end(w, JAIL_END_LEASE);
    } else if (state == JAIL_LEASE_CUT) {
        jail_egress_stop(&w->egress);
    }
}

/* Without the watchdog a dead monitor would leave the jail running. */
static void take_end_of_watchdog(struct jail_monitor *w)
{
    static const enum jail_end ends[] = {
        [JAIL_WATCHDOG_DIED] = JAIL_END_FAULT, [JAIL_WATCHDOG_LEASE] = JAIL_END_LEASE, [JAIL_WATCHDOG_WALL_CLOCK] = JAIL_END_WALL_CLOCK};

    end(w, ends[jail_watchdog_reason(&w->watchdog)]);
}

/* All processes are dead without an exit status: filterd may have killed them, and then its message with the reason follows. */
static void take_reason(struct jail_monitor *w)
{
    struct pollfd polled = {.fd = w->lease.fd, .events = POLLIN};
    int64_t until = clock_monotonic_ms() + REASON_MS;

    while (w->lease.fd >= 0 && !w->has_status && !w->outcome->was_killed && clock_monotonic_ms() < until) {
        bool has_come = poll(&polled, 1, (int)REASON_MS) == 1;
        enum jail_lease_state state = has_come ? jail_lease_look(&w->lease, clock_monotonic_ms()) : JAIL_LEASE_LOST;
        if (state == JAIL_LEASE_ENDED) {
            w->outcome->end = JAIL_END_FILTER;
            (void)snprintf(w->outcome->why, sizeof(w->outcome->why), "%s", w->lease.why);
        }
        if (state <= JAIL_LEASE_ENDED) {
            return;
        }
    }
}

/* --- limits --------------------------------------------------------------- */

static uint64_t carried(const struct jail_monitor *w)
{
    return w->relays[JAIL_RELAY_OUT].carried + w->relays[JAIL_RELAY_ERR].carried +
           w->relays[JAIL_RELAY_TERMINAL].carried;
}

static void look_at_activity(struct jail_monitor *w, int64_t now)
{
    const struct jail_limits *l = &w->policy->limits;
    uint64_t bytes = carried(w) + w->relays[JAIL_RELAY_IN].carried;
    int64_t cpu = jail_cgroups_cpu_ms(&w->groups);

    if (bytes != w->carried_seen || cpu - w->cpu_seen >= BUSY_MS) {
        w->active = now;
    }
    w->carried_seen = bytes;
    w->cpu_seen = cpu;
    if (l->cpu_time != JAIL_NONE && cpu >= l->cpu_time) {
        end(w, JAIL_END_CPU_TIME);
    } else if (l->idle != JAIL_NONE && now - w->active >= l->idle) {
        end(w, JAIL_END_IDLE);
    }
}

static void keep_limits(struct jail_monitor *w, int64_t *ticked)
{
    const struct jail_limits *l = &w->policy->limits;
    int64_t now = clock_monotonic_ms();

    if (l->wall != JAIL_NONE && now - w->started >= l->wall) {
        end(w, JAIL_END_WALL_CLOCK);
    }
    if (l->output != JAIL_NONE && carried(w) > (uint64_t)l->output) {
        end(w, JAIL_END_OUTPUT);
    }
    if (now - *ticked >= TICK_MS) {
        *ticked = now;
        look_at_activity(w, now);
    }
}

static int time_left(const struct jail_monitor *w)
{
    int64_t left = w->policy->limits.wall == JAIL_NONE ? TICK_MS : w->started + w->policy->limits.wall - clock_monotonic_ms();

    return jail_lease_wait_ms(&w->lease, clock_monotonic_ms(), (int)(left < 0 ? 0 : left > TICK_MS ? TICK_MS : left));
}

/* --- carrying ------------------------------------------------------------- */

/* The caller's input has ended: the command must see that. */
static void pass_on_end_of_input(struct jail_monitor *w)
{
    const char end_of_file = END_OF_FILE;
    struct jail_relay *in = &w->relays[JAIL_RELAY_IN];

    if (!jail_relay_is_over(in) || in->to < 0) {
        return;
    }
    if (w->pipes[0] >= 0) {
        cleanup_fd(&w->pipes[0]);
        w->pipes[0] = -1;
    } else if (w->master >= 0) {
        (void)!write(w->master, &end_of_file, 1);
    }
    in->to = -1;
}

/* The caller closed the reading end: close ours, so that the command's next write fails with EPIPE. */
static void pass_on_lost_readers(struct jail_monitor *w)
{
    for (int i = 1; i < 3; i++) {
        if (w->pipes[i] >= 0 && jail_relay_is_over(&w->relays[i])) {
            cleanup_fd(&w->pipes[i]);
            w->pipes[i] = -1;
        }
    }
}

static void carry(struct jail_monitor *w, const struct pollfd *polled)
{
    for (int i = 0; i < JAIL_RELAYS; i++) {
        jail_relay_step(&w->relays[i], &polled[i]);
    }
    pass_on_end_of_input(w);
    pass_on_lost_readers(w);
}

/* Init was killed while it built the jail and nothing has run: not an end of the command. */
static void note_early_end(struct jail_monitor *w)
{
    if (w->is_ready || w->has_failed || w->outcome->was_killed || w->outcome->end != JAIL_END_COMMAND) {
        return;
    }
    w->has_failed = true;
    w->failed = (struct jail_message){.status = JAIL_EXIT_REFUSED};
    error_set(&w->failed.error, ERROR_LIMIT, "the jail's init was ended before the command began%s",
              jail_cgroups_ran_out_of_memory(&w->groups) ? ": limits.memory was reached" : "");
}

struct jail_use jail_monitor_use(const struct jail_monitor *w)
{
    return (struct jail_use){.wall_ms = clock_monotonic_ms() - w->started,
                             .cpu_ms = jail_cgroups_cpu_ms(&w->groups),
                             .memory_peak = jail_cgroups_memory_peak(&w->groups),
                             .bytes_in = w->relays[JAIL_RELAY_IN].carried};
}

void jail_monitor_watch(struct jail_monitor *w)
{
    int64_t ticked = clock_monotonic_ms();
    bool has_ended = false;

    w->started = w->active = ticked;
    while (!has_ended && !w->outcome->was_killed) {
        struct pollfd polled[POLLED];
        for (int i = 0; i < JAIL_RELAYS; i++) {
            polled[i] = jail_relay_wanted(&w->relays[i]);
        }
        /* Init sends nothing after the exit status: waiting for its close would cost one more turn. */
        polled[JAIL_RELAYS] = (struct pollfd){.fd = w->has_status ? -1 : w->control, .events = POLLIN};
        polled[JAIL_RELAYS + 1] = (struct pollfd){.fd = w->target.pidfd, .events = POLLIN};
        polled[JAIL_RELAYS + 2] = (struct pollfd){.fd = w->signals, .events = POLLIN};
        polled[JAIL_RELAYS + 3] = (struct pollfd){.fd = w->watchdog.channel, .events = POLLIN};
        polled[JAIL_RELAYS + 4] = (struct pollfd){.fd = w->egress.channel, .events = POLLIN};
        polled[JAIL_RELAYS + 5] = (struct pollfd){.fd = w->honeytokens, .events = POLLIN};
        polled[JAIL_RELAYS + 6] = (struct pollfd){.fd = is_notify_read(w) ? w->notify_fd : -1, .events = POLLIN};
        polled[JAIL_RELAYS + 7] = (struct pollfd){.fd = w->lease.fd, .events = POLLIN};
        if (poll(polled, POLLED, time_left(w)) < 0 && errno != EINTR) {
            end(w, JAIL_END_FAULT);
            break;
        }
        keep_lease(w);
        if (polled[JAIL_RELAYS].revents != 0) {
            take_message(w);
            has_ended = w->is_over;
        } else {
            has_ended = polled[JAIL_RELAYS + 1].revents != 0;
        }
        if (polled[JAIL_RELAYS + 2].revents != 0) {
            take_signal(w);
        }
        if (polled[JAIL_RELAYS + 3].revents != 0) {
            take_end_of_watchdog(w);
        }
        take_reports(w, &polled[JAIL_RELAYS + 4]);
        carry(w, polled);
        keep_limits(w, &ticked);
    }
    while (w->control >= 0 && !w->is_over) {
        take_message(w); /* what was still said before the end */
    }
    if (w->honeytokens >= 0) {
        jail_honeytokens_take(w->honeytokens, w->policy, &w->outcome->events);
    }
    take_reason(w);
    note_early_end(w);
}

void jail_monitor_drain(struct jail_monitor *w)
{
    int64_t until = clock_monotonic_ms() + DRAIN_MS;
    bool is_limited = w->outcome->was_killed, is_over = false;

    while (!is_over && (!is_limited || clock_monotonic_ms() < until)) {
        struct pollfd polled[JAIL_RELAYS];
        is_over = true;
        for (int i = JAIL_RELAY_OUT; i < JAIL_RELAYS; i++) {
            is_over &= jail_relay_is_over(&w->relays[i]);
            polled[i] = jail_relay_wanted(&w->relays[i]);
        }
        if (!is_over && poll(&polled[1], JAIL_RELAYS - 1, TICK_MS) > 0) {
            for (int i = JAIL_RELAY_OUT; i < JAIL_RELAYS; i++) {
                jail_relay_step(&w->relays[i], &polled[i]);
            }
        }
    }
    w->outcome->use.bytes_out = carried(w);
}
