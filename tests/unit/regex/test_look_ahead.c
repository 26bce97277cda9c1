/* test_look_ahead.c - what a pattern asks for further on: of which bytes, how far, and behind what. */
#include "testing.h"

#include "regex/look_ahead.h"

static struct ahead found[AHEAD_MAX];

static size_t ahead_of(const char *pattern)
{
    memset(found, 0, sizeof(found));
    return look_ahead_bytes(span_str(pattern), found);
}

static bool is_wanted(size_t i, const char *bytes)
{
    size_t n = 0;

    for (unsigned byte = 0; byte <= UINT8_MAX; byte++) {
        n += byte_set_has(&found[i].wanted, (unsigned char)byte);
    }
    for (const char *b = bytes; *b != '\0'; b++) {
        if (!byte_set_has(&found[i].wanted, (unsigned char)*b)) {
            return false;
        }
    }
    return n == strlen(bytes);
}

static void a_look_ahead_at_the_start_says_what_may_be_between(void **state)
{
    (void)state;
    assert_int_equal(ahead_of("(?<![a-z])(?=[a-z_]{0,60}[0-9])[a-z0-9_]{4,60}"), 1);
    assert_true(is_wanted(0, "0123456789"));
    assert_int_equal(found[0].within, 60);
    assert_true(byte_set_has(&found[0].between, 'k') && byte_set_has(&found[0].between, '_'));
    assert_false(byte_set_has(&found[0].between, ' '));
}

static void one_further_on_does_not(void **state)
{
    (void)state;
    assert_int_equal(ahead_of("curl\\b(?=[^-]{0,800}+-)[^\\n]{0,400}x"), 1);
    assert_true(is_wanted(0, "-"));
    assert_in_range(found[0].within, 804, 4 + 4 * 800); /* of up to four bytes each */
    assert_true(byte_set_has(&found[0].between, '\n') && byte_set_has(&found[0].between, 0xff));
}

static void so_does_one_that_a_group_begins_with(void **state)
{
    (void)state;
    assert_int_equal(ahead_of("pass=(?<secret>(?![.-])(?=[a-z]{0,60}[0-9])[a-z0-9]{4,60})"), 1);
    assert_true(is_wanted(0, "0123456789"));
    assert_in_range(found[0].within, 65, 5 + 4 * 60);
    assert_int_equal(ahead_of("pass=(?:(?=[a-z]{0,60}[0-9])[a-z0-9]{4,60}){1,2}"), 1);
    assert_int_equal(ahead_of("pass=(?:(?=[a-z]{0,60}[0-9])[a-z0-9]{4,60}|[a-z]{9})"), 0);
    assert_int_equal(ahead_of("pass=(?<secret>(?=[a-z]{0,60}[0-9])[a-z0-9]{4,60})?"), 0);
    assert_int_equal(ahead_of("pass=(?<secret>[a-z]{2}(?=[a-z]{0,60}[0-9])[a-z0-9]{4,60})"), 0);
    assert_int_equal(ahead_of("pass=(?!(?=[a-z]{0,60}[0-9])k)(?<=(?=[0-9])=)[a-z0-9]{4,60}"), 0);
}

static void what_must_follow_far_behind_the_start_is_one(void **state)
{
    (void)state;
    assert_int_equal(ahead_of("(?:curl|wget)[ ][^|\\n]{1,300}\\|[ ]?sh"), 1);
    assert_true(is_wanted(0, "|"));
    assert_in_range(found[0].within, 305, 2000);
    assert_int_equal(ahead_of("k[a-z]{4}\\|"), 0); /* near ones are the automaton's */
}

static void a_value_must_end(void **state)
{
    (void)state;
    assert_int_equal(ahead_of("pass=[!-~]{6,600}(?=[\\s,;]|[^\\x00-\\x7f]|$)"), 1);
    assert_true(found[0].or_end);
    assert_true(byte_set_has(&found[0].wanted, ',') && byte_set_has(&found[0].wanted, '\n') && byte_set_has(&found[0].wanted, 0xc3));
    assert_false(byte_set_has(&found[0].wanted, 'a'));
    assert_in_range(found[0].within, 605, 5000);
    assert_int_equal(ahead_of("pass=[!-~]{6,600}(?=[\\s,;]|ab?|c{0,2}|$)"), 0);
    assert_int_equal(ahead_of("pass=[a-z]{6}(?=[\\s,;]|$)"), 0); /* near */
}

static void what_is_not_known_is_none(void **state)
{
    static const char *const patterns[] = {
        "(?=[a-z]{0,9}[0-9])k|y", "k+(?=[a-z]{0,9}[0-9])", "(?=[a-z]{0,9}[0-9])?k", "(?=a|1)k", "(?=[a-z]{0,9}[a-z0-9])k",
        "(?=[a-z]+[0-9])k", "(?=[a-z]{0,9}[0-9]?)k", "(?![a-z]{0,9}[0-9])k", "(?x)k (?=[a-z]{0,9}[0-9]) # @", "(?i)(?ix: k # 1\n)", "",
        "(?<n>k{1,9})\\k<n>[a-z]{70}\\|", "(k{1,9})\\1[a-z]{70}\\|", "(?P<n>k{1,9})(?P=n)[a-z]{70}\\|",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(patterns); i++) {
        if (ahead_of(patterns[i]) != 0) {
            fail_msg("%s", patterns[i]);
        }
    }
}

/* k and s have partners beyond ASCII, without regard to case. */
static void case_counts(void **state)
{
    (void)state;
    assert_int_equal(ahead_of("(?i)(?=[a-z]{0,9}[0-9])[a-z0-9]{3}"), 1);
    assert_true(byte_set_has(&found[0].between, 'K') && byte_set_has(&found[0].between, 0xe2));
    assert_int_equal(found[0].within, 36);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_ahead_at_the_start_says_what_may_be_between),
        cmocka_unit_test(one_further_on_does_not),
        cmocka_unit_test(so_does_one_that_a_group_begins_with),
        cmocka_unit_test(what_must_follow_far_behind_the_start_is_one),
        cmocka_unit_test(a_value_must_end),
        cmocka_unit_test(what_is_not_known_is_none),
        cmocka_unit_test(case_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
