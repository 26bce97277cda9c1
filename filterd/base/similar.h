/* similar.h - which of the known words somebody may have meant by one that is not known.
 *
 * Near is what a slip of the hand makes of a word (a letter lost, added, changed, or two in the wrong order), what it
 * begins with, and a name of which some parts were left out (aws-key for aws-access-key-id). */
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

/* Words are borrowed. One of more than SIMILAR_WORD_MAX bytes has nothing near it. */
void similar_init(struct similar *s, struct span word);
void similar_offer(struct similar *s, struct span known);
/* " (did you mean a, b or c?)", or nothing. `prefix` is before each, as "--". Returns `text`. */
const char *similar_hint(const struct similar *s, const char *prefix, char text[SIMILAR_HINT_MAX]);

#endif
