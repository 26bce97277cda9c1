/* test_letters.c - capitals are the same letters as small ones, in every script that has them. */
#include "testing.h"

#include <string.h>

#include "dataset/letters.h"

static size_t fold(const char *text, char *out)
{
    const struct span all = span_str(text);
    size_t n = 0;

    for (size_t at = 0; at < all.len;) {
        struct letter letter = letter_at(all, at);
        memcpy(out + n, letter.bytes, letter.n);
        n += letter.n;
        at += letter.len;
    }
    return n;
}

static void capitals_are_folded_like_small_letters(void **state)
{
    static const char *const pairs[][2] = {
        {"Łukasz Brønsted", "ŁUKASZ BRØNSTED"},
        {"đường phố Hà Nội", "ĐƯỜNG PHỐ HÀ NỘI"},
        {"œuvre, þorn, æther", "ŒUVRE, ÞORN, ÆTHER"},
        {"straße", "STRASSE"},
        {"ğışöü", "ĞIŞÖÜ"},
        {"πολιτικός λόγος", "ΠΟΛΙΤΙΚΌΣ ΛΌΓΟΣ"},
        {"ґанок, їжак, қазақ, ҳозир", "ҐАНОК, ЇЖАК, ҚАЗАҚ, ҲОЗИР"},
        {"հայերեն", "ՀԱՅԵՐԵՆ"},
        {"ქართული", "ᲥᲐᲠᲗᲣᲚᲘ"},
    };
    char small[128], capital[128];

    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        size_t n = fold(pairs[i][0], small);
        if (n != fold(pairs[i][1], capital) || memcmp(small, capital, n) != 0) {
            fail_msg("%s is not folded like %s", pairs[i][1], pairs[i][0]);
        }
    }
}

static void other_letters_stay_apart(void **state)
{
    static const char *const pairs[][2] = {{"đ", "ł"}, {"ø", "œ"}, {"п", "р"}, {"ß", "s"}, {"ქ", "ა"}};
    char a[16], b[16];

    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        size_t n = fold(pairs[i][0], a);
        assert_true(n > 0 && (n != fold(pairs[i][1], b) || memcmp(a, b, n) != 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capitals_are_folded_like_small_letters),
        cmocka_unit_test(other_letters_stay_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
