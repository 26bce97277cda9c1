/* Proofs: built by RFC 6962, section 2.1, verified by RFC 9162, sections 2.1.3.2 and 2.1.4.2. */
#include "record/tree.h"

#include <assert.h>
#include <inttypes.h>

/* --- building --------------------------------------------------------------- */

/* Complete subtrees that make up [from, to), from left to right: those that RFC 6962 splits it into, where `from` is a
 * multiple of the largest power of two below to - from. */
static bool read_range(const struct tree_source *source, uint64_t from, uint64_t to, struct tree_edge *out,
                       struct error *err)
{
    unsigned n = 0;

    out->size = to - from;
    while (from < to) {
        unsigned level = 63 - (unsigned)__builtin_clzll(to - from);
        if (!source->node(source->state, level, from >> level, &out->nodes[n], err)) {
            return false;
        }
        from += UINT64_C(1) << level;
        n++;
    }
    return true;
}

static bool range_root(const struct tree_source *source, uint64_t from, uint64_t to, struct tree_hash *out,
                       struct error *err)
{
    struct tree_edge edge;

    if (!read_range(source, from, to, &edge, err)) {
        return false;
    }
    tree_edge_root(&edge, out);
    return true;
}

bool tree_edge_read(const struct tree_source *source, uint64_t size, struct tree_edge *out, struct error *err)
{
    struct tree_edge edge;

    if (!read_range(source, 0, size, &edge, err)) {
        return false;
    }
    *out = edge;
    return true;
}

bool tree_root(const struct tree_source *source, uint64_t size, struct tree_hash *out, struct error *err)
{
    return range_root(source, 0, size, out, err);
}

/* The largest power of two below n, which is at least 2. */
static uint64_t split(uint64_t n)
{
    return UINT64_C(1) << (63 - (unsigned)__builtin_clzll(n - 1));
}

/* Paths are found from the root down and written from the leaf up. */
static void reverse(struct tree_proof *proof)
{
    for (size_t i = 0; i < proof->n / 2; i++) {
        struct tree_hash h = proof->hashes[i];
        proof->hashes[i] = proof->hashes[proof->n - 1 - i];
        proof->hashes[proof->n - 1 - i] = h;
    }
}

bool tree_prove_inclusion(const struct tree_source *source, uint64_t index, uint64_t size, struct tree_proof *out,
                          struct error *err)
{
    struct tree_proof proof = {.n = 0};
    uint64_t from = 0, to = size;

    if (index >= size) {
        return error_set(err, ERROR_INVALID, "proof: an index below %" PRIu64 " expected", size);
    }
    while (to - from > 1) {
        uint64_t middle = from + split(to - from);
        bool is_left = index < middle;
        if (!range_root(source, is_left ? middle : from, is_left ? to : middle, &proof.hashes[proof.n++], err)) {
            return false;
        }
        from = is_left ? from : middle;
        to = is_left ? middle : to;
    }
    reverse(&proof);
    *out = proof;
    return true;
}

/* SUBPROOF of RFC 6962, section 2.1.2; is_known: [from, to) begins at 0, so the verifier has the old root itself. */
bool tree_prove_consistency(const struct tree_source *source, uint64_t old, uint64_t size, struct tree_proof *out,
                            struct error *err)
{
    struct tree_proof proof = {.n = 0};
    uint64_t from = 0, to = size;
    bool is_known = true;

    if (old > size) {
        return error_set(err, ERROR_INVALID, "proof: an old size of at most %" PRIu64 " expected", size);
    }
    if (old == 0 || old == size) {
        out->n = 0;
        return true;
    }
    while (to != old) {
        uint64_t middle = from + split(to - from);
        bool is_left = old <= middle;
        if (!range_root(source, is_left ? middle : from, is_left ? to : middle, &proof.hashes[proof.n++], err)) {
            return false;
        }
        is_known = is_known && is_left;
        from = is_left ? from : middle;
        to = is_left ? middle : to;
    }
    if (!is_known && !range_root(source, from, to, &proof.hashes[proof.n++], err)) {
        return false;
    }
    reverse(&proof);
    *out = proof;
    return true;
}

/* --- verifying -------------------------------------------------------------- */

static bool wrong_length(struct error *err)
{
    return error_set(err, ERROR_INVALID, "proof: another number of hashes expected");
}

static bool wrong_root(struct error *err)
{
    return error_set(err, ERROR_INVALID, "proof: it leads to another root");
}

bool tree_verify_inclusion(const struct tree_hash *leaf, uint64_t index, uint64_t size, const struct tree_hash *root,
                           const struct tree_proof *proof, struct error *err)
{
    uint64_t fn = index, sn = size - 1;
    struct tree_hash r = *leaf;

    if (index >= size) {
        return error_set(err, ERROR_INVALID, "proof: an index below the tree's size expected");
    }
    for (size_t i = 0; i < proof->n; i++) {
        if (sn == 0) {
            return wrong_length(err);
        }
        if ((fn & 1) != 0 || fn == sn) {
            tree_hash_node(&proof->hashes[i], &r, &r);
            while ((fn & 1) == 0 && fn != 0) {
                fn >>= 1;
                sn >>= 1;
            }
        } else {
            tree_hash_node(&r, &proof->hashes[i], &r);
        }
        fn >>= 1;
        sn >>= 1;
    }
    if (sn != 0) {
        return wrong_length(err);
    }
    return tree_hash_equal(&r, root) || wrong_root(err);
}

/* Both roots from the path; RFC 9162, section 2.1.4.2, with 0 < old < size. */
static bool verify_growth(uint64_t old, const struct tree_hash *old_root, uint64_t size, const struct tree_hash *root,
                          const struct tree_proof *proof, struct error *err)
{
    uint64_t fn = old - 1, sn = size - 1;
    bool is_known = (old & (old - 1)) == 0; /* a power of two: its root begins the path, and is not sent */
    size_t i = is_known ? 0 : 1;

    if (proof->n == 0) {
        return wrong_length(err);
    }
    for (; (fn & 1) != 0; fn >>= 1) {
        sn >>= 1;
    }
    struct tree_hash fr = is_known ? *old_root : proof->hashes[0], sr = fr;
    for (; i < proof->n; i++) {
        const struct tree_hash *c = &proof->hashes[i];
        if (sn == 0) {
            return wrong_length(err);
        }
        if ((fn & 1) != 0 || fn == sn) {
            tree_hash_node(c, &fr, &fr);
            tree_hash_node(c, &sr, &sr);
            while ((fn & 1) == 0 && fn != 0) {
                fn >>= 1;
                sn >>= 1;
            }
        } else {
            tree_hash_node(&sr, c, &sr);
        }
        fn >>= 1;
        sn >>= 1;
    }
    if (sn != 0) {
        return wrong_length(err);
    }
    return (tree_hash_equal(&fr, old_root) && tree_hash_equal(&sr, root)) || wrong_root(err);
}

bool tree_verify_consistency(uint64_t old, const struct tree_hash *old_root, uint64_t size, const struct tree_hash *root,
                             const struct tree_proof *proof, struct error *err)
{
    if (old > size) {
        return error_set(err, ERROR_INVALID, "proof: an old size of at most the new one expected");
    }
    if (old != 0 && old != size) {
        return verify_growth(old, old_root, size, root, proof, err);
    }
    if (proof->n != 0) {
        return wrong_length(err);
    }
    return old == 0 || tree_hash_equal(old_root, root) || wrong_root(err);
}
