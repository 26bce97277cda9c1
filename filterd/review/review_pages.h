/* review_pages.h - reads rows of one table of review.db: pages, newest first, and one row by its id; internal to this folder.
 *
 * A statement for pages has the parameters ?1 the upper bound of seq, ?2 the tenant, ?3 a name, ?6 the limit; ?4 and ?5 are its own. */
#ifndef FILTERD_REVIEW_REVIEW_PAGES_H
#define FILTERD_REVIEW_REVIEW_PAGES_H

#include "review/review_store.h"

struct review_page {
    struct span tenant, name; /* ptr NULL: all */
    uint64_t before;          /* 0: from the newest on */
    unsigned limit;           /* at least 1 */
};
/* Takes a row of the statement; *seq is its number. */
typedef bool review_page_fn(void *context, sqlite3_stmt *s, uint64_t *seq, struct error *err);
/* The statement is finalized. *next: `before` of the next page; 0: this is the last one. */
MUST_CHECK bool review_page_read(sqlite3 *db, sqlite3_stmt *s, const struct review_page *page, review_page_fn *take, void *context,
                                 uint64_t *next, struct error *err);

/* `take` fills `row` from the statement; its ?1 is the id. */
MUST_CHECK bool review_row_find(sqlite3 *db, const char *sql, struct span id, void (*take)(sqlite3_stmt *s, void *row), void *row,
                                bool *is_found, struct error *err);

#endif
