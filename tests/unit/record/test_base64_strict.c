#include "testing.h"

#include <sodium.h>

#include "record/base64_strict.h"

static const char standard[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* In each place of a text of four, every byte that is not of the alphabet. */
static void a_byte_that_is_not_of_the_alphabet_is_refused(void **state)
{
    uint8_t out[8];
    size_t n;
    (void)state;

    for (unsigned at = 0; at < 4; at++) {
        for (unsigned c = 0; c < 256; c++) {
            char text[4] = {'A', 'A', 'A', 'A'};
            text[at] = (char)c;
            bool is_padding = c == '=' && at == 3;
            bool is_known = c != 0 && strchr(standard, (int)c) != NULL;
            assert_int_equal(base64_strict_decode(span_of(text, 4), out, sizeof(out), &n), is_known || is_padding);
            assert_int_equal(base64_strict_decode_bare(span_of(text, 4), out, sizeof(out), &n), is_known);
            is_known = c != 0 && strchr(url, (int)c) != NULL;
            assert_int_equal(base64_strict_decode_url(span_of(text, 4), out, sizeof(out), &n), is_known);
        }
    }
}

static void a_value_has_one_text(void **state)
{
    static const char *const others[] = {"QQ", "QQ=", "QR==", "QQ===", "QQ==\n", " QQ==", "QQ= =", "Q", "QUI", "QUJ="};
    uint8_t out[8];
    size_t n = 0;
    (void)state;

    assert_true(base64_strict_decode(span_str("QQ=="), out, sizeof(out), &n));
    assert_int_equal(n, 1);
    assert_int_equal(out[0], 'A');
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_false(base64_strict_decode(span_str(others[i]), out, sizeof(out), &n));
    }
    assert_false(base64_strict_decode(span_str("QUJDREVGR0hJ"), out, sizeof(out), &n)); /* nine bytes */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_byte_that_is_not_of_the_alphabet_is_refused),
        cmocka_unit_test(a_value_has_one_text),
    };
    return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
