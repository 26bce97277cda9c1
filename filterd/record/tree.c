#include "record/tree.h"

#include <assert.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <sodium.h>

enum { LEAF_PREFIX = 0, NODE_PREFIX = 1 };

static void hash(const uint8_t *bytes, size_t n, struct tree_hash *out)
{
    int code = gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes, n, out->bytes);

    assert(code == 0);
    (void)code;
}

/* Not inlined, so that short lines do not pay for the room of long ones. */
static __attribute__((noinline)) void hash_leaf_of(uint8_t *room, struct span line, struct tree_hash *out)
{
    room[0] = LEAF_PREFIX;
    if (line.len > 0) {
        memcpy(room + 1, line.ptr, line.len);
    }
    hash(room, line.len + 1, out);
}

static __attribute__((noinline)) void hash_long_leaf(struct span line, struct tree_hash *out)
{
    uint8_t room[1 + TREE_LEAF_MAX] __attribute__((uninitialized));

    hash_leaf_of(room, line, out);
}

void tree_hash_leaf(struct span line, struct tree_hash *out)
{
    uint8_t room[2048] __attribute__((uninitialized));

    assert(line.len <= TREE_LEAF_MAX);
    if (line.len < sizeof(room)) {
        hash_leaf_of(room, line, out);
    } else {
        hash_long_leaf(line, out);
    }
}

void tree_hash_node(const struct tree_hash *left, const struct tree_hash *right, struct tree_hash *out)
{
    uint8_t bytes[1 + 2 * TREE_HASH];

    bytes[0] = NODE_PREFIX;
    memcpy(bytes + 1, left->bytes, TREE_HASH);
    memcpy(bytes + 1 + TREE_HASH, right->bytes, TREE_HASH);
    hash(bytes, sizeof(bytes), out);
}

void tree_hash_empty(struct tree_hash *out)
{
    hash((const uint8_t *)"", 0, out);
}

void tree_hash_format(const struct tree_hash *h, char text[TREE_HASH_TEXT + 1])
{
    (void)sodium_bin2base64(text, TREE_HASH_TEXT + 1, h->bytes, TREE_HASH, sodium_base64_VARIANT_ORIGINAL);
}

bool tree_hash_parse(struct span text, struct tree_hash *out, struct error *err)
{
    struct tree_hash h;
    size_t n = 0;

    if (text.len != TREE_HASH_TEXT ||
        sodium_base642bin(h.bytes, TREE_HASH, text.ptr, text.len, NULL, &n, NULL, sodium_base64_VARIANT_ORIGINAL) != 0 ||
        n != TREE_HASH) {
        return error_set(err, ERROR_MALFORMED, "a hash of 44 characters of Base64 expected");
    }
    *out = h;
    return true;
}

/* --- the right edge --------------------------------------------------------- */

static unsigned edge_nodes(const struct tree_edge *edge)
{
    return (unsigned)__builtin_popcountll(edge->size);
}

void tree_edge_add(struct tree_edge *edge, const struct tree_hash *leaf)
{
    unsigned n = edge_nodes(edge);
    struct tree_hash h = *leaf;

    assert(edge->size < UINT64_MAX);
    /* Each bit that is set from the right on is a complete subtree, which the new one completes to one twice as large. */
    for (uint64_t rest = edge->size; (rest & 1) != 0; rest >>= 1) {
        n--;
        tree_hash_node(&edge->nodes[n], &h, &h);
    }
    edge->nodes[n] = h;
    edge->size++;
}

void tree_edge_root(const struct tree_edge *edge, struct tree_hash *out)
{
    unsigned n = edge_nodes(edge);

    if (n == 0) {
        tree_hash_empty(out);
        return;
    }
    *out = edge->nodes[n - 1];
    for (unsigned i = n - 1; i > 0; i--) {
        tree_hash_node(&edge->nodes[i - 1], out, out);
    }
}
