/* similar.h - finds the known words that are similar to an unknown one.
 *
 * Similar are typing errors (a letter missing, added or changed, or two swapped), words that begin with the unknown
 * one, and names without some of their parts (aws-key for aws-access-key-id). */
#ifndef FILTERD_BASE_SIMILAR_H
#define FILTERD_BASE_SIMILAR_H

#include "base/span.h"

enum { SIMILAR_MAX = 3, SIMILAR_WORD_MAX = 64, SIMILAR_HINT_MAX = 256 };

struct similar {
    struct span word;
    struct similar_word {
        struct span word;
        unsigned rank; /* 0 is nearest */
    } best[SIMILAR_MAX];
    unsigned n;
};

/* Words are borrowed. A word of more than SIMILAR_WORD_MAX bytes has no similar ones. */
void similar_init(struct similar *s, struct span word);
void similar_offer(struct similar *s, struct span known);
/* Writes " (did you mean a, b or c?)", or nothing. `prefix` precedes each word, such as "--". Returns `text`. */
const char *similar_hint(const struct similar *s, const char *prefix, char text[SIMILAR_HINT_MAX]);

#endif
