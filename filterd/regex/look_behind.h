/* look_behind.h - the bytes that may precede a match, from the look-behinds at the start of a pattern.
 *
 * An over-approximation like first_bytes.h. Each alternative of a positive look-behind has its own row, because
 * "(?<=[.!?]\\s|\\n)" requires two bytes or a different single one. The start of the text fits every row. */
#ifndef FILTERD_REGEX_LOOK_BEHIND_H
#define FILTERD_REGEX_LOOK_BEHIND_H

#include "regex/pattern_element.h"

enum { BEFORE_BYTES = 2, BEFORE_MAX = 8 };

struct before_bytes {
    struct byte_set at[BEFORE_BYTES]; /* the byte before the match, and the one before that */
};

/* `pattern` is in PCRE2's syntax. Returns the number of rows, at least one. */
size_t look_behind_bytes(struct span pattern, struct before_bytes out[BEFORE_MAX]);

#endif
