/* landlock.h - the second wall around files: rules by inode, that no path can talk its way around.
 *
 * A ruleset denies everything that the kernel's version of Landlock knows how to deny; rules give
 * back. Also denied from version 6 on: abstract Unix sockets and signals to the outside. The first
 * wall is that the file is not mounted; this one also holds for names that appear later. */
#ifndef FILTERD_JAIL_LAUNCHER_LANDLOCK_H
#define FILTERD_JAIL_LAUNCHER_LANDLOCK_H

#include "base/error.h"

enum jail_right {
    JAIL_RIGHT_LIST = 1, /* folders */
    JAIL_RIGHT_READ = 2, /* files; includes running them */
    JAIL_RIGHT_WRITE = 4, /* everything that changes files and folders; no device can be made */
    JAIL_RIGHT_DEVICE = 8, /* reading, writing and asking of existing devices */
};

/* The kernel's version, at most the newest one known here; 0: none. */
int jail_landlock_version(void);

/* The descriptor of a new ruleset; -1 with err. */
int jail_landlock_new(int version, struct error *err);
/* For the file, or everything below the folder, that the O_PATH descriptor is. */
MUST_CHECK bool jail_landlock_allow(int ruleset, int version, int fd, unsigned rights, struct error *err);
MUST_CHECK bool jail_landlock_enter(int ruleset, struct error *err);

#endif
