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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twelve_characters_show_four_and_two),
        cmocka_unit_test(shorter_ones_are_stars_alone),
        cmocka_unit_test(characters_count_and_not_bytes),
        cmocka_unit_test(what_a_terminal_obeys_is_not_shown),
        cmocka_unit_test(names_are_shown_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
