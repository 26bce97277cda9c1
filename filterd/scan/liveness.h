/* liveness.h - where a match could still begin, when more text may follow.
 *
 * A pattern is live at a start when it has not matched there yet and some continuation of the text
 * may make it match: PCRE2's hard partial matching says so. Its meaning is leftmost and greedy as
 * written: a match that could not become another one by more text is complete, not live.
 *
 * Hundreds of patterns are not asked at each start. A table says which bytes a match of a pattern
 * can have at each of its first places (first_bytes.h); an and over the bytes at hand leaves the few
 * whose automaton (lazy_dfa.h) is asked, and what that does not exclude PCRE2 is asked about. The table is made at the first question, or before by scanner_live_prepare: a program that
 * judges whole texts alone never pays for it. */
#ifndef FILTERD_SCAN_LIVENESS_H
#define FILTERD_SCAN_LIVENESS_H

#include "scan/scanner.h"

struct live_query {
    struct span text;       /* what is before `from` is there for look-behind alone */
    size_t from, to;        /* starts in between are asked */
    const uint64_t *wanted; /* bit per pattern of the scanner; NULL: all */
    const struct live_table *table; /* of scanner_live_table for these; NULL: that of all patterns is asked */
};

/* Called for each live pattern, in order of start; stops the search when it returns false. */
typedef bool live_found_fn(void *context, uint32_t pattern, size_t start);

/* False when memory is out. */
MUST_CHECK bool scanner_each_live(const struct scanner *s, struct scanner_scratch *scratch,
                                  const struct live_query *query, live_found_fn *found,
                                  void *context, struct error *err);

/* A table of the wanted patterns alone, which is asked faster; the scanner's own. The first few sets have one each, for
 * others it is NULL. False when memory is out. */
MUST_CHECK bool scanner_live_table(const struct scanner *s, const uint64_t *wanted, const struct live_table **out,
                                   struct error *err);

/* Makes the table of all patterns now. False when memory is out. */
MUST_CHECK bool scanner_live_prepare(const struct scanner *s, struct error *err);

/* Whether one pattern is live at one start. */
bool scanner_is_live_at(const struct scanner *s, struct scanner_scratch *scratch, uint32_t pattern,
                        struct span text, size_t start);

/* The leftmost match of one pattern that starts in [from, last], and where it ends; an empty one at `from` when a limit
 * was reached and the result is unknown. */
struct scanner_place {
    size_t from, to;
};
bool scanner_search(const struct scanner *s, struct scanner_scratch *scratch, uint32_t pattern, struct span text,
                    size_t from, size_t last, struct scanner_place *out);

/* How many bytes of the text at `start` are the letters that every match of the pattern begins with, when the whole match
 * is what counts; 0 when it begins otherwise, or holds a group `secret`. Slow: for the end of a text. */
size_t scanner_literal_at(const struct scanner *s, uint32_t pattern, struct span text, size_t start);

uint32_t scanner_pattern_count(const struct scanner *s);

#endif
