/* look_behind.h - which bytes may be before a match, from the look-behinds that a pattern begins with.
 *
 * An over-approximation like first_bytes.h. Each alternative of a positive look-behind is a row of its own, as
 * "(?<=[.!?]\\s|\\n)" asks for two bytes or for another one. A start of the text fits every row. */
#ifndef FILTERD_REGEX_LOOK_BEHIND_H
#define FILTERD_REGEX_LOOK_BEHIND_H

#include "regex/pattern_element.h"

enum { BEFORE_BYTES = 2, BEFORE_MAX = 8 };

struct before_bytes {
    struct byte_set at[BEFORE_BYTES]; /* the byte in front of the match, and the one before that */
};

/* `pattern` is PCRE2's. Returns how many rows there are, at least one. */
size_t look_behind_bytes(struct span pattern, struct before_bytes out[BEFORE_MAX]);

#endif
