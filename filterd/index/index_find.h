/* index_find.h - a page of the lines that match a query, newest first.
 *
 * A page is found by one index (of req_id, value, rule, agent or action), in the order of line numbers, from a number downwards:
 * nothing is sorted, counted or skipped. Columns exclude rows that cannot match; the others are read from the log's files, and
 * query_matches decides on the line itself. So a page is right even if the index has less information than the line.
 *
 * The cost of a page is limited: a query that matches rarely and has no index gets a page with fewer lines than requested,
 * even none, and the number where the next page begins. A reader belongs to one thread. */
#ifndef FILTERD_INDEX_INDEX_FIND_H
#define FILTERD_INDEX_INDEX_FIND_H

#include "index/index_line.h"
#include "index/index_store.h"
#include "query/query.h"

enum { INDEX_PAGE_MAX = 500, INDEX_PAGE_BYTES = 4 * 1024 * 1024, INDEX_FETCH_BYTES = 64 * 65536 /* read at a time, at most */ };

struct index_reader;

/* `folder`: of the log's files. NOT_FOUND: there is no index. NULL on failure. */
struct index_reader *index_reader_open(const char *index, const char *folder, struct error *err);
void index_reader_close(struct index_reader *r); /* accepts NULL */

/* For index_*.c alone. */
sqlite3 *index_reader_db(struct index_reader *r);
/* How far it is. */
uint64_t index_reader_seq(const struct index_reader *r);

/* Called with each line of a page, the newest first. */
typedef bool index_take_fn(void *context, uint64_t seq, struct span line, struct error *err);

struct index_page {
    const struct query *query;
    uint64_t before; /* 0: from the newest line on */
    unsigned limit;  /* 1 to INDEX_PAGE_MAX */
    index_take_fn *take;
    void *context;
};

/* *next: where the next page begins (its `before`), 0: this is the last. */
MUST_CHECK bool index_find(struct index_reader *r, const struct index_page *page, uint64_t *next, struct error *err);

/* Line `seq`. NOT_FOUND: it is not indexed, or was removed. */
MUST_CHECK bool index_line_at(struct index_reader *r, uint64_t seq, struct buf *out, struct error *err);

/* --- tallies -------------------------------------------------------------------- */

enum index_tally_by { INDEX_BY_HOUR = 1, INDEX_BY_TENANT = 2, INDEX_BY_RULE = 4, INDEX_BY_ACTION = 8 };
enum { INDEX_TALLY_ROWS = 10000 };

struct index_tally_query {
    unsigned by;                 /* bits: what rows are distinguished by */
    int64_t from_hour, end_hour; /* since 1970; end exclusive */
    struct span tenant, rule;    /* ptr NULL: all */
    int action;                  /* INDEX_NO_ACTION: all */
};
/* What `by` does not name is 0, empty or INDEX_NO_ACTION. */
struct index_tally_row {
    int64_t hour;
    struct span tenant, rule; /* valid during the call; empty: none */
    int action;
    uint64_t n;
};
typedef bool index_tally_fn(void *context, const struct index_tally_row *row, struct error *err);
/* In the order of hour, tenant, rule, action. LIMIT: there are more than INDEX_TALLY_ROWS. */
MUST_CHECK bool index_tally_read(struct index_reader *r, const struct index_tally_query *q, index_tally_fn *take, void *context,
                                 struct error *err);

#endif
