#include "testing.h"

#include "text/script.h"

static void letters_of_other_scripts_are_counted_in_bytes(void **state)
{
    static const struct {
        const char *text;
        size_t bytes;
    } cases[] = {
        {"", 0},
        {"plain English, 123", 0},
        {"Größe, niño, œuvre, Đà Nẵng, İstanbul", 0}, /* Latin letters, whatever stands on them */
        {"да", 4},
        {"Слово и ещё слово", 26}, /* one letter alone is none */
        {"日本語です。", 15},       /* the full stop is none */
        {"한국어", 9},
        {"שלום", 8},
        {"مرحبا", 10},
        {"ไทย", 9},
        {"हिन्दी", 18}, /* marks count as letters do */
        {"π r², Δt = 5 µs, Ω", 0},
        {"αβ", 4},
        {"“quoted” – and… ✓ 😀", 0},
        {"𝒳𝒴 ≤ 𝛼𝛽", 0}, /* letters of mathematics */
        {"eight bytes of ASCII, then слово", 10},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (script_other(span_str(cases[i].text)) != cases[i].bytes) {
            fail_msg("%s: %zu, not %zu", cases[i].text, script_other(span_str(cases[i].text)), cases[i].bytes);
        }
    }
}

static void a_run_goes_on_over_any_boundary_of_eight(void **state)
{
    char text[64];

    (void)state;
    for (size_t before = 0; before < 20; before++) {
        memset(text, 'a', before);
        memcpy(text + before, "слово", 10);
        memset(text + before + 10, ' ', 9);
        assert_int_equal(script_other(span_of(text, before + 19)), 10);
    }
}

static void ill_formed_bytes_are_no_letters(void **state)
{
    static const char text[] = "\xd0\xd0\xd0 \xe4\xb8 \xff\xfe \xd0";

    (void)state;
    assert_int_equal(script_other(span_of(text, sizeof(text) - 1)), 0);
    for (size_t len = 0; len <= 6; len++) { /* cut anywhere, nothing is read behind the end */
        assert_true(script_other(span_of("\xe6\x97\xa5\xe6\x9c\xac", len)) <= len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_of_other_scripts_are_counted_in_bytes),
        cmocka_unit_test(a_run_goes_on_over_any_boundary_of_eight),
        cmocka_unit_test(ill_formed_bytes_are_no_letters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
