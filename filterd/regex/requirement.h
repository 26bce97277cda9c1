/* requirement.h - what every match of an expression contains: so many bytes of a class, close together.
 *
 * Most triggers are looked for in vain all over a text: a token needs sixteen characters of tokens in a row, a number of a
 * person several digits, a word of another script a byte beyond ASCII. Where a text has those is seen much faster
 * (stretches.h) than what an expression without a long literal costs Hyperscan for each byte. */
#ifndef FILTERD_REGEX_REQUIREMENT_H
#define FILTERD_REGEX_REQUIREMENT_H

#include "regex/pattern_element.h"

enum { REQUIREMENT_BYTES_MAX = 16 };

/* n bytes of the class, from the first to the last of them at most `within` bytes; n is at most REQUIREMENT_BYTES_MAX. */
struct requirement {
    struct byte_set class;
    unsigned n, within;
};

/* Whether every match of the expression, which Hyperscan reads as UTF-8, holds what is required, and has at most *width bytes;
 * false when that is not known. */
bool requirement_holds(struct span expression, const struct requirement *required, uint32_t *width);

#endif
