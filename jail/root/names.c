#include "jail/root/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "jail/root/mounts.h"
#include "jail/root/rights.h"

static void close_folder(DIR **folder)
{
    if (*folder != NULL) {
        (void)closedir(*folder);
    }
}

static bool open_file(const struct jail_names *n, int entry, struct error *err)
{
    return n->ruleset < 0 || landlock_allow(n->ruleset, n->version, entry, JAIL_RIGHT_READ, err);
}

static bool cover(struct jail_names *n, int entry, bool is_folder, struct error *err)
{
    int mount CLEANUP(cleanup_fd) = jail_mount_copy(n->covers[is_folder], JAIL_MOUNT_READ_ONLY | JAIL_MOUNT_NO_EXEC, err);

    n->n_covered++;
    if (mount < 0 || !jail_mount_put(mount, entry, err)) {
        return false;
    }
    return is_folder || n->policy->on_denied != JAIL_DENIED_HONEYTOKEN || open_file(n, n->covers[0], err);
}

static bool walk(struct jail_names *n, int folder, unsigned depth, struct error *err);

/* Recursion ends at JAIL_NAMES_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool judge(struct jail_names *n, int folder, const char *name, unsigned depth, struct error *err)
{
    struct stat info;
    int entry CLEANUP(cleanup_fd) = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

    if (entry < 0 || fstat(entry, &info) != 0) {
        return errno == ENOENT || errno == EACCES || error_errno(err, "names");
    }
    if (++n->n_entries > JAIL_NAMES_ENTRIES_MAX) {
        return error_set(err, ERROR_LIMIT, "inputs: at most %d files expected where names are denied",
                         JAIL_NAMES_ENTRIES_MAX);
    }
    if (S_ISLNK(info.st_mode)) {
        return true; /* leads to a name that is judged itself, or to nothing in the jail */
    }
    if (jail_policy_denies_name(n->policy, name)) {
        return cover(n, entry, S_ISDIR(info.st_mode), err);
    }
    return S_ISDIR(info.st_mode) ? walk(n, entry, depth + 1, err) : open_file(n, entry, err);
}

/* Recursion ends at JAIL_NAMES_DEPTH_MAX. NOLINTNEXTLINE(misc-no-recursion) */
static bool walk(struct jail_names *n, int folder, unsigned depth, struct error *err)
{
    if (depth > JAIL_NAMES_DEPTH_MAX) {
        return error_set(err, ERROR_LIMIT, "inputs: at most %d folders deep expected where names are denied",
                         JAIL_NAMES_DEPTH_MAX);
    }
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries CLEANUP(close_folder) = fd < 0 ? NULL : fdopendir(fd);
    if (entries == NULL) {
        cleanup_fd(&fd);
        return errno == EACCES || error_errno(err, "names"); /* what this user cannot list, the jail cannot either */
    }
    /* No other thread has this stream. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    for (const struct dirent *e = readdir(entries); e != NULL; e = readdir(entries)) {
        bool is_self = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
        if (!is_self && !judge(n, dirfd(entries), e->d_name, depth, err)) {
            return false;
        }
    }
    return true;
}

bool jail_names_deny(struct jail_names *n, int top, struct error *err)
{
    struct stat info;

    if (fstat(top, &info) != 0) {
        return error_errno(err, "names");
    }
    if (!S_ISDIR(info.st_mode)) {
        return open_file(n, top, err);
    }
    if (n->ruleset >= 0 && !landlock_allow(n->ruleset, n->version, top, JAIL_RIGHT_LIST, err)) {
        return false;
    }
    return walk(n, top, 0, err);
}
