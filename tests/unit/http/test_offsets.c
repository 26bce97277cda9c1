#include "testing.h"

#include "http/offsets.h"

static void each_byte_has_its_code_point_and_its_unit(void **state)
{
    (void)state;
    static const struct {
        size_t at, chars, utf16;
    } cases[] = {{0, 0, 0}, {1, 1, 1}, {3, 2, 2}, {6, 3, 3}, {10, 4, 5}, {11, 5, 6}};
    struct arena a;
    struct offsets o;
    struct error err;

    arena_init(&a, 0, 1 << 20);
    assert_true(offsets_init(&a, span_str("aé€😀b"), &o, &err));
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct position p = offsets_find(&o, cases[i].at);
        assert_int_equal(p.chars, cases[i].chars);
        assert_int_equal(p.utf16, cases[i].utf16);
    }
    arena_deinit(&a);
}

static void marks_do_not_show(void **state)
{
    (void)state;
    enum { N = 5 * OFFSETS_STEP };
    static char text[N];
    struct arena a;
    struct offsets o;
    struct error err;

    for (size_t i = 0; i < N; i++) {
        text[i] = "\xf0\x9f\x98\x80"
                  "ab"[i % 6]; /* the step falls inside of characters */
    }
    arena_init(&a, 0, 1 << 20);
    assert_true(offsets_init(&a, span_of(text, N), &o, &err));
    size_t chars = 0, utf16 = 0;
    for (size_t i = 0; i < N; i++) {
        struct position p = offsets_find(&o, i);
        assert_int_equal(p.chars, chars);
        assert_int_equal(p.utf16, utf16);
        unsigned char c = (unsigned char)text[i];
        chars += (c & 0xc0) != 0x80;
        utf16 += (c & 0xc0) == 0x80 ? 0U : c >= 0xf0 ? 2U : 1U;
    }
    assert_int_equal(offsets_find(&o, N).chars, chars);
    arena_deinit(&a);
}

static void an_empty_text_has_one_place(void **state)
{
    (void)state;
    struct arena a;
    struct offsets o;
    struct error err;

    arena_init(&a, 0, 1 << 20);
    assert_true(offsets_init(&a, span_of("", 0), &o, &err));
    assert_int_equal(offsets_find(&o, 0).chars, 0);
    arena_deinit(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_byte_has_its_code_point_and_its_unit),
        cmocka_unit_test(marks_do_not_show),
        cmocka_unit_test(an_empty_text_has_one_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
