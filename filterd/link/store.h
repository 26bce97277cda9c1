/* store.h - one node's connection to PostgreSQL: its position in the database, and lines copied together with the next one.
 *
 * A transaction holds the COPY of lines and the position behind them, and commits only where the position in the table is still
 * the one before them: so a line is there once, whenever either side is killed. After a failure the connection is gone;
 * link_store_connect makes another and reads the position again. Messages hold no values of lines and no password. One thread. */
#ifndef FILTERD_LINK_STORE_H
#define FILTERD_LINK_STORE_H

#include "base/buf.h"
#include "decision_log/retention.h"
#include "link/session.h"
#include "ship/position.h"

struct link_store;

/* Borrows the database. Connects nothing yet. NULL on failure. */
struct link_store *link_store_new(const struct link_database *database, struct span node, struct error *err);
void link_store_free(struct link_store *s); /* accepts NULL */

/* Connected, alone with this node's name, and at *position. */
MUST_CHECK bool link_store_connect(struct link_store *s, struct ship_position *position, struct error *err);
bool link_store_is_connected(const struct link_store *s);
/* Rows as COPY's text format has them, without the node: lines of seq, ts, type, action, rule, req_id, line. */
MUST_CHECK bool link_store_copy(struct link_store *s, struct span rows, const struct ship_position *before,
                                const struct ship_position *after, struct error *err);
/* Says that the node lives; finds a lost connection. */
MUST_CHECK bool link_store_beat(struct link_store *s, struct error *err);
/* A checkpoint of lines that were copied; nothing where the schema has no place for it. */
MUST_CHECK bool link_store_checkpoint(struct link_store *s, const char *note, struct error *err);
/* Deletes copies of lines up to `minimum`, which the node's log lacks, where they are due; *n of them, and 0 when none are left. INVALID: a schema
 * without a place to record it. */
MUST_CHECK bool link_store_remove(struct link_store *s, uint64_t minimum, const struct retention *keep, uint64_t *n, struct error *err);
/* The number of this node in the table. */
const char *link_store_id(const struct link_store *s);

#endif
