#include "testing.h"

#include <string.h>

#include "policy/supervisor.h"
#include "support/judge.h"

static const char rules[] = "rules:\n"
                            TEST_RULE("weak", "content", "low", "0.5", "pattern: weak")
                            TEST_RULE("strong", "content", "high", "0.9", "pattern: strong");

static bool load(struct judge *j, const char *supervisor)
{
    char policy[1000];

    (void)snprintf(policy, sizeof(policy),
                   "policies:\n  default:\n    rules: [local]\n    actions: []\n    supervisor: %s\n"
                   "tenants:\n  shy: {policy: default, supervisor: false}\n  open: {policy: default}\n",
                   supervisor);
    return judge_init(j, rules, policy, false);
}

static const struct policy_supervisor *supervisor_of(const struct judge *j)
{
    return snapshot_policy(j->snapshot, (struct span){0}, (struct span){0})->supervisor;
}

static void defaults_are_strict(void **state)
{
    struct judge j;

    (void)state;
    assert_true(load(&j, "{when: always}"));
    const struct policy_supervisor *s = supervisor_of(&j);
    assert_true(s->is_always);
    assert_int_equal(s->on_failure, ACTION_BLOCK);
    assert_int_equal(s->action, ACTION_BLOCK);
    assert_int_equal(s->hold, HOLD_ALL);
    assert_int_equal(s->questions, 32);
    assert_int_equal(s->deadline_ns, 1500000000);
    assert_int_equal(s->categories, (1U << SUPERVISOR_CATEGORY_COUNT) - 1);
    assert_false(s->is_later);
    judge_deinit(&j);
}

static void every_key_is_read(void **state)
{
    struct judge j;

    (void)state;
    assert_true(load(&j, "{when: [{category: content, between: [0.4, 0.9]}, {rule: strong}], deadline: 2s, "
                         "on_failure: allow, action: redact, categories: [harm, self-harm], hold: none, later: true, "
                         "sample: 0.25}"));
    const struct policy_supervisor *s = supervisor_of(&j);
    assert_false(s->is_always);
    assert_int_equal(s->n_triggers, 2);
    assert_true(s->triggers[0].when.min_confidence == 0.4 && s->triggers[0].when.max_confidence == 0.9);
    assert_int_equal(s->triggers[1].when.rules.n, 1);
    assert_int_equal(s->deadline_ns, 2000000000);
    assert_int_equal(s->on_failure, ACTION_ALLOW);
    assert_int_equal(s->action, ACTION_REDACT);
    assert_int_equal(s->categories, 1U << SUPERVISOR_HARM | 1U << SUPERVISOR_SELF_HARM);
    assert_int_equal(s->hold, HOLD_NONE);
    assert_true(s->is_later && s->sample == 0.25);
    judge_deinit(&j);
    assert_true(load(&j, "{when: always, hold: sentence, questions: 1}"));
    assert_int_equal(supervisor_of(&j)->hold, HOLD_SENTENCE);
    assert_int_equal(supervisor_of(&j)->questions, 1);
    judge_deinit(&j);
    assert_true(load(&j, "{when: always, hold: paragraph, questions: 48}"));
    assert_int_equal(supervisor_of(&j)->hold, HOLD_PARAGRAPH);
    assert_int_equal(supervisor_of(&j)->questions, SUPERVISOR_QUESTIONS_MAX);
    judge_deinit(&j);
}

static void faults_are_named(void **state)
{
    static const char *const cases[][2] = {
        {"{}", "'when' expected"},
        {"{when: often}", "'always', a condition"},
        {"{when: {}}", "'always', or what a finding must be"},
        {"{when: []}", "at least one condition"},
        {"{when: always, questions: 0}", "from 1 to 48"},
        {"{when: always, questions: 49}", "from 1 to 48"},
        {"{when: always, hold: line}", "sentence"},
        {"{when: {rule: none-such}}", "there is no rule 'none-such'"},
        {"{when: {classifier: none-such}}", "a classifier's rule expected"},
        {"{when: {category: content, between: [0.9, 0.4]}}", "the lower number first"},
        {"{when: {category: content, between: [0.9]}}", "between: two numbers, as [0.4, 0.9], expected"},
        {"{when: {colour: red}}", "key 'colour' is not known here"},
        {"{when: always, deadline: 10ms}", "a time from 50ms to 2m"},
        {"{when: always, deadline: 1500}", "a time from 50ms to 2m"},
        {"{when: always, deadline: ms}", "a time from 50ms to 2m"},
        {"{when: always, deadline: 121s}", "a time from 50ms to 2m"},
        {"{when: always, on_failure: redact}", "on_failure: one of block, allow expected"},
        {"{when: always, categories: []}", "categories: at least one value expected"},
        {"{when: always, categories: harmful}", "harm, hate, self-harm"},
        {"{when: always, sample: 2}", "sample: a number from 0 to 1 expected"},
        {"{when: always, colour: red}", "key 'colour' is not known here: expected when, deadline"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judge j;
        assert_false(load(&j, cases[i][0]));
        if (strstr(j.err.text, cases[i][1]) == NULL) {
            fail_msg("%s: got %s", cases[i][0], j.err.text);
        }
        judge_deinit(&j);
    }
}

static void a_tenant_may_keep_its_texts_to_itself(void **state)
{
    struct judge j;

    (void)state;
    assert_true(load(&j, "{when: always}"));
    assert_false(snapshot_may_supervise(j.snapshot, span_str("shy")));
    assert_true(snapshot_may_supervise(j.snapshot, span_str("open")));
    assert_true(snapshot_may_supervise(j.snapshot, (struct span){0}));
    judge_deinit(&j);
}

static void each_category_has_a_rule_that_is_found_by_its_id(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SUPERVISOR_CATEGORY_COUNT; i++) {
        char id[64];
        const struct rule *rule = supervisor_rule((enum supervisor_category)i);
        (void)snprintf(id, sizeof(id), "supervisor.%s", supervisor_category_name((enum supervisor_category)i));
        assert_true(span_is(rule->id, id));
        assert_ptr_equal(supervisor_rule_find(rule->id), rule);
    }
    assert_null(supervisor_rule_find(span_str("supervisor.other")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_strict),
        cmocka_unit_test(every_key_is_read),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(a_tenant_may_keep_its_texts_to_itself),
        cmocka_unit_test(each_category_has_a_rule_that_is_found_by_its_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
