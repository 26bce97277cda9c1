/* mounts.h - mounts by descriptor (Linux 5.12): created detached, configured, then attached.
 *
 * No function follows a symbolic link, so a change during the construction of the jail cannot redirect a
 * mount. Descriptors are close-on-exec; -1 with err means failure. */
#ifndef FILTERD_JAIL_ROOT_MOUNTS_H
#define FILTERD_JAIL_ROOT_MOUNTS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct jail_mount_option {
    const char *key, *value; /* value NULL: a flag */
};

enum jail_mount_flag {
    JAIL_MOUNT_READ_ONLY = 1,
    JAIL_MOUNT_NO_EXEC = 2,
    JAIL_MOUNT_DEVICES = 4, /* device nodes in it work; set-user-id never does */
};

/* A new file system. */
int jail_mount_new(const char *type, const struct jail_mount_option *options, size_t n, unsigned flags,
                   struct error *err);
/* A bind mount of a file or folder, with everything mounted below it. */
int jail_mount_copy(int fd, unsigned flags, struct error *err);
/* Attaches a detached mount to `place` (O_PATH). */
MUST_CHECK bool jail_mount_put(int mount, int place, struct error *err);

/* Opens `path` below `folder`. No part of it may be a link, except the last one with O_PATH and O_NOFOLLOW; `resolve` adds
 * RESOLVE_* of openat2. -1 with errno. */
int jail_open_below(int folder, const char *path, uint64_t flags, uint64_t resolve);
/* O_PATH of an absolute path, no part of which is a link; works for root and for the caller. */
int jail_open_path(const char *path, struct error *err);
/* O_PATH of a path below `root`, no part of which is a link; creates missing folders and, with `is_file`, a file as the last
 * part. */
int jail_make_place(int root, const char *path, bool is_file, struct error *err);

#endif
