/* first_bytes.h - which bytes a match can have at each of its first places.
 *
 * An over-approximation from the expression alone: a byte that is missing at a place excludes the
 * match, one that is there promises nothing. It asks each place on its own, so that thousands of
 * patterns can be asked at once with a few ands (liveness.c). */
#ifndef FILTERD_REGEX_FIRST_BYTES_H
#define FILTERD_REGEX_FIRST_BYTES_H

#include "regex/pattern_element.h"

enum { FIRST_BYTES = 16 };

struct first_bytes {
    struct byte_set at[FIRST_BYTES];
};

/* `core` is what trigger_core made (trigger.h). Behind the end of a shorter match every byte is
 * possible, as look-ahead may want to see it. */
void first_bytes_of(struct span core, struct first_bytes *out);

/* Of those matches alone whose first byte is one of `only`. */
void first_bytes_from(struct span core, const struct byte_set *only, struct first_bytes *out);

#endif
