/* cgroup.c - invariants:
 *
 * - paths are noted (jail_cgroups_name) before a group is made, so another process can remove groups of this one;
 * - a tree's fd is -1 until its group exists, and every function skips such trees;
 * - no process moves another one: init is created in the version 2 group and joins the others itself;
 * - groups are removed only by rmdir, which the kernel refuses while a process is left. */
#include "jail/cgroup/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"

enum {
    TEXT_MAX = 1024 * 1024,  /* of /proc files; a mountinfo of containers has some 100 KiB */
    CPU_PERIOD_US = 100000,  /* the kernel's default */
    REMOVE_TRIES = 200,      /* with REMOVE_WAIT_NS: one second, which the kernel may take to reap the last process */
    REMOVE_WAIT_NS = 5000000,
    SOCKETS_PART = 4,        /* of the memory limit, for socket buffers of version 1 */
};

#define PREFIX "filterd-jail-"
enum { ABANDONED_S = 2 }; /* longer than the time between mkdir and init joining */

static const char *const controller_names[JAIL_CONTROLLER_COUNT] = {"memory", "pids", "cpu", "cpuacct", "freezer"};

/* --- where they are ------------------------------------------------------- */

static bool take_line(struct span *text, struct span *line)
{
    if (text->len == 0) {
        return false;
    }
    const char *end = memchr(text->ptr, '\n', text->len);
    size_t len = end == NULL ? text->len : (size_t)(end - text->ptr);
    *line = span_of(text->ptr, len);
    *text = span_slice(*text, end == NULL ? len : len + 1, text->len);
    return true;
}

static bool take_word(struct span *text, char separator, struct span *word)
{
    if (text->len == 0) {
        return false;
    }
    const char *end = memchr(text->ptr, separator, text->len);
    size_t len = end == NULL ? text->len : (size_t)(end - text->ptr);
    *word = span_of(text->ptr, len);
    *text = span_slice(*text, end == NULL ? len : len + 1, text->len);
    return true;
}

/* "memory" or "rw,cpu,cpuacct" to bits. */
static unsigned controllers_in(struct span list, char separator)
{
    unsigned bits = 0;
    struct span word;

    while (take_word(&list, separator, &word)) {
        for (unsigned i = 0; i < JAIL_CONTROLLER_COUNT; i++) {
            if (span_is(word, controller_names[i])) {
                bits |= 1U << i;
            }
        }
    }
    return bits;
}

/* A line of mountinfo: "36 35 98:0 /root /mount opts … - type source superopts". */
static bool read_mount(struct span line, struct span *root, struct span *place, struct span *type, struct span *options)
{
    struct span word;

    for (int i = 0; i < 5; i++) {
        if (!take_word(&line, ' ', &word)) {
            return false;
        }
        *root = i == 3 ? word : *root;
        *place = i == 4 ? word : *place;
    }
    while (take_word(&line, ' ', &word) && !span_is(word, "-")) {
    }
    return take_word(&line, ' ', type) && take_word(&line, ' ', &word) && take_word(&line, ' ', options);
}

/* The line of /proc/self/cgroup for these controllers ("4:memory:/a") or for version 2 ("0::/a"). */
static bool find_membership(struct span membership, bool is_unified, unsigned controllers, struct span *path)
{
    struct span line, number, names;

    while (take_line(&membership, &line)) {
        if (!take_word(&line, ':', &number) || line.len == 0) {
            continue;
        }
        bool has_no_names = line.ptr[0] == ':';
        if (!take_word(&line, ':', &names)) {
            continue;
        }
        bool is_it = is_unified ? has_no_names && span_is(number, "0")
                                : (controllers_in(names, ',') & controllers) != 0;
        if (is_it) {
            *path = line;
            return true;
        }
    }
    return false;
}

static void add_tree(struct jail_cgroups *g, struct span membership, struct span line)
{
    struct span root = {0}, place = {0}, type = {0}, options = {0}, path = {0};

    if (g->n == JAIL_TREES_MAX || !read_mount(line, &root, &place, &type, &options)) {
        return;
    }
    bool is_unified = span_is(type, "cgroup2");
    unsigned controllers = span_is(type, "cgroup") ? controllers_in(options, ',') : 0;
    if ((!is_unified && controllers == 0) || !find_membership(membership, is_unified, controllers, &path)) {
        return;
    }
    if (root.len > 1 && span_starts_with(path, root)) {
        path = span_slice(path, root.len, path.len); /* the mount shows only a part of the hierarchy */
    }
    if (span_starts_with(path, span_str("/.."))) {
        return; /* outside of what is mounted here */
    }
    if (span_is(path, "/")) {
        path.len = 0;
    }
    struct jail_tree *tree = &g->trees[g->n];
    *tree = (struct jail_tree){.controllers = controllers, .is_unified = is_unified, .fd = -1, .reason = ENOENT};
    int len = snprintf(tree->parent, sizeof(tree->parent), SPAN_FMT SPAN_FMT, SPAN_ARG(place), SPAN_ARG(path));
    if (len > 0 && (size_t)len < sizeof(tree->parent)) {
        g->n++;
    }
}

void jail_cgroups_find(struct jail_cgroups *g, struct span membership, struct span mounts)
{
    struct span line;

    g->n = 0;
    while (take_line(&mounts, &line)) {
        add_tree(g, membership, line);
    }
}

bool jail_cgroups_find_own(struct jail_cgroups *g, struct error *err)
{
    struct buf membership CLEANUP(buf_deinit), mounts CLEANUP(buf_deinit);

    g->n = 0;
    buf_init(&membership, TEXT_MAX);
    buf_init(&mounts, TEXT_MAX);
    if (!file_read("/proc/self/cgroup", &membership, err) || !file_read("/proc/self/mountinfo", &mounts, err)) {
        return false;
    }
    jail_cgroups_find(g, buf_span(&membership), buf_span(&mounts));
    return true;
}

/* --- files of a group ----------------------------------------------------- */

static bool write_at(int folder, const char *file, const char *text)
{
    int fd CLEANUP(cleanup_fd) = openat(folder, file, O_WRONLY | O_CLOEXEC);

    return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

bool jail_cgroup_read(int folder, const char *file, char *text, size_t size)
{
    int fd CLEANUP(cleanup_fd) = openat(folder, file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

    text[n < 0 ? 0 : n] = '\0';
    return n >= 0;
}

static bool set_limit(const struct jail_tree *tree, const char *file, int64_t value, struct error *err)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "%" PRId64, value);
    return write_at(tree->fd, file, text) || error_errno(err, "%s/%s", tree->path, file);
}

/* --- making and removing -------------------------------------------------- */

void jail_cgroups_name(struct jail_cgroups *g, const char *name)
{
    for (size_t i = 0; i < g->n; i++) {
        struct jail_tree *tree = &g->trees[i];
        char path[sizeof(tree->path)];
        int len = snprintf(path, sizeof(path), "%s/" PREFIX "%s", tree->parent, name);
        bool has_fit = len > 0 && (size_t)len < sizeof(path);
        memcpy(tree->path, has_fit ? path : "", has_fit ? (size_t)len + 1 : 1);
    }
}

static unsigned read_controllers(int folder)
{
    char names[256];

    if (!jail_cgroup_read(folder, "cgroup.controllers", names, sizeof(names))) {
        return 0;
    }
    names[strcspn(names, "\n")] = '\0';
    return controllers_in(span_str(names), ' ');
}

/* Version 2 passes a controller on only where the parent enables it. */
static void enable_controllers(struct jail_tree *tree)
{
    int parent CLEANUP(cleanup_fd) = open(tree->parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    unsigned offered = parent < 0 ? 0 : read_controllers(parent);

    tree->controllers = offered == 0 ? 0 : read_controllers(tree->fd);
    for (unsigned i = 0; i < JAIL_CONTROLLER_CPUACCT; i++) {
        char word[16];
        if ((offered & ~tree->controllers & 1U << i) != 0) {
            (void)snprintf(word, sizeof(word), "+%s", controller_names[i]);
            (void)write_at(parent, "cgroup.subtree_control", word); /* what could not be enabled shows below */
        }
    }
    tree->controllers = offered == 0 ? 0 : read_controllers(tree->fd);
}

/* "filterd-jail-PID-…": its maker is dead, and the group is older than the time it takes to put a process in. */
static bool is_abandoned(int parent, const char *name)
{
    struct stat info;
    char *end = NULL;

    if (strncmp(name, PREFIX, sizeof(PREFIX) - 1) != 0) {
        return false;
    }
    long pid = strtol(name + sizeof(PREFIX) - 1, &end, 10);
    return pid > 0 && *end == '-' && kill((pid_t)pid, 0) != 0 && errno == ESRCH &&
           fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && time(NULL) - info.st_mtime >= ABANDONED_S;
}

/* The kernel refuses to remove a group that is not empty. */
static void sweep(const struct jail_tree *tree)
{
    DIR *parent = opendir(tree->parent);

    /* No other thread has this stream. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (const struct dirent *e = parent == NULL ? NULL : readdir(parent); e != NULL; e = readdir(parent)) {
        if (is_abandoned(dirfd(parent), e->d_name)) {
            (void)unlinkat(dirfd(parent), e->d_name, AT_REMOVEDIR);
        }
    }
    if (parent != NULL) {
        (void)closedir(parent);
    }
}

static void make_tree(struct jail_tree *tree)
{
    if (mkdir(tree->path, 0755) != 0) {
        tree->reason = errno;
        return;
    }
    tree->fd = open(tree->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    tree->reason = errno;
    if (tree->fd >= 0 && tree->is_unified) {
        enable_controllers(tree);
    }
}

/* Version 2 freezes and accounts without a controller, and each further group takes time at the start. */
static bool is_covered(const struct jail_cgroups *g, const struct jail_tree *tree)
{
    const unsigned covered = 1U << JAIL_CONTROLLER_FREEZER | 1U << JAIL_CONTROLLER_CPUACCT;

    return jail_cgroups_unified(g) != NULL && !tree->is_unified && (tree->controllers & ~covered) == 0;
}

/* The version 2 tree first: what it covers is not made in version 1. */
static void make_trees(struct jail_cgroups *g, bool is_unified)
{
    for (size_t i = 0; i < g->n; i++) {
        struct jail_tree *tree = &g->trees[i];
        if (tree->is_unified == is_unified && tree->path[0] != '\0' && !is_covered(g, tree)) {
            make_tree(tree);
        }
    }
}

void jail_cgroups_make(struct jail_cgroups *g)
{
    make_trees(g, true);
    make_trees(g, false);
}

static bool remove_tree(const char *path)
{
    const struct timespec wait = {.tv_nsec = REMOVE_WAIT_NS};

    for (int i = 0; path[0] != '\0' && i < REMOVE_TRIES; i++) {
        if (rmdir(path) == 0 || (errno != EBUSY && errno != EINTR)) {
            return errno == ENOENT || access(path, F_OK) != 0;
        }
        (void)nanosleep(&wait, NULL);
    }
    return path[0] == '\0';
}

bool jail_cgroups_remove(struct jail_cgroups *g)
{
    bool is_gone = true;

    for (size_t i = 0; i < g->n; i++) {
        is_gone &= remove_tree(g->trees[i].path);
    }
    return is_gone;
}

void jail_cgroups_sweep(const struct jail_cgroups *g)
{
    for (size_t i = 0; i < g->n; i++) {
        if (g->trees[i].path[0] != '\0' && !is_covered(g, &g->trees[i])) {
            sweep(&g->trees[i]);
        }
    }
}

void jail_cgroups_close(struct jail_cgroups *g)
{
    for (size_t i = 0; i < g->n; i++) {
        cleanup_fd(&g->trees[i].fd);
        g->trees[i].fd = -1;
    }
}

const struct jail_tree *jail_cgroups_with(const struct jail_cgroups *g, enum jail_controller controller)
{
    for (size_t i = 0; i < g->n; i++) {
        if (g->trees[i].fd >= 0 && (g->trees[i].controllers & 1U << controller) != 0) {
            return &g->trees[i];
        }
    }
    return NULL;
}

const struct jail_tree *jail_cgroups_unified(const struct jail_cgroups *g)
{
    for (size_t i = 0; i < g->n; i++) {
        if (g->trees[i].fd >= 0 && g->trees[i].is_unified) {
            return &g->trees[i];
        }
    }
    return NULL;
}

bool jail_cgroups_open_fds(const struct jail_cgroups *g, int fds[JAIL_TREES_MAX], struct error *err)
{
    bool is_open = true;

    for (size_t i = 0; i < JAIL_TREES_MAX; i++) {
        bool is_v1 = i < g->n && g->trees[i].fd >= 0 && !g->trees[i].is_unified;
        fds[i] = is_v1 ? openat(g->trees[i].fd, "tasks", O_WRONLY | O_CLOEXEC) : -1;
        if (is_v1 && fds[i] < 0) {
            is_open = error_errno(err, "%s/tasks", g->trees[i].path);
        }
    }
    return is_open;
}

bool jail_cgroups_join(const int fds[JAIL_TREES_MAX], struct error *err)
{
    for (size_t i = 0; i < JAIL_TREES_MAX; i++) {
        if (fds[i] >= 0 && write(fds[i], "0", 1) != 1) {
            return error_errno(err, "control group");
        }
    }
    return true;
}

bool jail_cgroups_fork(const struct jail_cgroups *g, pid_t *pid, struct error *err)
{
    const struct jail_tree *unified = jail_cgroups_unified(g);
    struct clone_args args = {.exit_signal = SIGCHLD};
    int fds[JAIL_TREES_MAX];

    if (unified != NULL) {
        args.flags = CLONE_INTO_CGROUP;
        args.cgroup = (__u64)unified->fd;
    }
    bool is_made = jail_cgroups_open_fds(g, fds, err);
    if (is_made) {
        *pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
        is_made = *pid >= 0 || error_errno(err, "clone3");
    }
    if (is_made && *pid == 0 && !jail_cgroups_join(fds, err)) {
        _exit(EXIT_FAILURE);
    }
    for (size_t i = 0; i < COUNT(fds); i++) {
        cleanup_fd(&fds[i]);
    }
    return is_made;
}

/* --- limits --------------------------------------------------------------- */

static const struct jail_tree *need(const struct jail_cgroups *g, enum jail_controller controller, struct error *err)
{
    const struct jail_tree *tree = jail_cgroups_with(g, controller);

    if (tree == NULL) {
        error_set(err, ERROR_NOT_FOUND, "no control group with %s can be made here", controller_names[controller]);
    }
    return tree;
}

bool jail_cgroups_limit_memory(const struct jail_cgroups *g, int64_t bytes, struct error *err)
{
    const struct jail_tree *tree = need(g, JAIL_CONTROLLER_MEMORY, err);

    if (tree == NULL || tree->is_unified) {
        return tree != NULL && set_limit(tree, "memory.max", bytes, err);
    }
    /* Version 1 counts socket buffers separately, and only once a limit is set; not every kernel can. */
    (void)!set_limit(tree, "memory.kmem.tcp.limit_in_bytes", bytes / SOCKETS_PART, err);
    return set_limit(tree, "memory.limit_in_bytes", bytes, err);
}

static bool machine_has_no_swap(void)
{
    struct buf swaps CLEANUP(buf_deinit);
    struct error ignored;

    buf_init(&swaps, TEXT_MAX);
    if (!file_read("/proc/swaps", &swaps, &ignored)) {
        return false;
    }
    struct span text = buf_span(&swaps), line;
    return take_line(&text, &line) && !take_line(&text, &line); /* a head and no row */
}

bool jail_cgroups_limit_swap(const struct jail_cgroups *g, int64_t memory, int64_t swap, struct error *err)
{
    const struct jail_tree *tree = need(g, JAIL_CONTROLLER_MEMORY, err);
    int64_t both = 0;

    if (tree == NULL || __builtin_add_overflow(memory, swap, &both)) {
        return tree != NULL; /* unlimited together */
    }
    bool is_set = tree->is_unified ? set_limit(tree, "memory.swap.max", swap, err)
                                   : set_limit(tree, "memory.memsw.limit_in_bytes", both, err);
    return is_set || machine_has_no_swap();
}

bool jail_cgroups_limit_pids(const struct jail_cgroups *g, int64_t n, struct error *err)
{
    const struct jail_tree *tree = need(g, JAIL_CONTROLLER_PIDS, err);

    return tree != NULL && set_limit(tree, "pids.max", n, err);
}

bool jail_cgroups_limit_cpu(const struct jail_cgroups *g, int64_t thousandths, struct error *err)
{
    const struct jail_tree *tree = need(g, JAIL_CONTROLLER_CPU, err);
    int64_t quota = thousandths * CPU_PERIOD_US / 1000;
    char text[48];

    if (tree == NULL) {
        return false;
    }
    if (!tree->is_unified) {
        return set_limit(tree, "cpu.cfs_quota_us", quota, err); /* of the period that a new group has: 100 ms */
    }
    (void)snprintf(text, sizeof(text), "%" PRId64 " %d", quota, CPU_PERIOD_US);
    return write_at(tree->fd, "cpu.max", text) || error_errno(err, "%s/cpu.max", tree->path);
}
