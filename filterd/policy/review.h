/* review.h - a policy's key `review`: selects the decisions and events that become items of the review queue. */
#ifndef FILTERD_POLICY_REVIEW_H
#define FILTERD_POLICY_REVIEW_H

#include "policy/policy.h"

/* Names of the events of agents that can be selected, as in lines of type agent; the index is the bit. */
extern const char *const review_events[]; /* NULL-terminated */

/* Matches an exchange with one of these verdicts that meets the condition, or one of these events. */
struct review_trigger {
    struct policy_condition when;
    unsigned actions; /* bit per action; 0: any */
    unsigned events;  /* bit per name of review_events; 0: the entry is for exchanges */
};

struct review_sample {
    double allow;          /* share of the allowed exchanges */
    uint32_t per_rule_min; /* of each rule, a week */
};

struct review_due {
    int64_t critical_ns, high_ns, else_ns;
};

/* An approved exception is an entry to paste (OFF), or takes effect at once (LIVE, exceptions_file.h). */
enum review_exceptions { REVIEW_EXCEPTIONS_OFF, REVIEW_EXCEPTIONS_LIVE };

struct policy_review {
    const struct review_trigger *queue;
    size_t n_queue;
    struct review_sample sample;
    struct review_due due;
    uint32_t reviewers; /* who must agree */
    enum review_exceptions exceptions;
};

/* The due time in seconds after the line, by its most severe finding. `severity` SEVERITIES or more: no finding. */
int64_t review_due_s(const struct policy_review *review, unsigned severity);

#endif
