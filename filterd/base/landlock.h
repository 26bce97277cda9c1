/* landlock.h - Landlock's system calls, with the features of the running kernel.
 *
 * A ruleset denies all file access that the kernel's version of Landlock can deny, and
 * more on request; rules grant exceptions. Rules are for inodes, so no path can circumvent
 * them.
 * Debian 12's headers have only the second version; the numbers are the kernel's ABI. */
#ifndef FILTERD_BASE_LANDLOCK_H
#define FILTERD_BASE_LANDLOCK_H

#include <stdint.h>

#include "base/error.h"

enum landlock_right {
    LANDLOCK_EXECUTE = 1 << 0,
    LANDLOCK_WRITE_FILE = 1 << 1,
    LANDLOCK_READ_FILE = 1 << 2,
    LANDLOCK_READ_DIR = 1 << 3,
    LANDLOCK_REMOVE_DIR = 1 << 4,
    LANDLOCK_REMOVE_FILE = 1 << 5,
    LANDLOCK_MAKE_DIR = 1 << 7,
    LANDLOCK_MAKE_REG = 1 << 8,
    LANDLOCK_MAKE_SOCK = 1 << 9,
    LANDLOCK_MAKE_FIFO = 1 << 10,
    LANDLOCK_MAKE_SYM = 1 << 12,
    LANDLOCK_REFER = 1 << 13,
    LANDLOCK_TRUNCATE = 1 << 14,
    LANDLOCK_IOCTL_DEV = 1 << 15,
};

/* What to deny in addition to files, and the first version that can. */
enum landlock_also {
    LANDLOCK_ALSO_CONNECTIONS = 1, /* TCP; 4 */
    LANDLOCK_ALSO_SOCKETS = 2,     /* abstract Unix sockets of others; 6 */
    LANDLOCK_ALSO_SIGNALS = 4,     /* to processes outside; 6 */
};
enum { LANDLOCK_VERSION_CONNECTIONS = 4, LANDLOCK_VERSION_SCOPES = 6 };

/* The kernel's version, at most the newest one known here; 0: none. */
int landlock_version(void);

/* The descriptor of a new ruleset; -1 with err. */
int landlock_new(int version, unsigned also, struct error *err);
/* Allows the rights for a file, or for everything below a folder; the descriptor may be O_PATH. Ignores rights that the
 * version does not know or that such an inode cannot have. */
MUST_CHECK bool landlock_allow(int ruleset, int version, int fd, unsigned rights, struct error *err);
/* Allows TCP connections to a port at any address. */
MUST_CHECK bool landlock_allow_port(int ruleset, unsigned port, struct error *err);
/* Applies the ruleset to the calling thread and those it starts later; needs no_new_privs or CAP_SYS_ADMIN. */
MUST_CHECK bool landlock_enter(int ruleset, struct error *err);

#endif
