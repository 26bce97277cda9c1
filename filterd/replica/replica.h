/* replica.h - the replica of one node's log: verified as it grows, then folded into a queue and an index.
 *
 * filterd-link writes <folder>/decisions.jsonl and <folder>/record/checkpoint from a database that is not trusted (link/gather.h). A line
 * counts here once a checkpoint with the node's key covers it and the tree over all lines so far has the root that was signed: only such
 * lines are in record/review.db and record/index.db, so that no line that was forged changes an item. Lines behind are unsigned; where a
 * signed checkpoint covers them and its root is another one, they are broken, and stay so until the copy is made anew.
 *
 * A copy may lack the lines up to record/minimum (filterd-link(8), keep): the tiles stand for them, and nothing is proven before a line of type prune
 * says that they were removed.
 *
 * The first key that a copy names is kept in <folder>/key, and another is refused. record/proven is the newest checkpoint that held, so
 * that a new process continues there. One thread verifies; the functions that read a line may run beside it. */
#ifndef FILTERD_REPLICA_REPLICA_H
#define FILTERD_REPLICA_REPLICA_H

#include <limits.h>

#include "base/buf.h"
#include "record/log_keys.h"
#include "record/tree.h"

enum { REPLICA_NAME = 64, REPLICA_WHY = 256 };

struct replica_state {
    char node[REPLICA_NAME];
    uint64_t proven;      /* lines that the node has signed, as they are here */
    uint64_t folded;      /* of these, in the queue and the index */
    uint64_t removed;     /* lines up to this one were removed at the end of their term; 0: none */
    uint64_t broken;      /* lines proven + 1 to this one are not what the node has signed; 0: none */
    char why[REPLICA_WHY]; /* what is wrong with the copy; empty: nothing */
};

/* Paths of a copy. */
struct replica_place {
    char folder[PATH_MAX], log[PATH_MAX], record[PATH_MAX], review[PATH_MAX], index[PATH_MAX];
};
/* INVALID: the path is too long. */
MUST_CHECK bool replica_place(struct replica_place *p, const char *copies, const char *node, struct error *err);

/* The key of a log against the one that was seen first, which *is_new has just become. DENIED: it is another. */
MUST_CHECK bool replica_check_key(const char *folder, const struct note_key *key, bool *is_new, struct error *err);

/* --- verification ----------------------------------------------------------------------- */

struct replica;
/* NULL on failure. */
struct replica *replica_open(const char *copies, const char *node, struct error *err);
void replica_close(struct replica *c); /* accepts NULL */
/* Verifies and folds what is new, for about `budget_ms`; *more: there is more at once. What is wrong with the copy is in its state. */
void replica_step(struct replica *c, unsigned budget_ms, bool *more);
const struct replica_state *replica_state(const struct replica *c);

/* --- lines ------------------------------------------------------------------------------ */

enum replica_proof { REPLICA_BROKEN, REPLICA_UNSIGNED, REPLICA_PROVEN };

/* Line `seq` of the file into `line`, without its newline, and whether it is what the node has signed: its hash is in the tree of
 * record/proven. `proof`: gets the tlog-proof of a proven line; NULL: none is wanted. NOT_FOUND: there is no such line. */
MUST_CHECK bool replica_line(const struct replica_place *place, const struct replica_state *state, uint64_t seq, struct buf *line,
                               enum replica_proof *how, struct buf *proof, struct error *err);

/* Each of at most `max` lines behind the proven ones, in order; each is broken or unsigned. */
typedef bool replica_line_fn(void *context, uint64_t seq, struct span line, enum replica_proof how, struct error *err);
MUST_CHECK bool replica_rest(const struct replica_place *place, const struct replica_state *state, unsigned max, replica_line_fn *take,
                               void *context, struct error *err);

#endif
