/* letters.h - the letters and digits of a text, folded: lower case, without accents, look-alikes as what they look like.
 *
 * Cells of exact data, words of a text and fingerprints of documents are made of these, so that a value is found however it
 * is capitalised, accented or joined by invisible characters. Text is valid UTF-8. Pure; thread-safe. */
#ifndef FILTERD_DATASET_LETTERS_H
#define FILTERD_DATASET_LETTERS_H

#include <stdint.h>

#include "base/span.h"

enum letter_kind {
    LETTER_GAP,       /* no letter: space, punctuation, a symbol */
    LETTER_DROPPED,   /* invisible, or combining with the letter before it */
    LETTER_ALPHABET,  /* of a script that separates words */
    LETTER_DIGIT,
    LETTER_IDEOGRAPH, /* of one that does not: a word of its own */
};

enum { LETTER_BYTES = 4 };

struct letter {
    enum letter_kind kind;
    uint8_t n;    /* folded bytes; 0 for GAP and DROPPED */
    uint8_t len;  /* bytes of the text */
    char bytes[LETTER_BYTES];
};

/* Folded ASCII; 0: no letter. */
extern const char letters_ascii[128];

/* The letter at `at` < text.len, beyond ASCII. */
struct letter letter_wide(struct span text, size_t at);

static inline struct letter letter_at(struct span text, size_t at)
{
    unsigned char c = (unsigned char)text.ptr[at];

    if (c >= 0x80) {
        return letter_wide(text, at);
    }
    char folded = letters_ascii[c];
    if (folded == 0) {
        return (struct letter){.kind = c == 0x1a ? LETTER_DROPPED : LETTER_GAP, .len = 1};
    }
    return (struct letter){
        .kind = folded <= '9' ? LETTER_DIGIT : LETTER_ALPHABET, .n = 1, .len = 1, .bytes = {folded}};
}

#endif
