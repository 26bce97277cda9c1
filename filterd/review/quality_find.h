/* quality_find.h - the dispositions of a rule's items, from review.db. */
#ifndef FILTERD_REVIEW_QUALITY_FIND_H
#define FILTERD_REVIEW_QUALITY_FIND_H

#include "review/quality.h"
#include "review/review_find.h"

enum { QUALITY_DIGESTS_MAX = 32 };

/* Closed items that the rule decided under one digest of a policy. */
struct quality_row {
    char digest[REVIEW_WORD_MAX + 1];
    int64_t last_ms; /* of its newest item; of one that was reopened that day, perhaps */
    uint64_t n[ITEM_DISPOSITIONS];
};

/* Closed blind samples, and those of them that should have been acted on. */
struct quality_samples {
    uint64_t n, missed;
};

struct quality {
    struct quality_row all;  /* all digests together; `digest` is empty */
    size_t n_rows;
    struct quality_row rows[QUALITY_DIGESTS_MAX]; /* digest with the newest item first; further ones are only in `all` */
    struct quality_samples samples;      /* random ones of the tenant, of all rules: a miss has no rule */
    struct quality_samples rule_samples; /* drawn for the rule: of what it finds and the policy allows, not of all that is allowed */
};

/* Items of lines from since_ms on; samples are not counted as items of the rule. Whole days are read from tallies, so that the time
 * does not depend on the number of items but for those of the first day, unless since_ms is the beginning of it. `tenant` ptr
 * NULL: all. */
MUST_CHECK bool quality_find(struct review_reader *r, struct span rule, struct span tenant, int64_t since_ms, struct quality *out,
                             struct error *err);

/* The same of many rules, of whole days from that of since_ms on: out[i] has the dispositions of rules[i]. */
MUST_CHECK bool quality_of_rules(struct review_reader *r, const struct span *rules, size_t n, struct span tenant, int64_t since_ms,
                                 uint64_t (*out)[ITEM_DISPOSITIONS], struct error *err);

/* By the items of the newest digest; while there are fewer than QUALITY_SHADOW_MIN, by all. */
bool quality_row_suggests_shadow(const struct quality *q);

#endif
