/* mounts.h - mounts by descriptor (Linux 5.12): made detached, set up, then put in their place.
 *
 * No function follows a symbolic link, so nothing that changes while the jail is built can lead a
 * mount elsewhere. Descriptors are close-on-exec; -1 with err means failure. */
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

/* A file system of its own. */
int jail_mount_new(const char *type, const struct jail_mount_option *options, size_t n, unsigned flags,
                   struct error *err);
/* A file or folder of what is mounted already, with everything mounted below it. */
int jail_mount_copy(int fd, unsigned flags, struct error *err);
MUST_CHECK bool jail_mount_restrict(int mount, unsigned flags, struct error *err);
/* Puts a detached mount onto what `place` (O_PATH) is. */
MUST_CHECK bool jail_mount_put(int mount, int place, struct error *err);

/* What `path` leads to from `folder`, no part of it a link, but the last one where O_PATH and O_NOFOLLOW ask for that; also
 * RESOLVE_* of openat2. -1 with errno. */
int jail_open_below(int folder, const char *path, uint64_t flags, uint64_t resolve);
/* O_PATH of an absolute path, no part of which is a link; works for root and for the caller. */
int jail_open_path(const char *path, struct error *err);
/* O_PATH of a path below `root`, no part of which is a link; missing folders are made, and a last part
 * that is a file where `is_file`. */
int jail_make_place(int root, const char *path, bool is_file, struct error *err);

#endif
