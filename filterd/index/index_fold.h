/* index_fold.h - makes rows of lines, in the order of their numbers.
 *
 * The same lines give the same rows, whatever the transactions: nothing depends on a clock, and the position is committed
 * together with the rows. A line that is already indexed is skipped. One thread. */
#ifndef FILTERD_INDEX_INDEX_FOLD_H
#define FILTERD_INDEX_INDEX_FOLD_H

#include "index/index_line.h"
#include "index/index_store.h"

enum { INDEX_BATCH = 2000 /* lines of a transaction, at most */ };

struct index_fold;

/* Goes on behind the position that the store has. The store is borrowed. NULL on failure. */
struct index_fold *index_fold_new(struct index_store *store, struct error *err);
void index_fold_free(struct index_fold *f); /* drops what is not committed; accepts NULL */

/* Of the last line added. */
const struct index_position *index_fold_position(const struct index_fold *f);

/* A file of the log begins with line `first_seq` of that hash: *id is its number, and `path` where it is now. To be called
 * before its lines are added. With a hash of NULL a file that is not known stays so, and *id is 0. */
MUST_CHECK bool index_fold_file(struct index_fold *f, const char *path, uint64_t first_seq, const struct tree_hash *first,
                                int64_t *id, struct error *err);
/* Line `text` begins at `offset` of that file. INVALID: its number is not the next one. */
MUST_CHECK bool index_fold_add(struct index_fold *f, struct span text, int64_t file, uint64_t offset, struct error *err);
/* What was added is in the file when this returns true; else it is dropped, and the fold must be freed. `origin`: of the
 * log. */
MUST_CHECK bool index_fold_commit(struct index_fold *f, const char *origin, struct error *err);

#endif
