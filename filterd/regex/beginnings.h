/* beginnings.h - lists the words with which a match of a pattern can begin.
 *
 * A case-insensitive pattern usually begins with a word or a choice of words, which may contain an optional
 * letter or a separator. This module lists them, each truncated where the rest cannot be listed, or after
 * KEYWORD_MAX bytes. */
#ifndef FILTERD_REGEX_BEGINNINGS_H
#define FILTERD_REGEX_BEGINNINGS_H

#include "regex/keywords.h"

enum { BEGINNINGS_MAX = 4096 };

struct beginnings {
    struct keyword *items; /* may begin with a non-ASCII character or be shorter than KEYWORD_MIN */
    bool *is_cut;          /* truncated; internal */
    size_t n, capacity;
};

void beginnings_deinit(struct beginnings *b);

/* `core` is the output of trigger_core (trigger.h). False when the pattern is case-sensitive, when a beginning cannot
 * be listed, or without memory; the list is then invalid. No item begins with another. */
MUST_CHECK bool beginnings_of(struct span core, struct beginnings *out);

/* Whether it is usable as a keyword. */
bool beginning_is_keyword(const struct keyword *k);

#endif
