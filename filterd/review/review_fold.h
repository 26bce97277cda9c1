/* review_fold.h - folds lines of the record into review.db, in the order of their numbers.
 *
 * Deterministic: the same lines give the same tables, however they are split into transactions. The fold reads no clock and no
 * policy, and commits its position with the tables. A step that the state does not permit changes nothing. One thread. */
#ifndef FILTERD_REVIEW_REVIEW_FOLD_H
#define FILTERD_REVIEW_REVIEW_FOLD_H

#include "index/index_follow.h"
#include "review/review_store.h"

/* For index_follow_open: maintains review.db instead of the index. */
extern const struct index_maker review_maker;

struct review_fold;
struct review_fold *review_fold_new(struct index_store *store, struct error *err); /* NULL on failure; store is borrowed */
void review_fold_free(struct review_fold *f);                                      /* accepts NULL */
MUST_CHECK bool review_fold_add(struct review_fold *f, struct span line, struct error *err);
MUST_CHECK bool review_fold_commit(struct review_fold *f, const char *origin, struct error *err);

/* Folds lines of another type into tables of their own. `fold` is called within the transaction, with each line of that type; it
 * must ignore lines that it cannot use. */
struct review_fold_part {
    const char *type;
    bool (*fold)(sqlite3 *db, struct span line, struct arena *memory, struct error *err);
};

#endif
