/* quality_find.h - what reviewers said of a rule, from review.db. */
#ifndef FILTERD_REVIEW_QUALITY_FIND_H
#define FILTERD_REVIEW_QUALITY_FIND_H

#include "review/quality.h"
#include "review/review_find.h"

enum { QUALITY_DIGESTS_MAX = 32, QUALITY_ROWS_MAX = 50000 /* items looked at */ };

/* Closed items that the rule decided, under one digest of a policy. */
struct quality_row {
    char digest[REVIEW_WORD_MAX + 1];
    int64_t last_ms; /* of its newest item */
    uint64_t n[ITEM_DISPOSITIONS];
};

struct quality {
    struct quality_row all;  /* of every digest; its own is empty */
    size_t n_rows;
    struct quality_row rows[QUALITY_DIGESTS_MAX]; /* the digest with the newest item first; older ones count in `all` alone */
    bool is_cut;             /* there are more items than were looked at, the newest of them */
    /* Blind samples of the tenant that were allowed, whatever the rule: a miss has none. */
    uint64_t sampled, missed;
};

/* Items of lines from since_ms on; samples count as samples alone. `tenant` ptr NULL: of all. */
MUST_CHECK bool quality_find(struct review_reader *r, struct span rule, struct span tenant, int64_t since_ms, struct quality *out,
                             struct error *err);

/* The newest digest's own items decide; while there are too few of them, those of all. */
bool quality_row_suggests_shadow(const struct quality *q);

#endif
