/* log_check.h - verifies all lines of a log against its tiles and checkpoints, up to the first error.
 *
 * Each line is hashed. If the hash differs from the tile's, an inclusion proof to the signed root decides which of the two is
 * wrong, and the hashes around it tell whether a line was changed, removed, inserted or swapped. If tiles are wrong as well,
 * the history of checkpoints bounds the place. Read-only; a service may write the log meanwhile. One thread. */
#ifndef FILTERD_RECORD_LOG_CHECK_H
#define FILTERD_RECORD_LOG_CHECK_H

#include "record/log_keys.h"
#include "record/log_reader.h"
#include "record/tiles.h"

struct log_check {
    const struct log_files *files;   /* of one log, in order */
    const char *record;              /* folder of tiles and checkpoints */
    const struct checkpoint *newest; /* verified by the caller, with the keys below */
    const struct log_keys *keys;     /* of the log: the history is verified with them, and they with the lines */
    const struct checkpoint *from;   /* verified before, with all up to it: lines behind it are read; NULL: all lines */
    uint64_t minimum;                /* lines up to this one may be missing, when a line of type prune says so: tiles stand for them */
};

struct log_finding {
    bool is_there;
    uint64_t first, last; /* lines; 0: it is not one of lines */
    char text[512];       /* "line 7 was changed: ..." */
};

struct log_check_result {
    struct log_finding finding;
    uint64_t lines;         /* that were read */
    uint64_t last;          /* number of the last one */
    uint64_t checkpoints;   /* of the history, that hold */
    uint64_t missing_tiles; /* which can be made again: no finding */
};

/* False: it could not be checked (a file that cannot be read, no memory). */
MUST_CHECK bool log_check(const struct log_check *check, struct log_check_result *out, struct error *err);

#endif
