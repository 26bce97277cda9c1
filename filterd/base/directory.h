/* directory.h - filterd's default directories: systemd's, the desktop's or the system's.
 *
 * The service asks where it is to put a thing, filterctl where it may be. Both ask here, so that one finds what the other
 * made. */
#ifndef FILTERD_BASE_DIRECTORY_H
#define FILTERD_BASE_DIRECTORY_H

#include <limits.h>

#include "base/error.h"

enum directory {
    DIRECTORY_STATE,
    DIRECTORY_CACHE,
    DIRECTORY_USER_CACHE, /* of who runs a tool, root too: not the service's, which may belong to another user */
    DIRECTORY_RUNTIME,
    DIRECTORY_LOGS,
    DIRECTORY_COUNT
};
enum { DIRECTORY_CANDIDATES_MAX = 8 };

/* Where the service puts such things in this environment; absolute. False when there is no such place: without systemd,
 * logs belong into the state directory, and sockets of a user without XDG_RUNTIME_DIR likewise. */
bool directory_find(enum directory which, char path[PATH_MAX]);

struct directory_candidates {
    char paths[DIRECTORY_CANDIDATES_MAX][PATH_MAX];
    unsigned n;
};

/* Where a service that was started in another environment (by systemd, from another shell, by cron) may have put its
 * sockets or its log, likeliest first, each once. Root looks nowhere where somebody else could have put one. */
void directory_candidates(enum directory which, struct directory_candidates *out);

#endif
