/* group_starts.h - where groups of characters may begin (grouped.c), for 44 places of a text at once.
 *
 * Groups begin where a run of letters and digits begins, or behind an x. There is a character alone, or further on in the same
 * run of token characters something that no word has: a capital, a digit or _ behind a token character, a letter behind a
 * digit. Digits behind a digit do not count unless a quote or a token character is behind the number.
 *
 * The answer may name too many places, never too few: grouped.c decides. */
#ifndef FILTERD_VIEW_GROUP_STARTS_H
#define FILTERD_VIEW_GROUP_STARTS_H

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

/* Bit i + 1: groups may begin at byte `at` + i, of GROUP_START_STEP bytes; GROUP_START_BYTES - 1 are there from `at` on, and
 * one before. */
static inline uint64_t group_start_bits(const char *at)
{
    struct group_masks m = {0};

    for (unsigned shift = 0; shift < GROUP_START_BYTES; shift += VECTOR_SIZE) {
        group_masks_add(&m, at - 1 + shift, shift);
    }
    const uint64_t begins = (m.alnum & ~(m.alnum << 1)) | (m.digit & m.x << 1);
    const uint64_t single = m.alnum & ~(m.token >> 1) & ~(m.token << 1 & ~(m.plus << 1)) & (~(m.token >> 2) | m.newline >> 1);

    return begins & (group_run_to(group_odd_places(&m), m.token) | single) & ((UINT64_C(1) << GROUP_START_STEP) - 1) << 1;
}

/* The first place in [at, end) where groups may begin, or `end`. */
static inline size_t group_starts_next(struct span text, size_t at, size_t end)
{
    while (at > 0 && at < end && text.len - at >= GROUP_START_BYTES - 1) {
        uint64_t starts = group_start_bits(text.ptr + at);
        if (starts != 0) {
            at += (size_t)__builtin_ctzll(starts) - 1;
            return at < end ? at : end;
        }
        at += GROUP_START_STEP;
    }
    return at < end ? at : end;
}

#endif
