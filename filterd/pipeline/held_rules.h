/* held_rules.h - for which patterns a stream holds text back: those of the rules on which a policy may act.
 *
 * It is the same for each stream of a policy without names of tenants, apps, routes and agents. Looking through some thousand
 * rules for each stream costs more than judging a short answer, so such a policy keeps it. */
#ifndef FILTERD_PIPELINE_HELD_RULES_H
#define FILTERD_PIPELINE_HELD_RULES_H

#include "policy/policy.h"

/* For the thread that made the snapshot and compiled its rules, before others have it: sets `held_rules` of its policies. */
MUST_CHECK bool held_rules_prepare(struct snapshot *s, struct error *err);

/* 64 patterns in each word of the bits. */
size_t held_rules_words(const struct rule_set *rules);
/* Sets the bits of the rules for which text of `who` is held; they were all zero. `also`: whether it is held for another reason; NULL: none. */
void held_rules_set(const struct rule_set *rules, const struct policy *policy, const struct identity *who,
                 bool (*also)(const struct policy *policy, const struct identity *who, const struct rule *rule), uint64_t *bits);

#endif
