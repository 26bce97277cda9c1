/* tree.h - the Merkle tree of RFC 6962, section 2.1, with SHA-256: hashes, the right edge of a growing tree, proofs.
 *
 * Leaves are numbered from 0. A leaf's hash is SHA-256(0x00 || line), without the line's newline; a node's is
 * SHA-256(0x01 || left || right); the root of a tree without leaves is SHA-256(""). Proofs are built from any source of
 * nodes and verified by the algorithms of RFC 9162, sections 2.1.3.2 and 2.1.4.2: a path that is longer or shorter than
 * index and sizes demand is refused.
 *
 * SHA-256 is GnuTLS's, which uses the processor's SHA instructions; a failure of it, which has no cause outside the
 * library, ends the process. Nothing here allocates or keeps state of its own: any thread, each struct by one at a time. */
#ifndef FILTERD_RECORD_TREE_H
#define FILTERD_RECORD_TREE_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum {
    TREE_HASH = 32,
    TREE_LEAF_MAX = 65535, /* bytes of a line: the largest entry of C2SP tlog-tiles */
    TREE_HEIGHT_MAX = 64,
    TREE_PROOF_MAX = 64, /* hashes of a proof; one of C2SP has at most 63 */
};

struct tree_hash {
    uint8_t bytes[TREE_HASH];
};

static inline bool tree_hash_equal(const struct tree_hash *a, const struct tree_hash *b)
{
    return memcmp(a->bytes, b->bytes, TREE_HASH) == 0;
}

/* line.len is at most TREE_LEAF_MAX: a reader of foreign lines checks before. */
void tree_hash_leaf(struct span line, struct tree_hash *out);
void tree_hash_node(const struct tree_hash *left, const struct tree_hash *right, struct tree_hash *out);
void tree_hash_empty(struct tree_hash *out);

/* The standard Base64 of a hash, NUL-terminated: 43 characters and "=". */
enum { TREE_HASH_TEXT = 44 };
void tree_hash_format(const struct tree_hash *hash, char text[TREE_HASH_TEXT + 1]);
/* Nothing but those 44 characters. */
MUST_CHECK bool tree_hash_parse(struct span text, struct tree_hash *out, struct error *err);

/* The right edge: one hash for each bit of `size`, of complete subtrees from the largest, on the left, to the smallest.
 * Zeroed memory is a tree without leaves. Adding one costs one interior hash on average. */
struct tree_edge {
    uint64_t size; /* leaves */
    struct tree_hash nodes[TREE_HEIGHT_MAX];
};
void tree_edge_add(struct tree_edge *edge, const struct tree_hash *leaf);
void tree_edge_root(const struct tree_edge *edge, struct tree_hash *out);

/* Where nodes of complete subtrees come from: `level` 0 is the leaves, the node covers the leaves
 * [index * 2^level, (index + 1) * 2^level), which are all there. */
typedef bool tree_node_fn(void *state, unsigned level, uint64_t index, struct tree_hash *out, struct error *err);
struct tree_source {
    tree_node_fn *node;
    void *state;
};

struct tree_proof {
    size_t n;
    struct tree_hash hashes[TREE_PROOF_MAX];
};

/* The right edge of the first `size` leaves, and with it their root. */
MUST_CHECK bool tree_edge_read(const struct tree_source *source, uint64_t size, struct tree_edge *out, struct error *err);
MUST_CHECK bool tree_root(const struct tree_source *source, uint64_t size, struct tree_hash *out, struct error *err);
/* That leaf `index` is in the tree of `size` leaves, from its sibling upwards. INVALID: index is not below size. */
MUST_CHECK bool tree_prove_inclusion(const struct tree_source *source, uint64_t index, uint64_t size,
                                     struct tree_proof *out, struct error *err);
/* That the tree of `size` leaves begins with that of `old`. Empty where old is 0 or equals size. INVALID: old > size. */
MUST_CHECK bool tree_prove_consistency(const struct tree_source *source, uint64_t old, uint64_t size,
                                       struct tree_proof *out, struct error *err);

/* INVALID with what does not hold: the index, the length of the path, or the root. */
MUST_CHECK bool tree_verify_inclusion(const struct tree_hash *leaf, uint64_t index, uint64_t size,
                                      const struct tree_hash *root, const struct tree_proof *proof, struct error *err);
/* Likewise. An old size of 0 has an empty proof and any tree is consistent with it; old_root is then not looked at. */
MUST_CHECK bool tree_verify_consistency(uint64_t old, const struct tree_hash *old_root, uint64_t size,
                                        const struct tree_hash *root, const struct tree_proof *proof, struct error *err);

#endif
