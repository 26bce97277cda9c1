/* directory.h - filterd's default directories: systemd's, the desktop's or the system's.
 *
 * The service uses it to place files, filterctl to find them, so both agree. */
#ifndef FILTERD_BASE_DIRECTORY_H
#define FILTERD_BASE_DIRECTORY_H

#include <limits.h>

#include "base/error.h"

enum directory {
    DIRECTORY_STATE,
    DIRECTORY_CACHE,
    DIRECTORY_USER_CACHE, /* of the user of a tool, also for root: the service's may belong to another user */
    DIRECTORY_RUNTIME,
    DIRECTORY_LOGS,
    DIRECTORY_COUNT
};
enum { DIRECTORY_CANDIDATES_MAX = 8 };

/* The directory of the service in this environment; absolute. False when there is none: without systemd,
 * logs go into the state directory, as do sockets of a user without XDG_RUNTIME_DIR. */
bool directory_find(enum directory which, char path[PATH_MAX]);

struct directory_candidates {
    char paths[DIRECTORY_CANDIDATES_MAX][PATH_MAX];
    unsigned n;
};

/* The directories in which a service started in another environment (by systemd, from another shell, by cron) may have its
 * sockets or its log, likeliest first, each once. For root, only directories that other users cannot write. */
void directory_candidates(enum directory which, struct directory_candidates *out);

#endif
