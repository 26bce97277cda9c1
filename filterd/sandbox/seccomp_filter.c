#include "sandbox/seccomp_filter.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/span.h"
#include "sandbox/sandbox.h"

/* By name: one that an architecture lacks is left out. */
static const char *const calls[] = {
    /* memory */
    "brk",
    "madvise",
    "mremap",
    "munmap",
    "mlock", /* secrets are kept out of swap */
    "munlock",
    "mincore",
    "membarrier",
    /* threads and time */
    "clock_getres",
    "clock_gettime",
    "clock_nanosleep",
    "exit",
    "exit_group",
    "futex",
    "getpid",
    "gettid",
    "gettimeofday",
    "nanosleep",
    "restart_syscall",
    "rseq",
    "sched_getaffinity",
    "sched_yield",
    "set_robust_list",
    "time",
    /* signals */
    "rt_sigaction",
    "rt_sigpending",
    "rt_sigprocmask",
    "rt_sigreturn",
    "rt_sigtimedwait",
    "sigaltstack",
    /* connections */
    "accept",
    "accept4",
    "epoll_create1",
    "epoll_ctl",
    "epoll_pwait",
    "epoll_wait",
    "eventfd2",
    "getpeername",
    "getsockname",
    "getsockopt",
    "pipe2",
    "poll",
    "ppoll",
    "recvfrom",
    "recvmsg",
    "sendmmsg",
    "sendmsg",
    "sendto",
    "setsockopt",
    "shutdown",
    /* files: the log, the spool, reloads; Landlock says which */
    "access",
    "close",
    "dup",
    "dup3",
    "faccessat",
    "faccessat2",
    "fallocate",
    "fcntl",
    "fchmod",
    "fdatasync",
    "flock",
    "fstat",
    "fstatfs",
    "fsync",
    "ftruncate",
    "getcwd",
    "getdents64",
    "lseek",
    "lstat",
    "mkdir",
    "mkdirat",
    "newfstatat",
    "open",
    "openat",
    "pread64",
    "pwrite64",
    "read",
    "readlink",
    "readlinkat",
    "readv",
    "rename",
    "renameat",
    "renameat2",
    "stat",
    "statx",
    "unlink",
    "unlinkat",
    "write",
    "writev",
    "pwritev",
    "sync_file_range",
    "syncfs",
    /* the rest */
    "geteuid",
    "getegid",
    "getgid",
    "getuid",
    "getrandom",
    "getrusage",
    "prlimit64",
    "setpriority", /* to less: more is denied by the kernel */
    "sysinfo",
    "uname",
};

/* For upstreams: the proxy's connections, and the C library's resolver. */
static const char *const calls_out[] = {
    "connect",
    "recvmmsg",
    "socketpair",
};

static bool allow_calls(scmp_filter_ctx filter, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int number = seccomp_syscall_resolve_name(names[i]);
        if (number != __NR_SCMP_ERROR && number >= 0 &&
            seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0) != 0) {
            return false;
        }
    }
    return true;
}

/* Calls that are allowed for some arguments only. */
static bool allow_some(scmp_filter_ctx f)
{
    const struct scmp_arg_cmp thread = SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD);
    const struct scmp_arg_cmp data = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
    const struct scmp_arg_cmp no_file = SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, MAP_ANONYMOUS);
    const struct scmp_arg_cmp name = SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME);
    const struct scmp_arg_cmp end = SCMP_A1(SCMP_CMP_EQ, SIGKILL), look = SCMP_A1(SCMP_CMP_EQ, 0);
    const struct scmp_arg_cmp self = SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid());

    /* clone3 hides its flags in memory; without it the C library falls back to clone. */
    return seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 &&
           seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, &thread) == 0 &&
           seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, &data) == 0 &&
           seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, &no_file) == 0 &&
           seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, &data) == 0 &&
           seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, &name) == 0 &&
           seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, &self) == 0 &&
           /* Agents are ended by pidfds that were handed in: none can be opened here. */
           seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(pidfd_send_signal), 1, &end) == 0 &&
           seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(pidfd_send_signal), 1, &look) == 0;
}

/* Sockets of the internet alone: no other family is of use, Landlock says which ports. */
static bool allow_out(scmp_filter_ctx f)
{
    const struct scmp_arg_cmp v4 = SCMP_A0(SCMP_CMP_EQ, AF_INET);
    const struct scmp_arg_cmp v6 = SCMP_A0(SCMP_CMP_EQ, AF_INET6);
    const struct scmp_arg_cmp length = SCMP_A1(SCMP_CMP_EQ, FIONREAD); /* of an answer of DNS */

    return allow_calls(f, calls_out, COUNT(calls_out)) &&
           seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1, &v4) == 0 &&
           seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1, &v6) == 0 &&
           seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1, &length) == 0;
}

/* A database on this machine. */
static bool allow_local(scmp_filter_ctx f)
{
    const struct scmp_arg_cmp local = SCMP_A0(SCMP_CMP_EQ, AF_UNIX);

    return seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1, &local) == 0;
}

bool seccomp_filter_enter(bool has_upstreams, bool has_local, struct error *err)
{
    if (SANDBOX_HAS_SANITIZER) {
        return error_set(err, ERROR_SYSTEM, "this build is for tests with a sanitizer");
    }
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (filter == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "no memory");
    }
    int status = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    if (status == 0 && allow_calls(filter, calls, COUNT(calls)) && allow_some(filter) &&
        (!has_upstreams || allow_out(filter)) && (!has_local || allow_local(filter))) {
        status = seccomp_load(filter);
    } else {
        status = status == 0 ? -EINVAL : status;
    }
    seccomp_release(filter);
    errno = -status;
    return status == 0 || error_errno(err, "seccomp");
}
