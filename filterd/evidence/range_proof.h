/* range_proof.h - that lines in a row are all the lines of a log from one number to another.
 *
 * "filterd-range-proof@v1", "first <number>", "last <number>", then the hashes of the subtrees left and right of the range, as
 * they come when the tree is walked from the left (RFC 6962: split at the largest power of two that is smaller), an empty line,
 * the checkpoint as it is. At most 2 * 64 hashes. Numbers are seq, from 1. What is parsed borrows. */
#ifndef FILTERD_EVIDENCE_RANGE_PROOF_H
#define FILTERD_EVIDENCE_RANGE_PROOF_H

#include "record/checkpoint.h"

enum { RANGE_PROOF_HASHES = 2 * TREE_HEIGHT_MAX };

struct range_proof {
    uint64_t first, last; /* inclusive */
    size_t n;
    struct tree_hash hashes[RANGE_PROOF_HASHES];
    struct span checkpoint; /* a whole note */
};

/* Fills in all but the checkpoint. INVALID: not 1 <= first <= last <= size. */
MUST_CHECK bool range_proof_make(const struct tree_source *source, uint64_t first, uint64_t last, uint64_t size,
                                 struct range_proof *out, struct error *err);
MUST_CHECK bool range_proof_format(const struct range_proof *p, struct buf *out, struct error *err);
MUST_CHECK bool range_proof_parse(struct span bytes, struct range_proof *out, struct error *err);

/* Calls for the leaf of each line of the range, in order. */
typedef bool range_leaf_fn(void *context, struct tree_hash *out, struct error *err);
/* That those leaves and the proof make the root. INVALID: they do not. */
MUST_CHECK bool range_proof_verify(const struct range_proof *p, uint64_t size, const struct tree_hash *root, range_leaf_fn *leaf,
                                   void *context, struct error *err);

#endif
