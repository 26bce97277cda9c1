#include "testing.h"

#include <stdio.h>

#include "ctl/source/ignores.h"

static bool parse(struct ignores *g, const char *text, struct error *err)
{
    ignores_init(g);
    return ignores_parse(g, "file", span_str(text), err);
}

static bool matches(const char *text, const char *path, const char *rule)
{
    struct ignores g;
    struct error err;

    assert_true(parse(&g, text, &err));
    bool is_match = ignores_match(&g, path, span_str(rule));
    ignores_deinit(&g);
    return is_match;
}

static void paths_and_rules_match_alone_and_together(void **state)
{
    (void)state;
    assert_true(matches("path:a/b.c", "a/b.c", "r"));
    assert_true(matches("# comment\n\n  path:*.c  \r\n", "a/b.c", "r"));
    assert_true(matches("path:tests/", "tests/x/y", "r"));
    assert_true(matches("path:with a blank", "with a blank", "r"));
    assert_true(matches("rule:r", "any", "r"));
    assert_true(matches("rule:r path:a/", "a/x", "r"));
    assert_false(matches("rule:r path:a/", "b/x", "r"));
    assert_false(matches("rule:r path:a/", "a/x", "other"));
    assert_false(matches("path:tests/", "mytests/x", "r"));
    assert_false(matches("path:a", "a/b", "r"));
    assert_false(matches("rule:r", "any", "rr"));
    assert_false(matches("", "any", "r"));
}

static void paths_of_which_the_file_says_the_same_are_one_class(void **state)
{
    struct ignores g;
    struct error err;

    (void)state;
    assert_true(parse(&g, "path:a/\nrule:r path:b/\nrule:r\n", &err));
    assert_true(ignores_class(&g, "c") == ignores_class(&g, "d"));
    assert_true(ignores_class(&g, "a/x") == ignores_class(&g, "a/y"));
    assert_true(ignores_class(&g, "a/x") != ignores_class(&g, "c"));
    assert_true(ignores_class(&g, "a/x") != ignores_class(&g, "b/x"));
    ignores_deinit(&g);
}

static void fingerprints_are_known_whole(void **state)
{
    struct ignores g;
    struct error err;

    (void)state;
    assert_true(parse(&g, "fingerprint:0123456789abcdef:1 # rule path:x:3\nfingerprint:0123456789abcdef:12\n", &err));
    assert_true(ignores_has_print(&g, span_str("0123456789abcdef:1")));
    assert_true(ignores_has_print(&g, span_str("0123456789abcdef:12")));
    assert_false(ignores_has_print(&g, span_str("0123456789abcdef:2")));
    assert_false(ignores_has_print(&g, span_str("0123456789abcdef")));
    assert_int_equal(g.n, 0);
    ignores_deinit(&g);
}

static void mistakes_name_their_line_and_not_its_content(void **state)
{
    static const char *const lines[] = {
        "secret", "path:", "rule:", "rule: path:x", "rule:a b", "fingerprint:", "fingerprint:0123456789abcdef", "fingerprint:0123456789ABCDEF:1",
        "fingerprint:0123456789abcdef:1 x", "fingerprint:0123456789abcdef:1x", "path:*a*a*a*a*a*a*a*a*a",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        struct ignores g;
        struct error err;
        char text[128];
        (void)snprintf(text, sizeof(text), "path:ok\n\n%s\n", lines[i]);
        assert_false(parse(&g, text, &err));
        assert_memory_equal(err.text, "file:3: ", 8);
        assert_null(strstr(err.text, "secret"));
        ignores_deinit(&g);
    }
}

static bool is_allowed(const char *text, const char *match, const char *rule)
{
    size_t at = (size_t)(strstr(text, match) - text);

    return ignores_in_text(span_str(text), at, at + strlen(match), span_str(rule));
}

static void a_comment_allows_on_its_own_line_alone(void **state)
{
    (void)state;
    assert_true(is_allowed("KEY # filterd:allow", "KEY", "r"));
    assert_true(is_allowed("x\n// filterd:allow\tKEY\ny", "KEY", "r"));
    assert_true(is_allowed("KEY filterd:allow=q,r", "KEY", "r"));
    assert_true(is_allowed("KEY filterd:allow=q filterd:allow=r", "KEY", "r"));
    assert_true(is_allowed("BEGIN\nEND filterd:allow", "BEGIN\nEND", "r"));
    assert_false(is_allowed("KEY\nfilterd:allow", "KEY", "r"));
    assert_false(is_allowed("filterd:allow\nKEY", "KEY", "r"));
    assert_false(is_allowed("KEY filterd:allow=q", "KEY", "r"));
    assert_false(is_allowed("KEY filterd:allow=rr", "KEY", "r"));
    assert_false(is_allowed("KEY filterd:allow=", "KEY", "r"));
    assert_false(is_allowed("KEY filterd:allowed", "KEY", "r"));
    assert_false(is_allowed("KEY filterd:allo", "KEY", "r"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_and_rules_match_alone_and_together),
        cmocka_unit_test(paths_of_which_the_file_says_the_same_are_one_class),
        cmocka_unit_test(fingerprints_are_known_whole),
        cmocka_unit_test(mistakes_name_their_line_and_not_its_content),
        cmocka_unit_test(a_comment_allows_on_its_own_line_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
