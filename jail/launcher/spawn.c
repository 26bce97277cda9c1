#include "jail/launcher/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "jail/root/root.h"

/* The user namespace maps the jail's user and the pid namespace needs a new process; init unshares the others itself, while
 * the monitor maps the user and hands over the means to kill it. */
#define NAMESPACES ((__u64)CLONE_NEWUSER | CLONE_NEWPID)

/* The creator of a user namespace owns it, and what is counted in it counts for the owner as well: inotify, signals that
 * wait, queues. A jail of root's is owned by its own user outside, so that it takes nothing of root's. */
static bool make_effective(uid_t user)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct rights[2];

    if (syscall(SYS_setresuid, -1, user, -1) != 0 || syscall(SYS_capget, &head, rights) != 0) {
        return false;
    }
    rights[0].effective = rights[0].permitted;
    rights[1].effective = rights[1].permitted;
    return syscall(SYS_capset, &head, rights) == 0;
}

bool jail_spawn(struct jail_launch *l, const struct jail_cgroups *g, const uid_t *owner, pid_t *pid, int *pidfd, struct error *err)
{
    const struct jail_tree *unified = jail_cgroups_unified(g);
    struct clone_args args = {.flags = NAMESPACES | CLONE_PIDFD,
                              .pidfd = (uintptr_t)pidfd,
                              .exit_signal = SIGCHLD};

    if (unified != NULL) {
        args.flags |= CLONE_INTO_CGROUP;
        args.cgroup = (__u64)unified->fd;
    }
    if (owner != NULL && !make_effective(*owner)) {
        return error_errno(err, "owner of the namespaces");
    }
    long child = syscall(SYS_clone3, &args, sizeof(args));
    if (child == 0) {
        jail_init_process(l);
    }
    if (child < 0) {
        error_errno(err, "namespaces (see filterd-jail doctor)");
    } else {
        *pid = (pid_t)child;
    }
    /* Whatever became of it: the launcher is itself again. */
    bool is_back = owner == NULL || make_effective(0) || error_errno(err, "owner of the namespaces");
    return child > 0 && is_back;
}

static bool write_proc(pid_t pid, const char *file, const char *text, struct error *err)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    int fd CLEANUP(cleanup_fd) = open(path, O_WRONLY | O_CLOEXEC);
    return (fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text)) || error_errno(err, "%s", path);
}

bool jail_map_user(pid_t pid, uid_t uid, gid_t gid, bool is_privileged, struct error *err)
{
    char users[64], groups[64];

    (void)snprintf(users, sizeof(users), "%d %u 1", JAIL_USER, uid);
    (void)snprintf(groups, sizeof(groups), "%d %u 1", JAIL_USER, gid);
    /* Without rights the kernel maps a group only when no process inside can change its groups. */
    return (is_privileged || write_proc(pid, "setgroups", "deny", err)) && write_proc(pid, "uid_map", users, err) &&
           write_proc(pid, "gid_map", groups, err);
}
