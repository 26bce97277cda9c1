#include "testing.h"

#include <stdlib.h>

#include "text/utf8.h"

static const struct {
    const char *bytes;
    size_t len, valid;
} prefixes[] = {
    {"", 0, 0},
    {"abc", 3, 3},
    {"\xc3\xa9", 2, 2},
    {"\xe2\x82\xac!", 4, 4},
    {"\xf0\x9f\x98\x80", 4, 4},
    {"\xf4\x8f\xbf\xbf", 4, 4},
    {"a\x80", 2, 1}, /* a continuation alone */
    {"a\xc3", 2, 1}, /* cut short */
    {"a\xe2\x82", 3, 1},
    {"a\xf0\x9f\x98", 4, 1},
    {"\xc0\xaf", 2, 0}, /* overlong */
    {"\xc1\xbf", 2, 0},
    {"\xe0\x9f\xbf", 3, 0},
    {"\xf0\x8f\xbf\xbf", 4, 0},
    {"\xed\xa0\x80", 3, 0}, /* a surrogate */
    {"\xed\x9f\xbf", 3, 3},
    {"\xf4\x90\x80\x80", 4, 0}, /* above U+10FFFF */
    {"\xf5\x80\x80\x80", 4, 0},
    {"\xff", 1, 0},
    {"\xc3\x28", 2, 0},
    {"\xe2\x28\xa1", 3, 0},
    {"\xe2\x82\x28", 3, 0},
    {"0123456789abcdef0123456789abcdef\xff", 33, 32},
    {"0123456789abcdef012345\xc3\xa9"
     "89abcdef\xff",
     33, 32},
};

static void valid_prefixes_end_where_unicode_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(prefixes); i++) {
        struct span text = span_of(prefixes[i].bytes, prefixes[i].len);
        assert_int_equal(utf8_valid_prefix(text), prefixes[i].valid);
    }
}

static void ascii_is_distinguished_from_the_rest_at_every_position(void **state)
{
    char bytes[40];

    (void)state;
    memset(bytes, 'x', sizeof(bytes));
    assert_true(utf8_is_ascii(span_of(bytes, sizeof(bytes))));
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (char)0x80;
        assert_false(utf8_is_ascii(span_of(bytes, sizeof(bytes))));
        bytes[i] = 'x';
    }
    assert_true(utf8_is_ascii(span_of("", 0)));
}

static void repair_borrows_valid_text(void **state)
{
    struct arena arena;
    struct span repaired;
    struct error err;
    struct span text = span_str("caf\xc3\xa9");

    (void)state;
    arena_init(&arena, 0, 0);
    assert_true(utf8_repair(&arena, text, &repaired, &err));
    assert_ptr_equal(repaired.ptr, text.ptr);
    arena_deinit(&arena);
}

static void repair_replaces_byte_for_byte(void **state)
{
    struct arena arena;
    struct span repaired;
    struct error err;

    (void)state;
    arena_init(&arena, 0, 4096);
    assert_true(utf8_repair(&arena, span_str("a\xe2\x82z\xff\xc3\xa9\xc3"), &repaired, &err));
    assert_true(span_is(repaired, "a\x1a\x1az\x1a\xc3\xa9\x1a"));
    arena_deinit(&arena);
}

/* White space, and what a terminal acts on, stays. */
static void repair_replaces_hidden_control_characters(void **state)
{
    char text[128 + 40], expected[128 + 40];
    struct arena arena;
    struct span repaired;
    struct error err;

    (void)state;
    arena_init(&arena, 0, 4096);
    for (size_t before = 0; before < 40; before++) {
        memset(text, '.', sizeof(text));
        memset(expected, '.', sizeof(expected));
        for (unsigned c = 0; c < 128; c++) {
            bool is_hidden = c == 0x7f || (c < ' ' && c != 0x1b && strchr("\b\t\n\v\f\r\x0e", (int)c) == NULL) || c == 0;
            text[before + c] = (char)c;
            expected[before + c] = is_hidden ? UTF8_REPLACEMENT_BYTE : (char)c;
        }
        assert_true(utf8_repair(&arena, span_of(text, sizeof(text)), &repaired, &err));
        assert_memory_equal(repaired.ptr, expected, sizeof(expected));
        arena_reset(&arena);
    }
    arena_deinit(&arena);
}

static void repair_past_the_ceiling_fails(void **state)
{
    struct arena arena;
    struct span repaired;
    struct error err;

    (void)state;
    arena_init(&arena, 0, 3);
    assert_false(utf8_repair(&arena, span_str("abc\xff"), &repaired, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    arena_deinit(&arena);
}

static void every_code_point_survives_encoding(void **state)
{
    (void)state;
    for (uint32_t cp = 0; cp <= 0x10ffff; cp++) {
        char bytes[4];
        size_t len;
        if (cp >= 0xd800 && cp <= 0xdfff) {
            continue;
        }
        struct span text = span_of(bytes, utf8_encode(cp, bytes));
        if (utf8_valid_prefix(text) != text.len || utf8_decode(text, &len) != cp ||
            len != text.len) {
            fail_msg("U+%04X", (unsigned)cp);
        }
    }
}

static void lengths_count_code_points_and_utf16_units(void **state)
{
    struct span text = span_str("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 and sixteen bytes more: "
                                "\xf0\x9f\x98\x80");

    (void)state;
    assert_int_equal(utf8_count_code_points(text), 4 + 25 + 1);
    assert_int_equal(utf8_count_utf16_units(text), 5 + 25 + 2);
    assert_int_equal(utf8_count_code_points(span_of("", 0)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_prefixes_end_where_unicode_says),
        cmocka_unit_test(ascii_is_distinguished_from_the_rest_at_every_position),
        cmocka_unit_test(repair_borrows_valid_text),
        cmocka_unit_test(repair_replaces_byte_for_byte),
        cmocka_unit_test(repair_replaces_hidden_control_characters),
        cmocka_unit_test(repair_past_the_ceiling_fails),
        cmocka_unit_test(every_code_point_survives_encoding),
        cmocka_unit_test(lengths_count_code_points_and_utf16_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
