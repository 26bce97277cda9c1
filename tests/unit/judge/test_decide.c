/* test_decide.c - from findings to a verdict, without a text: who leads, what a policy says to which finding. */
#include "testing.h"

#include "judge/decide.h"
#include "pipeline/worker_parts.h"
#include "support/judge.h"

enum { KEY, MAIL, WORST }; /* in the order of their ids */

static const char rules[] = "rules:\n" TEST_RULE("key", "secret", "high", "0.9", "pattern: 'key-[a-z]{8}', tags: [cloud]")
    TEST_RULE("mail", "pii", "low", "0.6", "pattern: 'mail-[a-z]{8}'")
    TEST_RULE("worst", "secret", "critical", "0.9", "pattern: 'worst-[a-z]{8}'");

static const char policy[] = "policies:\n"
                             "  default:\n"
                             "    rules: [local]\n"
                             "    actions:\n"
                             "      - {category: secret, confidence: '>=0.5', action: redact}\n"
                             "      - {category: secret, severity: critical, confidence: '>=0.8', action: block}\n"
                             "      - {category: pii, action: block, shadow: true}\n"
                             "      - {rule: mail, tenant: acme, action: redact}\n"
                             "    exceptions:\n"
                             "      - {rule: key, matches: 'key-example.*', why: documented}\n"
                             "    notice: withheld\n";

static struct judge j;
static struct channel channels[2];
static struct exchange x;

static int set_up(void **state)
{
    (void)state;
    if (!judge_init(&j, rules, policy, false)) {
        print_error("%s\n", j.err.text);
        return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    judge_deinit(&j);
    return 0;
}

static struct finding finding_of(unsigned rule, size_t from, double confidence)
{
    return (struct finding){.rule = &j.rules->rules[rule],
                            .from = from,
                            .to = from + 12,
                            .confidence = confidence,
                            .value = span_str("some value")};
}

static void decide_on(struct finding *findings, size_t n)
{
    struct identity who = x.who;

    memset(channels, 0, sizeof(channels));
    x = (struct exchange){.snapshot = j.snapshot,
                          .policy = snapshot_policy(j.snapshot, (struct span){0}, (struct span){0}),
                          .who = who,
                          .channels = channels,
                          .n_channels = COUNT(channels)};
    decide(&x, findings, n, worker_finder(j.worker)->regex);
}

/* Met by category, and by no name. */
static void a_rule_that_only_reports_leads_to_no_action(void **state)
{
    struct finding findings[] = {finding_of(WORST, 0, 0.95), finding_of(KEY, 30, 0.9)};
    struct rule unreliable = *findings[0].rule;
    (void)state;
    unreliable.only_reports = true;
    findings[0].rule = &unreliable;
    decide_on(findings, 2);
    assert_int_equal(findings[0].action, ACTION_ALLOW);
    assert_null(findings[0].because);
    assert_int_equal(x.action, ACTION_REDACT);
    assert_true(span_is(x.rule, "key"));
    assert_false(decision_may_act(x.policy, &x.who, &unreliable));
    assert_true(decision_may_act(x.policy, &x.who, findings[1].rule));
}

/* The policy judges parts of a text, and the rule all of it. */
static void a_rule_of_whole_texts_leads_to_no_action_for_a_part(void **state)
{
    struct finding findings[] = {finding_of(WORST, 0, 0.95)};
    struct rule of_all = *findings[0].rule;
    (void)state;
    of_all.needs_all = true;
    findings[0].rule = &of_all;
    decide_on(findings, 1);
    assert_int_equal(findings[0].action, ACTION_ALLOW);
    assert_null(findings[0].because);
    assert_false(decision_may_act(x.policy, &x.who, &of_all));
    struct policy held = *x.policy;
    held.hold = HOLD_ALL;
    assert_true(decision_may_act(&held, &x.who, &of_all));
}

static void nothing_found_is_allowed(void **state)
{
    (void)state;
    decide_on(NULL, 0);
    assert_int_equal(x.action, ACTION_ALLOW);
    assert_int_equal(x.rule.len, 0);
}

static void the_strictest_action_decides_and_names_its_rule(void **state)
{
    struct finding findings[] = {finding_of(KEY, 0, 0.9), finding_of(WORST, 20, 0.9)};

    (void)state;
    decide_on(findings, COUNT(findings));
    assert_int_equal(x.action, ACTION_BLOCK);
    assert_true(span_is(x.rule, "worst"));
    assert_int_equal(findings[0].action, ACTION_REDACT);
    assert_int_equal(findings[1].action, ACTION_BLOCK);
    assert_ptr_equal(findings[1].because, &x.policy->actions[1]);
}

/* Sums of tenths are not exact. */
static void a_bound_holds_for_a_confidence_that_is_a_sum(void **state)
{
    struct finding at = finding_of(WORST, 0, 0.1 + 0.7), below = finding_of(WORST, 0, 0.79);

    (void)state;
    decide_on(&at, 1);
    assert_int_equal(x.action, ACTION_BLOCK);
    decide_on(&below, 1);
    assert_int_equal(x.action, ACTION_REDACT);
}

static void what_is_not_listed_is_allowed(void **state)
{
    struct finding f = finding_of(KEY, 0, 0.4);

    (void)state;
    decide_on(&f, 1);
    assert_int_equal(x.action, ACTION_ALLOW);
    assert_null(f.because);
    assert_false(f.is_shadow);
}

static void a_shadowed_entry_counts_only_where_no_other_does(void **state)
{
    struct finding f = finding_of(MAIL, 0, 0.9);

    (void)state;
    decide_on(&f, 1);
    assert_int_equal(x.action, ACTION_ALLOW);
    assert_true(f.is_shadow);
    assert_int_equal(f.action, ACTION_BLOCK);

    f = finding_of(MAIL, 0, 0.9);
    x.who.tenant = span_str("acme");
    decide_on(&f, 1);
    x.who.tenant = (struct span){0};
    assert_int_equal(x.action, ACTION_REDACT);
    assert_false(f.is_shadow);
}

static void an_exception_is_for_the_value_that_it_names(void **state)
{
    struct finding f = finding_of(KEY, 0, 0.9);

    (void)state;
    f.value = span_str("key-examples");
    decide_on(&f, 1);
    assert_int_equal(x.action, ACTION_ALLOW);
    assert_true(f.is_excepted);
    f.value = span_str("key-abcdefgh");
    decide_on(&f, 1);
    assert_int_equal(x.action, ACTION_REDACT);
    assert_false(f.is_excepted);
}

static void a_redaction_in_a_member_name_blocks(void **state)
{
    struct finding f = finding_of(KEY, 0, 0.9);

    (void)state;
    decide_on(&f, 1);
    assert_int_equal(x.action, ACTION_REDACT);
    channels[0].is_member_name = true;
    decide(&x, &f, 1, worker_finder(j.worker)->regex);
    assert_int_equal(x.action, ACTION_BLOCK);
}

static void ties_go_to_the_more_severe_then_the_earlier_then_the_longer(void **state)
{
    struct finding a = finding_of(WORST, 9, 0.9), b = finding_of(KEY, 0, 0.9);

    (void)state;
    assert_true(finding_leads(&a, &b));
    a = finding_of(KEY, 9, 0.9);
    assert_true(finding_leads(&b, &a));
    a = finding_of(KEY, 0, 0.9);
    a.to++;
    assert_true(finding_leads(&a, &b));
    assert_false(finding_leads(&b, &a));
    a = b;
    a.channel = 1;
    assert_true(finding_leads(&b, &a));
}

static void a_decision_differs_where_a_bound_lies_between(void **state)
{
    const struct rule *key = &j.rules->rules[KEY], *worst = &j.rules->rules[WORST], *mail = &j.rules->rules[MAIL];

    (void)state;
    decide_on(NULL, 0);
    assert_true(decision_may_differ(&x, key, 0.4, 0.6));
    assert_true(decision_may_differ(&x, key, -1, 0.6));
    assert_false(decision_may_differ(&x, key, 0.6, 1));
    assert_true(decision_may_differ(&x, worst, 0.6, 0.8));
    assert_false(decision_may_differ(&x, mail, 0.1, 1));
}

static void a_policy_acts_on_rules_that_reach_its_bounds(void **state)
{
    const struct identity nobody = {0}, acme = {.tenant = span_str("acme")};

    (void)state;
    decide_on(NULL, 0);
    assert_true(decision_may_act(x.policy, &nobody, &j.rules->rules[KEY]));
    assert_false(decision_may_act(x.policy, &nobody, &j.rules->rules[MAIL]));
    assert_true(decision_may_act(x.policy, &acme, &j.rules->rules[MAIL]));
}

static void a_label_is_sure_where_neither_confidence_nor_exception_matters(void **state)
{
    const struct identity nobody = {0};

    (void)state;
    decide_on(NULL, 0);
    assert_true(decision_is_label(x.policy, &nobody, &j.rules->rules[WORST]));
    assert_false(decision_is_label(x.policy, &nobody, &j.rules->rules[KEY]));
    assert_false(decision_is_label(x.policy, &nobody, &j.rules->rules[MAIL]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_found_is_allowed),
        cmocka_unit_test(a_rule_that_only_reports_leads_to_no_action),
        cmocka_unit_test(a_rule_of_whole_texts_leads_to_no_action_for_a_part),
        cmocka_unit_test(the_strictest_action_decides_and_names_its_rule),
        cmocka_unit_test(a_bound_holds_for_a_confidence_that_is_a_sum),
        cmocka_unit_test(what_is_not_listed_is_allowed),
        cmocka_unit_test(a_shadowed_entry_counts_only_where_no_other_does),
        cmocka_unit_test(an_exception_is_for_the_value_that_it_names),
        cmocka_unit_test(a_redaction_in_a_member_name_blocks),
        cmocka_unit_test(ties_go_to_the_more_severe_then_the_earlier_then_the_longer),
        cmocka_unit_test(a_decision_differs_where_a_bound_lies_between),
        cmocka_unit_test(a_policy_acts_on_rules_that_reach_its_bounds),
        cmocka_unit_test(a_label_is_sure_where_neither_confidence_nor_exception_matters),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
