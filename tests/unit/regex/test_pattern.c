/* test_pattern.c - patterns as rows of tokens: where their groups and alternatives end. */
#include "testing.h"

#include "regex/pattern.h"

static void a_branch_ends_at_its_own_bar(void **state)
{
    static const struct {
        const char *pattern;
        size_t from, end;
    } cases[] = {
        {"", 0, 0},      {"a", 0, 1},        {"ab|c", 0, 2},         {"ab|c", 3, 4},
        {"ab|", 3, 3},   {"|a", 0, 0},       {"(a|b)c|d", 0, 6},     {"[|]|a", 0, 3},
        {"\\||a", 0, 2}, {"a{1,2}|b", 0, 6}, {"(?:a|(b|c))", 0, 11}, {"(a|b", 0, 4},
        {"[a|b", 0, 4},  {"a\\", 0, 2},      {"(?<!a|b)c|d", 0, 9},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t end = pattern_branch_end(span_str(cases[i].pattern), cases[i].from);
        if (end != cases[i].end) {
            fail_msg("%s from %zu: %zu, expected %zu", cases[i].pattern, cases[i].from, end,
                     cases[i].end);
        }
    }
}

static void a_group_ends_behind_its_parenthesis(void **state)
{
    (void)state;
    assert_int_equal(pattern_group_end(span_str("(a)b"), 0), 3);
    assert_int_equal(pattern_group_end(span_str("x(a(b)c)d"), 1), 8);
    assert_int_equal(pattern_group_end(span_str("(a[)]b)"), 0), 7);
    assert_int_equal(pattern_group_end(span_str("(a\\)b)"), 0), 6);
    assert_int_equal(pattern_group_end(span_str("(never"), 0), 6);
}

static void a_class_ends_where_pcre2_sees_its_end(void **state)
{
    static const struct {
        const char *pattern;
        size_t end;
    } cases[] = {
        {"[ab]c", 4},    {"[]a]b", 4},         {"[^]a]b", 5},      {"[\\]]b", 4},      {"[[:alpha:]]b", 11},
        {"[[:a]b:]c", 5}, {"[[:x[:alpha:]]b", 14}, {"[[:\\]:]]b", 8}, {"[a[:]b", 5}, {"[[]b", 3},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct token t = pattern_token(span_str(cases[i].pattern), 0);
        if (t.to != cases[i].end) {
            fail_msg("%s: %zu, expected %zu", cases[i].pattern, t.to, cases[i].end);
        }
    }
}

static void what_is_open_is_reported(void **state)
{
    static const char *const closed[] = {"", "a", "(a|[b(])", "\\(", "[\\]]", "[[:alpha:]]", "(?:a)(b)", "a\\\\"};
    static const char *const open[] = {"[a", "(a", "a)", "a)(?:b", "key[0)|q", "a\\", "[a\\]", "[[:alpha:]", "(a[)]"};

    (void)state;
    for (size_t i = 0; i < COUNT(closed); i++) {
        assert_true(pattern_is_closed(span_str(closed[i])));
    }
    for (size_t i = 0; i < COUNT(open); i++) {
        assert_false(pattern_is_closed(span_str(open[i])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_branch_ends_at_its_own_bar),
        cmocka_unit_test(a_group_ends_behind_its_parenthesis),
        cmocka_unit_test(a_class_ends_where_pcre2_sees_its_end),
        cmocka_unit_test(what_is_open_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
