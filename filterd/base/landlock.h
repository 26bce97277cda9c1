/* landlock.h - Landlock by its system calls, with what the running kernel has of it.
 *
 * A ruleset denies everything that the kernel's version of Landlock knows how to deny about files, and,
 * where asked for, more; rules give back. Rules are for inodes, so no path can talk its way around
 * them.
 * Debian 12's headers know the second version only; the numbers are the kernel's ABI. */
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

/* What is denied besides files, from which version on. */
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
/* For the file, or everything below the folder, that the descriptor (O_PATH will do) is: those of the
 * rights that the version knows and such an inode can have. */
MUST_CHECK bool landlock_allow(int ruleset, int version, int fd, unsigned rights, struct error *err);
/* TCP connections to a port, whatever the address. */
MUST_CHECK bool landlock_allow_port(int ruleset, unsigned port, struct error *err);
/* Binds the calling thread and those it starts later; needs no_new_privs or CAP_SYS_ADMIN. */
MUST_CHECK bool landlock_enter(int ruleset, struct error *err);

#endif
