/* first_bytes.h - the bytes that a match can have at each of its first positions.
 *
 * An over-approximation from the expression: a byte outside the set at its position excludes a
 * match; a byte in the set does not imply one. Positions are independent, so that
 * liveness.c can test thousands of patterns at once with a few ANDs. */
#ifndef FILTERD_REGEX_FIRST_BYTES_H
#define FILTERD_REGEX_FIRST_BYTES_H

#include "regex/pattern_element.h"

enum { FIRST_BYTES = 16 };

struct first_bytes {
    struct byte_set at[FIRST_BYTES];
};

/* `core` is the output of trigger_core (trigger.h). After the end of a shorter match every byte is
 * possible, because a look-ahead may need it. */
void first_bytes_of(struct span core, struct first_bytes *out);
/* The same of the first n places, which takes less time; at the others every byte is possible. */
void first_bytes_some(struct span core, unsigned n, struct first_bytes *out);

/* The same for matches whose first byte is in `only`. */
void first_bytes_from(struct span core, const struct byte_set *only, struct first_bytes *out);

#endif
