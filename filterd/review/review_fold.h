/* review_fold.h - lines into review.db, in the order of their numbers.
 *
 * The same lines give the same tables, however they are cut into transactions: nothing here looks at a clock or at a policy,
 * and the position is committed with what came before it. A step that is not possible in the state that the lines before it
 * made changes nothing. One thread. */
#ifndef FILTERD_REVIEW_REVIEW_FOLD_H
#define FILTERD_REVIEW_REVIEW_FOLD_H

#include "index/index_follow.h"
#include "review/review_store.h"

/* For index_follow_open: review.db in place of the index. */
extern const struct index_maker review_maker;

struct review_fold;
struct review_fold *review_fold_new(struct index_store *store, struct error *err); /* NULL on failure; store is borrowed */
void review_fold_free(struct review_fold *f);                                      /* accepts NULL */
MUST_CHECK bool review_fold_add(struct review_fold *f, struct span line, struct error *err);
MUST_CHECK bool review_fold_commit(struct review_fold *f, const char *origin, struct error *err);

/* Tables of other types of lines. `fold` is called within the transaction, with each line of that type; a line that it
 * cannot use changes nothing. */
struct review_fold_part {
    const char *type;
    bool (*fold)(sqlite3 *db, struct span line, struct arena *memory, struct error *err);
};

#endif
