/* decision_start.h - at the start of a proven log: are its last lines what was signed? Used only by decision_*.c.
 *
 * The tree of the newest checkpoint is read from the tiles and compared with the root that was signed; the lines of its last
 * tile are hashed again and compared with that; the lines behind it are added. What is further back, `filterctl record verify`
 * looks at. Tiles that are missing or damaged are made again from the lines, once these are what was signed. */
#ifndef FILTERD_DECISION_LOG_DECISION_START_H
#define FILTERD_DECISION_LOG_DECISION_START_H

#include "decision_log/decision_begin.h"
#include "record/tiles.h"

struct decision_start {
    struct tile_writer *tiles; /* of all lines to `seq` of the file */
    uint64_t signed_size;      /* of the newest checkpoint; 0: there is none */
};

/* `key` is the log's. INVALID with "record: ..." when lines or checkpoint are not what was signed. */
MUST_CHECK bool decision_start(const struct decision_place *place, const struct note_key *key, const struct decision_file *f,
                               const char *origin, struct decision_start *out, struct error *err);

#endif
