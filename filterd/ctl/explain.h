/* explain.h - one rule on one text, step by step: every candidate, also those that a check drops.
 */
#ifndef FILTERD_CTL_EXPLAIN_H
#define FILTERD_CTL_EXPLAIN_H

#include "ctl/session.h"

/* What to explain. */
struct explain_request {
    const struct session *session;
    const struct rule *rule;
    struct span text;
};

/* Appends the account of it; *n is the number of candidates. The worker's exchange is lost. */
MUST_CHECK bool explain_rule(const struct explain_request *request, struct worker *w,
                             struct buf *out, size_t *n, struct error *err);

#endif
