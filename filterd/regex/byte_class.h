/* byte_class.h - which of 64 bytes are in a class, as bits.
 *
 * For any processor; with AVX2 byte_lookup.h is quicker. */
#ifndef FILTERD_REGEX_BYTE_CLASS_H
#define FILTERD_REGEX_BYTE_CLASS_H

#include <stdint.h>

#include "regex/pattern_element.h"
#include "text/vector.h"

enum { BYTE_CLASS_STEP = 64, BYTE_CLASS_RANGES_MAX = 12 };

/* The bytes [from, from + width], in each lane of a vector. */
struct byte_range {
    vector_bytes from, width;
};

struct byte_class {
    struct byte_set set;
    struct byte_range ranges[BYTE_CLASS_RANGES_MAX];
    unsigned n_ranges;
};

/* False when the set is empty or needs more ranges. */
static inline bool byte_class_make(const struct byte_set *set, struct byte_class *out)
{
    struct byte_class class = {.set = *set};

    for (unsigned from = 0, to; from <= UINT8_MAX; from = to + 1) {
        for (to = from; to <= UINT8_MAX && byte_set_has(set, (unsigned char)to); to++) {
        }
        if (to == from) {
            continue;
        }
        if (class.n_ranges == BYTE_CLASS_RANGES_MAX) {
            return false;
        }
        class.ranges[class.n_ranges++] =
            (struct byte_range){.from = vector_of((uint8_t)from), .width = vector_of((uint8_t)(to - 1 - from))};
    }
    if (class.n_ranges > 0) {
        *out = class;
    }
    return class.n_ranges > 0;
}

static inline bool byte_set_equal(const struct byte_set *a, const struct byte_set *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* Bit i: byte i is in the class. */
static inline uint64_t byte_class_bits(const struct byte_class *class, const char bytes[BYTE_CLASS_STEP])
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < BYTE_CLASS_STEP; i += VECTOR_SIZE) {
        vector_bytes v = vector_load(bytes + i);
        vector_bytes in = {0};
        for (unsigned k = 0; k < class->n_ranges; k++) {
            in |= (vector_bytes)(v - class->ranges[k].from <= class->ranges[k].width);
        }
        bits |= (uint64_t)vector_top_bits(in) << i;
    }
    return bits;
}

#endif
