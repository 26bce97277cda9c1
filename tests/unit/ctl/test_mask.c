#include "testing.h"

#include "ctl/mask.h"

static struct buf masked(const char *match)
{
    struct buf out;
    struct error err;

    buf_init(&out, 4096);
    assert_true(mask_append(&out, span_str(match), &err));
    assert_true(buf_append_char(&out, '\0', &err));
    return out;
}

static void expect_mask(const char *match, const char *wanted)
{
    struct buf out = masked(match);

    assert_string_equal(out.data, wanted);
    buf_deinit(&out);
}

static void twelve_characters_show_four_and_two(void **state)
{
    (void)state;
    expect_mask("abcdefghijkl", "abcd…kl");
    expect_mask("ghp_0123456789abcdef", "ghp_…ef");
}

static void shorter_ones_are_stars_alone(void **state)
{
    (void)state;
    expect_mask("abcdefghijk", "***********");
    expect_mask("x", "*");
    expect_mask("", "");
}

static void characters_count_and_not_bytes(void **state)
{
    (void)state;
    expect_mask("秘密の合言葉", "******"); /* 18 bytes */
}

static void what_a_terminal_obeys_is_not_shown(void **state)
{
    (void)state;
    expect_mask("\033[31mabcdefghi", ".[31…hi");
    expect_mask("a\xe2\x80\x8b"
                "bcdefghijklm",
                "a.bc…lm");
    expect_mask("ab\xff\xfe"
                "cdefghijkl",
                "ab..…kl");
}

static void names_are_shown_whole(void **state)
{
    struct buf out;
    struct error err;

    (void)state;
    buf_init(&out, 4096);
    assert_true(mask_append_visible(&out, span_str("bot-ü\033"), &err));
    assert_true(span_is(buf_span(&out), "bot-ü."));
    buf_deinit(&out);
}

static void names_from_outside_are_escaped(void **state)
{
    static const struct {
        const char *name, *escaped, *json;
    } rows[] = {
        {"plain ü \xf0\x9f\x94\x91", "plain ü \xf0\x9f\x94\x91", "\"plain ü \xf0\x9f\x94\x91\""},
        {"a\nb\r\t", "a\\nb\\r\\t", "\"a\\u000ab\\u000d\\u0009\""},
        {"\033[2J\x7f", "\\x1b[2J\\x7f", "\"\\u001b[2J\\u007f\""},
        {"\xc2\x9b", "\\u009b", "\"\\u009b\""},
        {"\xe2\x80\xaex", "\\u202ex", "\"\\u202ex\""},
        {"\xf3\xa0\x80\x81", "\\U000e0001", "\"\\udb40\\udc01\""},
        {"\xff\xc0\xaf\xed\xa0\x80", "\\xff\\xc0\\xaf\\xed\\xa0\\x80",
         "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\""},
        {"\xf0\x9f", "\\xf0\\x9f", "\"\\ufffd\\ufffd\""},
        {"a\"b\\", "a\"b\\", "\"a\\u0022b\\u005c\""},
        {"", "", "\"\""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf out;
        struct error err;
        buf_init(&out, 4096);
        assert_true(mask_append_escaped(&out, span_str(rows[i].name), &err));
        assert_true(span_is(buf_span(&out), rows[i].escaped));
        buf_clear(&out);
        assert_true(mask_append_json_name(&out, span_str(rows[i].name), &err));
        assert_true(span_is(buf_span(&out), rows[i].json));
        buf_deinit(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twelve_characters_show_four_and_two),
        cmocka_unit_test(shorter_ones_are_stars_alone),
        cmocka_unit_test(characters_count_and_not_bytes),
        cmocka_unit_test(what_a_terminal_obeys_is_not_shown),
        cmocka_unit_test(names_are_shown_whole),
        cmocka_unit_test(names_from_outside_are_escaped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
