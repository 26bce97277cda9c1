/* start_filter.h - which places of a text no match of a pattern can begin at, by a few bytes there.
 *
 * A window has dozens of starts, and PCRE2 takes tens of nanoseconds to see that nothing begins at one of them: look-arounds,
 * then each alternative. Nearly all are out of the question by the byte before and the first bytes. Like the table of liveness.c
 * the filter may admit too much, and never too little.
 *
 * Made at the first search, as the machine code of a pattern is; immutable then, and any thread may ask. */
#ifndef FILTERD_SCAN_START_FILTER_H
#define FILTERD_SCAN_START_FILTER_H

#include "base/error.h"
#include "regex/pattern_element.h"

enum { START_BYTES = 6 };

struct start_filter {
    struct byte_set before; /* of the byte before a match; the beginning of a text is none */
    struct byte_set at[START_BYTES];
};

/* `starts_free` is the scanner pattern's. NULL without memory, or for a pattern that has no core: then every start is admitted. */
struct start_filter *start_filter_new(struct span pattern, bool starts_free);
void start_filter_free(struct start_filter *f);

/* The first starts in [from, to) that are admitted, up to the last of them before a gap: [*first, *last]. Starts are first bytes of
 * characters. False when there is none. */
bool start_filter_next(const struct start_filter *f, struct span text, size_t from, size_t to, size_t *first, size_t *last);

#endif
