/* review_mark.h - whether a line is to be reviewed, decided when it is written: the member `review` of decisions and of events of
 * agents. filterd-decision-log(5) has its members. Any thread. */
#ifndef FILTERD_JUDGE_REVIEW_MARK_H
#define FILTERD_JUDGE_REVIEW_MARK_H

#include "base/digest.h"
#include "judge/exchange.h"
#include "policy/review.h"
#include "review/review_candidate.h"

/* Zeroed: it is not. */
struct review_mark {
    enum review_why why;
    int64_t due_s;
    unsigned reviewers;
    double agent_share; /* violations of the agent by the first threshold, at most 1 */
};

/* A sample is drawn by the keyed hash of the exchange's id: who knows the id alone cannot foresee it. */
MUST_CHECK bool review_mark_of(const struct exchange *x, const uint8_t key[DIGEST_KEY], struct review_mark *out, struct error *err);
/* Of an event of an agent under that policy, which may be NULL. */
struct review_mark review_mark_of_event(const struct policy *policy, const char *event);

#endif
