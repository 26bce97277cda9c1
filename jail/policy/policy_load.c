/* policy_load.c - a jail's policy from a file that only its owner can change. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "jail/policy/policy.h"

/* Every part of the path is looked up without following a link, in one call: no race. */
static int open_without_links(const char *path, uint64_t flags)
{
    struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};

    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

static bool is_trusted_owner(uid_t owner)
{
    return owner == 0 || owner == geteuid();
}

/* Whoever can write a folder above can put another file in place of this one. */
static bool check_folders(const char *path, struct error *err)
{
    char partial[PATH_MAX];

    (void)snprintf(partial, sizeof(partial), "%s", path);
    for (char *slash = strrchr(partial, '/'); slash != NULL; slash = strrchr(partial, '/')) {
        struct stat info;
        slash[slash == partial ? 1 : 0] = '\0';
        if (stat(partial, &info) != 0) {
            return error_errno(err, "%s", partial);
        }
        bool is_open = (info.st_mode & S_IWOTH) != 0 && (info.st_mode & S_ISVTX) == 0;
        if (is_open || !is_trusted_owner(info.st_uid)) {
            return error_set(err, ERROR_DENIED,
                             "%s: a folder of root or the caller expected that others cannot write: it holds the policy",
                             partial);
        }
        if (slash == partial) {
            return true;
        }
    }
    return true;
}

static bool check_file(int fd, const char *path, struct error *err)
{
    struct stat info;

    if (fstat(fd, &info) != 0) {
        return error_errno(err, "%s", path);
    }
    if (!S_ISREG(info.st_mode)) {
        return error_set(err, ERROR_DENIED, "%s: a regular file expected", path);
    }
    if (!is_trusted_owner(info.st_uid)) {
        return error_set(err, ERROR_DENIED, "%s: a file owned by root or by the caller expected", path);
    }
    if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return error_set(err, ERROR_DENIED, "%s: a file that only its owner can write expected (chmod go-w)", path);
    }
    return true;
}

/* An absolute name without links above the file's own folder having been followed by the kernel. */
static bool make_absolute(const char *path, char out[PATH_MAX], struct error *err)
{
    char folder[PATH_MAX];

    if (path[0] == '/') {
        return (size_t)snprintf(out, PATH_MAX, "%s", path) < PATH_MAX ||
               error_set(err, ERROR_INVALID, "%s: a shorter path expected", path);
    }
    if (getcwd(folder, sizeof(folder)) == NULL) {
        return error_errno(err, "current folder");
    }
    return (size_t)snprintf(out, PATH_MAX, "%s/%s", folder, path) < PATH_MAX ||
           error_set(err, ERROR_INVALID, "%s: a shorter path expected", path);
}

/* "/a/b/policy.yaml" to "/a/b", "." and ".." undone: relative inputs start there. */
static bool find_folder(const char *absolute, char folder[PATH_MAX], struct error *err)
{
    char partial[PATH_MAX];

    (void)snprintf(partial, sizeof(partial), "%s", absolute);
    char *slash = strrchr(partial, '/');
    slash[slash == partial ? 1 : 0] = '\0';
    return realpath(partial, folder) != NULL || error_errno(err, "%s", partial);
}

struct jail_policy *jail_policy_load(const char *path, struct error *err)
{
    char absolute[PATH_MAX], folder[PATH_MAX];
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, JAIL_POLICY_BYTES_MAX);
    if (!make_absolute(path, absolute, err)) {
        return NULL;
    }
    int fd CLEANUP(cleanup_fd) = open_without_links(absolute, O_RDONLY | O_NONBLOCK);
    if (fd < 0) {
        bool is_link = errno == ELOOP;
        error_errno(err, "%s", path);
        if (is_link) {
            error_set(err, ERROR_DENIED, "%s: a path without symbolic links expected", path);
        }
        return NULL;
    }
    if (!find_folder(absolute, folder, err) || !check_file(fd, path, err) || !check_folders(absolute, err) ||
        !file_read_fd(fd, path, &text, err)) {
        return NULL;
    }
    return jail_policy_read(path, folder, buf_span(&text), err);
}
