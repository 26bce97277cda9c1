/* start_filter.h - which places of a text no match of a pattern can begin at.
 *
 * A window has dozens of starts, and PCRE2 takes a microsecond to see that nothing begins at one of them: look-arounds, then each
 * alternative. Nearly all are out of the question by the byte before and the first two bytes, which are asked of 64 starts at once; of those
 * that are left the automaton of the pattern (lazy_dfa.h) leaves one in thirty. Like the table of liveness.c the filter may admit too much,
 * and never too little.
 *
 * Made at the first search, as the machine code of a pattern is; any thread may ask. */
#ifndef FILTERD_SCAN_START_FILTER_H
#define FILTERD_SCAN_START_FILTER_H

#include <stdint.h>

#include "base/span.h"
#include "regex/byte_lookup.h"
#include "regex/lazy_dfa.h"
#include "regex/look_ahead.h"

/* Bits of a byte: what it may be. The first byte of a match, as the first of its character; the second one. In front of a match: by
 * itself; the last byte, if the one before it is a START_BEFORE_LAST. The beginning of the text fits each. */
enum {
    START_FIRST = 1, START_SECOND = 2, START_ALONE = 4, START_LAST = 8, START_BEFORE_LAST = 16, START_THIRD = 32, START_FOURTH = 64,
    START_FIFTH = 128
};

/* Which two bytes a match may begin with: first bytes that the same may follow, and such that are taken to be alike, share a bit. A byte has
 * its own in the lower half, and in the upper one those of the first bytes that it may follow. */
enum { START_PAIRS = 8 };

struct start_filter {
    uint8_t may_be[UINT8_MAX + 1];
    struct byte_lookup before, first, second; /* START_ALONE or START_LAST, START_FIRST, START_SECOND */
    struct lazy_dfa *dfa; /* asked about what these bytes and pairs admit; NULL: there is none */
    size_t n_ahead;       /* of `ahead`, which is asked then, or before when it has left out many starts of a text */
    uint16_t pairs[UINT8_MAX + 1];
    struct ahead ahead[AHEAD_MAX];
};

/* What has been looked at behind the starts of one text: none of [from, to) is wanted. Zero: nothing. */
struct start_seen {
    struct { size_t from, to; } ahead[AHEAD_MAX];
    size_t n_left_out; /* starts that the automaton admits, for want of something ahead */
};

/* `starts_free` is the scanner pattern's. */
struct start_pattern {
    struct span pattern;
    bool starts_free;
};

/* Of a pattern; and of several, which admits whatever begins a match of one of them. NULL without memory, or for a pattern that has no
 * core: then every start is admitted. */
struct start_filter *start_filter_new(struct span pattern, bool starts_free);
struct start_filter *start_filter_of_all(const struct start_pattern *patterns, size_t n);
void start_filter_free(struct start_filter *f);

/* The first starts in [from, to) that are admitted, up to the last of them before a gap: [*first, *last]. Starts are first bytes of
 * characters. False when there is none. `seen` is that of the text. */
struct start_range {
    size_t first, last;
};
bool start_filter_next(const struct start_filter *f, struct start_seen *seen, struct span text, size_t from, size_t to,
                       struct start_range *out);

/* Tells the processor that the filter, which may be NULL, is asked soon. */
static inline void start_filter_fetch(const struct start_filter *f)
{
    if (f != NULL) {
        __builtin_prefetch(&f->may_be[' ']);
        __builtin_prefetch(&f->may_be['a']);
        __builtin_prefetch(&f->pairs['a']);
        __builtin_prefetch(&f->before);
        __builtin_prefetch(&f->second);
        __builtin_prefetch(f->dfa);
    }
}

#endif
