/* partner.h - whether a match of another rule is near a span: the key id beside the secret.
 *
 * A partner begins at most `within` bytes before the span or behind it and does not reach into it. Its patterns alone
 * count, not its checks: it says what is there, not what it is worth. */
#ifndef FILTERD_JUDGE_PARTNER_H
#define FILTERD_JUDGE_PARTNER_H

#include "judge/find_parts.h"

struct partner_query {
    const struct rule_set *rules;
    const struct rule_context *context; /* its `rules` are asked for */
    struct span text;
    size_t from, to; /* the span */
    bool may_go_on;  /* the text, at its end */
};

/* Overwrites the scan's current match. */
enum nearness partner_find(struct finder *f, const struct partner_query *q);

#endif
