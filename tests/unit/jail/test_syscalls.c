#include "testing.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "jail/filters/syscalls.h"

static struct error err;

/* The numbers of a call, made in a child under the filter: its errno, 0, or minus the signal that
 * ended it. */
static int outcome_of_six(enum jail_profile profile, long call, long a, long b, long c, long d, long e, long f)
{
    const struct jail_filter filter = jail_filters[profile];
    int status = 0;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct rlimit none = {0, 0};
        (void)setrlimit(RLIMIT_CORE, &none);
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !jail_filter_enter(&filter, &err)) {
            syscall(SYS_exit_group, 255);
        }
        syscall(SYS_exit_group, syscall(call, a, b, c, d, e, f) < 0 ? errno : 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int outcome_of_four(enum jail_profile profile, long call, long a, long b, long c, long d)
{
    return outcome_of_six(profile, call, a, b, c, d, 0, 0);
}

static int outcome(enum jail_profile profile, long call, long a, long b, long c)
{
    return outcome_of_four(profile, call, a, b, c, 0);
}

static int agent(long call, long a, long b, long c)
{
    return outcome(JAIL_PROFILE_AGENT, call, a, b, c);
}

static void what_is_refused_is_eperm(void **state)
{
    static const long calls[] = {SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_ptrace,
                                 SYS_process_vm_readv, SYS_process_vm_writev, SYS_bpf, SYS_perf_event_open,
                                 SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_name_to_handle_at,
                                 SYS_open_by_handle_at, SYS_pidfd_getfd, SYS_kcmp, SYS_fanotify_init, SYS_quotactl,
                                 SYS_acct, SYS_settimeofday, SYS_clock_settime, SYS_sethostname, SYS_syslog,
                                 SYS_vhangup, SYS_lookup_dcookie, SYS_modify_ldt, SYS_mbind, SYS_move_pages};

    (void)state;
    for (size_t i = 0; i < COUNT(calls); i++) {
        assert_int_equal(agent(calls[i], 0, 0, 0), EPERM);
    }
}

static void what_programs_can_do_without_is_enosys(void **state)
{
    static const long calls[] = {SYS_clone3, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
                                 SYS_io_setup, SYS_io_destroy, SYS_io_submit, SYS_io_cancel, SYS_io_getevents,
#ifdef SYS_io_pgetevents
                                 SYS_io_pgetevents,
#endif
                                 SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_fsmount, SYS_mount_setattr, 452, 480, 511};

    (void)state;
    for (size_t i = 0; i < COUNT(calls); i++) {
        assert_int_equal(agent(calls[i], 0, 0, 0), ENOSYS);
    }
}

static void what_only_an_attack_calls_ends_it(void **state)
{
    static const long calls[] = {SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_reboot,
                                 SYS_swapon, SYS_iopl, SYS_ioperm};

    (void)state;
    for (size_t i = 0; i < COUNT(calls); i++) {
        assert_int_equal(agent(calls[i], 0, 0, 0), -SIGSYS);
    }
}

/* Minus the errno of setting it to 1 under the filter, or what getsockopt has then. */
static int option_under_filter(long level, int option, int type)
{
    const struct jail_filter filter = jail_filters[JAIL_PROFILE_AGENT];
    int ends[2], value = 1, status = 0, fd = socket(AF_INET, type, 0);
    socklen_t size = sizeof(value);

    assert_true(fd >= 0 && pipe(ends) == 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        bool is_set = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && jail_filter_enter(&filter, &err) &&
                      syscall(SYS_setsockopt, fd, level, option, &value, sizeof(value)) == 0;
        value = is_set ? 0 : -errno;
        if (is_set && getsockopt(fd, (int)level, option, &value, &size) != 0) {
            value = -errno;
        }
        (void)!write(ends[1], &value, sizeof(value));
        syscall(SYS_exit_group, 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(read(ends[0], &value, sizeof(value)), sizeof(value));
    (void)close(ends[0]);
    (void)close(ends[1]);
    (void)close(fd);
    return value;
}

static void a_receive_buffer_keeps_its_size(void **state)
{
    int before = 0, fd = socket(AF_INET, SOCK_STREAM, 0);
    socklen_t size = sizeof(before);

    (void)state;
    assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &before, &size), 0);
    (void)close(fd);
    assert_int_equal(option_under_filter(SOL_SOCKET, SO_RCVBUF, SOCK_STREAM), before);
    assert_int_equal(option_under_filter(SOL_SOCKET | 0x100000000, SO_RCVBUF, SOCK_STREAM), before); /* the kernel drops the rest */
    assert_int_equal(option_under_filter(SOL_SOCKET, SO_RCVLOWAT, SOCK_STREAM), 1); /* as it was */
    assert_int_equal(option_under_filter(SOL_SOCKET, SO_RCVBUFFORCE | 0x80, SOCK_STREAM) < 0, 1);
}

/* Nothing is done: the kernel would not take what it is called with. */
static void the_disks_of_the_machine_are_not_flushed(void **state)
{
    static const long calls[] = {SYS_syncfs, SYS_fsync, SYS_fdatasync, SYS_sync_file_range};

    (void)state;
    for (int profile = 0; profile < JAIL_PROFILE_COUNT; profile++) {
        for (size_t i = 0; i < COUNT(calls); i++) {
            assert_int_equal(outcome((enum jail_profile)profile, calls[i], -1, 0, 0), 0);
        }
        assert_int_equal(outcome((enum jail_profile)profile, SYS_msync, 0, 4096, MS_SYNC), 0);
        assert_int_equal(outcome((enum jail_profile)profile, SYS_msync, 0, 4096, MS_SYNC | 1L << 32), 0);
        assert_int_equal(outcome((enum jail_profile)profile, SYS_msync, 0, 4096, MS_ASYNC), ENOMEM); /* not mapped */
        assert_int_equal(outcome((enum jail_profile)profile, SYS_sync, 0, 0, 0), 0);
    }
}

/* With both, a jail saw which programs of /usr anybody starts: pages dropped, later found in the cache again. */
static void the_cache_of_files_is_not_dropped_or_asked(void **state)
{
    static const long refused[] = {0x8, 0x80, 0x88, 0x9, 0x8 | 1L << 32}, allowed[] = {0, 0x1, 0x2, 0x4, 0x10, 0x7f & ~0x8};

    (void)state;
    for (int profile = 0; profile < JAIL_PROFILE_COUNT; profile++) {
        assert_int_equal(outcome_of_four((enum jail_profile)profile, SYS_fadvise64, -1, 0, 0, POSIX_FADV_DONTNEED), 0);
        assert_int_equal(outcome((enum jail_profile)profile, SYS_readahead, -1, 0, 4096), 0);
        for (size_t i = 0; i < COUNT(refused); i++) {
            assert_int_equal(outcome_of_six((enum jail_profile)profile, SYS_preadv2, -1, 0, 0, 0, 0, refused[i]), EPERM);
        }
        for (size_t i = 0; i < COUNT(allowed); i++) {
            assert_int_equal(outcome_of_six((enum jail_profile)profile, SYS_preadv2, -1, 0, 0, 0, 0, allowed[i]), EBADF);
        }
    }
}

/* Of folders of the machine it would be known which programs anybody starts. */
static void who_opens_a_file_is_not_watched(void **state)
{
    static const long changes = IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_MOVE | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF;
    static const long uses[] = {IN_OPEN, IN_ACCESS, IN_CLOSE_NOWRITE, IN_ALL_EVENTS, IN_CLOSE};

    (void)state;
    for (int profile = 0; profile < JAIL_PROFILE_COUNT; profile++) {
        assert_int_equal(outcome((enum jail_profile)profile, SYS_inotify_add_watch, -1, (long)(uintptr_t)"/usr", changes | IN_ONLYDIR), EBADF);
        for (size_t i = 0; i < COUNT(uses); i++) {
            assert_int_equal(outcome((enum jail_profile)profile, SYS_inotify_add_watch, -1, (long)(uintptr_t)"/usr", changes | uses[i]), EPERM);
            assert_int_equal(outcome((enum jail_profile)profile, SYS_inotify_add_watch, -1, (long)(uintptr_t)"/usr", uses[i] | 1L << 32), EPERM);
        }
    }
}

static void other_options_are_set(void **state)
{
    static const int options[] = {SO_REUSEADDR, SO_BROADCAST, SO_KEEPALIVE, SO_OOBINLINE, SO_REUSEPORT, SO_PRIORITY, SO_TIMESTAMP,
                                  SO_ZEROCOPY, SO_INCOMING_CPU};

    (void)state;
    for (size_t i = 0; i < COUNT(options); i++) {
        int type = options[i] == SO_BROADCAST ? SOCK_DGRAM : SOCK_STREAM;
        assert_true(option_under_filter(SOL_SOCKET, options[i], type) >= 0);
    }
    assert_true(option_under_filter(SOL_SOCKET, SO_SNDBUF, SOCK_STREAM) > 1);
    assert_int_equal(option_under_filter(IPPROTO_TCP, TCP_NODELAY, SOCK_STREAM) > 0, 1);
    assert_int_equal(option_under_filter(IPPROTO_TCP, TCP_USER_TIMEOUT, SOCK_STREAM), 1); /* 18, as SO_RCVLOWAT */
    assert_int_equal(option_under_filter(IPPROTO_IP, IP_TTL, SOCK_STREAM), 1);
}

static void foreign_abis_end_it(void **state)
{
    (void)state;
#ifdef __x86_64__
    const struct jail_filter filter = jail_filters[JAIL_PROFILE_AGENT];
    int status = 0;

    assert_int_equal(agent(SYS_getpid | 0x40000000, 0, 0, 0), -SIGSYS); /* x32 */
    pid_t pid = fork();
    if (pid == 0) {
        long number = 20; /* getpid of i386 */
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !jail_filter_enter(&filter, &err)) {
            syscall(SYS_exit_group, 255);
        }
        __asm__ volatile("int $0x80" : "+a"(number) : : "memory");
        syscall(SYS_exit_group, 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && (WTERMSIG(status) == SIGSYS || WTERMSIG(status) == SIGSEGV));
#else
    skip();
#endif
}

static void new_namespaces_are_refused_however_they_are_asked_for(void **state)
{
    static const long flags[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWIPC, CLONE_NEWUTS,
                                 CLONE_NEWCGROUP};

    (void)state;
    for (size_t i = 0; i < COUNT(flags); i++) {
        assert_int_equal(agent(SYS_clone, flags[i] | SIGCHLD, 0, 0), EPERM);
    }
    assert_int_equal(agent(SYS_clone, SIGCHLD, 0, 0), 0);
}

static void sockets_are_of_the_internet_or_routes(void **state)
{
    static const int refused[][3] = {{AF_UNIX, SOCK_STREAM, 0}, {AF_VSOCK, SOCK_STREAM, 0}, {AF_PACKET, SOCK_RAW, 0},
                                     {AF_ALG, SOCK_SEQPACKET, 0}, {AF_INET, SOCK_RAW, 1}, {AF_INET, SOCK_DGRAM, 1},
                                     {AF_INET, SOCK_STREAM, 262}, {AF_INET, SOCK_STREAM, 132}, {AF_INET, SOCK_DGRAM, 136},
                                     {AF_INET6, 6, 33}, {AF_INET6, SOCK_STREAM, 262}, {AF_NETLINK, SOCK_RAW, 9},
                                     {AF_NETLINK, SOCK_RAW, 16}, {44, SOCK_RAW, 0}, {AF_TIPC, SOCK_STREAM, 0}};
    static const int allowed[][3] = {{AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0}, {AF_INET6, SOCK_DGRAM, 17},
                                     {AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0}};

    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        assert_int_equal(agent(SYS_socket, refused[i][0], refused[i][1], refused[i][2]), EPERM);
    }
    for (size_t i = 0; i < COUNT(allowed); i++) {
        assert_int_equal(agent(SYS_socket, allowed[i][0], allowed[i][1], allowed[i][2]), 0);
    }
    assert_int_equal(outcome(JAIL_PROFILE_STRICT, SYS_socket, AF_INET, SOCK_STREAM, 0), EPERM);
}

static void nothing_types_into_a_terminal_also_not_by_upper_bits(void **state)
{
    (void)state;
    assert_int_equal(agent(SYS_ioctl, 0, TIOCSTI, 0), EPERM);
    assert_int_equal(agent(SYS_ioctl, 0, (long)(1UL << 32 | TIOCSTI), 0), EPERM);
    assert_int_equal(agent(SYS_ioctl, 0, TIOCLINUX, 0), EPERM);
    assert_int_equal(agent(SYS_ioctl, 0, TIOCSETD, 0), EPERM);
    assert_int_equal(agent(SYS_ioctl, -1, TCGETS, 0), EBADF);
    assert_int_equal(agent(SYS_ioctl, -1, (long)(0xffffffffUL << 32 | TCGETS), 0), EBADF);
}

static void rights_are_not_taken_back_by_prctl(void **state)
{
    (void)state;
    assert_int_equal(agent(SYS_prctl, PR_SET_MM, 0, 0), EPERM);
    assert_int_equal(agent(SYS_prctl, PR_SET_SECUREBITS, 0, 0), EPERM);
    assert_int_equal(agent(SYS_prctl, PR_TASK_PERF_EVENTS_DISABLE, 0, 0), EPERM);
    assert_int_equal(agent(SYS_prctl, PR_SET_SECCOMP, 2, 0), EPERM);
    assert_int_equal(agent(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0), 0);
    assert_int_equal(agent(SYS_personality, 0x0040000, 0, 0), EPERM);
    assert_int_equal(agent(SYS_personality, 0xffffffff, 0, 0), 0);
    assert_int_equal(agent(SYS_seccomp, 1, 8, 0), EPERM);
    assert_int_equal(agent(SYS_seccomp, 1, 0, 0), EFAULT);
}

static void the_strict_profile_has_no_code_that_was_no_file(void **state)
{
    (void)state;
    assert_int_equal(agent(SYS_memfd_create, 0, 0, 0), EFAULT);
    assert_int_equal(outcome(JAIL_PROFILE_STRICT, SYS_memfd_create, 0, 0, 0), EPERM);
    assert_int_equal(outcome(JAIL_PROFILE_STRICT, SYS_execveat, -1, 0, 0), EPERM);
    assert_int_equal(outcome(JAIL_PROFILE_STRICT, SYS_mprotect, 0, 0, PROT_READ | PROT_WRITE | PROT_EXEC), EPERM);
    assert_int_equal(outcome(JAIL_PROFILE_STRICT, SYS_mprotect, 0, 0, PROT_READ | PROT_WRITE), 0);
    assert_int_equal(agent(SYS_mprotect, 0, 0, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
    assert_int_equal(outcome(JAIL_PROFILE_STRICT, SYS_seccomp, 1, 0, 0), EPERM);
}

/* Whatever else is asked for with them, and whatever stands in bits that the kernel drops. */
static void the_pool_of_huge_pages_is_not_reached(void **state)
{
    const long anonymous = MAP_PRIVATE | MAP_ANONYMOUS, upper = (long)(1UL << 62), size = 21L << 26 /* 2 MB */;
    const long maps[] = {anonymous | MAP_HUGETLB, anonymous | MAP_HUGETLB | size, anonymous | MAP_HUGETLB | upper, MAP_SHARED | MAP_HUGETLB};
    const long files[] = {MFD_HUGETLB, MFD_HUGETLB | MFD_CLOEXEC, MFD_HUGETLB | size, MFD_HUGETLB | upper};
    const long segments[] = {SHM_HUGETLB | IPC_CREAT | 0600, SHM_HUGETLB | IPC_CREAT | size, SHM_HUGETLB | upper};

    (void)state;
    for (int p = 0; p < JAIL_PROFILE_COUNT; p++) {
        enum jail_profile profile = (enum jail_profile)p;
        for (size_t i = 0; i < COUNT(maps); i++) {
            assert_int_equal(outcome_of_four(profile, SYS_mmap, 0, 2 << 20, PROT_READ | PROT_WRITE, maps[i]), EPERM);
        }
        for (size_t i = 0; i < COUNT(files); i++) {
            assert_int_equal(outcome(profile, SYS_memfd_create, (long)(uintptr_t) "x", files[i], 0), EPERM);
        }
        for (size_t i = 0; i < COUNT(segments); i++) {
            assert_int_equal(outcome(profile, SYS_shmget, IPC_PRIVATE, 2 << 20, segments[i]), EPERM);
        }
        assert_int_equal(outcome_of_four(profile, SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, anonymous | MAP_NORESERVE), 0);
        assert_int_equal(outcome_of_four(profile, SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC, anonymous), 0);
        assert_int_equal(outcome(profile, SYS_shmget, IPC_PRIVATE, 0, IPC_CREAT), EINVAL);
    }
    assert_int_equal(agent(SYS_memfd_create, (long)(uintptr_t) "x", MFD_CLOEXEC | MFD_ALLOW_SEALING, 0), 0);
    assert_int_equal(outcome_of_four(JAIL_PROFILE_STRICT, SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, anonymous), EPERM);
    assert_int_equal(outcome_of_four(JAIL_PROFILE_AGENT, SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, anonymous), 0);
}

/* A lease on a file of the machine would hold up who opens it there. */
static void no_lease_is_taken_on_a_file(void **state)
{
    static const int others[] = {F_DUPFD, F_GETFD, F_GETFL, F_GETLK, F_OFD_GETLK, F_GETOWN, F_GETSIG, F_DUPFD_CLOEXEC,
                                 F_GETPIPE_SZ, F_SETPIPE_SZ, F_ADD_SEALS, F_GET_SEALS, F_GETLEASE, F_GET_RW_HINT, 1027};

    (void)state;
    assert_int_equal(agent(SYS_fcntl, -1, F_SETLEASE, F_RDLCK), EPERM);
    assert_int_equal(agent(SYS_fcntl, -1, (long)(1UL << 32 | F_SETLEASE), F_RDLCK), EPERM);
    assert_int_equal(agent(SYS_fcntl, -1, F_NOTIFY, 0), EPERM);
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_int_equal(agent(SYS_fcntl, -1, others[i], 0), EBADF);
        assert_int_equal(outcome(JAIL_PROFILE_STRICT, SYS_fcntl, -1, (long)(1UL << 40 | (unsigned)others[i]), 0), EBADF);
    }
}

static void what_is_explained_is_what_happens(void **state)
{
    static const struct {
        const char *name;
        enum jail_answer agent, strict;
    } calls[] = {{"read", JAIL_ANSWER_ALLOW, JAIL_ANSWER_ALLOW},   {"clone", JAIL_ANSWER_SOME, JAIL_ANSWER_SOME},
                 {"clone3", JAIL_ANSWER_ENOSYS, JAIL_ANSWER_ENOSYS}, {"ptrace", JAIL_ANSWER_EPERM, JAIL_ANSWER_EPERM},
                 {"reboot", JAIL_ANSWER_KILL, JAIL_ANSWER_KILL},   {"mmap", JAIL_ANSWER_SOME, JAIL_ANSWER_SOME},
                 {"socket", JAIL_ANSWER_SOME, JAIL_ANSWER_EPERM},  {"memfd_create", JAIL_ANSWER_SOME, JAIL_ANSWER_EPERM},
                 {"io_setup", JAIL_ANSWER_ENOSYS, JAIL_ANSWER_ENOSYS}, {"shmget", JAIL_ANSWER_SOME, JAIL_ANSWER_SOME},
                 {"mprotect", JAIL_ANSWER_ALLOW, JAIL_ANSWER_SOME}};
    enum jail_answer answer;
    const char *note;

    (void)state;
    for (size_t i = 0; i < COUNT(calls); i++) {
        assert_true(jail_syscall_answer(JAIL_PROFILE_AGENT, calls[i].name, &answer, &note));
        assert_int_equal(answer, calls[i].agent);
        assert_true((note != NULL) == (answer == JAIL_ANSWER_SOME));
        assert_true(jail_syscall_answer(JAIL_PROFILE_STRICT, calls[i].name, &answer, &note));
        assert_int_equal(answer, calls[i].strict);
    }
    assert_false(jail_syscall_answer(JAIL_PROFILE_AGENT, "nonesuch", &answer, &note));
}

static void the_filters_of_the_build_are_those_of_the_table(void **state)
{
    (void)state;
    for (int i = 0; i < JAIL_PROFILE_COUNT; i++) {
        struct jail_filter made = {0};
        assert_true(jail_filter_make((enum jail_profile)i, JAIL_FILTER_PLAIN, &made, &err));
        assert_int_equal(made.n, jail_filters[i].n);
        assert_memory_equal(made.code, jail_filters[i].code, made.n * sizeof(*made.code));
        jail_filter_free(&made);
        assert_true(jail_filter_make((enum jail_profile)i, JAIL_FILTER_NOTIFY, &made, &err));
        assert_int_equal(made.n, jail_filters_notify[i].n);
        assert_memory_equal(made.code, jail_filters_notify[i].code, made.n * sizeof(*made.code));
        jail_filter_free(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_refused_is_eperm),
        cmocka_unit_test(what_programs_can_do_without_is_enosys),
        cmocka_unit_test(what_only_an_attack_calls_ends_it),
        cmocka_unit_test(a_receive_buffer_keeps_its_size),
        cmocka_unit_test(the_disks_of_the_machine_are_not_flushed),
        cmocka_unit_test(the_cache_of_files_is_not_dropped_or_asked),
        cmocka_unit_test(who_opens_a_file_is_not_watched),
        cmocka_unit_test(other_options_are_set),
        cmocka_unit_test(foreign_abis_end_it),
        cmocka_unit_test(new_namespaces_are_refused_however_they_are_asked_for),
        cmocka_unit_test(sockets_are_of_the_internet_or_routes),
        cmocka_unit_test(nothing_types_into_a_terminal_also_not_by_upper_bits),
        cmocka_unit_test(rights_are_not_taken_back_by_prctl),
        cmocka_unit_test(the_strict_profile_has_no_code_that_was_no_file),
        cmocka_unit_test(the_pool_of_huge_pages_is_not_reached),
        cmocka_unit_test(no_lease_is_taken_on_a_file),
        cmocka_unit_test(what_is_explained_is_what_happens),
        cmocka_unit_test(the_filters_of_the_build_are_those_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
