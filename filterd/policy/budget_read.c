/* budget_read.c - the key `budgets` of a policy. */
#include "base/ascii.h"
#include "policy/budget_policy.h"
#include "policy/policy_read.h"

const char *const budget_per_names[] = {"tenant", "agent", "session", "user", NULL};
const char *const budget_then_names[] = {"block", "redact", "throttle", "alert", NULL};

static bool is_name(struct span name)
{
    bool is_good = name.len > 0;

    for (size_t i = 0; i < name.len; i++) {
        is_good = is_good && (ascii_is(name.ptr[i], ASCII_ALNUM) || name.ptr[i] == '-');
    }
    return is_good;
}

bool policy_budget_check(const struct field_reader *r, const struct yaml_node *mapping, void *out, struct error *err)
{
    struct policy_budget *b = out;
    const struct yaml_node *with = yaml_get(mapping, "with");

    (void)r;
    if (!is_name(b->name)) {
        return yaml_error(yaml_get(mapping, "name"), err, "letters, digits and '-' expected");
    }
    if (b->window_ns % 1000000000 != 0) {
        return yaml_error(yaml_get(mapping, "window"), err, "whole seconds expected");
    }
    if (with != NULL && b->then != BUDGET_REDACT) {
        return yaml_error(with, err, "'with' expected beside 'then: redact' alone");
    }
    b->act.when = b->when;
    b->act.action = b->then == BUDGET_REDACT ? ACTION_REDACT : budget_is_observed(b) ? ACTION_ALLOW : ACTION_BLOCK;
    return true;
}

bool policy_budgets_check(const struct yaml_node *mapping, const struct policy *policy, struct error *err)
{
    for (size_t i = 0; i < policy->n_budgets; i++) {
        for (size_t k = 0; k < i; k++) {
            if (span_equal(policy->budgets[i].name, policy->budgets[k].name)) {
                return yaml_error(yaml_get(mapping, "budgets"), err, "each name once expected");
            }
        }
    }
    return true;
}

_Static_assert(offsetof(struct policy_budget, when) == 0, "CONDITION_FIELDS");

#define AT(member) FIELD_AT(struct policy_budget, member)
const struct field policy_budget_fields[] = {
    CONDITION_FIELDS,
    {"name", &field_text, AT(name), .min = 1, .max = POLICY_BUDGET_NAME_MAX, .is_required = true},
    {"per", &field_choice, AT(per), .names = budget_per_names, .is_required = true},
    {"values", &field_integer, AT(values), 1, POLICY_BUDGET_VALUES_MAX, .is_required = true},
    {"window", &field_ns, AT(window_ns), 60e3, 31 * 86400e3, .initial = "1d"},
    {"then", &field_choice, AT(then), .names = budget_then_names, .initial = "block"},
    {"with", &policy_operator_type, AT(act.with), .names = policy_operator_names, .initial = "label"},
    {0},
};
#undef AT
