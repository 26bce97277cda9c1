/* test_held_rules.c - which patterns hold a stream back: the same whether a policy keeps them or not. */
#include "testing.h"

#include "pipeline/held_rules.h"
#include "support/judge.h"

static const char rules[] = "rules:\n"
                            TEST_RULE("key", "secret", "high", "0.9", "pattern: sesame-7Q2X")
                            TEST_RULE("unsure", "secret", "high", "0.3", "pattern: perhaps-7Q2X")
                            TEST_RULE("name", "pii", "medium", "0.8", "pattern: Mallory");

enum { KEY = 1, NAME = 2, UNSURE = 4 };

static unsigned bits_for(const struct judge *j, const char *tenant)
{
    const struct policy *policy = snapshot_policy(j->snapshot, span_of("", 0), span_of("", 0));
    const struct identity who = {.tenant = span_str(tenant)};
    const struct rule_set *set = j->snapshot->rules;
    uint64_t bits[4] = {0};
    unsigned found = 0;

    assert_true(held_rules_words(set) <= COUNT(bits));
    held_rules_set(set, policy, &who, NULL, bits);
    for (uint32_t i = 0; i < set->n_patterns; i++) {
        struct span id = set->rules[set->rule_of_pattern[i]].id;
        bool is_set = (bits[i / 64] >> i % 64 & 1) != 0;
        found |= !is_set ? 0 : span_is(id, "key") ? KEY : span_is(id, "name") ? NAME : UNSURE;
    }
    return found;
}

static bool is_name(const struct policy *policy, const struct identity *who, const struct rule *rule)
{
    (void)policy;
    (void)who;
    return span_is(rule->id, "name");
}

static void patterns_are_those_that_the_policy_may_act_on(void **state)
{
    static const struct {
        const char *policy;
        bool is_kept;
        unsigned of_acme, of_others;
    } cases[] = {
        {"actions: [{category: secret, confidence: '>=0.5', action: redact}]", true, KEY, KEY},
        {"actions: [{category: secret, action: redact}]", true, KEY | UNSURE, KEY | UNSURE},
        {"actions: []", true, 0, 0},
        {"actions: [{action: allow}]", true, 0, 0},
        {"actions: [{category: pii, tenant: acme, action: block}]", false, NAME, 0},
        {"actions: [{rule: key, action: block}, {category: pii, agent: bot, action: block}]", false, KEY, KEY},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char policy[256];
        struct judge j;
        struct error err;
        (void)snprintf(policy, sizeof(policy), "policies: {default: {rules: [key, unsure, name], %s}}\n", cases[i].policy);
        if (!judge_init(&j, rules, policy, false)) {
            fail_msg("%s", j.err.text);
        }
        assert_null(j.snapshot->policies[0].held_rules);
        assert_int_equal(bits_for(&j, "acme"), cases[i].of_acme);
        assert_int_equal(bits_for(&j, "other"), cases[i].of_others);
        assert_true(held_rules_prepare(j.snapshot, &err));
        assert_int_equal(j.snapshot->policies[0].held_rules != NULL, cases[i].is_kept);
        assert_int_equal(bits_for(&j, "acme"), cases[i].of_acme);
        assert_int_equal(bits_for(&j, "other"), cases[i].of_others);
        judge_deinit(&j);
    }
}

static void what_is_asked_about_is_awaited_too(void **state)
{
    struct judge j;
    struct error err;
    uint64_t bits[4] = {0}, kept[4] = {0};
    static const struct identity who;

    (void)state;
    assert_true(judge_init(&j, rules, "policies: {default: {rules: [key, unsure, name], actions: [{category: secret, action: redact}]}}\n", false));
    assert_true(held_rules_prepare(j.snapshot, &err));
    held_rules_set(j.snapshot->rules, &j.snapshot->policies[0], &who, is_name, bits);
    held_rules_set(j.snapshot->rules, &j.snapshot->policies[0], &who, NULL, kept);
    assert_int_equal(__builtin_popcountll(bits[0]), __builtin_popcountll(kept[0]) + 1);
    judge_deinit(&j);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_those_that_the_policy_may_act_on),
        cmocka_unit_test(what_is_asked_about_is_awaited_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
