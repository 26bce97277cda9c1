/* regex.h - one PCRE2 pattern, with limits.
 *
 * UTF-8 mode, multiline, newline is LF, names may repeat. The subject must be valid UTF-8. Compiled
 * patterns are shared by threads: the first search makes the machine code of one, which changes no answer;
 * the scratch belongs to one thread. */
#ifndef FILTERD_SCAN_REGEX_H
#define FILTERD_SCAN_REGEX_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

struct regex;
struct regex_scratch;

struct regex *regex_new(struct span pattern, struct error *err);
/* The same pattern with its work counted in the scratch. For reports: it gives the same answers many times slower. */
struct regex *regex_new_counting(struct span pattern, struct error *err);
void regex_free(struct regex *re);
/* What is wrong with a pattern: PCRE2's own words, and the byte at which it saw that. True when nothing is. */
MUST_CHECK bool regex_check(struct span pattern, size_t *at, struct error *err);

struct regex_scratch *regex_scratch_new(struct error *err);
void regex_scratch_free(struct regex_scratch *s);

/* What searches of counting patterns did since the scratch was made. The same on every machine. */
struct regex_work {
    uint64_t searches;
    uint64_t steps; /* items of a pattern that were tried */
    uint64_t bytes; /* of text that items moved over */
};
struct regex_work regex_work_of(const struct regex_scratch *s);

enum regex_result { REGEX_NO_MATCH, REGEX_MATCH, REGEX_OVER_LIMIT };

/* The leftmost match that starts in [from, last_start]; look-behind sees the text before `from`.
 * OVER_LIMIT: the match limit was reached, so the result is unknown. */
enum regex_result regex_search(struct regex *re, struct regex_scratch *s, struct span text, size_t from,
                               size_t last_start);

/* Whether the text ended before it was known what the pattern matches at `start`: with more text it may match there,
 * or match otherwise. True, too, when a limit was reached and the result is unknown. */
bool regex_is_live(struct regex *re, struct regex_scratch *s, struct span text, size_t start);

/* Of the last match in the scratch. Group 0 is the whole. */
void regex_match_range(const struct regex_scratch *s, size_t *from, size_t *to);
/* The first group of that name that took part; false when none did. */
bool regex_group_range(const struct regex *re, const struct regex_scratch *s, struct span name, size_t *from,
                       size_t *to);
/* Of the groups of that name, in the order of the pattern, the first from the one with number *at on that took part; *at goes
 * behind it. Begin with 0; false when there is none. */
bool regex_next_group(const struct regex *re, const struct regex_scratch *s, struct span name, size_t *at, size_t *from,
                      size_t *to);
bool regex_has_group(const struct regex *re, struct span name);

/* True when the pattern matches all of the text, or somewhere in it. */
bool regex_matches_all(struct regex *re, struct regex_scratch *s, struct span text);
bool regex_matches(struct regex *re, struct regex_scratch *s, struct span text);
/* PCRE2's lower bound of a match in characters; 0 means that the empty text may match. */
size_t regex_min_length(const struct regex *re);

#endif
