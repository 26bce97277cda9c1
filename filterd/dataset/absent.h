/* absent.h - short common words that are known to begin no value of a table.
 *
 * Most words of most texts are a few hundred, and hardly one of them begins a value. Each would cost a keyed hash (key.h). When a
 * table is loaded, those of some three thousand words of English and of code that its filter does not have are put in a set in clear: it says
 * that "the" is no customer's name. A word that is not in the set is looked up as ever, so the set changes what a search costs and
 * never what it finds.
 *
 * Immutable once made; any thread. */
#ifndef FILTERD_DATASET_ABSENT_H
#define FILTERD_DATASET_ABSENT_H

#include <stdint.h>

#include "base/span.h"
#include "dataset/letters.h"

enum { ABSENT_WORD = 8, ABSENT_BITS = 12 };

/* Words of up to ABSENT_WORD small letters, the first one in the lowest byte. */
struct absent_words {
    uint64_t slots[1 << ABSENT_BITS]; /* 0: none */
};

static inline size_t absent_slot(uint64_t word)
{
    return word * UINT64_C(0x9e3779b97f4a7c15) >> (64 - ABSENT_BITS);
}

static inline bool absent_has(const struct absent_words *set, uint64_t word)
{
    return set->slots[absent_slot(word)] == word;
}

/* The word at `at`, in small letters, and its length, when it has at most ABSENT_WORD letters, all of ASCII, and what follows
 * ends it; 0 otherwise, also where the text ends, as it may go on there. */
static inline uint64_t absent_word_at(struct span text, size_t at, size_t *n)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = 0x80 * ones;
    uint64_t bytes;

    if (text.len - at <= ABSENT_WORD) {
        return 0;
    }
    memcpy(&bytes, text.ptr + at, sizeof(bytes));
    const uint64_t small = bytes | 0x20 * ones, low = small & ~high;
    /* The high bit of each byte: no letter. */
    const uint64_t others = (~(low + (0x80 - 'a') * ones) | (low + (0x7f - 'z') * ones) | bytes) & high;
    *n = others == 0 ? ABSENT_WORD : (size_t)__builtin_ctzll(others) / 8;
    const unsigned char end = (unsigned char)text.ptr[at + *n];
    if (*n == 0 || end >= 0x80 || letters_ascii[end] != 0 || letter_at(text, at + *n).kind == LETTER_DROPPED) {
        return 0;
    }
    return *n == ABSENT_WORD ? small : small & ((UINT64_C(1) << 8 * *n) - 1);
}

struct table;
/* Of a table whose filters are in place; freed by free(). NULL when there is no memory: the table is searched without it. */
struct absent_words *absent_words_new(const struct table *t);

#endif
