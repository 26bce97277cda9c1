/* reach.h - the folders and ports that a configuration needs, for the sandbox (sandbox/sandbox.h).
 *
 * The sandbox cannot be widened, so a reload may need nothing that the configuration at the start did not. Landlock's rules
 * are for folders: of a file the folder it is in. One thread. */
#ifndef FILTERD_SHIP_REACH_H
#define FILTERD_SHIP_REACH_H

#include "sandbox/sandbox.h"
#include "ship/config.h"

enum { SHIP_REACH_PATHS_MAX = 16 + SHIP_SINKS_MAX * (4 + SHIP_HEADERS_MAX), SHIP_REACH_PORTS_MAX = SHIP_SINKS_MAX + 1 };

struct ship_reach {
    struct arena memory;
    struct sandbox_path paths[SHIP_REACH_PATHS_MAX]; /* folders, without links in their names */
    unsigned n_paths;
    unsigned ports[SHIP_REACH_PORTS_MAX];
    unsigned n_ports;
};

/* What `c`, read from the file `path`, needs. A folder that is not there is an error. ship_reach_deinit in any case. */
MUST_CHECK bool ship_reach_init(struct ship_reach *r, const struct ship_config *c, const char *path, struct error *err);
void ship_reach_deinit(struct ship_reach *r);

/* Restricts the process to it: before the first thread. */
void ship_reach_enter(const struct ship_reach *r);
/* Whether all that `wanted` needs is within `have`. DENIED names what is not. */
MUST_CHECK bool ship_reach_covers(const struct ship_reach *have, const struct ship_reach *wanted, struct error *err);

#endif
