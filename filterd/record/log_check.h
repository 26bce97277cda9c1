/* log_check.h - all lines of a log compared with its tiles and its checkpoints: the first thing that is not right.
 *
 * Each line is hashed in its place. Where its hash is not that of the tile, an inclusion proof to the signed root says which
 * of the two is wrong, and the hashes around it say how: a line changed, removed, inserted, swapped. Where tiles cannot say
 * it, the history of checkpoints bounds the place. Reads only; a service may write the log meanwhile. One thread. */
#ifndef FILTERD_RECORD_LOG_CHECK_H
#define FILTERD_RECORD_LOG_CHECK_H

#include "record/log_reader.h"
#include "record/tiles.h"

struct log_check {
    const struct log_files *files;   /* of one log, in order */
    const char *record;              /* folder of tiles and checkpoints */
    const struct checkpoint *newest; /* verified by the caller */
    const struct note_key *key;      /* of the log: the history is verified with it */
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
