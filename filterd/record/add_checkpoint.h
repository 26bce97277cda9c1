/* add_checkpoint.h - the request for a cosignature (C2SP tlog-witness, add-checkpoint).
 *
 * "old <size>", up to 63 hashes of the consistency proof in Base64, an empty line, the checkpoint. The local signer gets
 * the same with the checkpoint's text alone, as it makes the first signature. Parsed spans are borrowed. Any thread. */
#ifndef FILTERD_RECORD_ADD_CHECKPOINT_H
#define FILTERD_RECORD_ADD_CHECKPOINT_H

#include "record/checkpoint.h"

enum { ADD_CHECKPOINT_PROOF_MAX = 63, ADD_CHECKPOINT_MAX = NOTE_MAX + 4096 };

struct add_checkpoint {
    uint64_t old;
    struct tree_proof proof;
    struct span checkpoint; /* unparsed */
};

MUST_CHECK bool add_checkpoint_parse(struct span bytes, struct add_checkpoint *out, struct error *err);
/* INVALID: the proof has more than 63 hashes. */
MUST_CHECK bool add_checkpoint_format(uint64_t old, const struct tree_proof *proof, struct span checkpoint, struct buf *out,
                                      struct error *err);

#endif
