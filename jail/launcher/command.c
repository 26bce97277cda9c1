/* command.c - turns init's child into the command, after dropping all its rights. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/landlock.h"
#include "base/linux_calls.h"
#include "jail/launcher/launch.h"

enum { CAPABILITIES_MAX = 64, NICE = 5, CPU_SECONDS_MORE = 1, SIGRTMIN_OF_KERNEL = 32 };

bool jail_drop_privileges(struct error *err)
{
    const unsigned long locked = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                 SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |
                                 SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {{0}};

    for (int i = 0; i < CAPABILITIES_MAX; i++) {
        if (prctl(PR_CAPBSET_DROP, i, 0, 0, 0) != 0) {
            if (errno == EINVAL) {
                break; /* this kernel has no more of them */
            }
            return error_errno(err, "bounding set");
        }
    }
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 || prctl(PR_SET_SECUREBITS, locked, 0, 0, 0) != 0) {
        return error_errno(err, "capabilities");
    }
    if (syscall(SYS_capset, &head, none) != 0) {
        return error_errno(err, "capset");
    }
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 || error_errno(err, "no_new_privs");
}

/* 1, not 0, for core files: 0 would still start a host program that core_pattern names. */
static bool set_limits(const struct jail_limits *l, struct error *err)
{
    const struct {
        int resource;
        int64_t value;
    } limits[] = {
        {RLIMIT_CORE, 1},
        {RLIMIT_NOFILE, l->open_files},
        {RLIMIT_NPROC, l->pids + 1}, /* the group's limit, which counts, is reached first */
        {RLIMIT_FSIZE, l->file_size},
        {RLIMIT_CPU, l->cpu_time == JAIL_NONE ? JAIL_NONE : l->cpu_time / 1000 + CPU_SECONDS_MORE},
        /* What is counted by user counts for the caller, too, and is to leave most of what the caller has. */
        {RLIMIT_MEMLOCK, INT64_C(64) << 10},
        {RLIMIT_MSGQUEUE, INT64_C(256) << 10},
        {RLIMIT_SIGPENDING, 1024}, /* timers, too */
        {RLIMIT_NICE, 0},
        {RLIMIT_RTPRIO, 0},
    };

    for (size_t i = 0; i < COUNT(limits); i++) {
        struct rlimit now;
        rlim_t wanted = limits[i].value == JAIL_NONE ? RLIM_INFINITY : (rlim_t)limits[i].value;
        if (getrlimit(limits[i].resource, &now) != 0) {
            return error_errno(err, "limits");
        }
        wanted = wanted > now.rlim_max ? now.rlim_max : wanted; /* never more than the caller has */
        if (setrlimit(limits[i].resource, &(struct rlimit){wanted, wanted}) != 0) {
            return error_errno(err, "limits");
        }
    }
    return true;
}

static bool take_streams(const struct jail_launch *l, int terminal, struct error *err)
{
    if (setsid() < 0) {
        return error_errno(err, "setsid");
    }
    for (int i = 0; i < 3; i++) {
        int stream = l->stdio[i] < 0 ? terminal : l->stdio[i];
        if (stream == terminal && ioctl(stream, TIOCSCTTY, 0) != 0) {
            return error_errno(err, "terminal");
        }
        if (dup2(stream, i) != i) {
            return error_errno(err, "standard streams");
        }
    }
    /* Closed by exec; until then errors are sent over the channel. */
    return close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0 || error_errno(err, "close_range");
}

static void reset_signals(void)
{
    sigset_t none;

    for (int i = 1; i < SIGRTMIN_OF_KERNEL; i++) {
        (void)signal(i, SIG_DFL); /* KILL and STOP refuse */
    }
    (void)sigemptyset(&none);
    (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
}

/* With user notification, where available: the monitor answers denied calls. A filter around the launcher may have its
 * listener already, and the kernel allows one. */
static bool enter_filter(const struct jail_launch *l, struct jail_ready *ready, struct error *err)
{
    int notify_fd CLEANUP(cleanup_fd) = jail_filter_enter_notify(&l->notify_filter);

    if (notify_fd >= 0) {
        ready->message.has_notify_fd = true;
        ready->fds[ready->n++] = notify_fd;
    } else if (!jail_filter_enter(&l->filter, err)) {
        return false;
    }
    return jail_message_send(l->control, &ready->message, ready->fds, ready->n) || error_errno(err, "monitor");
}

static bool give_up_rights(const struct jail_launch *l, struct jail_ready *ready, struct error *err)
{
    reset_signals();
    (void)umask(022);
    if (!l->has_cpu_share) {
        (void)setpriority(PRIO_PROCESS, 0, NICE); /* what ends the jail must get its turn */
    }
    return enter_filter(l, ready, err);
}

static bool enter(const struct jail_launch *l, int ruleset, int terminal, struct error *err)
{
    if (chdir(l->policy->work_path) != 0) {
        return error_errno(err, "%s", l->policy->work_path);
    }
    return take_streams(l, terminal, err) && set_limits(&l->policy->limits, err) &&
           (ruleset < 0 || landlock_enter(ruleset, err));
}

/* Where execvp has found it: the first of PATH that may be run. */
static bool find_program(const char *name, char path[PATH_MAX])
{
    const char *folders = getenv("PATH"); /* NOLINT(concurrency-mt-unsafe): no thread */

    if (strchr(name, '/') != NULL) {
        return (size_t)snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
    }
    while (folders != NULL && *folders != '\0') {
        size_t n = strcspn(folders, ":");
        int len = snprintf(path, PATH_MAX, "%.*s/%s", (int)n, folders, name);
        if (len < PATH_MAX && access(path, X_OK) == 0) {
            return true;
        }
        folders += n + (folders[n] == ':');
    }
    return false;
}

/* A file that does not say what it is, is a shell's: glibc's execvp tries that itself, musl's does not. */
static void become_script(char *const *command)
{
    char path[PATH_MAX];
    size_t n = 0;

    while (command[n] != NULL) {
        n++;
    }
    char **arguments = calloc(n + 2, sizeof(*arguments));
    if (arguments == NULL || !find_program(command[0], path)) {
        errno = ENOEXEC;
        return;
    }
    arguments[0] = (char *)(uintptr_t)"/bin/sh";
    arguments[1] = path;
    memcpy(&arguments[2], &command[1], (n - 1) * sizeof(*arguments));
    (void)execv(arguments[0], arguments);
}

void jail_become_command(const struct jail_launch *l, struct jail_ready *ready, int ruleset, int terminal)
{
    struct jail_message failed = {.kind = JAIL_MESSAGE_FAILED, .status = JAIL_EXIT_REFUSED};

    if (give_up_rights(l, ready, &failed.error) && enter(l, ruleset, terminal, &failed.error)) {
        environ = (char **)(uintptr_t)l->environment; /* its PATH is searched, not the caller's */
        (void)execvp(l->command[0], l->command);
        if (errno == ENOEXEC) {
            become_script(l->command);
        }
        failed.status = errno == ENOENT ? JAIL_EXIT_NOT_FOUND : JAIL_EXIT_CANNOT_RUN;
        error_errno(&failed.error, "%s", l->command[0]);
    }
    (void)!jail_message_send(l->control, &failed, NULL, 0);
    _exit(failed.status);
}
