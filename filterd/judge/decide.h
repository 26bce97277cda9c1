/* decide.h - from findings to a verdict. Policy, findings and the exchange's own time decide, and what is left of its
 * budgets (budget/spending.h); nothing else. */
#ifndef FILTERD_JUDGE_DECIDE_H
#define FILTERD_JUDGE_DECIDE_H

#include "judge/exchange.h"

/* A match longer than its rule allows is worth no more. */
#define OVER_LIMIT_CONFIDENCE 0.5

/* Gives each finding its action and the exchange its own: the strictest of those that are not
 * shadowed, with the rule of the finding that decided. A redaction in a member name blocks. */
void decide(struct exchange *x, struct finding *findings, size_t n, struct regex_scratch *regex);

/* Whether `who` and the finding meet the condition. */
bool finding_meets(const struct policy_condition *when, const struct identity *who, const struct finding *finding);

/* Whether the exchange's identity meets the condition and, when it asks for findings, one finding that no exception covers. */
bool exchange_meets(const struct policy_condition *when, const struct exchange *x);

/* Whether the policy says something else to a finding of this rule with a confidence of `high` than with `low`, or
 * somewhere in between. */
bool decision_may_differ(const struct exchange *x, const struct rule *rule, double low, double high);
/* Whether the policy acts on any finding of this rule, be it as confident as it can be. */
bool decision_may_act(const struct policy *policy, const struct identity *who, const struct rule *rule);

/* Whether what it acts on depends on names of tenants, apps, routes or agents. */
bool decision_depends_on_names(const struct policy *policy);

/* Whether each finding of this rule is blocked or replaced by its label, be it as confident as it may. */
bool decision_is_label(const struct policy *policy, const struct identity *who, const struct rule *rule);

/* Ties in a verdict and in a label: more severe, then earlier, then longer, then the rule's id. True when a
 * comes first. Both findings belong to one channel, or to an earlier and a later one. */
bool finding_leads(const struct finding *a, const struct finding *b);

#endif
