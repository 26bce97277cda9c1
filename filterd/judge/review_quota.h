/* review_quota.h - which rules are due a sample: `sample: per_rule_min` of a policy, for each rule and week.
 *
 * A week has as many slots as samples are wanted, and each slot opens at a time that a keyed hash chooses, so that samples are spread over
 * the week and the next one cannot be predicted. The first allowed exchange with a finding of the rule is the sample of an open slot; slots
 * that passed without one are made up for within the week. Weeks begin on Monday, 00:00 UTC. What was taken is in memory: after a restart
 * one sample of each rule is due at once, whatever was taken before. Any thread. */
#ifndef FILTERD_JUDGE_REVIEW_QUOTA_H
#define FILTERD_JUDGE_REVIEW_QUOTA_H

#include <pthread.h>

#include "base/digest.h"
#include "judge/exchange.h"

enum { REVIEW_QUOTA_RULES = 6144 /* of all policies; further ones have no minimum */ };

/* A rule of a policy. */
struct review_quota_entry {
    uint64_t key; /* 0: free */
    int64_t week; /* since that of 1970-01-01 */
    unsigned taken;
    unsigned slot; /* whose opening is known */
    bool has_slot;
    double opens; /* in [0, 1) of the slot */
};

struct review_quota {
    bool is_on; /* false, as in zeroed memory: no minimum is kept */
    pthread_mutex_t lock;
    size_t n;
    struct review_quota_entry entries[8192];
};

/* Once, before other threads have it. */
void review_quota_init(struct review_quota *q);

/* *rule: one of the exchange's findings that is due a sample, NULL: none. The exchange is counted for each of its rules that is due
 * one, so it has to become a sample. The exchange has a policy and an allowed verdict. */
MUST_CHECK bool review_quota_draw(struct review_quota *q, const struct exchange *x, unsigned per_week, const uint8_t key[DIGEST_KEY],
                                  const struct rule **rule, struct error *err);

#endif
