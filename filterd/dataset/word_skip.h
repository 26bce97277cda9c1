/* word_skip.h - goes over the words of a text with which no value of a table begins: nearly all of most texts.
 *
 * 64 bytes of the text are looked at at once: where words begin, then all of them are asked about (first_word.h), so that none waits
 * for another and no branch depends on one. What is not plainly such a word is left to word_next (words.h): words with letters
 * beyond ASCII, long ones, the last one of the text, which may go on, and those with digits if these may begin a code. */
#ifndef FILTERD_DATASET_WORD_SKIP_H
#define FILTERD_DATASET_WORD_SKIP_H

#include "dataset/first_word.h"

enum { WORD_BLOCK = 64 };

struct word_skip {
    const struct table *t;
    struct span text;
    bool digits_begin;
    /* The part of the text that was looked at last. Bit i tells about its byte i. */
    size_t at, size;   /* a word that may go on behind it is not in it */
    uint64_t in_words; /* letters, digits, what is beyond ASCII */
    uint64_t plain;    /* letters of ASCII, and digits if these begin nothing */
    uint64_t begins;   /* of words */
    uint64_t may_begin; /* of words with which a value may begin */
    const char *bytes; /* of the text, or `tail` at its end */
    char tail[WORD_BLOCK + FIRST_WORD];
};

void word_skip_begin(struct word_skip *s, const struct table *t, struct span text, bool digits_begin);

/* From `at`, the text's beginning or behind a word, to the next word with which a value may begin, or the text's end. *end: behind the
 * last word that was gone over; untouched when there was none. */
size_t word_skip(struct word_skip *s, size_t at, size_t *end);

#endif
