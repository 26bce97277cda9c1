/* start_filter.h - which places of a text no match of a pattern can begin at, by a few bytes there.
 *
 * A window has dozens of starts, and PCRE2 takes tens of nanoseconds to see that nothing begins at one of them: look-arounds,
 * then each alternative. Nearly all are out of the question by the byte before and the first bytes, and of those that are left a third
 * by the eleven behind them. Like the table of liveness.c
 * the filter may admit too much, and never too little.
 *
 * Made at the first search, as the machine code of a pattern is; immutable then, and any thread may ask. */
#ifndef FILTERD_SCAN_START_FILTER_H
#define FILTERD_SCAN_START_FILTER_H

#include <stdint.h>

#include "base/span.h"
#include "regex/byte_lookup.h"

/* Bits of a byte: what it may be. Below START_BYTES: that byte of a match, the first one only as the first byte of a character. In
 * front of a match: by itself; the last byte, if the one before it is a START_SECOND. The beginning of the text fits each. */
enum { START_BYTES = 5, START_ALONE = 1 << START_BYTES, START_LAST = 1 << 6, START_SECOND = 1 << 7 };

enum { START_LATER = 11 };

struct start_filter {
    uint8_t may_be[UINT8_MAX + 1];
    uint16_t may_be_later[UINT8_MAX + 1]; /* bit i: byte START_BYTES + i of a match */
    unsigned n_places;                    /* bytes of a match that are looked at: behind them any may be */
    struct byte_lookup before, first, second; /* START_ALONE or START_LAST; the first and the second byte of a match */
};

/* `starts_free` is the scanner pattern's. NULL without memory, or for a pattern that has no core: then every start is admitted. */
struct start_filter *start_filter_new(struct span pattern, bool starts_free);
void start_filter_free(struct start_filter *f);

/* The first starts in [from, to) that are admitted, up to the last of them before a gap: [*first, *last]. Starts are first bytes of
 * characters. False when there is none. */
bool start_filter_next(const struct start_filter *f, struct span text, size_t from, size_t to, size_t *first, size_t *last);

/* Tells the processor that the filter, which may be NULL, is asked soon. */
static inline void start_filter_fetch(const struct start_filter *f)
{
    if (f != NULL) {
        __builtin_prefetch(&f->may_be[' ']);
        __builtin_prefetch(&f->may_be['a']);
        __builtin_prefetch(&f->before);
        __builtin_prefetch(&f->second);
    }
}

#endif
