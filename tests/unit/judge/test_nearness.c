/* test_nearness.c - what one context says of a span in a text that is whole, and in one that may go on. */
#include "searching.h"

#include "judge/find_parts.h"

static const char rules[] = "rules:\n" TEST_RULE("code", "secret", "high", "0.5",
                                                 "pattern: 'code-[0-9]{4}', context: {words: [pin], within: 8, raise: 0.3}")
    TEST_RULE("id", "secret", "high", "0.9", "pattern: 'id-[0-9]{4}'")
    TEST_RULE("value", "secret", "high", "0.9", "pattern: 'val-[a-z]{4}', requires: {rules: [id], within: 8}");

enum { CODE, ID, VALUE };

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

/* What the first context of the rule says of the `len` bytes at `from`; `open` NULL: the text is whole. */
static enum nearness nearness_at(unsigned rule, const char *text, size_t from, size_t len, struct find_open *open)
{
    struct view_piece whole;
    struct view raw;
    const struct find_request request = {.rules = s.judge.rules, .text = span_str(text), .open = open};
    const struct scanner_match match = {.from = from, .to = from + len, .span_from = from, .span_to = from + len};

    view_raw(span_str(text), &whole, &raw);
    const struct search in = {.finder = searching_finder(&s), .request = &request, .view = &raw, .raw = &raw};
    const struct raw_place place = {.from = from, .to = from + len};
    return nearness_of(&in, &match, place, &s.judge.rules->rules[rule].contexts[0]);
}

static enum nearness in_whole(const char *text)
{
    return nearness_at(CODE, text, (size_t)(strstr(text, "code-") - text), 9, NULL);
}

static enum nearness in_open(const char *text, bool is_redacted, size_t limit)
{
    struct find_open open = {.from = SIZE_MAX, .limit = limit, .is_redacted = is_redacted};

    return nearness_at(CODE, text, (size_t)(strstr(text, "code-") - text), 9, &open);
}

static void in_a_whole_text_a_word_is_near_or_it_is_not(void **state)
{
    (void)state;
    assert_int_equal(in_whole("pin code-1234"), NEAR);
    assert_int_equal(in_whole("code-1234 pin"), NEAR);
    assert_int_equal(in_whole("code-1234"), FAR);
}

static void at_an_open_end_it_may_yet_come(void **state)
{
    (void)state;
    assert_int_equal(in_open("code-1234 ", false, SIZE_MAX), OPEN);
    assert_int_equal(in_open("pin code-1234 ", false, SIZE_MAX), NEAR);
    assert_int_equal(in_open("code-1234 and so much more", false, SIZE_MAX), FAR);
}

/* "pin" may become "pinned". */
static void the_last_word_of_an_open_text_does_not_count_yet(void **state)
{
    (void)state;
    assert_int_equal(in_open("code-1234 pin", false, SIZE_MAX), OPEN);
    assert_int_equal(in_open("code-1234 pin ", false, SIZE_MAX), NEAR);
}

/* [pin-... may become the label of a rule. */
static void what_may_become_a_label_does_not_count_yet(void **state)
{
    (void)state;
    assert_int_equal(in_open("code-1234 [pin-", false, SIZE_MAX), OPEN);
    assert_int_equal(in_open("code-1234 [pin-]", false, SIZE_MAX), NEAR);
    assert_int_equal(in_open("code-1234 pin [id", false, SIZE_MAX), NEAR);
}

/* What a redaction may still replace is no word to count on. */
static void behind_the_limit_of_a_redacted_text_nothing_counts(void **state)
{
    (void)state;
    assert_int_equal(in_open("code-1234 pin and more", true, 10), OPEN);
    assert_int_equal(in_open("code-1234 pin and more", true, SIZE_MAX), NEAR);
}

static void a_context_of_rules_asks_for_a_partner(void **state)
{
    struct find_open open = {.from = SIZE_MAX, .limit = SIZE_MAX};

    (void)state;
    assert_int_equal(nearness_at(VALUE, "val-abcd id-1234", 0, 8, NULL), NEAR);
    assert_int_equal(nearness_at(VALUE, "val-abcd", 0, 8, NULL), FAR);
    assert_int_equal(nearness_at(VALUE, "val-abcd ", 0, 8, &open), OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_whole_text_a_word_is_near_or_it_is_not),
        cmocka_unit_test(at_an_open_end_it_may_yet_come),
        cmocka_unit_test(the_last_word_of_an_open_text_does_not_count_yet),
        cmocka_unit_test(what_may_become_a_label_does_not_count_yet),
        cmocka_unit_test(behind_the_limit_of_a_redacted_text_nothing_counts),
        cmocka_unit_test(a_context_of_rules_asks_for_a_partner),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
