/* random.h - a small generator with a seed, so that every run tests the same texts (xorshift64*). */
#ifndef FILTERD_TESTS_SUPPORT_RANDOM_H
#define FILTERD_TESTS_SUPPORT_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state; /* not 0 */
};

static inline uint64_t random_next(struct random *r)
{
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * 0x2545f4914f6cdd1dULL;
}

/* 0 to n - 1; n > 0. */
static inline size_t random_below(struct random *r, size_t n)
{
    return (size_t)((random_next(r) >> 33) % n);
}

#endif
