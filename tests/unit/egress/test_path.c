#include "testing.h"

#include "jail/egress/wire/path.h"

static void clear_paths_pass(void **state)
{
    static const char *const paths[] = {
        "/", "/a", "/a/", "/a/b.c", "/a/.hidden", "/a/...", "/a%20b", "/a?b=c", "/a?b=../c//d", "/?",
        "/a;v=1/b", "/a%C3%BC", "/~user/a-b_c", "/a:b@c", "/a?x=%2e%2f", "/a!$&'()*+,=",
    };
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(paths); i++) {
        if (!egress_path_check(span_str(paths[i]), &err)) {
            fail_msg("%s: %s", paths[i], err.text);
        }
    }
}

static void paths_with_two_readings_are_refused(void **state)
{
    static const char *const paths[] = {
        "", "a", "?a", "*", "http://a/", "/.", "/..", "/a/../b", "/a/./b", "/a/..", "//a", "/a//b", "/%2e%2e/a",
        "/a%2Fb", "/a%2fb", "/a%5cb", "/a\\b", "/%252e%252e/a", "/a/..;x/b", "/a/.;/b", "/a%3b", "/a%00", "/a%0d%0ab",
        "/a%7f", "/a b", "/a#b", "/a\tb", "/a\x7f", "/\xc3\xbc", "/a%", "/a%2", "/a%zz", "/a?b=%", "/a?b c", "/a{b}",
        "/a|b", "/a\"b", "/a<b",
    };
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(paths); i++) {
        if (egress_path_check(span_str(paths[i]), &err)) {
            fail_msg("%s passes", paths[i]);
        }
    }
    assert_false(egress_path_check(span_of("/a\0b", 4), &err));
}

static void paths_are_bounded(void **state)
{
    static char path[EGRESS_PATH_MAX + 1];
    struct error err;

    (void)state;
    memset(path, 'a', sizeof(path));
    path[0] = '/';
    assert_true(egress_path_check(span_of(path, EGRESS_PATH_MAX), &err));
    assert_false(egress_path_check(span_of(path, EGRESS_PATH_MAX + 1), &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
}

static const struct {
    const char *pattern, *path;
    bool matches;
} cases[] = {
    {"/", "/", true},
    {"/", "/a", false},
    {"/a", "/a", true},
    {"/a", "/a/", false},
    {"/a/", "/a", false},
    {"/a", "/A", false},
    {"/a", "/%61", false},
    {"/a", "/ab", false},
    {"/a/*", "/a/b", true},
    {"/a/*", "/a/", false},
    {"/a/*", "/a/b/c", false},
    {"/a/*/c", "/a/b/c", true},
    {"/a/*/c", "/a/b/d", false},
    {"/a/**", "/a/b", true},
    {"/a/**", "/a/b/c/", true},
    {"/a/**", "/a/", true},
    {"/a/**", "/a", false},
    {"/a/**", "/ab/c", false},
    {"/**", "/", true},
    {"/**", "/a/b", true},
};

static void patterns_match_whole_segments(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err;
        assert_true(egress_path_pattern_check(span_str(cases[i].pattern), &err));
        if (egress_path_matches(span_str(cases[i].pattern), span_str(cases[i].path)) != cases[i].matches) {
            fail_msg("%s %s", cases[i].pattern, cases[i].path);
        }
    }
}

static void patterns_say_one_thing(void **state)
{
    static const char *const wrong[] = {"", "a", "*", "**", "/a*", "/*a", "/**/a", "/***", "/a?b", "/a/../b", "/a//b"};
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        if (egress_path_pattern_check(span_str(wrong[i]), &err)) {
            fail_msg("%s passes", wrong[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear_paths_pass),
        cmocka_unit_test(paths_with_two_readings_are_refused),
        cmocka_unit_test(paths_are_bounded),
        cmocka_unit_test(patterns_match_whole_segments),
        cmocka_unit_test(patterns_say_one_thing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
