/* test_visible.c - names that are what they look like. */
#include "testing.h"

#include "text/visible.h"

static void names_of_any_script_are_visible(void **state)
{
    static const char *const names[] = {
        "", "support-7", "Support-7", "m\xc3\xbcller", "\xe6\x94\xaf\xe6\x8f\xb4", "\xd0\xb0gent", "a b", "user@example.com", "a/b?c%20",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_true(text_is_visible(span_str(names[i])));
    }
}

/* Each would pass for "support-7", or drive the terminal of whoever reads of it. */
static void what_nobody_sees_is_refused(void **state)
{
    static const char *const parts[] = {
        "\x01", "\t", "\n", "\r", "\x1b[2J", "\x7f",
        "\xc2\x85",         /* next line, a C1 control */
        "\xc2\xa0",         /* no-break space */
        "\xc2\xad",         /* soft hyphen */
        "\xcd\x8f",         /* combining grapheme joiner */
        "\xd8\x9c",         /* Arabic letter mark */
        "\xe1\x85\x9f",     /* Hangul filler */
        "\xe1\xa0\x8e",     /* Mongolian vowel separator */
        "\xe2\x80\x83",     /* em space */
        "\xe2\x80\x8b",     /* zero-width space */
        "\xe2\x80\x8d",     /* zero-width joiner */
        "\xe2\x80\xa8",     /* line separator */
        "\xe2\x80\xa9",     /* paragraph separator */
        "\xe2\x80\xae",     /* right-to-left override */
        "\xe2\x81\xa0",     /* word joiner */
        "\xe2\x81\xa6",     /* left-to-right isolate */
        "\xe2\xa0\x80",     /* blank of Braille */
        "\xe3\x80\x80",     /* ideographic space */
        "\xe3\x85\xa4",     /* Hangul filler */
        "\xef\xb8\x8f",     /* variation selector */
        "\xef\xbb\xbf",     /* byte order mark */
        "\xef\xbf\xbd",     /* replacement character */
        "\xf3\xa0\x81\xa1", /* tag letter a */
        "\xff", "\xc3", "\xed\xa0\x80",
    };
    char name[32];

    (void)state;
    for (size_t i = 0; i < COUNT(parts); i++) {
        static const char *const forms[] = {"%s", "support-7%s", "%ssupport-7", "support%s-7"};
        for (size_t k = 0; k < COUNT(forms); k++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            (void)snprintf(name, sizeof(name), forms[k], parts[i]);
#pragma GCC diagnostic pop
            if (text_is_visible(span_str(name))) {
                fail_msg("part %zu in form %zu", i, k);
            }
        }
    }
    assert_false(text_is_visible(span_str("support-7 ")));
    assert_false(text_is_visible(span_str(" support-7")));
    assert_false(text_is_visible(span_of("a\0b", 3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_any_script_are_visible),
        cmocka_unit_test(what_nobody_sees_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
