/* syscalls_table.c - names of system calls by the jail's answer. The base are the calls of ordinary programs
 * (interpreters, compilers, git, shells) and of their C libraries. */
#include "jail/filters/syscalls_table.h"

#include <stddef.h>

const char *const jail_calls_allowed[] = {
    /* memory */
    "brk", "madvise", "mincore", "mlock", "mlock2", "mlockall", "mremap", "munlock", "munlockall",
    "munmap", "process_madvise", "membarrier", "get_mempolicy", "pkey_alloc", "pkey_free", "remap_file_pages",
    /* processes and threads */
    "exit", "exit_group", "fork", "vfork", "execve", "wait4", "waitid", "waitpid", "getpid", "getppid", "gettid",
    "getpgid", "getpgrp", "getsid", "setpgid", "setsid", "set_tid_address", "set_robust_list", "get_robust_list",
    "futex", "futex_time64", "futex_waitv", "rseq", "arch_prctl", "set_thread_area", "get_thread_area", "capget",
    "capset", "getpriority", "setpriority", "getrlimit", "setrlimit", "ugetrlimit", "prlimit64", "getrusage",
    "times", "ioprio_get", "ioprio_set", "process_mrelease", "pidfd_open", "pidfd_send_signal", "getcpu",
    "restart_syscall",
    /* scheduling */
    "sched_yield", "sched_getaffinity", "sched_setaffinity", "sched_getattr", "sched_setattr", "sched_getparam",
    "sched_setparam", "sched_getscheduler", "sched_setscheduler", "sched_get_priority_max",
    "sched_get_priority_min", "sched_rr_get_interval", "sched_rr_get_interval_time64",
    /* users */
    "getuid", "geteuid", "getgid", "getegid", "getgroups", "getresuid", "getresgid", "setuid", "setgid", "setreuid",
    "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid", "setgroups", "umask",
    /* signals */
    "kill", "tkill", "tgkill", "pause", "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigqueueinfo",
    "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "rt_sigtimedwait_time64", "rt_tgsigqueueinfo",
    "sigaltstack", "sigreturn", "signalfd", "signalfd4",
    /* time */
    "alarm", "clock_getres", "clock_getres_time64", "clock_gettime", "clock_gettime64", "clock_nanosleep",
    "clock_nanosleep_time64", "getitimer", "setitimer", "gettimeofday", "nanosleep", "time", "timer_create",
    "timer_delete", "timer_getoverrun", "timer_gettime", "timer_gettime64", "timer_settime", "timer_settime64",
    "timerfd_create", "timerfd_gettime", "timerfd_gettime64", "timerfd_settime", "timerfd_settime64",
    /* files */
    "access", "chdir", "chmod", "chown", "close", "close_range", "copy_file_range", "creat", "dup", "dup2", "dup3",
    "faccessat", "faccessat2", "fallocate", "fchdir", "fchmod", "fchmodat", "fchown", "fchownat",
    "fgetxattr", "flistxattr", "flock", "fremovexattr", "fsetxattr", "fstat",
    "fstat64", "fstatat64", "fstatfs", "fstatfs64", "ftruncate", "ftruncate64", "futimesat", "getcwd",
    "getdents", "getdents64", "getxattr", "lchown", "lgetxattr", "link", "linkat", "listxattr", "llistxattr",
    "lremovexattr", "lseek", "_llseek", "lsetxattr", "lstat", "lstat64", "mkdir", "mkdirat", "mknod", "mknodat",
    "newfstatat", "open", "openat", "openat2", "pread64", "preadv", "pwrite64", "pwritev", "pwritev2",
    "read", "readlink", "readlinkat", "readv", "removexattr", "rename", "renameat", "renameat2",
    "rmdir", "sendfile", "sendfile64", "setxattr", "splice", "stat", "stat64", "statfs", "statfs64", "statx",
    "symlink", "symlinkat", "tee", "truncate", "truncate64", "unlink",
    "unlinkat", "utime", "utimensat", "utimensat_time64", "utimes", "write", "writev", "inotify_init",
    "inotify_init1", "inotify_rm_watch",
    /* waiting */
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_ctl_old", "epoll_pwait", "epoll_pwait2", "epoll_wait",
    "epoll_wait_old", "eventfd", "eventfd2", "pipe", "pipe2", "poll", "ppoll", "ppoll_time64", "pselect6",
    "pselect6_time64", "select", "_newselect",
    /* sockets; which kinds, socket's own rules say */
    "accept", "accept4", "bind", "connect", "getpeername", "getsockname", "getsockopt", "listen", "recv",
    "recvfrom", "recvmmsg", "recvmmsg_time64", "recvmsg", "send", "sendmmsg", "sendmsg", "sendto", "shutdown",
    /* shared memory and queues, in a namespace of their own */
    "mq_getsetattr", "mq_notify", "mq_open", "mq_timedreceive", "mq_timedsend", "mq_unlink", "msgctl", "msgget",
    "msgrcv", "msgsnd", "semctl", "semget", "semop", "semtimedop", "shmat", "shmctl", "shmdt",
    /* the rest */
    "getrandom", "sysinfo", "uname",
    "landlock_restrict_self", /* the launcher's own last step; without a ruleset it is nothing */
    NULL};

/* Code that was never a file, and mechanisms that the program puts around its own children. */
const char *const jail_calls_allowed_agent[] = {
    "execveat", "landlock_create_ruleset", "landlock_add_rule",
    NULL};

/* clone3 hides its flags in memory, io_uring its calls; the C libraries fall back. The contexts of asynchronous input and
 * output (io_setup) have one limit for the whole machine. */
const char *const jail_calls_absent[] = {
    "clone3", "io_uring_setup", "io_uring_enter", "io_uring_register", "io_setup", "io_destroy", "io_submit", "io_cancel",
    "io_getevents", "io_pgetevents", "io_pgetevents_time64", "open_tree", "move_mount", "fsopen",
    "fsconfig", "fsmount", "fspick", "mount_setattr",
    NULL};

/* All that a jail writes is in memory: these would flush the machine's disks, and others' writes would wait, or change which
 * pages of everybody's files are in memory. */
const char *const jail_calls_ignored[] = {
    "sync", "syncfs", "fsync", "fdatasync", "sync_file_range", "fadvise64", "readahead",
    NULL};

const char *const jail_calls_fatal[] = {
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "swapon", "swapoff",
    "iopl", "ioperm", "uselib", "_sysctl", "nfsservctl", "create_module", "query_module", "get_kernel_syms",
    NULL};

/* Refused like others that are not listed. No ordinary program asks for these, so it is known who did. */
const char *const jail_calls_notified[] = {
    "mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "ptrace", "process_vm_readv", "process_vm_writev",
    "bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key", "open_by_handle_at", "fanotify_init",
    "pidfd_getfd", "kcmp", "acct", "quotactl", "settimeofday", "clock_settime", "sethostname", "setdomainname", "syslog",
    "vhangup", "modify_ldt",
    NULL};

const char *const jail_calls_learned[] = {"open", "creat", "openat", "openat2", "execve", NULL};
