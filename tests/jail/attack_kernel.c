/* attack_kernel.c - what the kernel would do for a program that may ask for it. */
#include "attack.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static enum verdict terminal(const char *argument)
{
    (void)argument;
    if (!isatty(0)) {
        return NOT_TRIED;
    }
    return both(judge(ioctl(0, TIOCSTI, "#") == 0, "TIOCSTI"),
                judge(syscall(SYS_ioctl, 0, 1UL << 32 | TIOCSTI, "#") == 0, "TIOCSTI with upper bits"));
}

static enum verdict unshared(const char *argument)
{
    static const int flags[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWUSER | CLONE_NEWNS};
    enum verdict v = HELD;

    (void)argument;
    for (size_t i = 0; i < COUNT(flags); i++) {
        v = both(v, judge(unshare(flags[i]) == 0, "unshare"));
        long pid = syscall(SYS_clone, flags[i] | SIGCHLD, 0, 0, 0, 0);
        if (pid == 0) {
            _exit(0);
        }
        v = both(v, judge(pid > 0, "clone"));
    }
    return v;
}

static enum verdict cloned(const char *argument)
{
    struct clone_args args = {.flags = CLONE_NEWUSER | CLONE_NEWNET, .exit_signal = SIGCHLD};
    long pid = syscall(SYS_clone3, &args, sizeof(args));

    (void)argument;
    if (pid == 0) {
        _exit(0);
    }
    enum verdict v = judge(pid > 0, "clone3 with namespaces");
    return pid < 0 && errno != ENOSYS ? ESCAPED : v; /* anything else breaks the C library's fallback */
}

static enum verdict mount_calls(const char *argument)
{
    enum verdict v = judge(syscall(SYS_open_tree, AT_FDCWD, "/usr", 1) >= 0, "open_tree");

    (void)argument;
    v = both(v, judge(syscall(SYS_fsopen, "tmpfs", 0) >= 0, "fsopen"));
    v = both(v, judge(syscall(SYS_move_mount, AT_FDCWD, "/usr", AT_FDCWD, "/work", 0) == 0, "move_mount"));
    return both(v, judge(syscall(SYS_mount_setattr, AT_FDCWD, "/usr", 0, "", 0) == 0, "mount_setattr"));
}

static enum verdict remount(const char *argument)
{
    enum verdict v = judge(mount(NULL, "/usr", NULL, MS_REMOUNT | MS_BIND, NULL) == 0, "remount /usr writable");

    (void)argument;
    v = both(v, judge(mount("none", "/usr", "tmpfs", 0, NULL) == 0, "mount over /usr"));
    v = both(v, judge(umount2("/proc", MNT_DETACH) == 0, "umount /proc"));
    return both(v, judge(open("/usr/attack", O_CREAT | O_WRONLY, 0600) >= 0, "write /usr"));
}

static enum verdict uring(const char *argument)
{
    char parameters[256] = {0};

    (void)argument;
    return both(judge(syscall(SYS_io_uring_setup, 8, parameters) >= 0, "io_uring_setup"),
                both(judge(syscall(SYS_io_uring_enter, 0, 0, 0, 0, NULL, 0) >= 0, "io_uring_enter"),
                     judge(syscall(SYS_io_uring_register, 0, 0, NULL, 0) >= 0, "io_uring_register")));
}

#ifdef __x86_64__
static int call_i386(void)
{
    long number = 20; /* getpid */

    __asm__ volatile("int $0x80" : "+a"(number) : : "memory");
    return number > 0 ? 0 : 1;
}

static int call_x32(void)
{
    return syscall(SYS_getpid | 0x40000000) > 0 ? 0 : 1;
}

static enum verdict foreign(const char *argument)
{
    (void)argument;
    errno = 0;
    return both(judge(child_succeeds(call_i386), "i386 by int 0x80"), judge(child_succeeds(call_x32), "x32"));
}
#else
static enum verdict foreign(const char *argument)
{
    (void)argument;
    return NOT_TRIED;
}
#endif

static enum verdict keyring(const char *argument)
{
    const int user = -4, session = -3, search = 10;

    (void)argument;
    return both(both(judge(syscall(SYS_keyctl, search, user, "user", "filterd-test", 0) >= 0, "search @u"),
                     judge(syscall(SYS_keyctl, search, session, "user", "filterd-test", 0) >= 0, "search @s")),
                both(judge(syscall(SYS_add_key, "user", "x", "y", 1, user) >= 0, "add_key"),
                     judge(syscall(SYS_request_key, "user", "filterd-test", NULL, 0) >= 0, "request_key")));
}

struct call {
    const char *name;
    long number, a, b, c;
};

static enum verdict try_calls(const struct call *calls, size_t n)
{
    enum verdict v = HELD;

    for (size_t i = 0; i < n; i++) {
        int status = 0;
        (void)fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            _exit(syscall(calls[i].number, calls[i].a, calls[i].b, calls[i].c, 0, 0, 0) >= 0 ? 0 : 1);
        }
        (void)waitpid(pid, &status, 0);
        errno = EPERM;
        v = both(v, judge(WIFEXITED(status) && WEXITSTATUS(status) == 0, calls[i].name));
    }
    return v;
}

static enum verdict tracing(const char *argument)
{
    static const char attributes[128] = {0};
    const struct call calls[] = {{"bpf", SYS_bpf, 0, (long)(uintptr_t)attributes, 64},
                                 {"perf_event_open", SYS_perf_event_open, (long)(uintptr_t)attributes, 0, -1},
                                 {"userfaultfd", SYS_userfaultfd, 1, 0, 0},
                                 {"fanotify_init", SYS_fanotify_init, 0, 0, 0}};

    (void)argument;
    return try_calls(calls, COUNT(calls));
}

static enum verdict privileged(const char *argument)
{
    static const char text[128] = {0};
    const long t = (long)(uintptr_t)text;
    const struct call calls[] = {
#ifdef __x86_64__
        {"iopl", SYS_iopl, 3, 0, 0},
        {"ioperm", SYS_ioperm, 0x80, 1, 1},
        {"modify_ldt", SYS_modify_ldt, 0, t, 64},
        {"uselib", SYS_uselib, (long)(uintptr_t)"/usr/bin/true", 0, 0},
        {"kexec_file_load", SYS_kexec_file_load, 0, 0, 0},
#endif
        {"personality", SYS_personality, 0x0040000, 0, 0},
        {"kexec_load", SYS_kexec_load, 0, 0, 0},
        {"init_module", SYS_init_module, t, 0, t},
        {"finit_module", SYS_finit_module, 0, t, 0},
        {"delete_module", SYS_delete_module, (long)(uintptr_t)"loop", 0, 0},
        {"swapon", SYS_swapon, t, 0, 0},
        {"swapoff", SYS_swapoff, t, 0, 0},
        {"quotactl", SYS_quotactl, 0, t, 0},
        {"reboot", SYS_reboot, 0, 0, 0}, /* of no effect but an error, whoever asks */
        {"clock_settime", SYS_clock_settime, 0, 0, 0},
        {"vhangup", SYS_vhangup, 0, 0, 0},
        {"acct", SYS_acct, 0, 0, 0},
        {"sethostname", SYS_sethostname, (long)(uintptr_t)"x", 1, 0},
        {"settimeofday", SYS_settimeofday, 0, 0, 0},
        {"chroot", SYS_chroot, (long)(uintptr_t)"/", 0, 0},
        {"pivot_root", SYS_pivot_root, (long)(uintptr_t)".", (long)(uintptr_t)".", 0},
        {"syslog", SYS_syslog, 10, 0, 0},
        {"set_mempolicy", SYS_set_mempolicy, 0, 0, 0},
    };

    (void)argument;
    return try_calls(calls, COUNT(calls));
}

static enum verdict handles(const char *argument)
{
    struct {
        unsigned bytes;
        int type;
        unsigned long long inode;
    } handle = {8, 1, 2}; /* the root of most file systems */
    int mount = 0;

    (void)argument;
    return both(judge(syscall(SYS_open_by_handle_at, AT_FDCWD, &handle, O_RDONLY) >= 0, "open_by_handle_at"),
                judge(syscall(SYS_name_to_handle_at, AT_FDCWD, "/usr", &handle, &mount, 0) == 0, "name_to_handle_at"));
}

static int make_and_run_memory_file(void)
{
    char *const none[] = {NULL};
    char bytes[4096];
    int from = open("/usr/bin/true", O_RDONLY), to = (int)syscall(SYS_memfd_create, "x", 0);

    for (ssize_t n = read(from, bytes, sizeof(bytes)); to >= 0 && n > 0; n = read(from, bytes, sizeof(bytes))) {
        (void)!write(to, bytes, (size_t)n);
    }
    (void)syscall(SYS_execveat, to, "", none, none, AT_EMPTY_PATH);
    return 1;
}

/* In the strict profile; the other allows it and says so. */
static enum verdict fileless(const char *argument)
{
    (void)argument;
    errno = EPERM;
    return judge(child_succeeds(make_and_run_memory_file), "memfd and execveat");
}

static int dump(void)
{
    (void)raise(SIGSEGV);
    return 0;
}

static enum verdict core(const char *argument)
{
    const struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
    int status = 0;
    enum verdict v = judge(setrlimit(RLIMIT_CORE, &most) == 0, "raise the limit of core files");

    (void)argument;
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        _exit(dump());
    }
    (void)waitpid(pid, &status, 0);
    return both(v, judge(WCOREDUMP(status), "core dump"));
}

static enum verdict secrets_of_kernel(const char *argument)
{
    static const char *const paths[] = {"/proc/kcore", "/proc/kallsyms", "/proc/kmsg", "/dev/kmsg", "/proc/slabinfo",
                                        "/sys/kernel/debug", "/proc/sched_debug", "/proc/timer_list", "/proc/keys",
                                        "/proc/sysrq-trigger", "/proc/interrupts", "/proc/config.gz", "/proc/cmdline"};
    enum verdict v = HELD;

    (void)argument;
    for (size_t i = 0; i < COUNT(paths); i++) {
        v = both(v, judge(open(paths[i], O_RDONLY) >= 0, paths[i]));
    }
    return v;
}

static enum verdict settings(const char *argument)
{
    static const char *const paths[] = {"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe",
                                        "/sys/fs/cgroup/pids/cgroup.procs", "/sys/fs/cgroup/cgroup.procs",
                                        "/proc/self/oom_score_adj", "/proc/self/uid_map", "/sys/power/state"};
    enum verdict v = HELD;

    (void)argument;
    for (size_t i = 0; i < COUNT(paths); i++) {
        v = both(v, judge(open(paths[i], O_WRONLY) >= 0, paths[i]));
    }
    return v;
}

static enum verdict listener(const char *argument)
{
    const struct {
        unsigned short n;
        const void *code;
    } program = {0, NULL};

    (void)argument;
    (void)syscall(SYS_seccomp, 1, 8, &program);
    return judge(errno != EPERM, "seccomp listener"); /* the kernel's own check comes after: EINVAL */
}

static enum verdict rights(const char *argument)
{
    (void)argument;
    return both(both(judge(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0, "take no_new_privs back"),
                     judge(prctl(PR_SET_SECUREBITS, 0, 0, 0, 0) == 0, "securebits")),
                both(judge(prctl(PR_CAPBSET_READ, 21, 0, 0, 0) == 1, "CAP_SYS_ADMIN in the bounding set"),
                     judge(setuid(0) == 0, "become root")));
}

/* Reading the time stamp counter is allowed, as programs do; taking it from others, or counting their events, is not. */
static enum verdict timing(const char *argument)
{
    unsigned char attr[128] = {1, 0, 0, 0, 112};

    (void)argument;
    __asm__ volatile("rdtsc" ::: "eax", "edx");
    return both(judge(prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0, "PR_SET_TSC"),
                judge(syscall(SYS_perf_event_open, attr, 0, -1, -1, 0) >= 0, "perf_event_open"));
}

const struct attack attacks_kernel[] = {
    {"A1", terminal},   {"A8", unshared},           {"A9", cloned},    {"A10", mount_calls}, {"A11", remount},
    {"A12", uring},     {"A13", foreign},           {"A14", keyring},  {"A15", tracing},     {"A16", privileged},
    {"A17", handles},   {"A19", fileless},          {"A21", core},       {"A22", timing},     {"A23", secrets_of_kernel},
    {"A24", settings},  {"A25", listener},          {"A26", rights},   {NULL, NULL},
};
