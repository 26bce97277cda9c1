/* linux_calls.h - system calls for which some C libraries have no function.
 *
 * glibc has most of these, musl none: for musl they are defined as system calls, with the names and
 * semantics of their manual pages. Include it instead of <sys/mount.h> and in addition to <unistd.h>. */
#ifndef FILTERD_BASE_LINUX_CALLS_H
#define FILTERD_BASE_LINUX_CALLS_H

#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

/* For one thread, like the kernel's call. POSIX defines them for processes, so musl's functions only fail. */
static inline int call_setscheduler(pid_t thread, int policy, const struct sched_param *parameters)
{
    return (int)syscall(SYS_sched_setscheduler, thread, policy, parameters);
}

static inline int call_getscheduler(pid_t thread)
{
    return (int)syscall(SYS_sched_getscheduler, thread);
}

static inline int call_getparam(pid_t thread, struct sched_param *parameters)
{
    return (int)syscall(SYS_sched_getparam, thread, parameters);
}

#ifndef __GLIBC__
#include <linux/close_range.h>
#include <linux/mount.h>
#include <stddef.h>

static inline int close_range(unsigned first, unsigned last, int flags)
{
    return (int)syscall(SYS_close_range, first, last, flags);
}

static inline int fsopen(const char *type, unsigned flags)
{
    return (int)syscall(SYS_fsopen, type, flags);
}

static inline int fsconfig(int fs, unsigned command, const char *key, const void *value, int aux)
{
    return (int)syscall(SYS_fsconfig, fs, command, key, value, aux);
}

static inline int fsmount(int fs, unsigned flags, unsigned attributes)
{
    return (int)syscall(SYS_fsmount, fs, flags, attributes);
}

static inline int open_tree(int folder, const char *path, unsigned flags)
{
    return (int)syscall(SYS_open_tree, folder, path, flags);
}

static inline int move_mount(int from, const char *from_path, int to, const char *to_path, unsigned flags)
{
    return (int)syscall(SYS_move_mount, from, from_path, to, to_path, flags);
}

static inline int mount_setattr(int folder, const char *path, unsigned flags, struct mount_attr *attributes, size_t size)
{
    return (int)syscall(SYS_mount_setattr, folder, path, flags, attributes, size);
}
#endif

#endif
