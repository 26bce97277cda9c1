/* Which decisions and events are reviewed: the key `review` of a policy, and what it makes of an exchange. */
#include "testing.h"

#include <sodium.h>
#include <stdio.h>

#include "judge/review_mark.h"
#include "support/judge.h"

static const char rules[] = "rules:\n"
                            TEST_RULE("weak", "content", "low", "0.5", "pattern: weak")
                            TEST_RULE("strong", "secret", "critical", "0.9", "pattern: strong")
                            TEST_RULE("grave", "secret", "high", "0.9", "pattern: grave");
static const uint8_t key[DIGEST_KEY] = {1}, other_key[DIGEST_KEY] = {2};

static bool load(struct judge *j, const char *review)
{
    char policy[1000];

    (void)snprintf(policy, sizeof(policy),
                   "policies:\n  default:\n    rules: [local]\n    actions: [{rule: strong, action: block}, {rule: grave, action: redact}]\n"
                   "    %s%s\n  none:\n    rules: [local]\n    actions: []\n", review[0] != '\0' ? "review: " : "", review);
    return judge_init(j, rules, policy, false);
}

static struct review_mark mark_of(struct judge *j, const char *text)
{
    struct review_mark mark;

    (void)judge_text(j, span_str(text));
    assert_true(review_mark_of(&j->x, key, &mark, &j->err));
    return mark;
}

static void without_the_key_nothing_is_reviewed(void **state)
{
    struct judge j;

    (void)state;
    assert_true(load(&j, ""));
    assert_null(snapshot_policy(j.snapshot, (struct span){0}, (struct span){0})->review);
    assert_int_equal(mark_of(&j, "strong").why, REVIEW_NOT);
    judge_deinit(&j);
}

static void an_entry_says_why(void **state)
{
    static const struct {
        const char *queue, *text;
        enum review_why why;
    } cases[] = {
        {"[{action: block}]", "strong", REVIEW_ACTION},
        {"[{action: block}]", "grave", REVIEW_NOT},
        {"[{action: [block, redact]}]", "grave", REVIEW_ACTION},
        {"[{action: redact, severity: critical}]", "grave", REVIEW_NOT},
        {"[{action: redact, severity: high}]", "grave", REVIEW_SEVERITY},
        {"[{rule: weak, confidence: 0.4..0.9}]", "weak", REVIEW_BAND},
        {"[{rule: weak, confidence: '>=0.9'}]", "weak", REVIEW_NOT},
        {"[{rule: weak, confidence: 0.4..0.9}]", "strong", REVIEW_NOT},
        {"[{event: kill}]", "strong", REVIEW_NOT},
        {"[{tenant: acme}]", "strong", REVIEW_NOT},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char review[200];
        struct judge j;
        (void)snprintf(review, sizeof(review), "{queue: %s}", cases[i].queue);
        assert_true(load(&j, review));
        if (mark_of(&j, cases[i].text).why != cases[i].why) {
            fail_msg("%s: %s", cases[i].queue, cases[i].text);
        }
        judge_deinit(&j);
    }
}

static void what_is_grave_is_due_soon(void **state)
{
    struct judge j;

    (void)state;
    assert_true(load(&j, "{queue: [{action: [block, redact, allow]}], due: {critical: 1h, else: 10d}, reviewers: 2}"));
    assert_int_equal(mark_of(&j, "strong and weak").due_s, 3600);
    assert_int_equal(mark_of(&j, "grave").due_s, 86400); /* the default */
    assert_int_equal(mark_of(&j, "weak").due_s, 864000);
    assert_int_equal(mark_of(&j, "nothing").due_s, 864000);
    assert_int_equal(mark_of(&j, "nothing").reviewers, 2);
    judge_deinit(&j);
}

static unsigned count_drawn(struct judge *j, const uint8_t with[DIGEST_KEY], bool *drawn, unsigned n)
{
    struct review_mark mark;
    unsigned count = 0;

    for (unsigned i = 0; i < n; i++) {
        memcpy(j->x.id.bytes, &i, sizeof(i));
        assert_true(review_mark_of(&j->x, with, &mark, &j->err));
        drawn[i] = mark.why == REVIEW_SAMPLE;
        count += drawn[i];
    }
    return count;
}

static void samples_are_drawn_of_what_was_allowed(void **state)
{
    enum { N = 4000 };
    static bool drawn[N], again[N];
    struct judge j;

    (void)state;
    assert_true(load(&j, "{sample: {allow: 0.25}}"));
    assert_int_equal(mark_of(&j, "strong").why, REVIEW_NOT);
    (void)judge_text(&j, span_str("nothing"));
    unsigned n = count_drawn(&j, key, drawn, N);
    assert_true(n > N / 5 && n < N * 3 / 10);
    assert_int_equal(count_drawn(&j, key, again, N), n);
    assert_memory_equal(drawn, again, sizeof(drawn)); /* the same line has the same answer */
    (void)count_drawn(&j, other_key, again, N);
    assert_memory_not_equal(drawn, again, sizeof(drawn)); /* which takes the key to foresee */
    judge_deinit(&j);
    assert_true(load(&j, "{sample: {allow: 1}}"));
    (void)judge_text(&j, span_str("nothing"));
    assert_int_equal(count_drawn(&j, key, drawn, N), N);
    judge_deinit(&j);
}

static void events_are_those_of_the_policy(void **state)
{
    struct judge j;

    (void)state;
    assert_true(load(&j, "{queue: [{action: block}, {event: [kill, honeytoken]}], due: {critical: 2h}}"));
    const struct policy *policy = snapshot_policy(j.snapshot, (struct span){0}, (struct span){0});
    struct review_mark mark = review_mark_of_event(policy, "honeytoken");
    assert_int_equal(mark.why, REVIEW_EVENT);
    assert_int_equal(mark.due_s, 7200);
    assert_int_equal(review_mark_of_event(policy, "alert").why, REVIEW_NOT);
    assert_int_equal(review_mark_of_event(policy, "no event").why, REVIEW_NOT);
    assert_int_equal(review_mark_of_event(snapshot_policy(j.snapshot, span_str("none"), (struct span){0}), "kill").why, REVIEW_NOT);
    assert_int_equal(review_mark_of_event(NULL, "kill").why, REVIEW_NOT);
    judge_deinit(&j);
}

static void the_agents_share_is_of_the_first_threshold(void **state)
{
    struct judge j;

    (void)state;
    assert_true(judge_init(&j, rules,
                           "policies:\n  default: {rules: [local], actions: [{rule: strong, action: block}], review: {queue: [{action: block}]}}\n"
                           "violations: {weights: {secret: 1}, half_life: 1h, actions: [{at: 4, do: alert}, {at: 8, do: kill}]}\n",
                           false));
    (void)judge_text(&j, span_str("strong"));
    for (unsigned i = 0; i <= 6; i++) {
        struct review_mark mark;
        j.x.violations = i;
        j.x.snapshot = j.snapshot;
        assert_true(review_mark_of(&j.x, key, &mark, &j.err));
        assert_true(mark.agent_share == (i < 4 ? i / 4.0 : 1));
    }
    judge_deinit(&j);
}

static void wrong_ones_are_refused(void **state)
{
    static const struct {
        const char *review, *why;
    } cases[] = {
        {"{queue: [{}]}", "else everything would be reviewed"},
        {"{queue: [{event: kill, action: block}]}", "'event' expected alone"},
        {"{queue: [{event: lunch}]}", "alert"},
        {"{queue: [{action: shadow}]}", "block"},
        {"{sample: {allow: 2}}", "0 to 1"},
        {"{sample: {block: 1}}", "allow"},
        {"{sample: {per_rule_min: 1001}}", "0 to 1000"},
        {"{sample: {per_rule_min: 0.5}}", "0 to 1000"},
        {"{reviewers: 3}", "1 to 2"},
        {"{reviewers: 0}", "1 to 2"},
        {"{due: {critical: 1s}}", ""},
        {"{queue: [{rule: no-such-rule}]}", "there is no rule"},
        {"{que: []}", "queue"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judge j;
        if (load(&j, cases[i].review)) {
            fail_msg("accepted: %s", cases[i].review);
        }
        if (strstr(j.err.text, cases[i].why) == NULL) {
            fail_msg("%s: %s", cases[i].review, j.err.text);
        }
        judge_deinit(&j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_key_nothing_is_reviewed),
        cmocka_unit_test(an_entry_says_why),
        cmocka_unit_test(what_is_grave_is_due_soon),
        cmocka_unit_test(samples_are_drawn_of_what_was_allowed),
        cmocka_unit_test(events_are_those_of_the_policy),
        cmocka_unit_test(the_agents_share_is_of_the_first_threshold),
        cmocka_unit_test(wrong_ones_are_refused),
    };

    return sodium_init() < 0 ? 2 : cmocka_run_group_tests(tests, NULL, NULL);
}
