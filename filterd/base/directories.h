/* directories.h - where filterd keeps things when nobody says: systemd's directories, the system's for root, the
 * user's for others.
 *
 * The service and the tools that look for it ask here, so that both mean the same place. What is found depends on the
 * environment and the effective user alone; nothing is made or opened. Texts live in the arena or the environment.
 *
 *   what     systemd gives       root               else
 *   state    STATE_DIRECTORY     /var/lib/filterd   filterd in XDG_STATE_HOME, ~/.local/state/filterd
 *   cache    CACHE_DIRECTORY     /var/cache/filterd filterd in XDG_CACHE_HOME, ~/.cache/filterd
 *   runtime  RUNTIME_DIRECTORY   /run/filterd       filterd in XDG_RUNTIME_DIR, the state directory
 *   logs     LOGS_DIRECTORY      the state directory
 *
 * A variable counts when it is an absolute path. */
#ifndef FILTERD_BASE_DIRECTORIES_H
#define FILTERD_BASE_DIRECTORIES_H

#include "base/arena.h"

/* NULL: there is none, as no home is known. What is given is kept: then runtime and logs follow a state directory
 * that was. */
struct directories {
    const char *state, *cache, *runtime, *logs;
};
void directories_find(struct arena *a, struct directories *d);

/* The defaults that follow; NULL without the directory they are in, or without memory. */
/* "unix:/run/filterd/operators.sock" */
const char *directories_operators(struct arena *a, const struct directories *d);
/* "/var/lib/filterd/decisions.jsonl" */
const char *directories_log(struct arena *a, const struct directories *d);

#endif
