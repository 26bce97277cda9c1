/* removal.h - copies of lines that the node has removed from its log are deleted from the database, when its configuration says so.
 *
 * Never before the node itself has removed them, which is so only after their term there, with no hold over them, and with a line of type prune
 * on record (record/minimum has the last of them); and never before the term of this configuration. The database keeps a row for each deletion, and
 * the hashes of the lines (packaging/postgresql/retention.sql). One thread. */
#ifndef FILTERD_LINK_REMOVAL_H
#define FILTERD_LINK_REMOVAL_H

#include "link/config.h"
#include "link/store.h"

struct link_removal {
    const struct retention *keep;
    bool has_more; /* lines that are due */
    int64_t looked_ms;
    uint64_t lines; /* for metrics */
};

/* Once a minute, and at each call while there is more: deletes some thousand lines at most. `record` is the folder of the log's proof. */
MUST_CHECK bool link_removal_step(struct link_removal *r, const char *record, struct link_store *store, struct error *err);

#endif
