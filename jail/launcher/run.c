#include "jail/launcher/run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "jail/launcher/environment.h"
#include "base/landlock.h"
#include "jail/root/root.h"
#include "jail/launcher/spawn.h"
#include "jail/launcher/warden.h"

enum {
    DYNAMIC_FIRST = 61184, /* the range that systemd keeps for users that exist for a while only */
    DYNAMIC_LAST = 65519,
    SCOPES_VERSION = 6,
    NAME_MAX_BYTES = 64,
    NICE = -10,
};

/* One run: everything that finish() takes back. */
struct run {
    struct jail_warden warden;
    struct jail_launch launch;
    struct arena arena;
    char name[NAME_MAX_BYTES];
    uid_t uid;
    gid_t gid;
    int quarantine;
    pid_t pid;
    bool is_raw;
    struct termios terminal;
    sigset_t mask;
};

/* --- before --------------------------------------------------------------- */

static uid_t pick_dynamic(uint32_t random)
{
    return DYNAMIC_FIRST + random % (DYNAMIC_LAST - DYNAMIC_FIRST + 1);
}

static bool name_run(struct run *r, struct error *err)
{
    uint32_t random[2];

    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
        return error_errno(err, "getrandom");
    }
    (void)snprintf(r->name, sizeof(r->name), "%d-%08x", (int)getpid(), random[0]);
    (void)snprintf(r->warden.outcome->name, sizeof(r->warden.outcome->name), "%s", r->name);
    r->launch.is_privileged = geteuid() == 0;
    r->uid = r->launch.is_privileged ? pick_dynamic(random[1]) : geteuid();
    r->gid = r->launch.is_privileged ? (gid_t)r->uid : getegid();
    return true;
}

static bool choose_landlock(struct run *r, struct error *err)
{
    struct jail_walls *walls = &r->warden.outcome->walls;
    struct error why;

    r->launch.landlock_version = landlock_version();
    if (r->launch.landlock_version == 0) {
        error_set(&why, ERROR_NOT_FOUND, "this kernel has no Landlock");
        return jail_wall_missing(walls, r->warden.policy, JAIL_WALL_LANDLOCK, &why, err) &&
               jail_wall_missing(walls, r->warden.policy, JAIL_WALL_SCOPES, &why, err);
    }
    if (r->launch.landlock_version < SCOPES_VERSION) {
        error_set(&why, ERROR_NOT_FOUND, "this kernel has Landlock %d", r->launch.landlock_version);
        return jail_wall_missing(walls, r->warden.policy, JAIL_WALL_SCOPES, &why, err);
    }
    return true;
}

static bool limit_swap(const struct jail_cgroups *g, const struct jail_limits *l, struct error *err)
{
    return jail_cgroups_limit_swap(g, l->memory, l->swap, err);
}

static bool limit_memory(const struct jail_cgroups *g, const struct jail_limits *l, struct error *err)
{
    return jail_cgroups_limit_memory(g, l->memory, err);
}

static bool limit_cpu(const struct jail_cgroups *g, const struct jail_limits *l, struct error *err)
{
    return jail_cgroups_limit_cpu(g, l->cpu, err);
}

static bool count_cpu_time(const struct jail_cgroups *g, const struct jail_limits *l, struct error *err)
{
    (void)l;
    return jail_cgroups_unified(g) != NULL || jail_cgroups_with(g, JAIL_CONTROLLER_CPUACCT) != NULL ||
           error_set(err, ERROR_NOT_FOUND, "no control group that counts it can be made here");
}

static bool set_group_limits(struct run *r, struct error *err)
{
    const struct jail_policy *p = r->warden.policy;
    const struct jail_limits *l = &p->limits;
    const struct jail_cgroups *g = &r->warden.groups;
    const struct {
        enum jail_wall wall;
        int64_t value;
        bool (*set)(const struct jail_cgroups *g, const struct jail_limits *l, struct error *err);
    } limits[] = {{JAIL_WALL_MEMORY, l->memory, limit_memory},
                  {JAIL_WALL_SWAP, l->memory == JAIL_NONE ? JAIL_NONE : l->swap, limit_swap},
                  {JAIL_WALL_CPU, l->cpu, limit_cpu},
                  {JAIL_WALL_CPU_TIME, l->cpu_time, count_cpu_time}};
    struct error why;

    for (size_t i = 0; i < COUNT(limits); i++) {
        if (limits[i].value != JAIL_NONE && !limits[i].set(g, l, &why) &&
            !jail_wall_missing(&r->warden.outcome->walls, p, limits[i].wall, &why, err)) {
            return false;
        }
    }
    /* Besides RLIMIT_NPROC, which always holds; not every machine has it. */
    (void)!jail_cgroups_limit_pids(g, l->pids, &why);
    return true;
}

static bool make_groups(struct run *r, struct error *err)
{
    struct jail_cgroups *g = &r->warden.groups;

    if (!jail_cgroups_find_own(g, err)) {
        return false;
    }
    jail_cgroups_name(g, r->name);
    if (!jail_sentinel_start(&r->warden.sentinel, g, err)) {
        return false;
    }
    jail_cgroups_make_unified(g);
    return true;
}

/* While the first process makes its namespaces, after which it waits. */
static bool arm_groups(struct run *r, int pidfd, struct error *err)
{
    struct jail_kill_target *target = &r->warden.target;
    struct error why;

    jail_cgroups_make_others(&r->warden.groups);
    jail_kill_open(target, &r->warden.groups, pidfd);
    if (target->kill < 0) {
        error_set(&why, ERROR_NOT_FOUND, "no control group with cgroup.kill can be made here");
        if (!jail_wall_missing(&r->warden.outcome->walls, r->warden.policy, JAIL_WALL_KILL, &why, err)) {
            return false;
        }
    }
    if (!set_group_limits(r, err)) {
        return false;
    }
    return jail_kill_is_ready(target) ||
           error_set(err, ERROR_INTERNAL, "kill: the jail could not be ended, so it is not begun");
}

/* Root opens inputs by its own rights; the jail's user could not look past /root. */
static bool open_inputs(struct run *r, struct error *err)
{
    for (size_t i = 0; r->launch.is_privileged && i < r->warden.policy->n_inputs; i++) {
        r->launch.inputs[i] = jail_root_open_input(&r->warden.policy->inputs[i], err);
        if (r->launch.inputs[i] < 0) {
            return false;
        }
    }
    return true;
}

/* A pipe for each standard stream that is no terminal. */
static bool open_streams(struct run *r, struct error *err)
{
    struct jail_warden *w = &r->warden;

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

static bool take_signals(struct run *r, struct error *err)
{
    static const int own[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH};
    sigset_t set;

    (void)sigemptyset(&set);
    for (size_t i = 0; i < COUNT(own); i++) {
        (void)sigaddset(&set, own[i]);
    }
    (void)signal(SIGPIPE, SIG_IGN);
    r->warden.signals = -1;
    if (pthread_sigmask(SIG_BLOCK, &set, &r->mask) != 0 ||
        (r->warden.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)) < 0) {
        return error_errno(err, "signals");
    }
    return true;
}

/* Not the jail's user: whoever gets out of the jail is nobody's equal. */
static bool start_way_out(struct run *r, struct error *err)
{
    uint32_t random;
    uid_t user = 0;

    if (r->warden.policy->network.egress == NULL) {
        return true;
    }
    do {
        if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
            return error_errno(err, "getrandom");
        }
        user = r->launch.is_privileged ? pick_dynamic(random) : 0;
    } while (r->launch.is_privileged && user == r->uid);
    return jail_way_out_start(&r->warden.way_out, r->warden.policy, r->name, user, err);
}

/* Its rules were read meanwhile. */
static bool await_way_out(struct run *r, struct error *err)
{
    struct jail_way_out *w = &r->warden.way_out;

    if (w->channel >= 0 && !jail_way_out_await(w, r->warden.signals, err)) {
        return false;
    }
    r->launch.way_out = w->channel;
    r->launch.authority = w->authority;
    r->launch.environment = jail_environment(r->warden.policy, environ, w->authority[0] != '\0', &r->arena, err);
    return r->launch.environment != NULL;
}

static bool prepare(struct run *r, char *const *command, struct error *err)
{
    const struct jail_policy *p = r->warden.policy;

    r->launch.policy = p;
    r->launch.command = command;
    r->launch.filter = jail_filters[p->profile];
    r->launch.telling = r->warden.watcher != NULL ? *r->warden.watcher->filter : jail_filters_telling[p->profile];
    if (!name_run(r, err) || !jail_canary_make(r->launch.canary, err) || !choose_landlock(r, err)) {
        return false;
    }
    if (p->outputs.path != NULL && (r->quarantine = jail_outputs_open(p, err)) < 0) {
        return false;
    }
    return take_signals(r, err) && start_way_out(r, err) && open_streams(r, err) && make_groups(r, err) &&
           open_inputs(r, err) && await_way_out(r, err);
}

/* --- start ---------------------------------------------------------------- */

/* The parts that the jail has now: kept here they would never end for it. */
static void close_jail_ends(struct run *r)
{
    for (int i = 0; i < 3; i++) {
        cleanup_fd(&r->launch.stdio[i]);
    }
    for (size_t i = 0; i < JAIL_INPUTS_MAX; i++) {
        cleanup_fd(&r->launch.inputs[i]);
        r->launch.inputs[i] = -1;
    }
    cleanup_fd(&r->launch.control);
    r->launch.control = -1;
}

/* The first process goes through the doors itself and closes them. */
static bool send_go(const struct run *r, struct error *err)
{
    const struct jail_cgroups *g = &r->warden.groups;
    const struct jail_message go = {.kind = JAIL_MESSAGE_GO, .has_cpu_share = jail_cgroups_with(g, JAIL_CONTROLLER_CPU) != NULL};
    int doors[JAIL_TREES_MAX], open[JAIL_TREES_MAX];
    size_t n = 0;

    bool is_sent = jail_cgroups_open_doors(g, doors, err);
    for (size_t i = 0; i < COUNT(doors); i++) {
        if (doors[i] >= 0) {
            open[n++] = doors[i];
        }
    }
    is_sent = is_sent && (jail_message_send(r->warden.control, &go, open, n) || error_errno(err, "channel"));
    for (size_t i = 0; i < n; i++) {
        (void)close(open[i]);
    }
    return is_sent;
}

static bool start(struct run *r, struct error *err)
{
    struct jail_warden *w = &r->warden;
    int ends[2], pidfd = -1;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return error_errno(err, "channel");
    }
    w->control = ends[0];
    r->launch.control = ends[1];
    if (!jail_spawn(&r->launch, &w->groups, &r->pid, &pidfd, err)) {
        return false;
    }
    w->target.pidfd = pidfd;
    close_jail_ends(r);
    if (!arm_groups(r, pidfd, err) || !jail_map_user(r->pid, r->uid, r->gid, r->launch.is_privileged, err) ||
        !jail_lease_open(&w->lease, w->policy, &w->target, w->way_out.cut, err) ||
        !jail_sentinel_watch(&w->sentinel, pidfd, w->lease.fd, w->lease.bound_ms, err)) {
        return false;
    }
    (void)setpriority(PRIO_PROCESS, 0, NICE); /* root only: the warden comes before the jailed */
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    return send_go(r, err);
}

/* When the first process failed early, it knows better why than the warden, which only sees it gone. */
static void prefer_its_reason(const struct run *r, struct error *err)
{
    struct pollfd p = {.fd = r->warden.control, .events = POLLIN};
    int fds[JAIL_DESCRIPTORS_MAX];
    struct jail_message m;

    if (p.fd >= 0 && poll(&p, 1, 0) == 1 && jail_message_receive(p.fd, &m, fds) && m.kind == JAIL_MESSAGE_FAILED) {
        *err = m.error;
    }
}

static void make_raw(struct run *r)
{
    struct termios raw = r->terminal;

    if (r->launch.has_terminal && r->warden.pipes[0] < 0) {
        cfmakeraw(&raw);
        r->is_raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
    }
}

/* --- after ---------------------------------------------------------------- */

static int exit_code(const struct jail_warden *w)
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
        return 128 + SIGKILL; /* ended from outside, or for want of memory */
    }
    return WIFSIGNALED(w->status) ? 128 + WTERMSIG(w->status) : WEXITSTATUS(w->status);
}

static bool collect(struct run *r, struct error *err)
{
    struct jail_warden *w = &r->warden;

    w->outcome->has_outputs = w->outputs >= 0;
    return w->outputs < 0 || jail_outputs_collect(w->policy, w->outputs, r->quarantine, r->name, &w->outcome->outputs, err);
}

static void finish(struct run *r)
{
    struct jail_warden *w = &r->warden;

    if (r->pid > 0) {
        if (w->target.pidfd >= 0 && !w->outcome->was_killed && !w->is_over && !jail_kill_is_over(&w->target)) {
            (void)jail_kill(&w->target, JAIL_KILL_DEADLINE_MS); /* never begun */
        }
        bool may_last = w->is_over || (w->outcome->was_killed && !w->outcome->kill.is_verified);
        (void)waitpid(r->pid, NULL, may_last ? WNOHANG : 0);
    }
    jail_way_out_end(&w->way_out, jail_warden_note_event, w->outcome);
    w->outcome->events.forward = NULL; /* the outcome outlives the lease */
    jail_lease_close(&w->lease);
    jail_kill_close(&w->target);
    jail_cgroups_close(&w->groups);
    if (w->sentinel.channel < 0) {
        (void)jail_cgroups_remove(&w->groups);
    }
    jail_sentinel_dismiss(&w->sentinel, w->listener);
    close_jail_ends(r);
    const int own[] = {w->pipes[0], w->pipes[1], w->pipes[2], w->master, w->outputs, w->decoys, w->listener, w->control, w->signals, r->quarantine};
    for (size_t i = 0; i < COUNT(own); i++) {
        cleanup_fd(&own[i]);
    }
    if (r->is_raw) {
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &r->terminal);
    }
    (void)pthread_sigmask(SIG_SETMASK, &r->mask, NULL);
    arena_deinit(&r->arena);
}

/* filterd counts them, while the lease holds. */
static void forward_event(void *lease, const struct jail_event *event)
{
    const char *violation = jail_event_violation(event->kind);

    if (violation != NULL) {
        jail_lease_report(lease, violation, event->detail);
    }
}

static void init(struct run *r, const struct jail_policy *p, struct jail_outcome *outcome)
{
    struct jail_warden *w = &r->warden;
    int *const none[] = {&w->sentinel.channel, &w->master, &w->outputs, &w->decoys, &w->listener, &w->control, &w->signals,
                         &w->pipes[0], &w->pipes[1], &w->pipes[2], &r->quarantine, &r->launch.control, &r->launch.way_out};

    *r = (struct run){0};
    for (size_t i = 0; i < COUNT(none); i++) {
        *none[i] = -1;
    }
    jail_outcome_init(outcome);
    arena_init(&r->arena, 0, (size_t)4 << 20);
    w->policy = p; /* field by field: a copy of the whole would be as many pages again */
    w->outcome = outcome;
    jail_kill_init(&r->warden.target);
    jail_way_out_init(&r->warden.way_out);
    jail_lease_init(&r->warden.lease);
    outcome->events.forward = forward_event;
    outcome->events.context = &r->warden.lease;
    for (int i = 0; i < JAIL_RELAYS; i++) {
        jail_relay_init(&r->warden.relays[i], -1, -1);
    }
    r->launch.authority = "";
    for (size_t i = 0; i < JAIL_INPUTS_MAX; i++) {
        r->launch.inputs[i] = -1;
    }
    for (int i = 0; i < 3; i++) {
        r->launch.stdio[i] = -1;
    }
    (void)pthread_sigmask(SIG_BLOCK, NULL, &r->mask);
}

bool jail_run(const struct jail_policy *p, char *const *command, struct jail_outcome *outcome, struct error *err)
{
    return jail_run_watched(p, command, NULL, outcome, err);
}

bool jail_run_watched(const struct jail_policy *p, char *const *command, const struct jail_watcher *watcher,
                      struct jail_outcome *outcome, struct error *err)
{
    struct run r;

    init(&r, p, outcome);
    r.warden.watcher = watcher;
    if (p->limits.pids == 0 || p->work.bytes == 0) {
        error_set(err, ERROR_DENIED, "policy: no process or no work folder is allowed");
        finish(&r);
        return false;
    }
    bool is_started = prepare(&r, command, err) && start(&r, err);
    if (!is_started) {
        prefer_its_reason(&r, err);
    } else {
        make_raw(&r);
        jail_warden_watch(&r.warden);
        if (p->report != NULL || watcher != NULL) {
            outcome->use = jail_warden_use(&r.warden);
        }
        jail_outcome_limits(outcome, &r.warden.groups);
        outcome->exit_code = exit_code(&r.warden);
        if (r.warden.has_failed) {
            *err = r.warden.failed.error;
            is_started = false;
        } else if (!collect(&r, err)) {
            outcome->exit_code = JAIL_EXIT_REFUSED;
            is_started = false;
        }
    }
    finish(&r);
    return is_started;
}
