#include "jail/ctl/features.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "jail/kill/kill.h"
#include "base/landlock.h"
#include "jail/root/mounts.h"

struct list {
    struct jail_feature *items;
    size_t n;
};

static void add(struct list *l, const char *name, bool is_needed, bool is_there, const char *detail)
{
    struct jail_feature *f = &l->items[l->n++];

    *f = (struct jail_feature){.name = name, .is_there = is_there, .is_needed = is_needed};
    (void)snprintf(f->detail, sizeof(f->detail), "%s", detail);
}

static void find_kernel(struct list *l)
{
    struct utsname name;
    unsigned major = 0, minor = 0;

    (void)uname(&name);
    char *end = NULL;
    major = (unsigned)strtoul(name.release, &end, 10);
    minor = *end == '.' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
    add(l, "kernel 5.14", true, major > 5 || (major == 5 && minor >= 14), name.release);
}

static int try_in_namespaces(void)
{
    struct error err;
    int proc CLEANUP(cleanup_fd) = -1;

    /* /proc of a new pid namespace is refused where the machine's own is covered in part. */
    static const struct jail_mount_option options[] = {{"hidepid", "invisible"}, {"subset", "pid"}};
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 || unshare(CLONE_NEWCGROUP) != 0) {
        return 1;
    }
    proc = jail_mount_new("proc", options, 2, JAIL_MOUNT_READ_ONLY, &err);
    return proc < 0 ? 2 : 0;
}

/* All namespaces at once, as a jail has them. */
static void find_namespaces(struct list *l)
{
    struct clone_args args = {.flags = (__u64)CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                                       CLONE_NEWUTS,
                              .exit_signal = SIGCHLD};
    int status = 0;
    long pid = syscall(SYS_clone3, &args, sizeof(args));
    int reason = errno;

    if (pid == 0) {
        _exit(try_in_namespaces());
    }
    if (pid < 0 || waitpid((pid_t)pid, &status, 0) != pid) {
        char detail[200];
        (void)snprintf(detail, sizeof(detail), "clone3: %s (user.max_user_namespaces, AppArmor or a container may forbid it)",
                       strerror(reason)); /* NOLINT(concurrency-mt-unsafe): no thread */
        add(l, "namespaces", true, false, detail);
        return;
    }
    bool is_good = WIFEXITED(status) && WEXITSTATUS(status) != 1;
    add(l, "namespaces", true, is_good, is_good ? "user, mount, pid, net, ipc, uts, cgroup" : "mounts cannot be made private");
    add(l, "proc", false, is_good && WEXITSTATUS(status) == 0, "a /proc of its own, hidepid and subset");
}

static void find_landlock(struct list *l)
{
    int version = landlock_version();
    char detail[64];

    (void)snprintf(detail, sizeof(detail), "version %d", version);
    add(l, "landlock", false, version > 0, version > 0 ? detail : "not in this kernel, or not enabled (lsm=)");
    add(l, "landlock_scopes", false, version >= 6, version >= 6 ? detail : "Landlock 6 (Linux 6.12) expected");
}

static void find_seccomp(struct list *l)
{
    uint32_t action = SECCOMP_RET_KILL_PROCESS;
    bool is_there = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;

    add(l, "seccomp", true, is_there, is_there ? "filters, with kill_process" : "the kernel has none");
}

static const char *describe_group(const struct jail_cgroups *g, enum jail_controller controller, const char *missing)
{
    const struct jail_tree *tree = jail_cgroups_with(g, controller);

    return tree == NULL ? missing : tree->is_unified ? "version 2" : "version 1";
}

/* Groups of its own for a moment; then what the kill needs of them. */
static void find_groups(struct list *l)
{
    static const char missing[] = "no group can be made below this process's own (root, or a delegated group)";
    struct jail_cgroups g;
    struct jail_kill_target target;
    struct error err;
    char name[32];

    (void)snprintf(name, sizeof(name), "%d-doctor", (int)getpid());
    if (!jail_cgroups_find_own(&g, &err)) {
        g.n = 0;
    }
    jail_cgroups_name(&g, name);
    jail_cgroups_make(&g);
    jail_kill_open(&target, &g, -1);
    add(l, "memory", false, jail_cgroups_with(&g, JAIL_CONTROLLER_MEMORY) != NULL,
        describe_group(&g, JAIL_CONTROLLER_MEMORY, missing));
    add(l, "pids", false, true,
        describe_group(&g, JAIL_CONTROLLER_PIDS, "RLIMIT_NPROC of the user namespace; no group has it"));
    add(l, "cpu", false, jail_cgroups_with(&g, JAIL_CONTROLLER_CPU) != NULL,
        describe_group(&g, JAIL_CONTROLLER_CPU, missing));
    add(l, "cpu_time", false, jail_cgroups_cpu_ms(&g) >= 0, jail_cgroups_cpu_ms(&g) >= 0 ? "counted" : missing);
    add(l, "kill", false, jail_kill_is_ready(&target) && target.kill >= 0,
        target.kill >= 0 ? "cgroup.kill"
        : target.folder >= 0 ? "version 1 only: freezer and SIGKILL to each"
                            : "SIGKILL to init only: slow under a fork bomb");
    jail_kill_close(&target);
    jail_cgroups_close(&g);
    (void)jail_cgroups_remove(&g);
}

static void find_nesting(struct list *l)
{
    static const char missing[] = "/proc/sys is not there";
    bool has_nesting = access("/proc/sys/user/max_user_namespaces", R_OK) == 0, has_tables = access("/proc/sys/user/max_inotify_instances", R_OK) == 0;

    add(l, "no_nesting", false, has_nesting, has_nesting ? "user.max_user_namespaces" : missing);
    add(l, "tables", false, has_tables, has_tables ? "user.max_inotify_instances and others" : missing);
}

/* A limit of 1 byte prevents core files, also for a program that core_pattern names; 0 would start that
 * program, outside of the jail. Who has 0 as the most cannot have 1. */
static void find_core(struct list *l)
{
    struct rlimit limit = {0, 0};
    char pattern = '\0';
    int fd CLEANUP(cleanup_fd) = open("/proc/sys/kernel/core_pattern", O_RDONLY | O_CLOEXEC);

    (void)getrlimit(RLIMIT_CORE, &limit);
    bool is_pipe = fd < 0 || read(fd, &pattern, 1) != 1 || pattern == '|';
    add(l, "core", false, !is_pipe || limit.rlim_max > 0,
        !is_pipe             ? "no program is started for a core file"
        : limit.rlim_max > 0 ? "core_pattern starts a program; the jail's limit keeps it from that"
                             : "core_pattern starts a program, and the hard limit of core files is 0 (ulimit -Hc)");
}

size_t jail_features_find(struct jail_feature found[JAIL_FEATURES_MAX])
{
    struct list l = {.items = found};

    find_kernel(&l);
    find_namespaces(&l);
    find_seccomp(&l);
    find_landlock(&l);
    find_nesting(&l);
    find_core(&l);
    find_groups(&l);
    return l.n;
}
