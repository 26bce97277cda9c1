/* byte_class.h - which of 64 bytes are in a class, as bits.
 *
 * byte_class_bits is for any processor; byte_class_bits_wide needs AVX2. Both are inlined into their callers, which choose. */
#ifndef FILTERD_REGEX_BYTE_CLASS_H
#define FILTERD_REGEX_BYTE_CLASS_H

#include <stdint.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

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

typedef uint64_t byte_class_bits_fn(const struct byte_class *class, const char bytes[BYTE_CLASS_STEP]);

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

#ifdef __x86_64__
#define BYTE_CLASS_WIDE __attribute__((target("avx2")))

BYTE_CLASS_WIDE static inline uint64_t byte_class_bits_wide(const struct byte_class *class, const char bytes[BYTE_CLASS_STEP])
{
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + BYTE_CLASS_STEP / 2));
    __m256i low_in = _mm256_setzero_si256(), high_in = low_in;

    for (unsigned k = 0; k < class->n_ranges; k++) {
        const __m256i from = _mm256_broadcastsi128_si256((__m128i)class->ranges[k].from);
        const __m256i width = _mm256_broadcastsi128_si256((__m128i)class->ranges[k].width);
        const __m256i low_above = _mm256_sub_epi8(low, from), high_above = _mm256_sub_epi8(high, from);
        low_in = _mm256_or_si256(low_in, _mm256_cmpeq_epi8(_mm256_min_epu8(low_above, width), low_above));
        high_in = _mm256_or_si256(high_in, _mm256_cmpeq_epi8(_mm256_min_epu8(high_above, width), high_above));
    }
    return (uint32_t)_mm256_movemask_epi8(low_in) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high_in) << 32;
}
#endif

#endif
