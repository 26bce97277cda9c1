/* init.c - pid 1 of the jail: builds it, starts the command, reaps orphans, and ends with the command
 * or the monitor. When it ends the kernel ends every process of the namespace. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/linux_calls.h"
#include "jail/launcher/launch.h"
#include "jail/root/root.h"
#include "jail/network/capture.h"

enum { JOIN_SESSION_KEYRING = 1 };

static _Noreturn void fail(int channel, const struct error *err)
{
    const struct jail_message m = {.kind = JAIL_MESSAGE_FAILED, .status = JAIL_EXIT_REFUSED, .error = *err};

    (void)!jail_message_send(channel, &m, NULL, 0);
    _exit(JAIL_EXIT_REFUSED);
}

static bool join_groups(const struct jail_launch *l, struct error *err)
{
    bool has_joined = jail_cgroups_join(l->cgroup_fds, err);

    for (size_t i = 0; i < COUNT(l->cgroup_fds); i++) {
        cleanup_fd(&l->cgroup_fds[i]);
    }
    return has_joined;
}

static bool become_user(const struct jail_launch *l, struct error *err)
{
    if (l->is_privileged && setgroups(0, NULL) != 0) {
        return error_errno(err, "setgroups");
    }
    /* Whose root is where the process is now: every group has been joined. */
    if (unshare(CLONE_NEWCGROUP) != 0) {
        return error_errno(err, "cgroup namespace");
    }
    return (setresgid(JAIL_USER, JAIL_USER, JAIL_USER) == 0 && setresuid(JAIL_USER, JAIL_USER, JAIL_USER) == 0) ||
           error_errno(err, "user of the jail");
}

static bool name_host(const struct jail_policy *p, struct error *err)
{
    return (sethostname(p->hostname, strlen(p->hostname)) == 0 && setdomainname("", 0) == 0) ||
           error_errno(err, "host name");
}

static bool write_limit(const char *path, const char *value)
{
    int fd CLEANUP(cleanup_fd) = open(path, O_WRONLY | O_CLOEXEC);

    return fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);
}

/* Programs talk to themselves over loopback; nothing else is in this network. */
static bool raise_loopback(struct error *err)
{
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int fd CLEANUP(cleanup_fd) = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    return (fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0) || error_errno(err, "loopback");
}

/* Closed here, so that the monitor's end is the only one left and its close is seen by filterd-egress. */
static bool open_egress(struct jail_launch *l, struct error *err)
{
    bool is_open = l->egress < 0 || jail_capture(&l->policy->network, l->egress, l->canary, err);

    cleanup_fd(&l->egress);
    l->egress = -1;
    return is_open;
}

/* What is counted in this user namespace also counts against its owner outside, who should keep most of the limit: 128
 * inotify instances by default. Memory of connections that were not accepted counts in no group but for the whole
 * machine, so the backlog is short and each connection's buffer starts small; it grows once the connection is accepted.
 * max_mnt_namespaces is not limited: each mount of the new root is a namespace for a moment, and no process of the jail
 * has the capability to make more. */
static bool limit_tables(struct error *why)
{
    static const struct {
        const char *path, *value;
    } limits[] = {{"/proc/sys/user/max_inotify_instances", "16"}, {"/proc/sys/user/max_inotify_watches", "8192"},
                  {"/proc/sys/user/max_fanotify_groups", "0"},    {"/proc/sys/user/max_fanotify_marks", "0"},
                  {"/proc/sys/user/max_pid_namespaces", "0"},     {"/proc/sys/user/max_net_namespaces", "0"},
                  {"/proc/sys/user/max_ipc_namespaces", "0"},     {"/proc/sys/user/max_uts_namespaces", "0"},
                  {"/proc/sys/user/max_time_namespaces", "0"},    {"/proc/sys/net/core/somaxconn", "128"},
                  {"/proc/sys/net/ipv4/tcp_rmem", "4096 16384 6291456"}};

    for (size_t i = 0; i < COUNT(limits); i++) {
        /* A kernel without fanotify has no such limit and needs none; without /proc/sys there are no others. */
        if (!write_limit(limits[i].path, limits[i].value) && (i == 0 || errno != ENOENT)) {
            return error_errno(why, "%s", limits[i].path);
        }
    }
    return true;
}

/* The limit belongs to this user namespace; needs the machine's /proc, so it comes before the root. The group's own namespace
 * was the last one. */
static bool forbid_nesting(struct jail_launch *l, struct jail_mechanisms *mechanisms, struct error *err)
{
    struct error why;

    if (write_limit("/proc/sys/user/max_user_namespaces", "0") && write_limit("/proc/sys/user/max_cgroup_namespaces", "0")) {
        return true;
    }
    error_errno(&why, "/proc/sys/user/max_user_namespaces");
    return jail_mechanism_missing(mechanisms, l->policy, JAIL_MECHANISM_NO_NESTING, &why, err);
}

/* Needs neither the policy nor the jail's user: runs while the monitor prepares both. */
static bool leave_machine(struct error *err)
{
    if (setsid() < 0) {
        return error_errno(err, "setsid");
    }
    if (unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) != 0) {
        return error_errno(err, "namespaces (see filterd-jail doctor)");
    }
    /* Keys that the caller's session holds are not the jail's. Without keys in the kernel: ENOSYS. */
    if (syscall(SYS_keyctl, JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS && errno != EPERM) {
        return error_errno(err, "keyring");
    }
    return raise_loopback(err);
}

/* The terminal is the jail's own: its first, /dev/pts/0, whose other end goes to the monitor. */
static bool open_terminal(const struct jail_launch *l, int *master, int *slave, struct error *err)
{
    int unlock = 0;

    *master = *slave = -1;
    if (!l->has_terminal) {
        return true;
    }
    *master = open("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*master < 0 || ioctl(*master, TIOCSPTLCK, &unlock) != 0) {
        return error_errno(err, "terminal");
    }
    *slave = ioctl(*master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*slave < 0 || tcsetattr(*slave, TCSANOW, &l->terminal) != 0 || ioctl(*slave, TIOCSWINSZ, &l->window) != 0) {
        return error_errno(err, "terminal");
    }
    return true;
}

static bool send_missing(const struct jail_launch *l, const struct jail_mechanisms *mechanisms, struct error *err)
{
    struct jail_message m = {.kind = JAIL_MESSAGE_MISSING};

    for (unsigned i = 0; i < JAIL_MECHANISM_COUNT; i++) {
        if ((mechanisms->missing & 1U << i) != 0) {
            m.mechanism = (enum jail_mechanism)i;
            m.error = mechanisms->reasons[i];
            if (!jail_message_send(l->control, &m, NULL, 0)) {
                return error_errno(err, "monitor");
            }
        }
    }
    return true;
}

static bool send_snapshots(const struct jail_launch *l, const struct jail_root *root, struct error *err)
{
    for (size_t i = 0; i < root->n_snapshots; i++) {
        const struct jail_message m = {.kind = JAIL_MESSAGE_SNAPSHOT, .snapshot = root->snapshots[i]};
        if (!jail_message_send(l->control, &m, NULL, 0)) {
            return error_errno(err, "monitor");
        }
    }
    return true;
}

/* In the order in which the monitor takes them. */
static struct jail_ready make_ready(int master, const struct jail_root *root)
{
    const int fds[] = {master, root->outputs, root->honeytokens};
    struct jail_ready ready = {.message = {.kind = JAIL_MESSAGE_READY,
                                           .has_terminal = master >= 0,
                                           .has_outputs = root->outputs >= 0,
                                           .has_honeytokens = root->honeytokens >= 0}};

    for (size_t i = 0; i < COUNT(fds); i++) {
        if (fds[i] >= 0) {
            ready.fds[ready.n++] = fds[i];
        }
    }
    return ready;
}

/* Shares memory with this process, which goes on when the command's program is in its place: neither a copy of the memory
 * nor the copy's end is waited for. */
static pid_t start_command(const struct jail_launch *l, struct jail_ready *ready, int ruleset, int terminal, struct error *err)
{
    pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): it changes nothing that is read here */
    if (pid == 0) {
        jail_become_command(l, ready, ruleset, terminal);
    }
    if (pid < 0) {
        error_errno(err, "fork");
    }
    return pid;
}

static void note_child(int signal)
{
    (void)signal; /* ppoll returns, that is all */
}

/* Orphans of this namespace become this process's children: without children it is the last process. */
static bool is_alone(void)
{
    pid_t pid;

    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
    }
    return pid < 0 && errno == ECHILD;
}

/* Reaps whatever the jail leaves behind, until the command ends or the monitor does. */
static _Noreturn void reap(const struct jail_launch *l, pid_t command)
{
    struct pollfd monitor = {.fd = l->control, .events = POLLIN};
    sigset_t none;

    (void)sigemptyset(&none);
    for (;;) {
        struct jail_message m = {.kind = JAIL_MESSAGE_ENDED};
        pid_t pid = waitpid(-1, &m.status, WNOHANG);
        if (pid == command) {
            m.is_alone = is_alone();
            (void)!jail_message_send(l->control, &m, NULL, 0);
            if (m.is_alone) {
                (void)poll(&monitor, 1, -1); /* the monitor ends this process: its own end would hold up who reads the message */
            }
            _exit(0);
        }
        if (pid > 0) {
            continue;
        }
        if (ppoll(&monitor, 1, NULL, &none) > 0) {
            _exit(JAIL_EXIT_REFUSED); /* nothing more is ever sent: the monitor has gone */
        }
    }
}

/* From here on only this code runs in the process: it needs no right, and none may be taken from it. */
static bool retire(const struct jail_launch *l, struct error *err)
{
    jail_close_others(&l->control, 1);
    (void)close_range(0, 2, 0);
    return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 || error_errno(err, "init");
}

/* Its child has none either, from its first moment on. Changed rights would lift the ban on looking, which comes last. */
static bool give_up_rights(struct error *err)
{
    return jail_drop_privileges(err) &&
           (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 || error_errno(err, "init"));
}

/* The descriptors of the launch are its own copies; the monitor has closed the caller's. */
static void enter(const struct jail_launch *l)
{
    int kept[JAIL_LAUNCH_DESCRIPTORS_MAX];
    sigset_t all;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    /* A caller with real-time priority does not hand it to the jail; the jail's groups could not limit it. */
    (void)call_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, NULL);
    (void)signal(SIGCHLD, note_child);
    jail_close_others(kept, jail_launch_descriptors(l, kept));
}

static void await_go(const struct jail_launch *l)
{
    int fds[JAIL_DESCRIPTORS_MAX];
    struct jail_message m;

    if (!jail_message_receive(l->control, &m, fds) || m.kind != JAIL_MESSAGE_GO) {
        _exit(JAIL_EXIT_REFUSED); /* the monitor is gone */
    }
}

static bool limit_or_degrade(const struct jail_launch *l, struct jail_mechanisms *mechanisms, struct error *err)
{
    struct error why;

    return limit_tables(&why) || jail_mechanism_missing(mechanisms, l->policy, JAIL_MECHANISM_TABLES, &why, err);
}

/* The order of the steps: the namespaces come first; groups are joined before the cgroup namespace is made, whose root they
 * become; limits of /proc/sys are written while the machine's /proc is there; the root replaces it; rights go last. */
void jail_init_process(struct jail_launch *l)
{
    static struct jail_snapshot snapshots[JAIL_INPUTS_MAX];
    struct error err = {0};
    struct jail_mechanisms mechanisms = {0};
    struct jail_root root = {
        .policy = l->policy, .mechanisms = &mechanisms, .inputs = l->inputs, .authority = l->authority,
        .canary = l->canary, .version = l->landlock_version, .snapshots = snapshots};
    int master = -1, slave = -1;

    enter(l);
    if (!leave_machine(&err) || !limit_or_degrade(l, &mechanisms, &err)) {
        fail(l->control, &err);
    }
    await_go(l);
    /* No process may read this one's memory, which for a moment is the command's, too: give_up_rights. */
    if (!join_groups(l, &err) || !name_host(l->policy, &err) || !become_user(l, &err) || !open_egress(l, &err) ||
        !forbid_nesting(l, &mechanisms, &err) || !jail_root_enter(&root, &err) || !open_terminal(l, &master, &slave, &err) ||
        !send_missing(l, &mechanisms, &err) || !send_snapshots(l, &root, &err) || !give_up_rights(&err)) {
        fail(l->control, &err);
    }
    struct jail_ready ready = make_ready(master, &root);
    pid_t command = start_command(l, &ready, root.ruleset, slave, &err);
    if (command < 0 || !retire(l, &err)) {
        fail(l->control, &err);
    }
    reap(l, command);
}
