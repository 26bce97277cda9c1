/* review_mark.h - decides, when a line is written, whether it becomes an item: the member `review` of decisions and events of
 * agents. filterd-decision-log(5) describes its members. Any thread. */
#ifndef FILTERD_JUDGE_REVIEW_MARK_H
#define FILTERD_JUDGE_REVIEW_MARK_H

#include "base/digest.h"
#include "judge/exchange.h"
#include "policy/review.h"
#include "review/review_candidate.h"

/* Zeroed: not an item. */
struct review_mark {
    enum review_why why;
    int64_t due_s;
    unsigned reviewers;
    double agent_share; /* violations as a share of the first threshold, at most 1 */
    const struct rule *rule; /* of REVIEW_RULE_SAMPLE: for which it was drawn */
};

/* Samples are drawn by a keyed hash of the exchange's id, which cannot be predicted without the key; samples of rules by the quota of
 * the snapshot, so an exchange is to be marked once. */
MUST_CHECK bool review_mark_of(const struct exchange *x, const uint8_t key[DIGEST_KEY], struct review_mark *out, struct error *err);
/* The mark of an agent's event under that policy, which may be NULL. */
struct review_mark review_mark_of_event(const struct policy *policy, const char *event);

#endif
