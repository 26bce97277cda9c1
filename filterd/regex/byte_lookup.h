/* byte_lookup.h - which of 64 bytes are in a set of any shape, as bits; needs AVX2 and BMI2.
 *
 * A row of 16 bits for each lower half of a byte says which upper halves the set has with it. Two shuffles fetch the rows of
 * 32 bytes, a third the bit of each byte's upper half, so the cost does not depend on the set, as that of byte_class.h does. */
#ifndef FILTERD_REGEX_BYTE_LOOKUP_H
#define FILTERD_REGEX_BYTE_LOOKUP_H

#include <stdint.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "regex/pattern_element.h"

enum { BYTE_LOOKUP_STEP = 64, BYTE_LOOKUP_ROWS = 16 };

/* Bit h of ascii[l]: the byte 16 h + l is in the set; of beyond[l]: the byte 128 + 16 h + l. */
struct byte_lookup {
    uint8_t ascii[BYTE_LOOKUP_ROWS], beyond[BYTE_LOOKUP_ROWS];
};

static inline void byte_lookup_add(struct byte_lookup *lookup, unsigned char byte)
{
    uint8_t *rows = byte < 0x80 ? lookup->ascii : lookup->beyond;

    rows[byte % 16] = (uint8_t)(rows[byte % 16] | 1U << (byte / 16 % 8));
}

static inline struct byte_lookup byte_lookup_of(const struct byte_set *set)
{
    struct byte_lookup lookup = {{0}, {0}};

    for (unsigned byte = 0; byte <= UINT8_MAX; byte++) {
        if (byte_set_has(set, (unsigned char)byte)) {
            byte_lookup_add(&lookup, (unsigned char)byte);
        }
    }
    return lookup;
}

#ifdef __x86_64__
#define BYTE_LOOKUP_WIDE __attribute__((target("avx2,bmi,bmi2,popcnt")))

/* Whether this processor can. */
static inline bool byte_lookup_is_possible(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

BYTE_LOOKUP_WIDE static inline __m256i byte_lookup_rows(const uint8_t rows[BYTE_LOOKUP_ROWS])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)rows));
}

BYTE_LOOKUP_WIDE static inline uint32_t byte_lookup_half(const struct byte_lookup *lookup, const char *bytes)
{
    const __m256i half = _mm256_set1_epi8(0x0f);
    const __m256i bits = _mm256_set1_epi64x((long long)0x8040201008040201U);
    const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    const __m256i lower = _mm256_and_si256(v, half), upper = _mm256_and_si256(_mm256_srli_epi16(v, 4), half);
    const __m256i row = _mm256_blendv_epi8(_mm256_shuffle_epi8(byte_lookup_rows(lookup->ascii), lower),
                                           _mm256_shuffle_epi8(byte_lookup_rows(lookup->beyond), lower), v);
    const __m256i bit = _mm256_shuffle_epi8(bits, upper);

    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(row, bit), bit));
}

/* The same of a set without bytes beyond ASCII: for those a shuffle gives no row. */
BYTE_LOOKUP_WIDE static inline uint32_t byte_lookup_ascii_half(const struct byte_lookup *lookup, const char *bytes)
{
    const __m256i bits = _mm256_set1_epi64x((long long)0x8040201008040201U);
    const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    const __m256i bit = _mm256_shuffle_epi8(bits, _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(0x0f)));
    const __m256i row = _mm256_shuffle_epi8(byte_lookup_rows(lookup->ascii), v);

    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(row, bit), bit));
}

BYTE_LOOKUP_WIDE static inline uint64_t byte_lookup_ascii_bits(const struct byte_lookup *lookup, const char bytes[BYTE_LOOKUP_STEP])
{
    return byte_lookup_ascii_half(lookup, bytes) | (uint64_t)byte_lookup_ascii_half(lookup, bytes + BYTE_LOOKUP_STEP / 2) << 32;
}

/* Bit i: byte i is in the set. */
BYTE_LOOKUP_WIDE static inline uint64_t byte_lookup_bits(const struct byte_lookup *lookup, const char bytes[BYTE_LOOKUP_STEP])
{
    return byte_lookup_half(lookup, bytes) | (uint64_t)byte_lookup_half(lookup, bytes + BYTE_LOOKUP_STEP / 2) << 32;
}
#endif

#endif
