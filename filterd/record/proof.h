/* proof.h - a file that proves one line (C2SP tlog-proof): its index, its path and the checkpoint, verifiable offline.
 *
 * "c2sp.org/tlog-proof@v1", optionally "extra <base64>", "index <number>", the hashes from the leaf's sibling upwards, an
 * empty line, the checkpoint as it is. filterd puts the line itself into `extra`; it is untrusted until its leaf
 * hash is verified. Parsed spans are borrowed. Any thread. */
#ifndef FILTERD_RECORD_PROOF_H
#define FILTERD_RECORD_PROOF_H

#include "record/checkpoint.h"

enum { PROOF_MAX = 256 * 1024, PROOF_EXTRA_MAX = TREE_LEAF_MAX };

struct proof {
    bool has_extra;
    struct span extra; /* Base64, valid */
    uint64_t index;
    struct tree_proof path;
    struct checkpoint checkpoint;
};

MUST_CHECK bool proof_parse(struct span bytes, struct proof *out, struct error *err);
/* Appends the decoded extra data; nothing without. */
MUST_CHECK bool proof_extra(const struct proof *proof, struct buf *out, struct error *err);
/* Appends the file. `extra` with a NULL pointer is left out; `checkpoint` is a whole note. */
MUST_CHECK bool proof_format(struct span extra, uint64_t index, const struct tree_proof *path, struct span checkpoint,
                             struct buf *out, struct error *err);
/* That the leaf is at the proof's index in the checkpoint's tree. Signatures are log_policy_verify's. */
MUST_CHECK bool proof_verify(const struct proof *proof, const struct tree_hash *leaf, struct error *err);

#endif
