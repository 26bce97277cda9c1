/* words.h - the words of a text, folded, with their places.
 *
 * A word is letters and digits (letters.h) without a gap; an ideograph is a word of its own. Text is valid UTF-8. */
#ifndef FILTERD_DATASET_WORDS_H
#define FILTERD_DATASET_WORDS_H

#include "dataset/letters.h"

enum { WORD_MAX = 64 }; /* folded bytes; no cell has a longer one */

struct word {
    size_t from, to; /* bytes of the text */
    size_t n;        /* of `folded`; 0: longer than WORD_MAX */
    unsigned digits; /* how many of its letters are digits */
    bool is_cut;     /* nothing follows it in the text: it may go on */
    char folded[WORD_MAX];
};

/* The next word at or after *at, which moves behind it. False when there is none. */
bool word_next(struct span text, size_t *at, struct word *out);

#endif
