#include "testing.h"

#include "contracts/presidio_context.h"

static bool supports(const char *text, const char *word, const char *given)
{
    const char *at = strstr(text, "10023");
    struct span context = span_str(word), more = span_str(given == NULL ? "" : given);

    assert_non_null(at);
    return presidio_context_find(span_str(text), (size_t)(at - text), &more, given != NULL, &context, 1).len > 0;
}

static void words_near_a_result(void **state)
{
    (void)state;
    assert_true(supports("zip 10023", "ZIP", NULL));
    assert_true(supports("the zip:10023", "zip", NULL));
    assert_true(supports("zipper10023", "zip", NULL)); /* in the word in which the result starts, and inside a word */
    assert_true(supports("zip one two three four 10023", "zip", NULL));
    assert_false(supports("zip one two three four five 10023", "zip", NULL));
    assert_true(supports("zip of the one and of my two 10023", "zip", NULL)); /* stop words do not count */
    assert_false(supports("10023 zip", "zip", NULL));
    assert_false(supports("10023", "zip", NULL));
    assert_true(supports("10023", "zip", "a zip code"));
    assert_false(supports("10023", "zip", "code"));
    assert_true(supports("stra\xc3\x9f" "e 10023", "stra\xc3\x9f", NULL));
}

/* However long the words are, what is looked at stays bounded. */
static void long_words_are_cut(void **state)
{
    char text[4096 + 16];

    (void)state;
    memset(text, 'z', 4096);
    memcpy(text, "zip", 3);
    memcpy(text + 4096, " 10023", 7);
    assert_false(supports(text, "zip", NULL));
    assert_true(supports(text, "zz", NULL));
}

static void words_nearby_raise_a_score(void **state)
{
    (void)state;
    assert_true(presidio_context_score(0.01) == 0.4);
    assert_true(presidio_context_score(0.5) == 0.85);
    assert_true(presidio_context_score(0.9) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_near_a_result), cmocka_unit_test(long_words_are_cut), cmocka_unit_test(words_nearby_raise_a_score),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
