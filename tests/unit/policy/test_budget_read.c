#include "testing.h"

#include <stdio.h>
#include <string.h>

#include "policy/budget_policy.h"
#include "support/judge.h"

static const char rules[] = "rules:\n" TEST_RULE("key", "secret", "high", "0.9", "pattern: 'KEY-[a-z]{8}'");

static bool read_entries(struct judge *j, const char *entries)
{
    char yaml[1024];

    (void)snprintf(yaml, sizeof(yaml), "policies:\n  default:\n    rules: [local]\n    actions: []\n    budgets: [%s]\n", entries);
    return judge_init(j, rules, yaml, true);
}

static void an_entry_has_all_its_keys(void **state)
{
    struct judge j;

    (void)state;
    assert_true(read_entries(&j, "{name: a-1, per: user, values: 7, window: 2h, category: [pii, secret], confidence: '>=0.5',"
                                 " then: redact, with: remove}, {name: b, per: tenant, values: 1}"));
    const struct policy *p = &j.snapshot->policies[0];
    assert_int_equal(p->n_budgets, 2);
    const struct policy_budget *b = &p->budgets[0];
    assert_true(span_is(b->name, "a-1"));
    assert_int_equal(b->per, BUDGET_PER_USER);
    assert_int_equal(b->values, 7);
    assert_true(b->window_ns == INT64_C(7200000000000));
    assert_int_equal(b->when.categories, 1U << CATEGORY_PII | 1U << CATEGORY_SECRET);
    assert_int_equal(b->then, BUDGET_REDACT);
    assert_int_equal(b->act.action, ACTION_REDACT);
    assert_int_equal(b->act.with.kind, OPERATOR_REMOVE);
    assert_false(budget_is_observed(b));
    judge_deinit(&j);
}

/* Nothing else said, it blocks. */
static void defaults_are_strict(void **state)
{
    struct judge j;

    (void)state;
    assert_true(read_entries(&j, "{name: b, per: tenant, values: 1}"));
    const struct policy_budget *b = &j.snapshot->policies[0].budgets[0];
    assert_int_equal(b->then, BUDGET_BLOCK);
    assert_int_equal(b->act.action, ACTION_BLOCK);
    assert_true(b->window_ns == INT64_C(86400000000000));
    assert_int_equal(b->when.categories, 0);
    judge_deinit(&j);
}

static void what_is_no_budget_is_refused(void **state)
{
    static const struct {
        const char *entries, *expected;
    } cases[] = {
        {"{name: a, values: 1}", "per"},
        {"{name: a, per: user}", "values"},
        {"{per: user, values: 1}", "name"},
        {"{name: 'a b', per: user, values: 1}", "letters, digits"},
        {"{name: a, per: user, values: 0}", "1"},
        {"{name: a, per: user, values: 1000001}", "1000000"},
        {"{name: a, per: nobody, values: 1}", "session"},
        {"{name: a, per: user, values: 1, window: 59s}", "1m"},
        {"{name: a, per: user, values: 1, window: 32d}", "31d"},
        {"{name: a, per: user, values: 1, window: 60001ms}", "whole seconds"},
        {"{name: a, per: user, values: 1, then: ask}", "alert"},
        {"{name: a, per: user, values: 1, with: remove}", "then: redact"},
        {"{name: a, per: user, values: 1, rule: none-such}", "no rule"},
        {"{name: a, per: user, values: 1}, {name: a, per: agent, values: 2}", "each name once"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judge j;
        assert_false(read_entries(&j, cases[i].entries));
        if (strstr(j.err.text, cases[i].expected) == NULL) {
            fail_msg("%s: %s", cases[i].entries, j.err.text);
        }
        judge_deinit(&j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_has_all_its_keys),
        cmocka_unit_test(defaults_are_strict),
        cmocka_unit_test(what_is_no_budget_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
