/* english.h - how much of a text is made of words, as opposed to random letters. */
#ifndef FILTERD_LEXICAL_ENGLISH_H
#define FILTERD_LEXICAL_ENGLISH_H

#include "base/span.h"

/* The next run of letters at or after *at, cut where case changes as in camelCase and HTTPServer;
 * *at moves behind it. False when there is none. */
bool english_next_part(struct span text, size_t *at, struct span *part);

/* How many letters of a part belong to words of the list, laid end to end as well as possible. */
size_t english_covered(struct span part);

/* True when every pair of letters is one of common words and there is a vowel. */
bool english_is_pronounceable(struct span part);

#endif
