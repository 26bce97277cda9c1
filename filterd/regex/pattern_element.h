/* pattern_element.h - an over-approximation of what one element of a pattern matches, from its text. */
#ifndef FILTERD_REGEX_PATTERN_ELEMENT_H
#define FILTERD_REGEX_PATTERN_ELEMENT_H

#include <stdint.h>

#include "base/span.h"

struct byte_set {
    uint64_t bits[4];
};

static inline bool byte_set_has(const struct byte_set *set, unsigned char byte)
{
    return (set->bits[byte / 64] >> byte % 64 & 1) != 0;
}

static inline void byte_set_add(struct byte_set *set, unsigned byte)
{
    set->bits[byte / 64] |= (uint64_t)1 << byte % 64;
}

static inline void byte_set_add_range(struct byte_set *set, unsigned from, unsigned to)
{
    for (unsigned byte = from; byte <= to; byte++) {
        byte_set_add(set, byte);
    }
}

static inline void byte_set_add_all(struct byte_set *set, const struct byte_set *other)
{
    for (unsigned i = 0; i < 4; i++) {
        set->bits[i] |= other->bits[i];
    }
}

struct element {
    struct byte_set ascii;
    bool is_wide;  /* also matches non-ASCII characters */
    bool is_loose; /* `ascii` may have more than the element matches */
};

/* `text` is one atom from pattern_token: a character, an escape or a class. */
struct element element_of(struct span text, bool is_caseless);

#endif
