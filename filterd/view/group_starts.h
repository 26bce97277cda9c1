/* group_starts.h - where groups of characters may begin (grouped.c), for 44 places of a text at once.
 *
 * Groups begin where a run of letters and digits begins, or behind an x. There is a character alone, or further on in the same
 * run of token characters something that no word has: a capital, a digit or _ behind a token character, a letter behind a
 * digit. Digits behind a digit do not count unless a quote or a token character is behind the number.
 *
 * The answer may name too many places, never too few: grouped.c decides. */
#ifndef FILTERD_VIEW_GROUP_STARTS_H
#define FILTERD_VIEW_GROUP_STARTS_H

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "base/span.h"
#include "text/vector.h"

/* A step reads the byte in front of its places and those that decide about the last of them. */
enum { GROUP_START_BYTES = 64, GROUP_START_REACH = 18, GROUP_START_STEP = GROUP_START_BYTES - 1 - GROUP_START_REACH - 1 };

/* Bit i: the byte i is of the class. */
struct group_masks {
    uint64_t token, digit, upper, alnum, underscore, plus, quote, newline, x;
};

static inline void group_masks_add(struct group_masks *m, const char *bytes, unsigned shift)
{
    const vector_bytes v = vector_load(bytes);
    const vector_bytes digit = vector_in_range(v, '0', '9');
    const vector_bytes alnum = vector_in_range(v | vector_of(0x20), 'a', 'z') | digit;
    const vector_bytes underscore = vector_is(v, '_'), plus = vector_is(v, '+');
    const vector_bytes signs = vector_in_range(v, '-', '/') | vector_is(v, ':') | vector_is(v, '=') | vector_is(v, '@') |
                               vector_is(v, '%') | vector_is(v, '~');
    const vector_bytes quote = vector_is(v, '"') | vector_is(v, '\'');

    m->token |= (uint64_t)vector_top_bits(alnum | signs | underscore | plus) << shift;
    m->digit |= (uint64_t)vector_top_bits(digit) << shift;
    m->upper |= (uint64_t)vector_top_bits(vector_in_range(v, 'A', 'Z')) << shift;
    m->alnum |= (uint64_t)vector_top_bits(alnum) << shift;
    m->underscore |= (uint64_t)vector_top_bits(underscore) << shift;
    m->plus |= (uint64_t)vector_top_bits(plus) << shift;
    m->quote |= (uint64_t)vector_top_bits(quote) << shift;
    m->newline |= (uint64_t)vector_top_bits(vector_is(v, '\n')) << shift;
    m->x |= (uint64_t)vector_top_bits(vector_is(v, 'x')) << shift;
}

/* Bit i: something that no word has is at byte i. */
static inline uint64_t group_odd_places(const struct group_masks *m)
{
    const uint64_t digit_before = m->digit << 1, number_end = m->digit & digit_before & ~(m->digit >> 1);
    const uint64_t first = (m->upper & ~(m->upper << 1)) | m->underscore | (m->digit & ~digit_before);

    return (first & m->token << 1) | (m->alnum & ~m->digit & digit_before) | (number_end & (m->token | m->quote) >> 1);
}

/* Bit i: from byte i to one of the places, at most 31 bytes on, all are token characters. */
static inline uint64_t group_run_to(uint64_t places, uint64_t token)
{
    for (unsigned n = 1; n <= GROUP_START_BYTES / 4; n *= 2) {
        places |= token & places >> n;
        token &= token >> n;
    }
    return places;
}

static inline void group_masks_of(const char *bytes, struct group_masks *m)
{
    *m = (struct group_masks){0};
    for (unsigned shift = 0; shift < GROUP_START_BYTES; shift += VECTOR_SIZE) {
        group_masks_add(m, bytes + shift, shift);
    }
}

#ifdef __x86_64__
#define GROUP_WIDE __attribute__((target("avx2")))
#define GROUP_WIDE_INLINED __attribute__((target("avx2"), always_inline))

GROUP_WIDE_INLINED static inline __m256i group_in_range(__m256i v, char low, char high)
{
    const __m256i above = _mm256_sub_epi8(v, _mm256_set1_epi8(low));

    return _mm256_cmpeq_epi8(_mm256_min_epu8(above, _mm256_set1_epi8((char)(high - low))), above);
}

GROUP_WIDE_INLINED static inline __m256i group_is(__m256i v, char byte)
{
    return _mm256_cmpeq_epi8(v, _mm256_set1_epi8(byte));
}

GROUP_WIDE_INLINED static inline __m256i group_or(__m256i a, __m256i b, __m256i c)
{
    return _mm256_or_si256(_mm256_or_si256(a, b), c);
}

GROUP_WIDE_INLINED static inline uint64_t group_bits(__m256i lanes, unsigned shift)
{
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(lanes) << shift;
}

/* 32 bytes at once. */
GROUP_WIDE_INLINED static inline void group_masks_add_wide(struct group_masks *m, const char *bytes, unsigned shift)
{
    const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    const __m256i digit = group_in_range(v, '0', '9'), upper = group_in_range(v, 'A', 'Z');
    const __m256i alnum = group_or(digit, upper, group_in_range(v, 'a', 'z'));
    const __m256i underscore = group_is(v, '_'), plus = group_is(v, '+');
    const __m256i signs = group_or(group_in_range(v, '-', '/'), group_or(group_is(v, ':'), group_is(v, '='), group_is(v, '@')),
                                   _mm256_or_si256(group_is(v, '%'), group_is(v, '~')));

    m->token |= group_bits(group_or(group_or(alnum, signs, underscore), plus, plus), shift);
    m->digit |= group_bits(digit, shift);
    m->upper |= group_bits(upper, shift);
    m->alnum |= group_bits(alnum, shift);
    m->underscore |= group_bits(underscore, shift);
    m->plus |= group_bits(plus, shift);
    m->quote |= group_bits(_mm256_or_si256(group_is(v, '"'), group_is(v, '\'')), shift);
    m->newline |= group_bits(group_is(v, '\n'), shift);
    m->x |= group_bits(group_is(v, 'x'), shift);
}

GROUP_WIDE_INLINED static inline void group_masks_of_wide(const char *bytes, struct group_masks *m)
{
    *m = (struct group_masks){0};
    group_masks_add_wide(m, bytes, 0);
    group_masks_add_wide(m, bytes + GROUP_START_BYTES / 2, GROUP_START_BYTES / 2);
}
#endif

/* Bit i + 1: groups may begin at byte i of GROUP_START_STEP; bit 0 is the byte before. */
static inline uint64_t group_start_bits(const struct group_masks *m)
{
    const uint64_t begins = (m->alnum & ~(m->alnum << 1)) | (m->digit & m->x << 1);
    const uint64_t single = m->alnum & ~(m->token >> 1) & ~(m->token << 1 & ~(m->plus << 1)) & (~(m->token >> 2) | m->newline >> 1);

    return begins & (group_run_to(group_odd_places(m), m->token) | single) & ((UINT64_C(1) << GROUP_START_STEP) - 1) << 1;
}

/* What is known of [from, to) of one text; nothing while both are 0. Bit i + 1: groups may begin at from + i. */
struct group_starts {
    size_t from, to;
    uint64_t bits;
};

/* The first place in [at, end) where groups may begin, or the first one that is too near an end of the text. Inlined into its callers, to be
 * compiled for their processors. */
__attribute__((always_inline)) static inline size_t group_starts_search(struct group_starts *s, struct span text, size_t at, size_t end,
                                                                        void (*masks_of)(const char *, struct group_masks *))
{
    while (at > 0 && at < end) {
        if (at < s->from || at >= s->to) {
            struct group_masks m;
            if (text.len - at < GROUP_START_BYTES - 1) {
                break;
            }
            masks_of(text.ptr + at - 1, &m);
            *s = (struct group_starts){.from = at, .to = at + GROUP_START_STEP, .bits = group_start_bits(&m)};
        }
        const uint64_t starts = s->bits >> (at - s->from);
        if (starts >> 1 != 0) {
            return at + (size_t)__builtin_ctzll(starts >> 1);
        }
        at = s->to;
    }
    return at;
}

#ifdef __x86_64__
GROUP_WIDE static inline size_t group_starts_search_widely(struct group_starts *s, struct span text, size_t at, size_t end)
{
    return group_starts_search(s, text, at, end, group_masks_of_wide);
}
#endif

/* The first place in [at, end) where groups may begin, or `end`. */
static inline size_t group_starts_next(struct group_starts *s, struct span text, size_t at, size_t end)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        at = group_starts_search_widely(s, text, at, end);
        return at < end ? at : end;
    }
#endif
    at = group_starts_search(s, text, at, end, group_masks_of);
    return at < end ? at : end;
}

#endif
