#include "testing.h"

#include "regex/requirement.h"

static const struct requirement digits_2 = {{{UINT64_C(0x03ff) << 48, 0, 0, 0}}, 2, 2};
static const struct requirement digits_4 = {{{UINT64_C(0x03ff) << 48, 0, 0, 0}}, 4, 12};
static const struct requirement letters_6 = {{{0, UINT64_C(0x07fffffe07fffffe), 0, 0}}, 6, 6};
static const struct requirement beyond_ascii = {{{0, 0, UINT64_MAX, UINT64_MAX}}, 1, 1};

static void holds(const struct requirement *required, const char *expression, uint32_t wanted)
{
    uint32_t width = 0;

    if (!requirement_holds(span_str(expression), required, &width) || width != wanted) {
        fail_msg("%s: %u wanted, %u", expression, wanted, width);
    }
}

static void is_unknown(const struct requirement *required, const char *expression)
{
    uint32_t width = 0;

    if (requirement_holds(span_str(expression), required, &width)) {
        fail_msg("%s: held, %u bytes", expression, width);
    }
}

static void rows_of_characters_hold(void **state)
{
    (void)state;
    holds(&digits_2, "[0-9]{2}", 2);
    holds(&digits_2, "a\\d\\d", 3);
    holds(&digits_2, "x?[0-5]{2,4}\\.", 6);
    holds(&digits_2, "\\b12$", 2);
    holds(&digits_2, "(?:a[0-9]){1}7", 3);
    holds(&letters_6, "sk_[a-zA-Z]{6}", 9);
    holds(&letters_6, "(?:ab|c[d-f])-secret", 9);
    holds(&letters_6, "(?:abc){2}", 6);
}

static void characters_apart_hold(void **state)
{
    (void)state;
    holds(&digits_4, "[0-9](?:[ .-]{0,2}[0-9]){3}", 10);
    holds(&digits_4, "[0-9]{1,3}\\.[0-9]\\.[0-9]{2}", 8);
    is_unknown(&digits_4, "[0-9](?:[ .-]{0,3}[0-9]){3}");
    is_unknown(&digits_4, "[0-9]\\.[0-9]\\.[0-9]");
    is_unknown(&digits_2, "[0-9]\\.[0-9]{1,3}\\.[0-9]");
    is_unknown(&digits_2, "[0-9]x?[0-9]");
    is_unknown(&digits_2, "[0-9]{0,2}");
    is_unknown(&digits_2, "(?:[0-9]{2})?a");
}

static void alternatives_hold_when_each_does(void **state)
{
    (void)state;
    holds(&digits_2, "(?:[0-9]{2}|a77)b", 4);
    holds(&digits_2, "12|[a-c]34|x(?:5|6)78", 4);
    holds(&digits_2, "(?:a|(?:b|c12))99", 5);
    is_unknown(&digits_2, "(?:[0-9]{2}|a7)b");
    is_unknown(&digits_2, "12|ab");
    is_unknown(&digits_2, "12|");
    is_unknown(&digits_2, "(?:12|34)?");
}

static void characters_beyond_ascii_hold(void **state)
{
    (void)state;
    holds(&beyond_ascii, "密码", 8);
    holds(&beyond_ascii, "\\x{200B}", 4);
    holds(&beyond_ascii, "[\\x{FE00}-\\x{FE0F}]{3}", 12);
    holds(&beyond_ascii, "(?i)(?:пароль|秘)x", 25);
    holds(&beyond_ascii, "né?\xc3\xa9", 9);
    is_unknown(&beyond_ascii, "n(?:e|é)");
    is_unknown(&beyond_ascii, "[^a]");
    is_unknown(&beyond_ascii, "né?");
    is_unknown(&beyond_ascii, ".");
}

/* U+212A is a k without regard to case, U+017F an s. */
static void partners_in_ascii_are_no_bytes_beyond_it(void **state)
{
    (void)state;
    holds(&beyond_ascii, "\xe2\x84\xaa", 4);
    is_unknown(&beyond_ascii, "(?i)\xe2\x84\xaa");
    is_unknown(&beyond_ascii, "(?i)\xc5\xbf");
    is_unknown(&beyond_ascii, "(?i)\\x{212A}");
    is_unknown(&beyond_ascii, "(?i)\\x{017F}");
    is_unknown(&beyond_ascii, "(?i)[é]");
    is_unknown(&letters_6, "(?i)tokens");
    holds(&letters_6, "(?i)letter", 6);
    holds(&letters_6, "(?i:letter)s", 10);
}

static void what_is_not_known_does_not_hold(void **state)
{
    static const char *const expressions[] = {
        "12(?<=a)", "(12)", "(?<n>12)", "(?x)12", "(?-i:12)", "(?s)12", "12+?", "12++", "\\p{N}12", "12\\v", "12[\\v]", "12\\R", "12\\Q", "12{",
        "12[", "12(?:", "12)", "12a+", "12a*", "12a{3,}", "12\\", "(?#c)12", "12{2,1}", "1{99999}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(expressions); i++) {
        is_unknown(&digits_2, expressions[i]);
    }
    holds(&digits_2, "12", 2);
}

static void deep_and_long_expressions_do_not_hold(void **state)
{
    char text[2048] = "";
    size_t n = 0;

    (void)state;
    for (; n < 30; n += 3) {
        memcpy(text + n, "(?:", 3);
    }
    memcpy(text + n, "12))))))))))", 12);
    is_unknown(&digits_2, text);
    memset(text, '1', 300);
    text[300] = '\0';
    is_unknown(&digits_2, text);
    is_unknown(&digits_2, "1{300}");
    holds(&digits_2, "1{200}", 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_characters_hold),
        cmocka_unit_test(characters_apart_hold),
        cmocka_unit_test(alternatives_hold_when_each_does),
        cmocka_unit_test(characters_beyond_ascii_hold),
        cmocka_unit_test(partners_in_ascii_are_no_bytes_beyond_it),
        cmocka_unit_test(what_is_not_known_does_not_hold),
        cmocka_unit_test(deep_and_long_expressions_do_not_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
