/* run.c - one run in the order in which it happens: prepare, spawn, begin, watch, collect, finish. Invariants: nothing of the
 * command runs before GO; GO is sent only when the jail can be killed; finish() is called once, and frees whatever was
 * reached, in any state. */
#include "jail/launcher/run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/landlock.h"
#include "jail/cgroup/group_limits.h"
#include "jail/launcher/spawn.h"
#include "jail/launcher/monitor.h"
#include "jail/root/environment.h"
#include "jail/root/root.h"

enum {
    DYNAMIC_FIRST = 61184, /* the range that systemd keeps for users that exist for a while only */
    DYNAMIC_LAST = 65519,
    SCOPES_VERSION = 6, /* of Landlock, which has scopes */
    NAME_MAX_BYTES = 64,
    NICE = -10, /* the monitor must run when the jail uses all processors */
    ENVIRONMENT_MAX = 4 * 1024 * 1024, /* the kernel takes 2 MiB of an environment at most, by default */
};

/* One run: everything that finish() takes back. */
struct jail_run {
    struct jail_monitor monitor;
    struct jail_launch launch;
    struct arena arena; /* of the command's environment */
    char name[NAME_MAX_BYTES];
    uid_t uid;
    gid_t gid;
    int quarantine;
    pid_t pid;
    bool is_over;
    bool is_raw;
    struct termios terminal;
    sigset_t mask;
};

/* --- before --------------------------------------------------------------- */

static uid_t pick_dynamic(uint32_t random)
{
    return DYNAMIC_FIRST + random % (DYNAMIC_LAST - DYNAMIC_FIRST + 1);
}

static bool name_run(struct jail_run *r, struct error *err)
{
    uint32_t random[2];

    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
        return error_errno(err, "getrandom");
    }
    (void)snprintf(r->name, sizeof(r->name), "%d-%08x", (int)getpid(), random[0]);
    (void)snprintf(r->monitor.outcome->name, sizeof(r->monitor.outcome->name), "%s", r->name);
    r->uid = geteuid() == 0 ? pick_dynamic(random[1]) : geteuid();
    r->gid = geteuid() == 0 ? (gid_t)r->uid : getegid();
    return true;
}

static bool choose_landlock(struct jail_run *r, struct error *err)
{
    struct jail_mechanisms *mechanisms = &r->monitor.outcome->mechanisms;
    struct error why;

    r->launch.landlock_version = landlock_version();
    if (r->launch.landlock_version == 0) {
        error_set(&why, ERROR_NOT_FOUND, "this kernel has no Landlock");
        return jail_mechanism_missing(mechanisms, r->monitor.policy, JAIL_MECHANISM_LANDLOCK, &why, err) &&
               jail_mechanism_missing(mechanisms, r->monitor.policy, JAIL_MECHANISM_SCOPES, &why, err);
    }
    if (r->launch.landlock_version < SCOPES_VERSION) {
        error_set(&why, ERROR_NOT_FOUND, "this kernel has Landlock %d", r->launch.landlock_version);
        return jail_mechanism_missing(mechanisms, r->monitor.policy, JAIL_MECHANISM_SCOPES, &why, err);
    }
    return true;
}

/* The watchdog comes before the groups: should the launcher be killed, it removes them. */
static bool make_groups(struct jail_run *r, struct error *err)
{
    struct jail_kill_target *target = &r->monitor.target;
    struct jail_mechanisms *mechanisms = &r->monitor.outcome->mechanisms;
    const struct jail_policy *p = r->monitor.policy;
    struct jail_cgroups *g = &r->monitor.groups;
    struct error why;

    if (!jail_cgroups_find_own(g, err)) {
        return false;
    }
    jail_cgroups_name(g, r->name);
    if (!jail_watchdog_start(&r->monitor.watchdog, g, err)) {
        return false;
    }
    jail_cgroups_make(g);
    jail_kill_open(target, g, -1);
    if (target->kill < 0) {
        error_set(&why, ERROR_NOT_FOUND, "no control group with cgroup.kill can be made here");
        if (!jail_mechanism_missing(mechanisms, p, JAIL_MECHANISM_KILL, &why, err)) {
            return false;
        }
    }
    r->launch.has_cpu_share = jail_cgroups_with(g, JAIL_CONTROLLER_CPU) != NULL;
    return jail_limit_groups(g, p, mechanisms, err) && jail_cgroups_open_fds(g, r->launch.cgroup_fds, err);
}

/* Root opens inputs by its own rights; the jail's user could not look past /root. */
static bool open_inputs(struct jail_run *r, struct error *err)
{
    for (size_t i = 0; r->launch.is_privileged && i < r->monitor.policy->n_inputs; i++) {
        r->launch.inputs[i] = jail_root_open_input(&r->monitor.policy->inputs[i], err);
        if (r->launch.inputs[i] < 0) {
            return false;
        }
    }
    return true;
}

/* A pipe for each standard stream that is no terminal. */
static bool open_streams(struct jail_run *r, struct error *err)
{
    struct jail_monitor *w = &r->monitor;

    w->terminal_out = isatty(STDOUT_FILENO) ? STDOUT_FILENO : isatty(STDERR_FILENO) ? STDERR_FILENO : STDIN_FILENO;
    for (int i = 0; i < 3; i++) {
        int ends[2];
        if (isatty(i)) {
            r->launch.has_terminal = true;
            continue;
        }
        if (pipe2(ends, O_CLOEXEC) != 0) {
            return error_errno(err, "pipe");
        }
        w->pipes[i] = ends[i == 0];
        r->launch.stdio[i] = ends[i != 0];
        (void)fcntl(w->pipes[i], F_SETFL, O_NONBLOCK); /* ours alone; the caller's may be shared */
        jail_relay_init(&w->relays[i], i == 0 ? STDIN_FILENO : w->pipes[i], i == 0 ? w->pipes[i] : i);
    }
    if (r->launch.has_terminal && (tcgetattr(w->terminal_out, &r->launch.terminal) != 0 ||
                                   ioctl(w->terminal_out, TIOCGWINSZ, &r->launch.window) != 0)) {
        return error_errno(err, "terminal");
    }
    r->terminal = r->launch.terminal;
    return true;
}

/* Signals that end the launcher, and `also` (0: none). */
static sigset_t ending_signals(int also)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t set;

    (void)sigemptyset(&set);
    for (size_t i = 0; i < COUNT(ending); i++) {
        (void)sigaddset(&set, ending[i]);
    }
    if (also != 0) {
        (void)sigaddset(&set, also);
    }
    return set;
}

/* SIGWINCH is kept pending until the command begins; before that only an ending signal interrupts. */
static bool take_signals(struct jail_run *r, struct error *err)
{
    const sigset_t blocked = ending_signals(SIGWINCH), accepted = ending_signals(0);

    (void)signal(SIGPIPE, SIG_IGN);
    if (pthread_sigmask(SIG_BLOCK, &blocked, &r->mask) != 0 ||
        (r->monitor.signals = signalfd(-1, &accepted, SFD_CLOEXEC | SFD_NONBLOCK)) < 0) {
        return error_errno(err, "signals");
    }
    return true;
}

/* Not the jail's user: a process that escapes from the jail must not share a user with any other. */
static bool start_egress(struct jail_run *r, struct error *err)
{
    uint32_t random;
    uid_t user = 0;

    if (r->monitor.policy->network.egress == NULL) {
        return true;
    }
    do {
        if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
            return error_errno(err, "getrandom");
        }
        user = r->launch.is_privileged ? pick_dynamic(random) : 0;
    } while (r->launch.is_privileged && user == r->uid);
    return jail_egress_start(&r->monitor.egress, r->monitor.policy, r->name, user, err);
}

/* Its rules were read meanwhile. */
static bool await_egress(struct jail_run *r, struct error *err)
{
    struct jail_egress *w = &r->monitor.egress;

    if (w->channel >= 0 && !jail_egress_await(w, r->monitor.signals, err)) {
        return false;
    }
    r->launch.egress = w->channel;
    r->launch.authority = w->authority;
    r->launch.environment = jail_environment(r->monitor.policy, environ, w->authority[0] != '\0', &r->arena, err);
    return r->launch.environment != NULL;
}

/* All that init is to have. The egress proxy compiles its rules while the rest is made. */
static bool prepare(struct jail_run *r, char *const *command, struct error *err)
{
    const struct jail_policy *p = r->monitor.policy;

    if (p->limits.pids == 0 || p->work.bytes == 0) {
        return error_set(err, ERROR_DENIED, "policy: no process or no work folder is allowed");
    }
    r->launch.policy = p;
    r->launch.command = command;
    r->launch.is_privileged = geteuid() == 0;
    r->launch.filter = jail_filters[p->profile];
    r->launch.notify_filter = r->monitor.watcher != NULL ? *r->monitor.watcher->filter : jail_filters_notify[p->profile];
    if (!jail_canary_make(r->launch.canary, err) || !choose_landlock(r, err)) {
        return false;
    }
    if (p->outputs.path != NULL && (r->quarantine = jail_outputs_open(p, err)) < 0) {
        return false;
    }
    return start_egress(r, err) && make_groups(r, err) && open_streams(r, err) && open_inputs(r, err) && await_egress(r, err);
}

/* --- start ---------------------------------------------------------------- */

/* Init makes its namespaces from here on, and waits for GO. */
static bool spawn(struct jail_run *r, struct error *err)
{
    struct jail_monitor *w = &r->monitor;
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return error_errno(err, "channel");
    }
    w->control = ends[0];
    r->launch.control = ends[1];
    bool is_spawned = jail_spawn(&r->launch, &w->groups, r->launch.is_privileged ? &r->uid : NULL, &r->pid, &w->target.pidfd, err);
    jail_launch_close(&r->launch); /* kept here, the channel and the streams would never end for the jail */
    return is_spawned;
}

static bool has_signal(const struct jail_run *r)
{
    struct pollfd p = {.fd = r->monitor.signals, .events = POLLIN};

    return poll(&p, 1, 0) == 1;
}

/* GO is sent when the jail can be killed by the monitor, by the watchdog and, with a lease, by filterd. */
static bool begin(struct jail_run *r, struct error *err)
{
    const struct jail_message go = {.kind = JAIL_MESSAGE_GO};
    struct jail_monitor *w = &r->monitor;

    if (!jail_kill_is_ready(&w->target)) {
        return error_set(err, ERROR_INTERNAL, "kill: the jail could not be ended, so it is not begun");
    }
    if (!jail_map_user(r->pid, r->uid, r->gid, r->launch.is_privileged, err) ||
        !jail_lease_open(&w->lease, w->policy, &w->target, w->egress.cut, err) ||
        !jail_watchdog_watch(&w->watchdog, w->target.pidfd, w->lease.fd, w->lease.bound_ms, w->policy->limits.wall, err)) {
        return false;
    }
    (void)setpriority(PRIO_PROCESS, 0, NICE); /* root only: the monitor comes before the jailed */
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (has_signal(r)) {
        return error_set(err, ERROR_LIMIT, "the launcher received a signal before the command began");
    }
    return jail_message_send(w->control, &go, NULL, 0) || error_errno(err, "channel");
}

/* When init failed early, it knows better why than the monitor, which only sees it gone. */
static void prefer_its_reason(const struct jail_run *r, struct error *err)
{
    struct pollfd p = {.fd = r->monitor.control, .events = POLLIN};
    int fds[JAIL_DESCRIPTORS_MAX];
    struct jail_message m;

    if (p.fd >= 0 && poll(&p, 1, 0) == 1 && jail_message_receive(p.fd, &m, fds) && m.kind == JAIL_MESSAGE_FAILED) {
        *err = m.error;
    }
}

static void make_raw(struct jail_run *r)
{
    struct termios raw = r->terminal;

    if (r->launch.has_terminal && r->monitor.pipes[0] < 0) {
        cfmakeraw(&raw);
        r->is_raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
    }
}

/* --- after ---------------------------------------------------------------- */

static int exit_code(const struct jail_monitor *w)
{
    const struct jail_outcome *o = w->outcome;

    if (w->has_failed) {
        return w->failed.status;
    }
    if (o->end == JAIL_END_SIGNAL) {
        return 128 + w->signal;
    }
    if (o->was_killed || o->end == JAIL_END_FILTER) {
        return o->end == JAIL_END_FAULT ? JAIL_EXIT_REFUSED : JAIL_EXIT_LIMIT;
    }
    if (!w->has_status) {
        return 128 + SIGKILL; /* ended from outside, or for lack of memory */
    }
    return WIFSIGNALED(w->status) ? 128 + WTERMSIG(w->status) : WEXITSTATUS(w->status);
}

static bool collect(struct jail_run *r, struct error *err)
{
    struct jail_monitor *w = &r->monitor;

    w->outcome->has_outputs = w->outputs >= 0;
    if (w->outputs < 0) {
        return true;
    }
    bool is_collected = jail_outputs_collect(w->policy, w->outputs, r->quarantine, r->name, &w->outcome->outputs, err);
    jail_outcome_outputs(w->outcome);
    return is_collected;
}

static void finish(struct jail_run *r)
{
    struct jail_monitor *w = &r->monitor;

    r->is_over = true;
    if (r->pid > 0) {
        if (w->target.pidfd >= 0 && !w->outcome->was_killed && !w->is_over && !jail_kill_is_over(&w->target)) {
            (void)jail_kill(&w->target, JAIL_KILL_DEADLINE_MS); /* never begun */
        }
        bool may_last = w->is_over || (w->outcome->was_killed && !w->outcome->kill.is_verified);
        (void)waitpid(r->pid, NULL, may_last ? WNOHANG : 0);
    }
    jail_egress_end(&w->egress, jail_monitor_note_event, w->outcome);
    w->outcome->events.forward = NULL; /* the outcome outlives the lease */
    jail_lease_close(&w->lease);
    jail_kill_close(&w->target);
    jail_cgroups_close(&w->groups);
    if (!jail_watchdog_dismiss(&w->watchdog, w->notify_fd)) {
        (void)jail_cgroups_remove(&w->groups);
    }
    jail_launch_close(&r->launch);
    arena_deinit(&r->arena);
    const int own[] = {w->pipes[0], w->pipes[1], w->pipes[2], w->master, w->outputs, w->honeytokens, w->notify_fd, w->control, w->signals, r->quarantine};
    for (size_t i = 0; i < COUNT(own); i++) {
        cleanup_fd(&own[i]);
    }
    if (r->is_raw) {
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &r->terminal);
    }
}

/* filterd counts them, while the lease holds. */
static void forward_event(void *lease, const struct jail_event *event)
{
    const char *violation = jail_event_violation(event->kind);

    if (violation != NULL) {
        jail_lease_report(lease, violation, event->detail);
    }
}

static void init(struct jail_run *r, const struct jail_policy *p, struct jail_outcome *outcome)
{
    struct jail_monitor *w = &r->monitor;
    int *const none[] = {&w->watchdog.channel, &w->master, &w->outputs, &w->honeytokens, &w->notify_fd, &w->control, &w->signals,
                         &w->pipes[0], &w->pipes[1], &w->pipes[2], &r->quarantine};

    *r = (struct jail_run){0};
    for (size_t i = 0; i < COUNT(none); i++) {
        *none[i] = -1;
    }
    jail_outcome_init(outcome);
    w->policy = p;
    w->outcome = outcome;
    jail_launch_init(&r->launch);
    arena_init(&r->arena, 0, ENVIRONMENT_MAX);
    jail_kill_init(&w->target);
    jail_egress_init(&w->egress);
    jail_lease_init(&w->lease);
    outcome->events.forward = forward_event;
    outcome->events.context = &w->lease;
    for (int i = 0; i < JAIL_RELAYS; i++) {
        jail_relay_init(&w->relays[i], -1, -1);
    }
    (void)pthread_sigmask(SIG_BLOCK, NULL, &r->mask);
}

/* --- a run ---------------------------------------------------------------- */

struct jail_run *jail_run_begin(const struct jail_policy *p, struct jail_outcome *outcome, struct error *err)
{
    static struct jail_run run; /* large; a process runs one jail at a time */
    struct jail_run *r = &run;

    init(r, p, outcome);
    if (!take_signals(r, err) || !name_run(r, err)) {
        jail_run_end(r);
        return NULL;
    }
    return r;
}

static void watch(struct jail_run *r)
{
    const sigset_t accepted = ending_signals(SIGWINCH);
    struct jail_monitor *w = &r->monitor;

    make_raw(r);
    (void)signalfd(w->signals, &accepted, 0);
    jail_monitor_watch(w);
    if (w->policy->report != NULL || w->watcher != NULL) {
        w->outcome->use = jail_monitor_use(w);
    }
    jail_outcome_limits(w->outcome, &w->groups);
    jail_monitor_drain(w);
    w->outcome->exit_code = exit_code(w);
}

bool jail_run_command(struct jail_run *r, char *const *command, const struct jail_watcher *watcher, struct error *err)
{
    r->monitor.watcher = watcher;
    bool was_run = prepare(r, command, err) && spawn(r, err) && begin(r, err);
    if (!was_run) {
        prefer_its_reason(r, err);
    } else {
        watch(r);
        if (r->monitor.has_failed) {
            *err = r->monitor.failed.error;
            was_run = false;
        } else if (!collect(r, err)) {
            r->monitor.outcome->exit_code = JAIL_EXIT_REFUSED;
            was_run = false;
        }
    }
    finish(r);
    return was_run;
}

void jail_run_end(struct jail_run *r)
{
    if (r == NULL) {
        return;
    }
    if (!r->is_over) {
        finish(r);
    }
    (void)pthread_sigmask(SIG_SETMASK, &r->mask, NULL); /* a pending one may end this process here */
}
