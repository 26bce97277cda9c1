/* test_context.c - words near a span: which bytes count as near, and where a word begins and ends. */
#include "testing.h"

#include "judge/find.h"
#include "support/judge.h"

static struct span words[] = {{.ptr = "pin", .len = 3}, {.ptr = "\xe5\xaf\x86\xe7\xa0\x81", .len = 6}};
static struct judge judge; /* its one rule is "pin" */
static const struct rule_context context = {.words = {.items = words, .n = COUNT(words)}, .within = 8};

/* The span is where the text has "1234". */
static bool is_near(const char *text, struct span *word)
{
    size_t from = (size_t)(strstr(text, "1234") - text);

    return context_is_near(&context, judge.rules, span_str(text), from, from + 4, word);
}

static void a_word_counts_before_and_behind(void **state)
{
    struct span word = {0};

    (void)state;
    assert_true(is_near("pin 1234", &word));
    assert_true(span_is(word, "pin"));
    assert_false(is_near("1234 is the pin", NULL));
    assert_true(is_near("1234 a pin", NULL));
    assert_false(is_near("1234", NULL));
}

static void the_case_of_ascii_letters_does_not_matter(void **state)
{
    (void)state;
    assert_true(is_near("PiN 1234", NULL));
}

static void the_last_byte_of_the_distance_counts(void **state)
{
    (void)state;
    assert_true(is_near("pin     1234", NULL));
    assert_false(is_near("pin      1234", NULL));
    assert_true(is_near("1234     pin", NULL));
    assert_false(is_near("1234      pin", NULL));
}

static void part_of_a_word_is_none(void **state)
{
    (void)state;
    assert_false(is_near("spin 1234", NULL));
    assert_false(is_near("pins 1234", NULL));
    assert_false(is_near("pin1234", NULL));
    assert_true(is_near("pin_1234", NULL));
}

/* Scripts without spaces have no such ends. */
static void a_word_that_is_not_ascii_need_not_be_apart(void **state)
{
    (void)state;
    assert_false(is_near("\xe5\xaf\x86\xe7\xa0\x81\xe6\x98\xaf" "1234", NULL)); /* nine bytes away */
    assert_true(is_near("x\xe5\xaf\x86\xe7\xa0\x81" "1234", NULL));
}

static void a_word_does_not_lie_in_the_span(void **state)
{
    const struct span text = span_str("my pin is");

    (void)state;
    assert_false(context_is_near(&context, judge.rules, text, 3, 6, NULL));
    assert_false(context_is_near(&context, judge.rules, text, 4, 9, NULL));
}

/* Or a number would be redacted for the label of the one beside it, and then the next. */
static void the_label_of_a_redaction_is_no_word(void **state)
{
    (void)state;
    assert_false(is_near("[pin] 1234", NULL));
    assert_false(is_near("1234 [pin]", NULL));
    assert_true(is_near("[a-pin] 1234", NULL)); /* no rule's */
    assert_true(is_near("pin] 1234", NULL));
    assert_true(is_near("[pin 1234", NULL));
    assert_true(is_near("[pin]pin 1234", NULL));
}

static int set_up(void **state)
{
    (void)state;
    return judge_init(&judge, "rules:\n" TEST_RULE("pin", "secret", "high", "0.9", "pattern: 'abc'"), NULL, false) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    judge_deinit(&judge);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_counts_before_and_behind),
        cmocka_unit_test(the_case_of_ascii_letters_does_not_matter),
        cmocka_unit_test(the_last_byte_of_the_distance_counts),
        cmocka_unit_test(part_of_a_word_is_none),
        cmocka_unit_test(a_word_that_is_not_ascii_need_not_be_apart),
        cmocka_unit_test(a_word_does_not_lie_in_the_span),
        cmocka_unit_test(the_label_of_a_redaction_is_no_word),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
