/* lint.h - what one rule costs on a corpus, and what makes it dear.
 *
 * The cost of a rule has two parts. What PCRE2 does for it is counted: searches, items of the
 * pattern that are tried, bytes that they move over, and hits of the search that bring them about.
 * Counts are the same on every machine. What the search (Hyperscan, and words at their starts) does
 * for it cannot be counted: that is the time by which the rule makes a search for a few literals and
 * words slower, by the processor clock, the two interleaved, the least of several runs each. Beside
 * all rules it adds no more than that; where it would be too much it is measured beside all.
 *
 * A share compares the two with a scan of the same corpus by the built-in rules: LINT_UNITS_PER_KIB
 * counted units, of which LINT_SCAN_UNITS_PER_KIB stand for its search. So a rule's share
 * does not depend on which other rules are loaded. One unit is about a nanosecond. */
#ifndef FILTERD_CTL_LAB_LINT_H
#define FILTERD_CTL_LAB_LINT_H

#include "ctl/session.h"

enum { LINT_LITERAL_MIN = 3, LINT_LEAD_MAX = 256 };
enum {
    LINT_SCAN_UNITS_PER_KIB = 4096,
    LINT_UNITS_PER_KIB = 5632,
    LINT_SEARCH_UNITS = 50,
    LINT_HIT_UNITS = 10
};
enum { LINT_SHARE_MAX_PERCENT = 5 };

struct lint_options {
    const struct rule_set *rules;     /* all that are loaded; borrowed, as are these */
    const struct rule_set *yardstick; /* the built-in ones */
    struct span corpus;               /* valid UTF-8, not empty */
    bool is_counted;                  /* nothing is timed */
};

struct lint_result {
    const struct rule *rule;
    double trigger_ns, total_ns; /* of the rule by itself, per KiB: the search alone; with PCRE2
                                    behind it. 0: not timed */
    uint64_t hits, matches;      /* of the search; of the patterns within their boundary */
    struct regex_work work;      /* of PCRE2, on the whole corpus */
    double pcre2_share, hyperscan_share; /* at least 0; the first is below 1 */
    char reasons[400];                   /* what makes it dear, "; " between; may be empty */
    bool is_over;                        /* the shares add up to more than LINT_SHARE_MAX_PERCENT */
};

struct lint;
struct lint *lint_new(const struct lint_options *options, struct error *err);
void lint_free(struct lint *l);

MUST_CHECK bool lint_rule(struct lint *l, const struct rule *rule, struct lint_result *out,
                          struct error *err);

#endif
