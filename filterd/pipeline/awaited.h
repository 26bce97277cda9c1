/* awaited.h - for which patterns a stream holds text back: those of the rules on which a policy may act.
 *
 * It is the same for each stream of a policy without names of tenants, apps, routes and agents. Looking through some thousand
 * rules for each stream costs more than judging a short answer, so such a policy keeps it. */
#ifndef FILTERD_PIPELINE_AWAITED_H
#define FILTERD_PIPELINE_AWAITED_H

#include "policy/policy.h"

/* For the one who made the snapshot and compiled its rules, before others have it: sets `awaited` of its policies. */
MUST_CHECK bool awaited_prepare(struct snapshot *s, struct error *err);

/* 64 patterns in each word of the bits. */
size_t awaited_words(const struct rule_set *rules);
/* Sets the bits for this speaker; they are all zero. `also`: whether the rule is awaited for another reason; NULL: there is none. */
void awaited_set(const struct rule_set *rules, const struct policy *policy, const struct identity *who,
                 bool (*also)(const struct policy *policy, const struct identity *who, const struct rule *rule), uint64_t *bits);

#endif
