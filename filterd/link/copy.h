/* copy.h - copies the lines of one decision log to the database, one step at a time.
 *
 * The position is the database's; the one in the state directory is for filterd (ship/shipment.h) and tells readiness how old the
 * oldest line is that the database does not have. A failure ends the connection, and the step after a pause of 0.2 to 30 seconds
 * connects and reads the position again. One thread. */
#ifndef FILTERD_LINK_COPY_H
#define FILTERD_LINK_COPY_H

#include "link/removal.h"
#include "ship/follow.h"

struct link_copy {
    const struct link_config *config;
    struct link_store *store;
    char path[PATH_MAX]; /* of the position in the state directory */
    struct ship_follow follow;
    bool has_follow;
    struct ship_position position; /* as the database has it */
    struct buf rows;
    char record[PATH_MAX];      /* folder of the checkpoints */
    struct buf checkpoint;      /* one that waits for its lines to be copied; empty: none */
    uint64_t size, sent;        /* lines of it, and of the last one sent */
    int64_t looked_ms;
    struct link_removal removal;
    int64_t pause_ms, written_ms, complained_ms;
    /* For metrics. */
    uint64_t lines, batches, failures, unreadable, missing;
};

MUST_CHECK bool link_copy_init(struct link_copy *c, const struct link_config *config, struct link_store *store, struct error *err);
void link_copy_deinit(struct link_copy *c);

/* At most one batch. The milliseconds to wait before the next step. */
int64_t link_copy_step(struct link_copy *c);
/* Appends its metrics. */
MUST_CHECK bool link_copy_put_metrics(const struct link_copy *c, struct buf *out, struct error *err);

#endif
