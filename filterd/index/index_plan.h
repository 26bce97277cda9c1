/* index_plan.h - the plan of a query: which index to use, and which rows cannot match; for index_*.c alone. */
#ifndef FILTERD_INDEX_INDEX_PLAN_H
#define FILTERD_INDEX_INDEX_PLAN_H

#include "index/index_cursor.h"
#include "query/query_parts.h"

enum { INDEX_KEYS_OF_PLAN = 64 /* values of a term that has an index; with more it is read through */ };

/* One term of the query over a column, as sets of its numbers. */
struct index_test {
    const struct query_term *term;
    size_t first, n; /* its numbers */
};

struct index_plan {
    const struct query *query;
    uint64_t first, end; /* of line numbers */
    bool is_empty;       /* no line matches */
    size_t n_cursors;
    struct {
        enum index_way way;
        struct index_key key;
    } cursors[2 * INDEX_KEYS_OF_PLAN];
    size_t n_tests, n_numbers;
    struct index_test tests[QUERY_TERMS_MAX];
    int64_t numbers[QUERY_VALUES_MAX];
};

MUST_CHECK bool index_plan_make(struct index_plan *p, sqlite3 *db, const struct query *q, uint64_t before, struct error *err);
/* False: the row's line does not match. */
bool index_plan_may_match(const struct index_plan *p, const struct index_row *row);

#endif
