/* masking_parts.h - inside mask: the entries of a masking, and the tree of its pseudonyms.
 *
 * The tree is over the bytes of the pseudonyms in lower case. A walk down it from any place of a text costs at most
 * MASKING_PSEUDONYM_MAX steps, however many pseudonyms there are. Nodes are never changed but for their children, and only under
 * the masking's lock. */
#ifndef FILTERD_MASK_MASKING_PARTS_H
#define FILTERD_MASK_MASKING_PARTS_H

#include <nettle/hmac.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "mask/masking.h"

struct masking_entry {
    struct span value, pseudonym; /* in the masking's memory */
    unsigned categories; /* of all uses */
    uint64_t hash; /* of the value, by `places` */
    struct masking_entry *chain;
};

struct masking_node {
    struct masking_node *first, *next; /* children; siblings */
    const struct masking_entry *entry; /* the pseudonym that ends here; then it has no children */
    unsigned char byte;
    bool is_stem; /* all before the digits of a label ends here: "[person-name-" */
};

enum { MASKING_BUCKETS = 128 };

struct masking {
    atomic_uint references;
    uint64_t number;      /* does not change */
    pthread_mutex_t lock; /* for all below */
    struct masking_limits limits;
    struct arena memory; /* locked */
    struct masking_entry **buckets;
    struct masking_node root;
    bool starts[256]; /* bytes, in both cases, that begin a pseudonym */
    size_t n;
    uint64_t charged; /* to the budget */
    struct hmac_sha256_ctx keyed; /* with the key, before any value: pseudonyms are made of it */
    uint8_t places[crypto_shorthash_KEYBYTES]; /* a random key: in which bucket a value is */
};

/* The child for a byte in lower case; NULL: none. */
static inline const struct masking_node *masking_child(const struct masking_node *n, unsigned char byte)
{
    const struct masking_node *child = n->first;

    while (child != NULL && child->byte != byte) {
        child = child->next;
    }
    return child;
}

#endif
