/* test_partner.c - a match of another rule near a span: where it counts, and where it may yet come. */
#include "searching.h"

#include "judge/partner.h"

static const char rules[] = "rules:\n" TEST_RULE("id", "secret", "high", "0.9", "pattern: 'id-[0-9]{4}'")
    TEST_RULE("value", "secret", "high", "0.9", "pattern: 'val-[a-z]{4}', requires: {rules: [id], within: 12}");

static struct searching s;

static int set_up(void **state)
{
    (void)state;
    return searching_init(&s, rules);
}

static int tear_down(void **state)
{
    (void)state;
    return searching_deinit(&s);
}

/* Beside the "val-…" of the text. */
static enum nearness partner_in(const char *text, bool may_go_on)
{
    size_t from = (size_t)(strstr(text, "val-") - text);
    const struct partner_query query = {.rules = s.judge.rules,
                                        .context = &s.judge.rules->rules[1].contexts[0],
                                        .text = span_str(text),
                                        .from = from,
                                        .to = from + strlen("val-abcd"),
                                        .may_go_on = may_go_on};

    return partner_find(searching_finder(&s), &query);
}

static void one_before_or_behind_is_near(void **state)
{
    (void)state;
    assert_int_equal(partner_in("id-1234 val-abcd", false), NEAR);
    assert_int_equal(partner_in("val-abcd id-1234", false), NEAR);
    assert_int_equal(partner_in("val-abcd alone", false), FAR);
}

static void it_begins_within_the_distance(void **state)
{
    (void)state;
    assert_int_equal(partner_in("id-1234     val-abcd", false), NEAR);
    assert_int_equal(partner_in("id-1234      val-abcd", false), FAR);
    assert_int_equal(partner_in("val-abcd            id-1234", false), NEAR);
    assert_int_equal(partner_in("val-abcd             id-1234", false), FAR);
}

/* What begins before the span must end before it. */
static void it_does_not_reach_into_the_span(void **state)
{
    const struct partner_query query = {.rules = s.judge.rules,
                                        .context = &s.judge.rules->rules[1].contexts[0],
                                        .text = span_str("id-1234 and"),
                                        .from = 5,
                                        .to = 8};

    (void)state;
    assert_int_equal(partner_find(searching_finder(&s), &query), FAR);
}

static void in_a_text_that_may_go_on_it_may_yet_come(void **state)
{
    (void)state;
    assert_int_equal(partner_in("val-abcd id-12", true), OPEN);
    assert_int_equal(partner_in("val-abcd id-12", false), FAR);
    assert_int_equal(partner_in("val-abcd id-1234 ", true), NEAR);
    assert_int_equal(partner_in("val-abcd and then so much more ", true), FAR);
}

static void a_finding_without_its_partner_is_none(void **state)
{
    (void)state;
    search(&s, "val-abcd alone");
    assert_int_equal(s.list.n, 0);
    search(&s, "val-abcd id-1234");
    assert_int_equal(s.list.n, 2);
    assert_found(&s.list.items[0], "value", 0, 8, 90);
    assert_found(&s.list.items[1], "id", 9, 16, 90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_before_or_behind_is_near),
        cmocka_unit_test(it_begins_within_the_distance),
        cmocka_unit_test(it_does_not_reach_into_the_span),
        cmocka_unit_test(in_a_text_that_may_go_on_it_may_yet_come),
        cmocka_unit_test(a_finding_without_its_partner_is_none),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
