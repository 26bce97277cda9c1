/* review_rows.h - reads and writes rows of review.db and their counts; internal to review_fold.c.
 *
 * One thread, within the caller's transaction. */
#ifndef FILTERD_REVIEW_REVIEW_ROWS_H
#define FILTERD_REVIEW_REVIEW_ROWS_H

#include "review/review_store.h"

enum { REVIEW_STATEMENTS = 24 };

struct review_rows {
    sqlite3 *db; /* borrowed */
    sqlite3_stmt *statements[REVIEW_STATEMENTS];
};

MUST_CHECK bool review_rows_open(struct review_rows *r, sqlite3 *db, struct error *err);
void review_rows_close(struct review_rows *r); /* of zeroed memory, too */

/* *is_found false: no such item. */
MUST_CHECK bool review_item_load(struct review_rows *r, uint64_t seq, struct review_item *out, bool *is_found, struct error *err);
MUST_CHECK bool review_item_insert(struct review_rows *r, const struct review_item *item, struct error *err);
/* Also updates the counts and the group. */
MUST_CHECK bool review_item_update(struct review_rows *r, const struct review_item *before, const struct item *after,
                                   struct error *err);

MUST_CHECK bool review_group_load(struct review_rows *r, const uint8_t id[REVIEW_GROUP], struct review_group *out, bool *is_found,
                                  struct error *err);
/* Inserts the group if it has no row. */
MUST_CHECK bool review_group_save(struct review_rows *r, struct review_group *g, struct error *err);
/* Adds one hit of that agent at that time. */
MUST_CHECK bool review_group_hit(struct review_rows *r, struct review_group *g, struct span agent, int64_t ts_ms, struct error *err);

/* The number of items of the rule that were closed as true and as false positives. */
MUST_CHECK bool review_precision_read(struct review_rows *r, struct span tenant, struct span rule, uint64_t *hits, uint64_t *misses,
                                      struct error *err);

/* The next items after `after`: the open items of a group, or those whose last change is line `last`. */
enum { REVIEW_CHUNK = 256 };
MUST_CHECK bool review_items_of_group(struct review_rows *r, int64_t group_row, uint64_t after, uint64_t *seqs, size_t *n,
                                      struct error *err);
MUST_CHECK bool review_items_of_line(struct review_rows *r, uint64_t last, uint64_t after, uint64_t *seqs, size_t *n,
                                     struct error *err);

/* Adds line `seq` to the history of an item or of a group. */
MUST_CHECK bool review_step_add(struct review_rows *r, uint64_t item, uint64_t seq, struct error *err);
MUST_CHECK bool review_group_step_add(struct review_rows *r, int64_t group_row, uint64_t seq, struct error *err);

#endif
