/* literals.h - a list of literals by one byte of each, so that a text is compared with those few that may be there.
 *
 * The index of a list is made once, before the first look (pthread_once), and never changes then; any thread may look. */
#ifndef FILTERD_LEXICAL_LITERALS_H
#define FILTERD_LEXICAL_LITERALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LITERALS_MAX = UINT8_MAX };

struct literals {
    uint8_t first[UINT8_MAX + 1]; /* of each byte: the number of its first literal, plus one; 0: there is none */
    uint8_t next[LITERALS_MAX];   /* of each literal: that of the one behind it, likewise */
    uint32_t seconds[UINT8_MAX + 1]; /* of each byte: what may follow it in a literal, by the last five bits; literals_add_two sets it */
};

/* The number is smaller than LITERALS_MAX, and new. */
static inline void literals_add(struct literals *l, char byte, size_t number)
{
    l->next[number] = l->first[(unsigned char)byte];
    l->first[(unsigned char)byte] = (uint8_t)(number + 1);
}

/* Of two bytes at least. */
static inline void literals_add_two(struct literals *l, const char *literal, size_t number)
{
    literals_add(l, literal[0], number);
    l->seconds[(unsigned char)literal[0]] |= UINT32_C(1) << (literal[1] & 31);
}

/* Whether a literal may begin with these two bytes; a small letter and a capital are alike as the second one. */
static inline bool literals_may_begin(const struct literals *l, char byte, char second)
{
    return (l->seconds[(unsigned char)byte] >> (second & 31) & 1) != 0;
}

/* Each `i` with this byte, the last one first: for (i = literals_first(l, c); i != LITERALS_MAX; i = literals_next(l, i)). */
static inline size_t literals_first(const struct literals *l, char byte)
{
    uint8_t first = l->first[(unsigned char)byte];

    return first > 0 ? first - 1U : LITERALS_MAX;
}

static inline size_t literals_next(const struct literals *l, size_t number)
{
    return l->next[number] > 0 ? l->next[number] - 1U : LITERALS_MAX;
}

#endif
