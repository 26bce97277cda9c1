/* quality_find.h - the dispositions of a rule's items, from review.db. */
#ifndef FILTERD_REVIEW_QUALITY_FIND_H
#define FILTERD_REVIEW_QUALITY_FIND_H

#include "review/quality.h"
#include "review/review_find.h"

enum { QUALITY_DIGESTS_MAX = 32, QUALITY_ROWS_MAX = 50000 /* items examined */ };

/* Closed items that the rule decided under one digest of a policy. */
struct quality_row {
    char digest[REVIEW_WORD_MAX + 1];
    int64_t last_ms; /* of its newest item */
    uint64_t n[ITEM_DISPOSITIONS];
};

struct quality {
    struct quality_row all;  /* all digests together; `digest` is empty */
    size_t n_rows;
    struct quality_row rows[QUALITY_DIGESTS_MAX]; /* digest with the newest item first; further ones are only in `all` */
    bool is_cut;             /* only the newest QUALITY_ROWS_MAX items were examined */
    /* Closed blind samples of the tenant, of all rules: a miss has no rule. */
    uint64_t sampled, missed;
};

/* Items of lines from since_ms on. Samples are not counted as items of the rule. `tenant` ptr NULL: all. */
MUST_CHECK bool quality_find(struct review_reader *r, struct span rule, struct span tenant, int64_t since_ms, struct quality *out,
                             struct error *err);

/* By the items of the newest digest; while there are fewer than QUALITY_SHADOW_MIN, by all. */
bool quality_row_suggests_shadow(const struct quality *q);

#endif
