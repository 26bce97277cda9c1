/* caller_pattern.h - a regular expression that came with a request: searched by PCRE2 within a bound of work.
 *
 * Rules are the operator's and are measured before they are used; what a caller sends is neither. So PCRE2's interpreter
 * calls back before each item of the pattern, and each call is charged to the budget that the request's patterns share. An
 * item costs one step, and one more for every 16 bytes that it may have moved over: those that it did move over, the largest
 * counted repeat of the pattern, which can fail at its end, and for a back-reference all of the text. The sum is the same on every machine and
 * bounds the time; without callbacks PCRE2's limits hold for each start of a match only, so that a long text multiplies them.
 *
 * UTF-8 with Unicode's classes, `\uXXXX` as in Python, newline is LF, names may repeat. Of Python's dialect, what PCRE2 does
 * not know is an error; `\Z` is before a last newline, too. The text must be valid UTF-8. A pattern and a budget belong to one thread. */
#ifndef FILTERD_SCAN_CALLER_PATTERN_H
#define FILTERD_SCAN_CALLER_PATTERN_H

#include "base/arena.h"
#include "scan/regex.h"

enum {
    CALLER_PATTERN_MAX = 1024,         /* bytes of a pattern */
    CALLER_PATTERN_WORDS_MAX = 16384,  /* bytes of a pattern that is a list of words */
    CALLER_PATTERN_STEPS_MIN = 2000000, /* of all patterns of a request: tens of milliseconds */
    CALLER_PATTERN_STEPS_A_BYTE = 16,   /* more for each byte of text */
    CALLER_PATTERN_STEPS_MAX = 20000000,
};

/* Python's values of its flags re.IGNORECASE ... re.VERBOSE. */
enum { CALLER_PATTERN_CASELESS = 2, CALLER_PATTERN_MULTILINE = 8, CALLER_PATTERN_DOTALL = 16, CALLER_PATTERN_UNICODE = 32, CALLER_PATTERN_VERBOSE = 64 };

struct caller_budget {
    uint64_t steps; /* that are left */
};

struct caller_budget caller_budget_for(size_t text_len);

struct caller_pattern;

/* False for flags beyond those above. */
bool caller_pattern_has_flags(unsigned flags);
/* INVALID: what PCRE2 says of it, and where; LIMIT: it is too long. */
struct caller_pattern *caller_pattern_new(struct span pattern, unsigned flags, struct error *err);
/* Any of `n` words, the first that matches, between characters that are not of words: what a list of words is in Presidio. `source` is its
 * pattern, in the arena. */
struct caller_pattern *caller_pattern_new_words(const struct span *words, size_t n, unsigned flags, struct arena *a, struct span *source, struct error *err);
void caller_pattern_free(struct caller_pattern *p);

/* The leftmost match of at least one byte that starts at `at` or later. OVER_LIMIT: the budget is used up, or the memory of a search; it stays so. */
enum regex_result caller_pattern_search(struct caller_pattern *p, struct caller_budget *budget, struct span text, size_t at,
                                        size_t *from, size_t *to);

#endif
