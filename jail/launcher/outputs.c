#include "jail/launcher/outputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { COPY_STEP = 1 << 20 };

static void close_folder(DIR **folder)
{
    if (*folder != NULL) {
        (void)closedir(*folder);
    }
}

int jail_outputs_open(const struct jail_policy *p, struct error *err)
{
    struct stat info;
    int fd = open(p->outputs.quarantine, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &info) != 0) {
        error_errno(err, "quarantine %s", p->outputs.quarantine);
        cleanup_fd(&fd);
        return -1;
    }
    if ((info.st_mode & S_IWOTH) != 0 || (info.st_uid != 0 && info.st_uid != geteuid())) {
        error_set(err, ERROR_DENIED, "quarantine %s: a folder of root or the caller expected that others cannot write",
                  p->outputs.quarantine);
        (void)close(fd);
        return -1;
    }
    return fd;
}

static bool copy_file(int from, int to, int64_t size, struct error *err)
{
    while (size > 0) {
        ssize_t n = sendfile(to, from, NULL, (size_t)(size < COPY_STEP ? size : COPY_STEP));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n == 0 || error_errno(err, "outputs");
        }
        size -= n;
    }
    return true;
}

/* What opens as something else than it looked is refused: nothing runs that could change it, but the
 * rule costs nothing. */
static bool take_file(int from, int to, const char *name, struct jail_outputs_report *report, struct error *err)
{
    struct stat info;
    int in CLEANUP(cleanup_fd) = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (in < 0 || fstat(in, &info) != 0 || !S_ISREG(info.st_mode) || info.st_nlink != 1) {
        report->refused++;
        return true;
    }
    int out CLEANUP(cleanup_fd) = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (out < 0 || !copy_file(in, out, info.st_size, err)) {
        return out < 0 ? error_errno(err, "quarantine") : false;
    }
    report->files++;
    report->bytes += info.st_size;
    return true;
}

static bool take_folder(int from, int to, unsigned depth, struct jail_outputs_report *report, struct error *err);

/* Recursion ends at JAIL_OUTPUTS_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool take(int from, int to, const char *name, unsigned depth, struct jail_outputs_report *report,
                 struct error *err)
{
    struct stat info;

    if (fstatat(from, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return error_errno(err, "outputs");
    }
    if (!S_ISDIR(info.st_mode) || depth == JAIL_OUTPUTS_DEPTH_MAX) {
        if (S_ISREG(info.st_mode)) {
            return take_file(from, to, name, report, err);
        }
        report->refused++;
        return true;
    }
    int folder CLEANUP(cleanup_fd) = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) {
        report->refused++;
        return true;
    }
    if (mkdirat(to, name, 0700) != 0) {
        return error_errno(err, "quarantine");
    }
    int made CLEANUP(cleanup_fd) = openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return made < 0 ? error_errno(err, "quarantine") : take_folder(folder, made, depth + 1, report, err);
}

/* Recursion ends at JAIL_OUTPUTS_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool take_folder(int from, int to, unsigned depth, struct jail_outputs_report *report, struct error *err)
{
    int fd = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries CLEANUP(close_folder) = fd < 0 ? NULL : fdopendir(fd);

    if (entries == NULL) {
        cleanup_fd(&fd);
        return error_errno(err, "outputs");
    }
    /* No other thread has this stream. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (const struct dirent *e = readdir(entries); e != NULL; e = readdir(entries)) {
        bool is_self = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
        if (!is_self && !take(from, to, e->d_name, depth, report, err)) {
            return false;
        }
    }
    return true;
}

bool jail_outputs_collect(const struct jail_policy *p, int mount, int quarantine, const char *run,
                          struct jail_outputs_report *report, struct error *err)
{
    *report = (struct jail_outputs_report){0};
    if (mkdirat(quarantine, run, 0700) != 0) {
        return error_errno(err, "quarantine %s/%s", p->outputs.quarantine, run);
    }
    int folder CLEANUP(cleanup_fd) = openat(quarantine, run, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0 || !take_folder(mount, folder, 0, report, err)) {
        return folder < 0 ? error_errno(err, "quarantine") : error_wrap(err, "quarantine");
    }
    if (report->files == 0 && unlinkat(quarantine, run, AT_REMOVEDIR) == 0) {
        return true; /* nothing came out, not even a folder */
    }
    (void)snprintf(report->folder, sizeof(report->folder), "%s/%s", p->outputs.quarantine, run);
    return true;
}
