#include "base/trusted_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

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

/* A user who can write to a folder above can replace this file. */
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
                             "%s: a folder of root or the caller expected that others cannot write: it holds a file that is to be trusted",
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

bool trusted_file_folder(const char *path, char folder[PATH_MAX], struct error *err)
{
    char absolute[PATH_MAX], partial[PATH_MAX];

    if (!make_absolute(path, absolute, err)) {
        return false;
    }
    (void)snprintf(partial, sizeof(partial), "%s", absolute);
    char *slash = strrchr(partial, '/');
    slash[slash == partial ? 1 : 0] = '\0';
    return realpath(partial, folder) != NULL || error_errno(err, "%s", partial);
}

bool trusted_file_read(const char *path, struct buf *out, struct error *err)
{
    char absolute[PATH_MAX];

    if (!make_absolute(path, absolute, err)) {
        return false;
    }
    int fd CLEANUP(cleanup_fd) = open_without_links(absolute, O_RDONLY | O_NONBLOCK);
    if (fd < 0) {
        return errno == ELOOP ? error_set(err, ERROR_DENIED, "%s: a path without symbolic links expected", path)
                              : error_errno(err, "%s", path);
    }
    return check_file(fd, path, err) && check_folders(absolute, err) && file_read_fd(fd, path, out, err);
}

bool trusted_file_read_alone(const char *path, struct buf *out, struct error *err)
{
    int fd CLEANUP(cleanup_fd) = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);

    return fd >= 0 ? check_file(fd, path, err) && file_read_fd(fd, path, out, err) : error_errno(err, "%s", path);
}

bool trusted_folder(const char *path, struct error *err)
{
    char partial[PATH_MAX], real[PATH_MAX + 2];
    struct stat info;

    if (!make_absolute(path, partial, err)) {
        return false;
    }
    bool is_there = true;
    for (char *slash = partial; realpath(partial, real) == NULL; is_there = false) {
        slash = strrchr(partial, '/');
        if (errno != ENOENT || slash == NULL) {
            return error_errno(err, "%s", path);
        }
        slash[slash == partial ? 1 : 0] = '\0';
    }
    if (stat(real, &info) != 0) {
        return error_errno(err, "%s", real);
    }
    if (is_there && (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return error_set(err, ERROR_DENIED, "%s: a folder that only its owner can write expected (chmod go-w)", path);
    }
    (void)memcpy(real + strlen(real), "/", 2);
    return check_folders(real, err);
}
