/* seen.h - a set of things known by keyed hashes of them: blobs, findings. The key is made at random, so that
 * nobody can prepare two things with the same hash. */
#ifndef FILTERD_CTL_SOURCE_SEEN_H
#define FILTERD_CTL_SOURCE_SEEN_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { SEEN_SECRET = 16 };

struct seen_key {
    uint64_t words[2];
};

struct seen {
    uint8_t secret[SEEN_SECRET];
    struct seen_key *slots; /* a power of two of them; both words 0: free */
    uint32_t *counts;
    size_t n, n_slots;
};

void seen_init(struct seen *s);
/* Empty, with the key of another one. */
void seen_init_like(struct seen *s, const struct seen *other);
void seen_deinit(struct seen *s);
/* The same in all threads; the parts are hashed with their lengths. */
struct seen_key seen_key_of(const struct seen *s, const struct span *parts, size_t n);
bool seen_has(const struct seen *s, struct seen_key key);
/* *before is how often it was added before. */
MUST_CHECK bool seen_add(struct seen *s, struct seen_key key, uint32_t *before, struct error *err);

#endif
