#include "ctl/outputs/quarantine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

int quarantine_open_below(int folder, const char *path, int flags)
{
    struct open_how how = {.flags = (unsigned)flags | O_CLOEXEC | O_NOFOLLOW,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};

    return (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
}

static bool add(struct quarantine *q, const char *path, struct error *err)
{
    if (q->n == QUARANTINE_FILES_MAX) {
        return error_set(err, ERROR_LIMIT, "at most %d files expected", QUARANTINE_FILES_MAX);
    }
    if (q->n == q->cap) {
        size_t cap = q->cap == 0 ? 64 : q->cap * 2;
        char **paths = reallocarray(q->paths, cap, sizeof(*paths));
        if (paths == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "quarantine: no memory");
        }
        q->paths = paths;
        q->cap = cap;
    }
    q->paths[q->n] = strdup(path);
    return q->paths[q->n++] != NULL || error_set(err, ERROR_NO_MEMORY, "quarantine: no memory");
}

static void close_folder(DIR **folder)
{
    if (*folder != NULL) {
        (void)closedir(*folder);
    }
}

static bool walk(struct quarantine *q, const char *path, unsigned depth, struct error *err);

/* Recursion ends at QUARANTINE_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool visit(struct quarantine *q, int folder, const char *path, const char *name, unsigned depth,
                  struct error *err)
{
    char below[PATH_MAX];
    struct stat info;
    int len = snprintf(below, sizeof(below), "%s%s%s", path, path[0] == '\0' ? "" : "/", name);

    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return error_errno(err, "quarantine");
    }
    bool is_file = S_ISREG(info.st_mode) && info.st_nlink == 1;
    bool is_deep = depth == QUARANTINE_DEPTH_MAX || len < 0 || (size_t)len >= sizeof(below);
    if (is_deep || (!is_file && !S_ISDIR(info.st_mode))) {
        q->n_refused++;
        return true;
    }
    return is_file ? add(q, below, err) : walk(q, below, depth + 1, err);
}

/* Recursion ends at QUARANTINE_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool walk(struct quarantine *q, const char *path, unsigned depth, struct error *err)
{
    int fd = quarantine_open_below(q->folder, path[0] == '\0' ? "." : path, O_RDONLY | O_DIRECTORY);
    DIR *entries CLEANUP(close_folder) = fd < 0 ? NULL : fdopendir(fd);

    if (entries == NULL) {
        error_errno(err, "quarantine %s", path);
        cleanup_fd(&fd);
        return false;
    }
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread has this stream */
    for (const struct dirent *e = readdir(entries); e != NULL; e = readdir(entries)) {
        bool is_self = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
        if (!is_self && !visit(q, dirfd(entries), path, e->d_name, depth, err)) {
            return false;
        }
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool quarantine_open(struct quarantine *q, const char *folder, struct error *err)
{
    *q = (struct quarantine){.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (q->folder < 0) {
        return error_errno(err, "%s", folder);
    }
    if (!walk(q, "", 0, err)) {
        quarantine_close(q);
        return error_wrap(err, "%s", folder);
    }
    if (q->n > 0) {
        qsort(q->paths, q->n, sizeof(*q->paths), by_name);
    }
    return true;
}

void quarantine_close(struct quarantine *q)
{
    for (size_t i = 0; i < q->n; i++) {
        free(q->paths[i]);
    }
    free(q->paths);
    cleanup_fd(&q->folder);
    *q = (struct quarantine){.folder = -1};
}

bool quarantine_read(const struct quarantine *q, const char *path, struct buf *out,
                     char digest[DIGEST_SHA256_HEX + 1], struct error *err)
{
    struct stat info;
    int fd CLEANUP(cleanup_fd) = quarantine_open_below(q->folder, path, O_RDONLY | O_NONBLOCK);

    buf_clear(out);
    if (fd < 0 || fstat(fd, &info) != 0) {
        return error_errno(err, "%s", path);
    }
    if (!S_ISREG(info.st_mode) || info.st_nlink != 1) {
        return error_set(err, ERROR_DENIED, "%s: a plain file with one name expected", path);
    }
    return file_read_fd(fd, path, out, err) && digest_sha256(buf_span(out), digest, err);
}

bool quarantine_remove(const struct quarantine *q, const char *path, struct error *err)
{
    char partial[PATH_MAX];

    (void)snprintf(partial, sizeof(partial), "%s", path);
    for (int flags = 0;; flags = AT_REMOVEDIR) {
        char *slash = strrchr(partial, '/');
        const char *name = slash == NULL ? partial : slash + 1;
        if (slash != NULL) {
            *slash = '\0';
        }
        int folder CLEANUP(cleanup_fd) =
            quarantine_open_below(q->folder, slash == NULL ? "." : partial, O_PATH | O_DIRECTORY);
        if (folder < 0 || unlinkat(folder, name, flags) != 0) {
            bool is_done = flags == AT_REMOVEDIR && (errno == ENOTEMPTY || errno == EEXIST);
            return is_done || error_errno(err, "%s", path);
        }
        if (slash == NULL) {
            return true;
        }
    }
}
