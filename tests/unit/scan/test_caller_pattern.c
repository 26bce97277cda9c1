#include "testing.h"

#include "scan/caller_pattern.h"

static enum regex_result search(const char *pattern, unsigned flags, struct span text, struct caller_budget *budget, size_t *from, size_t *to)
{
    struct error err;
    struct caller_pattern *p = caller_pattern_new(span_str(pattern), flags, &err);

    assert_non_null(p);
    enum regex_result found = caller_pattern_search(p, budget, text, 0, from, to);
    caller_pattern_free(p);
    return found;
}

static void matches_as_python_says(void **state)
{
    static const struct {
        const char *pattern, *text;
        unsigned flags;
        size_t from, to; /* to 0: no match */
    } cases[] = {
        {"\\d{3}", "a 123", 0, 2, 5},
        {"ABC", "xabc", CALLER_PATTERN_CASELESS, 1, 4},
        {"ABC", "xabc", 0, 0, 0},
        {"^b", "a\nb", CALLER_PATTERN_MULTILINE, 2, 3},
        {"^b", "a\nb", 0, 0, 0},
        {"a.b", "a\nb", CALLER_PATTERN_DOTALL, 0, 3},
        {"a.b", "a\nb", 0, 0, 0},
        {"a b # c", "ab", CALLER_PATTERN_VERBOSE, 0, 2},
        {"\\u0041b", "Ab", 0, 0, 2},
        {"\\w+", "\xc3\xa9t\xc3\xa9!", CALLER_PATTERN_UNICODE, 0, 5},
        {"(?P<a>x)(?P=a)", "axx", 0, 1, 3},
        {"a*?", "aa", 0, 0, 1}, /* never empty */
        {"a*", "bbb", 0, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct caller_budget budget = caller_budget_for(100);
        size_t from = 0, to = 0;
        enum regex_result found = search(cases[i].pattern, cases[i].flags, span_str(cases[i].text), &budget, &from, &to);
        assert_int_equal(found, cases[i].to > 0 ? REGEX_MATCH : REGEX_NO_MATCH);
        assert_int_equal(from, cases[i].from);
        assert_int_equal(to, cases[i].to);
    }
}

static void patterns_that_are_refused(void **state)
{
    static const char *const bad[] = {"(", "[", "a{2,1}", "*a", "\\C", "(?<=a*)b", "\\N{DIGIT ONE}", "(?P<a", "a(?R", "(?=a\\K)", "(?:(?:a{999}){999}){999}"};
    struct error err;
    char longest[CALLER_PATTERN_MAX + 2];

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_null(caller_pattern_new(span_str(bad[i]), 0, &err));
        assert_int_equal(err.kind, ERROR_INVALID);
    }
    memset(longest, 'a', sizeof(longest));
    assert_null(caller_pattern_new(span_of(longest, sizeof(longest) - 1), 0, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_false(caller_pattern_has_flags(256));
    assert_true(caller_pattern_has_flags(26));
}

/* Each of these takes far more than the budget, in its own way. That the test ends is half of what it shows. */
static void expensive_patterns_end_at_a_limit(void **state)
{
    static const char *const dear[] = {
        "(a+)+$", "(a|a)*$", "(a*)*b", "(.*)\\1x", "(?:a?){30}a{30}x", "(?=(a+))\\1+x", "[a ]{60000}x", "(?<![a ]{500})[ab]z",
        ".*.*.*=b", "(?i:(a{1,1000}){1,9}x)", "(?:(?:a|b)?){200}y", "(?P<n>a*)(?P=n)x", "(?|(a)|(b))+(?1)*x"};
    enum { LENGTH = 1 << 20 };
    char *text = malloc(LENGTH);

    (void)state;
    assert_non_null(text);
    memset(text, 'a', LENGTH);
    for (size_t i = 59990; i < LENGTH; i += 59990) {
        text[i] = 'c';
    }
    memcpy(text + LENGTH - 12, "cx cb cy cz ", 12); /* no pattern is ruled out by a character that the text lacks */
    for (size_t i = 0; i < COUNT(dear); i++) {
        struct caller_budget budget = caller_budget_for(LENGTH);
        size_t from, to;
        assert_int_equal(search(dear[i], 0, span_of(text, LENGTH), &budget, &from, &to), REGEX_OVER_LIMIT);
        assert_int_equal(budget.steps, 0);
        assert_int_equal(search("c", 0, span_of(text, LENGTH), &budget, &from, &to), REGEX_OVER_LIMIT); /* it stays used up */
    }
    free(text);
}

static void usual_patterns_have_room(void **state)
{
    static const char *const usual[] = {"\\b\\d{5}(?:-\\d{4})?\\b", "\\b[A-Z]{2}\\d{6}\\b", "\\b[\\w.+-]+@[\\w-]+\\.[\\w.-]+\\b"};
    enum { LENGTH = 1 << 20 };
    struct caller_budget budget = caller_budget_for(LENGTH);
    char *text = malloc(LENGTH);
    size_t from, to;

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < LENGTH; i++) {
        text[i] = "the parcel of the 12 people who came on Monday "[i % 47];
    }
    for (size_t i = 0; i < COUNT(usual); i++) {
        assert_int_equal(search(usual[i], CALLER_PATTERN_CASELESS, span_of(text, LENGTH), &budget, &from, &to), REGEX_NO_MATCH);
    }
    free(text);
}

static void a_list_of_words_is_one_pattern(void **state)
{
    static const struct span words[] = {{"Mr.", 3}, {"Mrs", 3}, {"a b", 3}};
    struct caller_budget budget = caller_budget_for(100);
    struct arena arena;
    struct error err;
    struct span source;
    size_t from, to;

    (void)state;
    arena_init(&arena, 0, 1 << 20);
    struct caller_pattern *p = caller_pattern_new_words(words, COUNT(words), CALLER_PATTERN_CASELESS, &arena, &source, &err);
    assert_non_null(p);
    assert_true(span_is(source, "(?:^|(?<=\\W))(Mr\\.|Mrs|a\\ b)(?:(?=\\W)|$)"));
    struct span text = span_str("xMrs Mrsx mrs A B");
    assert_int_equal(caller_pattern_search(p, &budget, text, 0, &from, &to), REGEX_MATCH);
    assert_int_equal(from, 10);
    assert_int_equal(caller_pattern_search(p, &budget, text, to, &from, &to), REGEX_MATCH);
    assert_int_equal(from, 14);
    assert_int_equal(caller_pattern_search(p, &budget, text, to, &from, &to), REGEX_NO_MATCH);
    budget.steps = 1;
    assert_int_equal(caller_pattern_search(p, &budget, text, 0, &from, &to), REGEX_OVER_LIMIT);
    caller_pattern_free(p);
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_as_python_says), cmocka_unit_test(patterns_that_are_refused), cmocka_unit_test(expensive_patterns_end_at_a_limit),
        cmocka_unit_test(usual_patterns_have_room), cmocka_unit_test(a_list_of_words_is_one_pattern),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
