#include "testing.h"

#include <string.h>

#include "policy/supervisor.h"
#include "support/judge.h"

static const char rules[] = "rules:\n"
                            TEST_RULE("key", "secret", "high", "0.9", "pattern: 'KEY[0-9]{4}'")
                            TEST_RULE("bomb", "injection", "high", "0.9", "pattern: BOMB")
                            TEST_RULE("hint", "content", "low", "0.5", "pattern: hint");

#define POLICY(supervisor, more)                                                                                       \
    "policies:\n  default:\n    rules: [local]\n    actions:\n"                                                        \
    "      - {category: secret, action: redact}\n      - {category: injection, action: block}\n" more                  \
    "    supervisor: " supervisor "\n    notice: withheld\n"                                                           \
    "tenants: {shy: {policy: default, supervisor: false}}\n"

static struct judge j;

static void begin(const char *policy)
{
    assert_true(judge_init(&j, rules, policy, false));
}

/* Judges with can_ask, and with an answer when there is one. */
static void judge_with(const char *text, const struct supervision *answer)
{
    (void)worker_begin(j.worker);
    j.channel = (struct channel){.text = span_str(text)};
    j.x = (struct exchange){.snapshot = j.snapshot,
                            .policy = snapshot_policy(j.snapshot, (struct span){0}, j.x.who.tenant),
                            .who = j.x.who,
                            .channels = &j.channel,
                            .n_channels = 1,
                            .can_ask = true,
                            .supervision = answer};
    pipeline_judge(j.worker, &j.x);
}

static struct supervision violation_of(enum supervisor_category category, size_t from, size_t to)
{
    return (struct supervision){.outcome = SUPERVISION_ANSWERED,
                                .is_violation = true,
                                .category = (unsigned)category,
                                .confidence = 0.8,
                                .evidence = {{from, to}},
                                .n_evidence = 1};
}

static void it_asks_about_the_redacted_text_and_delivers_nothing_meanwhile(void **state)
{
    (void)state;
    begin(POLICY("{when: always}", ""));
    judge_with("a KEY1234 \xff here", NULL);
    assert_true(j.x.is_asking);
    assert_int_equal(j.x.action, ACTION_BLOCK);
    assert_int_equal(j.channel.output.len, 0);
    assert_true(span_is(j.x.question, "a [key] \x1a here"));
    judge_deinit(&j);
}

static void it_asks_only_when_a_finding_meets_the_condition(void **state)
{
    (void)state;
    begin(POLICY("{when: {category: content, between: [0.4, 0.9]}}", ""));
    judge_with("nothing", NULL);
    assert_false(j.x.is_asking);
    assert_int_equal(j.x.action, ACTION_ALLOW);
    assert_null(j.x.supervision);
    judge_with("a hint", NULL);
    assert_true(j.x.is_asking);
    judge_with("a hint and a BOMB", NULL); /* blocked already */
    assert_false(j.x.is_asking);
    assert_true(span_is(j.x.rule, "bomb"));
    judge_with("", NULL);
    assert_false(j.x.is_asking);
    j.x.who.tenant = span_str("shy");
    judge_with("a hint", NULL);
    assert_false(j.x.is_asking);
    assert_int_equal(j.x.action, ACTION_ALLOW);
    judge_deinit(&j);
}

static void classifiers_are_distinguished_from_rules(void **state)
{
    (void)state;
    begin(POLICY("{when: {classifier: hint, between: [0.1, 1]}}", ""));
    judge_with("a hint that a rule found", NULL);
    assert_false(j.x.is_asking);
    judge_deinit(&j);
}

static void a_violation_blocks_unless_an_entry_says_otherwise(void **state)
{
    const struct supervision answer = violation_of(SUPERVISOR_HATE, 2, 6);

    (void)state;
    begin(POLICY("{when: always}", ""));
    judge_with("a text about it", &answer);
    assert_int_equal(j.x.action, ACTION_BLOCK);
    assert_true(span_is(j.x.rule, "supervisor.hate"));
    assert_true(span_is(j.x.notice, "withheld"));
    assert_int_equal(j.x.findings[0].source, FINDING_SUPERVISOR);
    judge_deinit(&j);
    begin(POLICY("{when: always}", "      - {rule: supervisor.hate, action: redact}\n"));
    judge_with("a text about it", &answer);
    assert_int_equal(j.x.action, ACTION_REDACT);
    assert_true(span_is(j.channel.output, "a [supervisor.hate] about it"));
    judge_deinit(&j);
    begin(POLICY("{when: always}", "      - {category: content, confidence: '>=0.9', action: block}\n"
                                   "      - {category: content, confidence: '<0.9', action: allow}\n"));
    judge_with("a text about it", &answer);
    assert_int_equal(j.x.action, ACTION_ALLOW);
    assert_int_equal(j.x.n_findings, 1);
    judge_deinit(&j);
}

static void places_in_the_question_lead_back_to_the_text(void **state)
{
    /* "a [key] and evil words": the place of "evil" in the question. */
    const struct supervision answer = violation_of(SUPERVISOR_HARM, 12, 16);
    const struct supervision over = violation_of(SUPERVISOR_HARM, 3, 16);

    (void)state;
    begin(POLICY("{when: always, action: redact}", ""));
    judge_with("a KEY1234 and evil words", &answer);
    assert_true(span_is(j.channel.output, "a [key] and [supervisor.harm] words"));
    judge_with("a KEY1234 and evil words", &over);
    assert_int_equal(j.x.action, ACTION_REDACT);
    assert_true(span_is(j.channel.output, "a [supervisor.harm] words"));
    judge_deinit(&j);
}

static void of_several_channels_each_gets_its_part(void **state)
{
    struct channel channels[] = {{.text = span_str("first"), .path = span_str("/0")},
                                 {.text = span_str("second"), .path = span_str("/1")}};
    const struct supervision answer = violation_of(SUPERVISOR_HARM, 3, 9);

    (void)state;
    begin(POLICY("{when: always, action: redact}", ""));
    (void)worker_begin(j.worker);
    j.x = (struct exchange){.snapshot = j.snapshot,
                            .policy = snapshot_policy(j.snapshot, (struct span){0}, (struct span){0}),
                            .channels = channels,
                            .n_channels = COUNT(channels),
                            .supervision = &answer};
    pipeline_judge(j.worker, &j.x);
    assert_true(span_is(channels[0].output, "fir[supervisor.harm]"));
    assert_true(span_is(channels[1].output, "[supervisor.harm]ond"));
    judge_deinit(&j);
}

static void a_failure_is_what_the_policy_says(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SUPERVISION_ANSWERED; i++) {
        const struct supervision failure = {.outcome = (enum supervision_outcome)i, .is_violation = false};
        begin(POLICY("{when: always}", ""));
        judge_with("a KEY1234", &failure);
        assert_int_equal(j.x.action, ACTION_BLOCK);
        assert_true(span_is(j.x.rule, "filterd.unjudged"));
        assert_string_equal(j.x.unjudged_reason, supervision_outcome_reason(failure.outcome));
        assert_int_equal(j.channel.output.len, 0);
        judge_deinit(&j);
        begin(POLICY("{when: always, on_failure: allow}", ""));
        judge_with("a KEY1234", &failure);
        assert_int_equal(j.x.action, ACTION_REDACT);
        assert_true(span_is(j.channel.output, "a [key]"));
        assert_ptr_equal(j.x.supervision, &failure);
        judge_deinit(&j);
    }
}

static void who_cannot_ask_has_failed_to(void **state)
{
    (void)state;
    begin(POLICY("{when: always}", ""));
    (void)judge_text(&j, span_str("a text"));
    assert_int_equal(j.x.action, ACTION_BLOCK);
    assert_int_equal(j.x.supervision->outcome, SUPERVISION_NOT_ASKED);
    judge_deinit(&j);
}

static void a_policy_that_is_only_tried_blocks_nothing(void **state)
{
    const struct supervision failure = {.outcome = SUPERVISION_TIMEOUT};
    const struct supervision answer = violation_of(SUPERVISOR_HARM, 0, 1);

    (void)state;
    begin(POLICY("{when: always}", "    shadow: true\n"));
    judge_with("a text", &failure);
    assert_int_equal(j.x.action, ACTION_ALLOW);
    judge_with("a text", &answer);
    assert_int_equal(j.x.action, ACTION_ALLOW);
    assert_true(j.x.findings[0].is_shadow);
    judge_deinit(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_asks_about_the_redacted_text_and_delivers_nothing_meanwhile),
        cmocka_unit_test(it_asks_only_when_a_finding_meets_the_condition),
        cmocka_unit_test(classifiers_are_distinguished_from_rules),
        cmocka_unit_test(a_violation_blocks_unless_an_entry_says_otherwise),
        cmocka_unit_test(places_in_the_question_lead_back_to_the_text),
        cmocka_unit_test(of_several_channels_each_gets_its_part),
        cmocka_unit_test(a_failure_is_what_the_policy_says),
        cmocka_unit_test(who_cannot_ask_has_failed_to),
        cmocka_unit_test(a_policy_that_is_only_tried_blocks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
