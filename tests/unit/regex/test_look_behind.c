/* test_look_behind.c - what may stand before a match, by the look-behinds that a pattern begins with. */
#include "testing.h"

#include "regex/look_behind.h"

/* Whether a match may follow the two bytes, for all that the rows know. */
static bool may_follow(const char *pattern, const char *two)
{
    struct before_bytes rows[BEFORE_MAX];
    size_t n = look_behind_bytes(span_str(pattern), rows);

    assert_in_range(n, 1, BEFORE_MAX);
    for (size_t i = 0; i < n; i++) {
        if (byte_set_has(&rows[i].at[0], (unsigned char)two[1]) && byte_set_has(&rows[i].at[1], (unsigned char)two[0])) {
            return true;
        }
    }
    return false;
}

static void without_look_behind_anything_may_stand_there(void **state)
{
    (void)state;
    assert_true(may_follow("abc", "xx"));
    assert_true(may_follow("(?:(?<=a)b|c)", "xx"));
    assert_true(may_follow("b(?<=a)", "xx"));
    assert_true(may_follow("(?<=a)b|c", "xx"));
    assert_true(may_follow("(?=a)", "xx"));
    assert_true(may_follow("", "xx"));
}

static void an_alternative_asks_for_its_last_bytes(void **state)
{
    static const char pattern[] = "(?i)(?<=[.!]\\s|\\n|:)(?:please )?show";

    (void)state;
    assert_true(may_follow(pattern, ". "));
    assert_true(may_follow(pattern, "!\t"));
    assert_true(may_follow(pattern, "x\n"));
    assert_true(may_follow(pattern, "x:"));
    assert_false(may_follow(pattern, "x "));
    assert_false(may_follow(pattern, ".x"));
}

static void the_beginning_of_a_line_is_behind_its_end(void **state)
{
    (void)state;
    assert_true(may_follow("(?<=^|>)#", "x\n"));
    assert_true(may_follow("(?<=^|>)#", "x>"));
    assert_false(may_follow("(?<=^|>)#", "xx"));
    assert_false(may_follow("^#", "xx"));
    assert_true(may_follow("(?i)^#", "x\n"));
    assert_true(may_follow("(?:^|>)#", "xx"));
    assert_true(may_follow("^a|b", "xx"));
}

static void a_group_asks_for_what_one_of_its_alternatives_does(void **state)
{
    static const char pattern[] = "(?:^|(?<=: )|(?<![a-z=])(?=k))[a-z]+";

    (void)state;
    assert_true(may_follow(pattern, "x\n"));
    assert_true(may_follow(pattern, ": "));
    assert_true(may_follow(pattern, "x-"));
    assert_false(may_follow(pattern, "xx"));
    assert_false(may_follow(pattern, "x="));
    assert_false(may_follow("(?i)(?:^|(?<!k))x", "xK"));
    assert_false(may_follow("(?:(?<=(?:/api|hook)/)|(?<=\\())k", "/x"));
    assert_true(may_follow("(?:(?<=(?:/api|hook)/)|(?<=\\())k", "k/"));
    assert_true(may_follow("(?:(?<=a)|(?<=b))?x", "xx"));
    assert_true(may_follow("(?:(?<=a)|)x", "xx"));
    assert_true(may_follow("(?:(?<=a)|(?=b))x", "xx"));
    assert_true(may_follow("(?:(?<=a)?|(?<=b))x", "xx"));
    assert_true(may_follow("(?:(?<=a)|(?<=b))x|y", "xx"));
}

/* Flags in an alternative apply to those behind it, too. */
static void a_group_with_flags_excludes_nothing(void **state)
{
    (void)state;
    assert_true(may_follow("(?:(?<=a)(?i)x|(?<=b))y", "xB"));
    assert_true(may_follow("(?:(?<=a)(?x)x|(?<= b ))y", "xb"));
    assert_true(may_follow("(?:(?<=(?i)a)|(?<=b))y", "xA"));
    assert_true(may_follow("(?<=(?i)a)y", "xA"));
}

static void one_character_is_excluded(void **state)
{
    (void)state;
    assert_false(may_follow("(?<![A-Za-z])x", "-a"));
    assert_true(may_follow("(?<![A-Za-z])x", "a-"));
    assert_false(may_follow("(?<!a|b)x", "-b"));
    assert_false(may_follow("(?<![^\\s\"])x", "-b"));
    assert_true(may_follow("(?<![^\\s\"])x", "-\""));
    assert_false(may_follow("(?i)(?<!q)x", "-Q"));
}

static void what_may_lack_excludes_nothing(void **state)
{
    (void)state;
    assert_true(may_follow("(?<=a)?x", "xx"));
    assert_true(may_follow("(?i)(?<=a){0}x", "xx"));
    assert_true(may_follow("(?<!x)*x", "xx"));
    assert_false(may_follow("(?<=a)x?", "xx"));
}

/* What is not known exactly excludes nothing. */
static void more_than_one_character_excludes_nothing(void **state)
{
    (void)state;
    assert_true(may_follow("(?<!ab)x", "ab"));
    assert_true(may_follow("(?<!\\n> )x", "> "));
    assert_true(may_follow("(?<!\\p{L})x", "-a"));
    assert_true(may_follow("(?<![[:alpha:]])x", "-1"));
    assert_true(may_follow("(?<=(?:a|b))x", "xx"));
    assert_true(may_follow("(?<=a\\b)x", "xx"));
}

static void beyond_ascii_the_last_byte_counts(void **state)
{
    (void)state;
    assert_true(may_follow("(?<=é)x", "\xc3\xa9"));
    assert_true(may_follow("(?<=[^a]b)x", "\xa9" "b"));
    assert_true(may_follow("(?<=é b)x", " b"));
    assert_false(may_follow("(?<=é b)x", "xb"));
    assert_true(may_follow("(?<!é)x", "\xa8\xa9"));
}

static void more_rows_than_there_is_room_for_exclude_nothing(void **state)
{
    (void)state;
    assert_true(may_follow("(?<=aa|bb|cc|dd|ee|ff|gg|hh|ii|jj)x", "zz"));
    assert_false(may_follow("(?<=aa|bb|cc|dd)x", "zz"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_look_behind_anything_may_stand_there),
        cmocka_unit_test(an_alternative_asks_for_its_last_bytes),
        cmocka_unit_test(the_beginning_of_a_line_is_behind_its_end),
        cmocka_unit_test(a_group_asks_for_what_one_of_its_alternatives_does),
        cmocka_unit_test(a_group_with_flags_excludes_nothing),
        cmocka_unit_test(one_character_is_excluded),
        cmocka_unit_test(what_may_lack_excludes_nothing),
        cmocka_unit_test(more_than_one_character_excludes_nothing),
        cmocka_unit_test(beyond_ascii_the_last_byte_counts),
        cmocka_unit_test(more_rows_than_there_is_room_for_exclude_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
