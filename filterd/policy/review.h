/* review.h - which decisions and events people review: a policy's key `review`. Without it none. */
#ifndef FILTERD_POLICY_REVIEW_H
#define FILTERD_POLICY_REVIEW_H

#include "policy/policy.h"

/* Events of agents that may be reviewed, bits; their names are those of the record's lines of type agent. */
extern const char *const review_events[]; /* NULL-terminated */

/* Holds for an exchange with one of these verdicts that meets the condition, or for these events. */
struct review_trigger {
    struct policy_condition when;
    unsigned actions; /* bit per action; 0: any */
    unsigned events;  /* bit per name of review_events; 0: the entry is for exchanges */
};

struct review_sample {
    double allow; /* share of the allowed exchanges */
};

struct review_due {
    int64_t critical_ns, high_ns, else_ns;
};

/* What becomes of an exception that was approved: a line to paste, or it applies at once (exceptions_file.h). */
enum review_exceptions { REVIEW_EXCEPTIONS_OFF, REVIEW_EXCEPTIONS_LIVE };

struct policy_review {
    const struct review_trigger *queue;
    size_t n_queue;
    struct review_sample sample;
    struct review_due due;
    uint32_t reviewers; /* that must agree */
    enum review_exceptions exceptions;
};

/* From the line on, in seconds, for its gravest finding. `severity` SEVERITIES or more: there is none. */
int64_t review_due_s(const struct policy_review *review, unsigned severity);

#endif
