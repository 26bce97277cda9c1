/* test_hold.c - up to where a text may go on, by hand. */
#include "testing.h"

#include "judge/hold.h"
#include "pipeline/worker_parts.h"
#include "support/judge.h"

enum { AWS, ORDER, QUOTED, LABELLED }; /* patterns are in the order of the rules' ids */

static const char rules[] = "rules:\n" TEST_RULE("a-aws", "secret", "high", "0.9", "pattern: 'AKIA[A-Z2-7]{16}'")
    TEST_RULE("b-order", "secret", "high", "0.9", "pattern: 'order [0-9]{4} of me'")
    TEST_RULE("c-quoted", "secret", "high", "0.9", "pattern: 'key \"[a-z]{5}\"'")
    TEST_RULE("d-labelled", "secret", "high", "0.9", "pattern: 'see \\[a-aws\\] [0-9]{3}'");

static struct judge judge;
static struct error err;

static int set_up(void **state)
{
    (void)state;
    return judge_init(&judge, rules, NULL, false) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    judge_deinit(&judge);
    return 0;
}

static struct hold_request request_for(const char *text)
{
    return (struct hold_request){.rules = judge.rules, .text = span_str(text)};
}

static void assert_hold(const struct hold_request *request, size_t to, uint32_t pattern)
{
    struct hold hold;

    (void)worker_begin(judge.worker);
    assert_true(hold_find(worker_finder(judge.worker), request, &hold, &err));
    assert_int_equal(hold.to, to);
    if (to < request->text.len) {
        assert_int_equal(hold.pattern, pattern);
    }
}

static void assert_text_hold(const char *text, size_t to, uint32_t pattern)
{
    const struct hold_request request = request_for(text);

    assert_hold(&request, to, pattern);
}

static void plain_text_is_held_by_its_last_word_alone(void **state)
{
    (void)state;
    assert_text_hold("", 0, 0);
    assert_text_hold("Hello there ", 12, 0);
    assert_text_hold("Hello there", 6, HOLD_VIEW);
}

static void what_is_live_holds(void **state)
{
    (void)state;
    assert_text_hold("an order ", 3, ORDER);
    assert_text_hold("an order 1234 of ", 3, ORDER);
    assert_text_hold("an order 1234 or ", 17, 0);
    assert_text_hold("a key AKIAQ3", 6, HOLD_VIEW);
}

static void the_first_of_what_is_live_and_pending_holds(void **state)
{
    (void)state;
    assert_text_hold("an order 12", 3, ORDER);
    assert_text_hold("an \"a\" + \"order ", 3, HOLD_VIEW);
}

static void only_patterns_that_act_hold(void **state)
{
    const uint64_t none = 0, order = (uint64_t)1 << ORDER;
    struct hold_request request = request_for("an order 1234 ");

    (void)state;
    request.patterns = &none;
    assert_hold(&request, 10, HOLD_VIEW); /* four digits may begin hexadecimal in groups */
    request.patterns = &order;
    assert_hold(&request, 3, ORDER);
}

static void what_is_released_is_not_held_again(void **state)
{
    struct hold_request request = request_for("an order 1234 ");

    (void)state;
    request.from = 9;
    assert_hold(&request, 10, HOLD_VIEW);
    request.from = 14;
    assert_hold(&request, 14, 0);
}

/* An escape may come to be the next character of a match. */
static void what_may_go_on_in_a_pending_view_is_held(void **state)
{
    (void)state;
    assert_text_hold("a key &qu", 2, QUOTED);
    assert_text_hold("a kei &qu", 6, HOLD_VIEW);
    assert_text_hold("a key %", 2, QUOTED);
}

static struct hold before(const char *text, size_t to, const char *replacement)
{
    const struct hold_request request = request_for(text);
    struct hold hold = {.to = to, .pattern = AWS};

    (void)worker_begin(judge.worker);
    assert_true(hold_before(worker_finder(judge.worker), &request, span_str(replacement), &hold, &err));
    return hold;
}

static void what_may_go_on_in_a_label_is_held(void **state)
{
    (void)state;
    assert_int_equal(before("see AKIAQ3", 4, "[").to, 0);
    assert_int_equal(before("see AKIAQ3", 4, "*").to, 4);
    assert_int_equal(before("saw AKIAQ3", 4, "[").to, 4);
    assert_int_equal(before("see AKIAQ3", 4, "[").pattern, AWS);
}

static void an_empty_replacement_stands_for_anything(void **state)
{
    (void)state;
    assert_int_equal(before("order AKIAQ3", 6, "").to, 0);
    assert_int_equal(before("border AKIAQ3", 7, "").to, 7);
}

/* A redaction behind the hold may end it sooner, so that it reads as another word. */
static void a_view_that_goes_on_over_the_hold_is_held(void **state)
{
    (void)state;
    assert_int_equal(before("the word_Vict Im", 9, "[").to, 4);
    assert_int_equal(before("the word_Vict Im", 13, "[").to, 4); /* letters with a joint between may go on as one */
    assert_int_equal(before("the wOrdThatIsWrapped\nandG oes on", 22, "[").to, 4);
}

static void assert_plain(const char *text, bool expected)
{
    bool is_plain = !expected;

    (void)worker_begin(judge.worker);
    assert_true(hold_is_plain(worker_finder(judge.worker), judge.rules, span_str(text), &is_plain, &err));
    assert_int_equal(is_plain, expected);
}

static void text_without_triggers_and_views_is_plain(void **state)
{
    (void)state;
    assert_plain("Hello there.", true);
    assert_plain("", true);
    assert_plain("an order 1234 of me", false);
    assert_plain("AKIAQ3EGR7KJ2MXW5TZB", false);
    assert_plain("fifty %41 of", false);
    assert_plain("cGFzc3dvcmQgaXMgaHVudGVyMg==", false);
    assert_plain("g\xe2\x80\x8bh", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_is_held_by_its_last_word_alone),
        cmocka_unit_test(what_is_live_holds),
        cmocka_unit_test(the_first_of_what_is_live_and_pending_holds),
        cmocka_unit_test(only_patterns_that_act_hold),
        cmocka_unit_test(what_is_released_is_not_held_again),
        cmocka_unit_test(what_may_go_on_in_a_pending_view_is_held),
        cmocka_unit_test(what_may_go_on_in_a_label_is_held),
        cmocka_unit_test(an_empty_replacement_stands_for_anything),
        cmocka_unit_test(a_view_that_goes_on_over_the_hold_is_held),
        cmocka_unit_test(text_without_triggers_and_views_is_plain),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
