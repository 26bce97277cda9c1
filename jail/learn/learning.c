#include "jail/learn/learning.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "jail/filters/syscalls.h"

enum { AT_ONCE = 64, ROOM = 1024, PAGE = 4096 };

const struct jail_filter *const jail_learning_filter = &jail_filter_learning;

void jail_learning_init(struct jail_learning *l, const struct jail_policy *p)
{
    *l = (struct jail_learning){.policy = p, .root = -1};
}

static void free_list(char **list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(list[i]);
    }
    free(list);
}

void jail_learning_deinit(struct jail_learning *l)
{
    free_list(l->paths, l->n_paths);
    free_list(l->missing, l->n_missing);
    cleanup_fd(&l->root);
    jail_learning_init(l, l->policy);
}

/* --- sorted lists --------------------------------------------------------- */

/* Where `path` is or belongs. */
static size_t place_of(char *const *list, size_t n, const char *path)
{
    size_t from = 0, to = n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (strcmp(list[middle], path) < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

static void note(struct jail_learning *l, char ***list, size_t *n, const char *path)
{
    size_t at = place_of(*list, *n, path);

    if (at < *n && strcmp((*list)[at], path) == 0) {
        return;
    }
    char **grown = *n == JAIL_LEARNED_PATHS_MAX ? NULL : reallocarray(*list, *n + 1, sizeof(**list));
    char *copy = grown == NULL ? NULL : strdup(path);
    *list = grown == NULL ? *list : grown;
    if (copy == NULL) {
        l->has_overflown = true;
        return;
    }
    memmove(*list + at + 1, *list + at, (*n - at) * sizeof(**list));
    (*list)[at] = copy;
    (*n)++;
}

/* --- what a call names ---------------------------------------------------- */

/* A text of the process's memory, which may change as it is read: it is noted, nothing is decided by it. */
static bool read_text(unsigned pid, uint64_t address, char text[PATH_MAX])
{
    char path[64];
    size_t len = 0;

    (void)snprintf(path, sizeof(path), "/proc/%u/mem", pid);
    int fd CLEANUP(cleanup_fd) = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && len < PATH_MAX) {
        size_t step = PAGE - (size_t)((address + len) % PAGE);
        step = step > PATH_MAX - len ? PATH_MAX - len : step;
        ssize_t n = pread(fd, text + len, step, (off_t)(address + len));
        if (n <= 0) {
            return false;
        }
        if (memchr(text + len, '\0', (size_t)n) != NULL) {
            return true;
        }
        len += (size_t)n;
    }
    return false;
}

/* The folder that a relative path starts from, as the jail names it. */
static bool read_base(unsigned pid, int folder, char base[PATH_MAX])
{
    char link[64];

    if (folder == AT_FDCWD) {
        (void)snprintf(link, sizeof(link), "/proc/%u/cwd", pid);
    } else {
        (void)snprintf(link, sizeof(link), "/proc/%u/fd/%d", pid, folder);
    }
    ssize_t n = readlink(link, base, PATH_MAX - 1);
    base[n < 0 ? 0 : n] = '\0';
    return n > 0 && base[0] == '/';
}

static bool name_whole(unsigned pid, int folder, const char *path, char whole[PATH_MAX])
{
    char base[PATH_MAX] = "";

    if (path[0] != '/' && !read_base(pid, folder, base)) {
        return false;
    }
    return (size_t)snprintf(whole, PATH_MAX, "%s%s%s", base, path[0] == '/' ? "" : "/", path) < PATH_MAX;
}

/* What is there by that name in the jail, links undone; false: nothing. */
static bool find_inside(const struct jail_learning *l, const char *path, char real[PATH_MAX])
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    char link[64];
    int fd CLEANUP(cleanup_fd) = (int)syscall(SYS_openat2, l->root, path, &how, sizeof(how));

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = fd < 0 ? -1 : readlink(link, real, PATH_MAX - 1);
    real[n < 0 ? 0 : n] = '\0';
    return n > 0;
}

static bool is_within(const char *path, const char *folder)
{
    size_t len = strlen(folder);

    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static void note_path(struct jail_learning *l, const char *path, bool is_run)
{
    char real[PATH_MAX];

    if (!find_inside(l, path, real)) {
        if (access(path, F_OK) == 0 && !is_within(path, "/proc") && !is_within(path, "/sys") && !is_within(path, "/dev")) {
            note(l, &l->missing, &l->n_missing, path);
        }
        return;
    }
    size_t len = strlen(real);
    bool is_library = strstr(real, ".so") != NULL || (len > 5 && strcmp(real + len - 5, ".node") == 0);
    l->runs_work |= (is_run || is_library) && is_within(real, l->policy->work_path);
    l->runs_tmp |= (is_run || is_library) && is_within(real, "/tmp");
    for (size_t i = 0; i < l->policy->n_inputs; i++) {
        if (is_within(real, l->policy->inputs[i].to)) {
            note(l, &l->paths, &l->n_paths, real);
        }
        /* A link that leads there is needed as well. */
        if (is_within(path, l->policy->inputs[i].to) && strstr(path, "/..") == NULL && strstr(path, "/./") == NULL) {
            note(l, &l->paths, &l->n_paths, path);
        }
    }
}

/* --- room ----------------------------------------------------------------- */

static void look_at_room(const struct jail_learning *l, const char *folder, int64_t *bytes, int64_t *inodes)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    struct statfs room;
    int fd CLEANUP(cleanup_fd) = (int)syscall(SYS_openat2, l->root, folder, &how, sizeof(how));

    if (fd >= 0 && fstatfs(fd, &room) == 0) {
        int64_t used = (int64_t)(room.f_blocks - room.f_bfree) * room.f_bsize;
        int64_t files = (int64_t)(room.f_files - room.f_ffree);
        *bytes = used > *bytes ? used : *bytes;
        *inodes = files > *inodes ? files : *inodes;
    }
}

/* --- calls ---------------------------------------------------------------- */

/* What the arguments of a call are: a path and a folder that it starts from, or a need. */
static const struct observed {
    int number;
    int folder, path; /* index of the argument; -1: none; folder -1 with a path: the current one */
    bool is_run;
    unsigned need;
} observed[] = {
    {SCMP_SYS(open), -1, 0, false, 0},
    {SCMP_SYS(creat), -1, 0, false, 0},
    {SCMP_SYS(openat), 0, 1, false, 0},
    {SCMP_SYS(openat2), 0, 1, false, 0},
    {SCMP_SYS(execve), -1, 0, true, 0},
    {SCMP_SYS(execveat), 0, 1, true, 0},
    {SCMP_SYS(socket), -1, -1, false, JAIL_NEED_SOCKETS},
    {SCMP_SYS(mmap), -1, -1, false, JAIL_NEED_CODE_IN_MEMORY},
    {SCMP_SYS(mprotect), -1, -1, false, JAIL_NEED_CODE_IN_MEMORY},
    {SCMP_SYS(pkey_mprotect), -1, -1, false, JAIL_NEED_CODE_IN_MEMORY},
    {SCMP_SYS(memfd_create), -1, -1, false, JAIL_NEED_FILELESS},
    {SCMP_SYS(landlock_create_ruleset), -1, -1, false, JAIL_NEED_OWN_WALLS},
    {SCMP_SYS(landlock_add_rule), -1, -1, false, JAIL_NEED_OWN_WALLS},
    {SCMP_SYS(seccomp), -1, -1, false, JAIL_NEED_OWN_WALLS},
};

static void open_root(struct jail_learning *l, unsigned pid)
{
    char path[64];

    if (l->root < 0) {
        (void)snprintf(path, sizeof(path), "/proc/%u/root", pid);
        l->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
}

static void observe(struct jail_learning *l, const struct observed *h, const struct seccomp_notif *request)
{
    char path[PATH_MAX], whole[PATH_MAX];
    const __u64 *args = request->data.args;

    l->needs |= h->need;
    if (h->path < 0) {
        return;
    }
    int folder = h->folder < 0 ? AT_FDCWD : (int)args[h->folder];
    if (!read_text(request->pid, args[h->path], path)) {
        return;
    }
    if (path[0] == '\0') {
        l->needs |= h->is_run ? JAIL_NEED_FILELESS : 0U; /* execveat of a descriptor */
    } else if (name_whole(request->pid, folder, path, whole)) {
        note_path(l, whole, h->is_run);
    }
}

static void note_refused(struct jail_learning *l, int number)
{
    char *name CLEANUP(cleanup_free) = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
    size_t len = strlen(l->refused);

    if (name != NULL && strstr(l->refused, name) == NULL) {
        (void)snprintf(l->refused + len, sizeof(l->refused) - len, "%s%s", len > 0 ? ", " : "", name);
    }
}

/* True when it goes on to the jail's mechanisms; else it is refused, as it would be without a listener. */
static bool take(struct jail_learning *l, const struct seccomp_notif *request)
{
    open_root(l, request->pid);
    l->has_observed = true;
    for (size_t i = 0; i < COUNT(observed); i++) {
        if (observed[i].number == request->data.nr) {
            observe(l, &observed[i], request);
            return true;
        }
    }
    note_refused(l, request->data.nr);
    return false;
}

void jail_learning_take(void *learning, int notify_fd)
{
    struct jail_learning *l = learning;
    struct pollfd p = {.fd = notify_fd, .events = POLLIN};

    for (int i = 0; i < AT_ONCE && poll(&p, 1, 0) == 1 && (p.revents & POLLIN) != 0; i++) {
        union {
            struct seccomp_notif notif;
            char room[ROOM];
        } request = {.room = {0}};
        union {
            struct seccomp_notif_resp response;
            char room[ROOM];
        } answer = {.room = {0}};
        if (ioctl(notify_fd, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) {
            continue; /* its process is gone */
        }
        bool goes_on = take(l, &request.notif);
        answer.response.id = request.notif.id;
        answer.response.error = goes_on ? 0 : -EPERM;
        answer.response.flags = goes_on ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0;
        (void)!ioctl(notify_fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
    look_at_room(l, l->policy->work_path, &l->work_bytes, &l->work_inodes);
    look_at_room(l, "/tmp", &l->tmp_bytes, &l->tmp_inodes);
}
