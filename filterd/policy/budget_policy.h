/* budget_policy.h - a policy's key `budgets`: how many different values may be disclosed to one subject in a window.
 *
 * A budget counts the values of the findings that meet its condition and that the policy delivers; one that is redacted or
 * blocked was not disclosed. filterd-policy(5) describes the keys. Part of the snapshot, with its lifetime; immutable. */
#ifndef FILTERD_POLICY_BUDGET_POLICY_H
#define FILTERD_POLICY_BUDGET_POLICY_H

#include "policy/policy.h"

enum { POLICY_BUDGETS_MAX = 16, POLICY_BUDGET_NAME_MAX = 64, POLICY_BUDGET_VALUES_MAX = 1000000 };

/* Whose values are counted together. */
enum budget_per { BUDGET_PER_TENANT, BUDGET_PER_AGENT, BUDGET_PER_SESSION, BUDGET_PER_USER };
extern const char *const budget_per_names[]; /* NULL-terminated */

/* What happens to a value that exceeds the budget. Strictest first. With the last two it is delivered, and counted. */
enum budget_then { BUDGET_BLOCK, BUDGET_REDACT, BUDGET_THROTTLE, BUDGET_ALERT };
extern const char *const budget_then_names[]; /* NULL-terminated */

struct policy_budget {
    struct policy_condition when;
    struct span name;
    enum budget_per per;
    uint32_t values;
    int64_t window_ns; /* whole seconds */
    enum budget_then then;
    struct policy_action act; /* for a finding that is over it: block, or redact as the key `with` says */
};

/* A value that exceeds it is delivered. */
static inline bool budget_is_observed(const struct policy_budget *b)
{
    return b->then == BUDGET_THROTTLE || b->then == BUDGET_ALERT;
}

/* Each name is there once. */
MUST_CHECK bool policy_budgets_check(const struct yaml_node *mapping, const struct policy *policy, struct error *err);

#endif
