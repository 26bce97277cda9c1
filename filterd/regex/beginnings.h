/* beginnings.h - the words that every match of a pattern begins with.
 *
 * A pattern that does not regard case begins, most often, with a word or a choice of words, with perhaps an optional
 * letter or a separator in them. They are listed here, each cut off where what follows cannot be listed, or after
 * KEYWORD_MAX bytes. */
#ifndef FILTERD_REGEX_BEGINNINGS_H
#define FILTERD_REGEX_BEGINNINGS_H

#include "regex/keywords.h"

enum { BEGINNINGS_MAX = 4096 };

struct beginnings {
    struct keyword *items; /* what begins with a character beyond ASCII, too, and what is shorter than KEYWORD_MIN */
    bool *is_cut;          /* nothing more is said of it; meaningless to others */
    size_t n, capacity;
};

void beginnings_deinit(struct beginnings *b);

/* `core` is what trigger_core made (trigger.h). False when the pattern regards case, or a match may begin with what cannot
 * be listed, or memory is out; then the list says nothing. No item begins with another. */
MUST_CHECK bool beginnings_of(struct span core, struct beginnings *out);

/* Whether it can be looked for as a keyword. */
bool beginning_is_keyword(const struct keyword *k);

#endif
