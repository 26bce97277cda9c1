/* index_tally.h - how many lines with an action there are, by hour, tenant, rule and action: counted in memory, added to the
 * table at the end of a transaction. One thread. */
#ifndef FILTERD_INDEX_INDEX_TALLY_H
#define FILTERD_INDEX_INDEX_TALLY_H

#include "index/index_store.h"

/* Tenant and rule are numbers of words, 0: none. */
struct index_count {
    int64_t hour, tenant, rule; /* hour: since 1970 */
    int action;
    uint64_t n;
};

struct index_tally;
struct index_tally *index_tally_new(sqlite3 *db, struct error *err); /* NULL on failure; db is borrowed */
void index_tally_free(struct index_tally *t);                        /* accepts NULL */

/* One more of that kind, within the transaction of the caller. */
MUST_CHECK bool index_tally_add(struct index_tally *t, const struct index_count *kind, struct error *err);
MUST_CHECK bool index_tally_save(struct index_tally *t, struct error *err);

#endif
