/* Samples of rules: as many a week as the policy wants, spread over it, of each rule. */
#include "testing.h"

#include <sodium.h>

#include "judge/review_mark.h"
#include "judge/review_quota.h"
#include "support/judge.h"

enum { WANTED = 20 };

static const char rules[] = "rules:\n"
                            TEST_RULE("weak", "content", "low", "0.5", "pattern: weak")
                            TEST_RULE("faint", "content", "low", "0.4", "pattern: faint")
                            TEST_RULE("strong", "secret", "critical", "0.9", "pattern: strong");
static const char policy[] = "policies:\n  default:\n    rules: [local]\n    actions: [{rule: strong, action: block}]\n"
                             "    review: {sample: {per_rule_min: 20}}\n";
static const uint8_t key[DIGEST_KEY] = {1}, other_key[DIGEST_KEY] = {2};
static const int64_t hour_ns = INT64_C(3600) * 1000000000;
static const int64_t monday_ns = INT64_C(1795392000) * 1000000000; /* 2026-11-23 */

static struct review_quota quota;
static struct judge j;

static int set_up(void **state)
{
    (void)state;
    review_quota_init(&quota);
    return judge_init(&j, rules, policy, false) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    judge_deinit(&j);
    return 0;
}

static const struct rule *draw_with(const uint8_t with[DIGEST_KEY], int64_t now_ns)
{
    const struct rule *rule = NULL;

    j.x.now_ns = now_ns;
    assert_true(review_quota_draw(&quota, &j.x, WANTED, with, &rule, &j.err));
    return rule;
}

static bool is_drawn(int64_t now_ns)
{
    return draw_with(key, now_ns) != NULL;
}

/* Exchanges at even distances in [from, to) hours; how many are samples. */
static unsigned count_drawn(int64_t from_h, int64_t to_h, unsigned n)
{
    unsigned drawn = 0;

    for (unsigned i = 0; i < n; i++) {
        drawn += is_drawn(monday_ns + from_h * hour_ns + (to_h - from_h) * hour_ns / n * i);
    }
    return drawn;
}

static void a_week_has_as_many_as_are_wanted(void **state)
{
    (void)state;
    (void)judge_text(&j, span_str("weak"));
    (void)is_drawn(monday_ns - 1); /* the first of all is one, or none is due yet */
    for (int64_t week = 0; week < 5; week++) {
        unsigned drawn = 0;
        for (int64_t day = 0; day < 7; day++) {
            unsigned of_day = count_drawn((week * 7 + day) * 24, (week * 7 + day + 1) * 24, 500);
            assert_true(of_day >= 1 && of_day <= 4); /* twenty slots in seven days */
            drawn += of_day;
        }
        assert_int_equal(drawn, WANTED);
    }
}

static void slots_that_passed_are_made_up_for_within_the_week(void **state)
{
    (void)state;
    (void)judge_text(&j, span_str("weak"));
    (void)is_drawn(monday_ns - 1);
    unsigned late = count_drawn(167, 168, 300);
    assert_true(late == WANTED || late == WANTED - 1); /* the last slot may open behind the last exchange */
    assert_true(count_drawn(168, 168 + 84, 300) <= WANTED / 2 + 1);
}

/* A rule that is new, as all are after a restart, has one at once if one is due. */
static void after_a_restart_one_is_due(void **state)
{
    (void)state;
    (void)judge_text(&j, span_str("weak"));
    assert_true(count_drawn(0, 84, 1000) > 5);
    for (unsigned i = 0; i < 20; i++) {
        review_quota_init(&quota);
        assert_true(is_drawn(monday_ns + 84 * hour_ns));
        assert_false(is_drawn(monday_ns + 84 * hour_ns));
    }
}

static void each_rule_has_its_own(void **state)
{
    unsigned n[2] = {0};

    (void)state;
    for (unsigned i = 0; i < 2000; i++) {
        (void)judge_text(&j, span_str(i % 100 == 7 ? "faint" : "weak"));
        const struct rule *rule = draw_with(key, monday_ns + 168 * hour_ns / 2000 * i);
        n[rule != NULL && span_is(rule->id, "faint")] += rule != NULL;
    }
    assert_true(n[0] >= WANTED - 1 && n[0] <= WANTED);
    assert_true(n[1] >= WANTED - 2 && n[1] <= WANTED);
}

/* Days that come twice have their samples once. */
static void a_clock_that_is_set_back_draws_none_again(void **state)
{
    (void)state;
    (void)judge_text(&j, span_str("weak"));
    (void)is_drawn(monday_ns - 1);
    unsigned first = count_drawn(0, 252, 1000); /* a week and a half */
    assert_true(first >= WANTED + WANTED / 2 - 1 && first <= WANTED + WANTED / 2 + 1);
    assert_int_equal(count_drawn(0, 252, 1000), 0);
}

/* One exchange may be the sample of two rules. */
static void an_exchange_counts_for_each_of_its_rules(void **state)
{
    (void)state;
    (void)judge_text(&j, span_str("weak and faint and weak"));
    assert_int_equal(j.x.n_findings, 3);
    assert_true(is_drawn(monday_ns + 84 * hour_ns));
    (void)judge_text(&j, span_str("weak"));
    assert_false(is_drawn(monday_ns + 84 * hour_ns));
    (void)judge_text(&j, span_str("faint"));
    assert_false(is_drawn(monday_ns + 84 * hour_ns));
    (void)judge_text(&j, span_str("nothing"));
    assert_false(is_drawn(monday_ns + 168 * hour_ns - 1));
}

static void when_a_slot_opens_takes_the_key_to_foresee(void **state)
{
    const uint8_t *const keys[] = {key, key, other_key};
    int64_t times[3][WANTED] = {{0}};

    (void)state;
    (void)judge_text(&j, span_str("weak"));
    for (size_t k = 0; k < COUNT(keys); k++) {
        unsigned n = 0;
        review_quota_init(&quota);
        (void)draw_with(keys[k], monday_ns - 1);
        for (int64_t minute = 0; minute < 7 * 1440 && n < WANTED; minute++) {
            times[k][n] = minute;
            n += draw_with(keys[k], monday_ns + minute * 60 * 1000000000) != NULL;
        }
    }
    assert_memory_equal(times[0], times[1], sizeof(times[0]));
    assert_memory_not_equal(times[0], times[2], sizeof(times[0]));
}

static struct review_mark mark_of(const char *text)
{
    struct review_mark mark;

    (void)judge_text(&j, span_str(text));
    j.x.snapshot = j.snapshot;
    j.x.now_ns = monday_ns + 84 * hour_ns;
    assert_true(review_mark_of(&j.x, key, &mark, &j.err));
    return mark;
}

static void a_mark_says_which_rule(void **state)
{
    (void)state;
    assert_int_equal(mark_of("weak").why, REVIEW_NOT); /* without a quota */
    j.snapshot->quota = &quota;
    assert_int_equal(mark_of("strong and weak").why, REVIEW_NOT); /* blocked */
    struct review_mark mark = mark_of("weak");
    assert_int_equal(mark.why, REVIEW_RULE_SAMPLE);
    assert_true(span_is(mark.rule->id, "weak"));
    assert_int_equal(mark.reviewers, 1);
    assert_int_equal(mark.due_s, 5 * 86400);
    assert_int_equal(mark_of("weak").why, REVIEW_NOT);
    assert_int_equal(mark_of("nothing").why, REVIEW_NOT);
}

/* What is drawn at random stays a random sample, and fills the quota. */
static void random_samples_count_and_remain_random(void **state)
{
    (void)state;
    judge_deinit(&j);
    assert_true(judge_init(&j, rules,
                           "policies:\n  default:\n    rules: [local]\n    actions: []\n    review: {sample: {allow: 1, per_rule_min: 20}}\n", false));
    j.snapshot->quota = &quota;
    assert_int_equal(mark_of("weak").why, REVIEW_SAMPLE);
    assert_false(is_drawn(monday_ns + 84 * hour_ns));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_week_has_as_many_as_are_wanted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(slots_that_passed_are_made_up_for_within_the_week, set_up, tear_down),
        cmocka_unit_test_setup_teardown(after_a_restart_one_is_due, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_rule_has_its_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_clock_that_is_set_back_draws_none_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_exchange_counts_for_each_of_its_rules, set_up, tear_down),
        cmocka_unit_test_setup_teardown(when_a_slot_opens_takes_the_key_to_foresee, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_mark_says_which_rule, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_samples_count_and_remain_random, set_up, tear_down),
    };

    return sodium_init() < 0 ? 2 : cmocka_run_group_tests(tests, NULL, NULL);
}
