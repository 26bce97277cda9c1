#include "jail/root/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/linux_calls.h"
#include "base/span.h"

enum { PLACE_MAX = 1024 };

static uint64_t attributes(unsigned flags)
{
    return (uint64_t)MOUNT_ATTR_NOSUID | ((flags & JAIL_MOUNT_READ_ONLY) != 0 ? MOUNT_ATTR_RDONLY : 0U) |
           ((flags & JAIL_MOUNT_NO_EXEC) != 0 ? MOUNT_ATTR_NOEXEC : 0U) |
           ((flags & JAIL_MOUNT_DEVICES) != 0 ? 0U : MOUNT_ATTR_NODEV);
}

int jail_mount_new(const char *type, const struct jail_mount_option *options, size_t n, unsigned flags,
                   struct error *err)
{
    int fs CLEANUP(cleanup_fd) = fsopen(type, FSOPEN_CLOEXEC);

    for (size_t i = 0; fs >= 0 && i < n; i++) {
        enum fsconfig_command what = options[i].value == NULL ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING;
        if (fsconfig(fs, what, options[i].key, options[i].value, 0) != 0) {
            error_errno(err, "%s: %s", type, options[i].key);
            return -1;
        }
    }
    if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0) {
        error_errno(err, "file system %s", type);
        return -1;
    }
    int mount = fsmount(fs, FSMOUNT_CLOEXEC, (unsigned)attributes(flags));
    if (mount < 0) {
        error_errno(err, "file system %s", type);
    }
    return mount;
}

static bool jail_mount_restrict(int mount, unsigned flags, struct error *err)
{
    struct mount_attr attr = {.attr_set = attributes(flags), .propagation = MS_PRIVATE};

    return mount_setattr(mount, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)) == 0 ||
           error_errno(err, "mount_setattr");
}

int jail_mount_copy(int fd, unsigned flags, struct error *err)
{
    int mount = open_tree(fd, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);

    if (mount < 0) {
        error_errno(err, "open_tree");
        return -1;
    }
    if (!jail_mount_restrict(mount, flags, err)) {
        (void)close(mount);
        return -1;
    }
    return mount;
}

bool jail_mount_put(int mount, int place, struct error *err)
{
    return move_mount(mount, "", place, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0 ||
           error_errno(err, "move_mount");
}

int jail_open_below(int folder, const char *path, uint64_t flags, uint64_t resolve)
{
    struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = resolve | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};

    return (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
}

int jail_open_path(const char *path, struct error *err)
{
    int fd = jail_open_below(AT_FDCWD, path, O_PATH, 0);

    if (fd < 0 && errno == ELOOP) {
        error_set(err, ERROR_DENIED, "%s: a path without symbolic links expected", path);
    } else if (fd < 0) {
        error_errno(err, "%s", path);
    }
    return fd;
}

static bool make_part(int root, const char *path, bool is_file, struct error *err)
{
    if (!is_file) {
        return mkdirat(root, path, 0755) == 0 || errno == EEXIST || error_errno(err, "%s", path);
    }
    int fd CLEANUP(cleanup_fd) = openat(root, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
    return fd >= 0 || errno == EEXIST || error_errno(err, "%s", path);
}

int jail_make_place(int root, const char *path, bool is_file, struct error *err)
{
    char partial[PLACE_MAX];
    size_t len = strlen(path);

    path += path[0] == '/' ? 1 : 0;
    if (len == 0 || len >= sizeof(partial)) {
        error_set(err, ERROR_LIMIT, "place: a path of 1 to %d bytes expected", PLACE_MAX - 1);
        return -1;
    }
    for (const char *end = path; *end != '\0';) {
        end += strcspn(end, "/");
        size_t n = (size_t)(end - path);
        memcpy(partial, path, n);
        partial[n] = '\0';
        if (!make_part(root, partial, is_file && *end == '\0', err)) {
            return -1;
        }
        end += *end == '/' ? 1 : 0;
    }
    int fd = jail_open_below(root, path, O_PATH, RESOLVE_BENEATH);
    if (fd < 0) {
        error_errno(err, "/%s", path);
    }
    return fd;
}
