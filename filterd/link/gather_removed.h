/* gather_removed.h - copies of a log whose first lines were removed at the end of their term (retention.sql), as files.
 *
 * As in a log that retention has shortened: record/minimum has the last line that was removed, record/vkey the key of the log, and the tiles stand for
 * these lines. Whether a line of type prune says so is for who reads them. One thread. */
#ifndef FILTERD_LINK_GATHER_REMOVED_H
#define FILTERD_LINK_GATHER_REMOVED_H

#include "link/session.h"

/* What the database says of a node. */
struct gather_removed {
    const char *id;   /* of the node */
    uint64_t last;    /* lines up to this one were removed; 0: none */
    uint64_t line;    /* that says so; 0: an operator did it */
    struct span vkey; /* empty: not known */
};

/* For a copy without a line: tiles, key and minimum. *is_whole false: the database has not the hashes of all of these lines. */
MUST_CHECK bool gather_removed_begin(const char *record, struct link_session *s, const struct gather_removed *r, bool *is_whole, struct error *err);

/* A copy that has these lines loses them, too: `log` is written anew without them, once its own proven lines (record/proven) have the one that says so.
 * Else nothing changes. */
MUST_CHECK bool gather_removed_cut(const char *log, const char *record, const struct gather_removed *r, struct error *err);

#endif
