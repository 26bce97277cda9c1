/* test_first_bytes.c - which bytes a pattern can have at its first places, by its elements. */
#include "testing.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "regex/first_bytes.h"
#include "regex/trigger.h"

enum { CORE_MAX = 4096 };

static void first_of(const char *pattern, struct first_bytes *first)
{
    struct buf core CLEANUP(buf_deinit);
    struct error err;

    buf_init(&core, CORE_MAX);
    assert_true(trigger_core(span_str(pattern), &core, &err));
    first_bytes_of(buf_span(&core), first);
}

/* The ASCII bytes at the place as one string, with ^ in front of the missing ones when most are there; and
 * "+" for bytes beyond ASCII. */
static void show_place(const struct byte_set *set, char out[300])
{
    unsigned n = 0, n_high = 0;
    size_t len = 0;

    for (unsigned byte = 0; byte < 256; byte++) {
        n += byte < 128 && byte_set_has(set, (unsigned char)byte);
        n_high += byte >= 128 && byte_set_has(set, (unsigned char)byte);
    }
    bool is_most = n > 100;
    out[len] = '^';
    len += is_most;
    for (unsigned byte = 0; byte < 128; byte++) {
        if (byte_set_has(set, (unsigned char)byte) != is_most) {
            out[len++] = (char)byte;
        }
    }
    out[len] = '+';
    len += n_high > 0;
    out[len] = '\0';
}

/* `places` are what the first places show, without one for each that may be anything. */
static void assert_first(const char *pattern, const char *const *places, size_t n)
{
    struct first_bytes first;
    char shown[300];

    first_of(pattern, &first);
    for (size_t i = 0; i < n; i++) {
        show_place(&first.at[i], shown);
        if (strcmp(shown, places[i]) != 0) {
            fail_msg("%s: place %zu is \"%s\", expected \"%s\"", pattern, i, shown, places[i]);
        }
    }
}

#define assert_places(pattern, ...)                                                                                    \
    do {                                                                                                               \
        static const char *const places_[] = {__VA_ARGS__};                                                            \
        assert_first(pattern, places_, COUNT(places_));                                                                \
    } while (0)

/* The text can begin a match, for all that the table knows. */
static bool may_begin(const char *pattern, const char *text)
{
    struct first_bytes first;

    first_of(pattern, &first);
    for (size_t i = 0; i < FIRST_BYTES && i < strlen(text); i++) {
        if (!byte_set_has(&first.at[i], (unsigned char)text[i])) {
            return false;
        }
    }
    return true;
}

static void letters_stand_for_themselves(void **state)
{
    (void)state;
    assert_places("AKIA[0-9]", "A", "K", "I", "A", "0123456789");
    assert_places("a b", "a", " ", "b");
}

static void classes_and_ranges_give_their_characters(void **state)
{
    (void)state;
    assert_places("[abc][a-e][x-z0-2_]{2}q", "abc", "abcde", "012_xyz", "012_xyz", "q");
    assert_places("[-a][a-][]a][a\\]]", "-a", "-a", "]a", "]a");
    assert_places("[\\d.][+\\-x]", ".0123456789", "+-x");
    assert_places("[[:digit:]]x", "^+");
    assert_places("[.][$][(]", ".", "$", "(");
}

static void negated_classes_give_the_others(void **state)
{
    (void)state;
    assert_places("[^abc]", "^abc+");
    assert_places("[^\\n ]", "^\n +");
    assert_places("[^\"'`]x", "^\"'`+");
    assert_places("[a^]", "^a");
}

static void escapes_give_what_they_stand_for(void **state)
{
    (void)state;
    assert_places("\\d\\.", "0123456789", ".");
    assert_places("\\x41\\x{42}\\(\\[", "A", "B", "(", "[");
    assert_places("\\x41b[\\x41b]", "A", "b", "Ab");
    assert_places("\\t\\n\\r", "\t", "\n", "\r");
    assert_places("\\s", "\t\n\v\f\r ");
    assert_places("\\S", "^\t\n\v\f\r +");
    assert_places("\\D", "^0123456789+");
    assert_places("\\h", "\t +");
    assert_places("\\x{410}", "+");
    assert_places("\\pL", "^+");
}

static void the_dot_is_anything(void **state)
{
    (void)state;
    assert_places(".b", "^+");
    assert_true(may_begin(".b", "xb"));
    assert_true(may_begin(".b", "éb"));
    assert_false(may_begin(".b", "xx"));
}

static void alternatives_join(void **state)
{
    (void)state;
    assert_places("(?:AKIA|ASIA|x)1", "Ax", "1KS");
    assert_places("ab|cd", "ac", "bd");
    assert_true(may_begin("(?:gh[pousr]|github_pat)_[a-z]{9}", "ghp_abcd"));
    assert_true(may_begin("(?:gh[pousr]|github_pat)_[a-z]{9}", "github_p"));
    assert_false(may_begin("(?:gh[pousr]|github_pat)_[a-z]{9}", "ghx_abcd"));
}

static void repeats_shift_what_follows(void **state)
{
    (void)state;
    assert_places("ab?c", "a", "bc");
    assert_places("a[0-1]{2,3}z", "a", "01", "01", "01z");
    assert_places("a{3}b", "a", "a", "a", "b");
    assert_places("a{0,2}b", "ab", "^+");
    assert_places("a*b", "ab", "^+");
    assert_places("a+b", "a", "ab", "^+");
    assert_places("a{2,}b", "a", "a", "ab", "^+");
    assert_places("a+?b", "a", "ab");
    assert_places("(?:ab){2}c", "a", "b", "a", "b", "c");
    assert_places("(?:ab)?c", "ac", "^+");
    assert_places("a{100}", "a", "a", "a", "a", "a", "a", "a", "a");
}

static void a_brace_that_is_no_repeat_is_a_letter(void **state)
{
    (void)state;
    assert_places("a{b}", "a", "{", "b", "}");
    assert_places("\\{\\{x", "{", "{", "x");
}

static void groups_are_seen_through(void **state)
{
    (void)state;
    assert_places("x(?<secret>[ab]:[cd])y", "x", "ab", ":", "cd", "y");
    assert_places("((a)(?:b))c", "a", "b", "c");
    assert_places("(?>ab)c", "a", "b", "c");
    assert_places("(?=zz)ab", "a", "b");
    assert_places("(?<![0-9])ab", "a", "b");
    assert_places("\\bab", "a", "b");
    assert_places("^ab$", "a", "b");
    assert_places("([\"'])a\\1", "\"'", "a", "\"'");
}

static void without_case_both_cases_are_possible(void **state)
{
    (void)state;
    assert_places("(?i)ab1", "Aa", "Bb", "1");
    assert_places("a(?i)b", "a", "Bb");
    assert_places("a(?i:b)c", "a", "Bb", "c");
    assert_places("(?:a(?i)b)c", "a", "Bb", "c");
    assert_places("a(?i)b|c", "Cac", "^+");
    assert_places("(?i)[b-d]", "BCDbcd");
    assert_places("(?is)ab", "Aa", "Bb");
    assert_places("(?i-s:ab)c", "Aa", "Bb", "c");
}

/* White space that is not there is not known here. */
static void spread_out_anything_is_possible(void **state)
{
    (void)state;
    assert_places("(?x) a b", "^+", "^+");
    assert_places("a(?ix: b )", "^+", "^+");
    assert_places("(?-x)ab", "a", "b");
}

/* PCRE2 knows the Kelvin sign as a K and the long s as an S, and the other way. */
static void without_case_k_and_s_have_partners_beyond_ascii(void **state)
{
    (void)state;
    assert_true(may_begin("(?i)key-[0-9]", "\xe2\x84\xaa"
                                           "ey-1"));
    assert_true(may_begin("(?i)sk_live", "\xc5\xbf\xe2\x84\xaa_l"));
    assert_true(may_begin("(?i)\\x{212a}ey", "key"));
    assert_true(may_begin("(?i)\xc5\xbfo", "SO"));
    assert_false(may_begin("key-[0-9]", "\xe2\x84\xaa"
                                        "ey-1"));
}

static void characters_beyond_ascii_take_several_places(void **state)
{
    (void)state;
    assert_true(may_begin("é1", "é1"));
    assert_true(may_begin("密码: x", "密码: "));
    assert_false(may_begin("密码: x", "abc"));
    assert_true(may_begin("[äöü]x", "öx"));
    assert_true(may_begin("[а-я]+:", "пароль"));
    assert_true(may_begin("[^a]b", "密b"));
    assert_true(may_begin("\xf0\x9f\x94\x91=", "\xf0\x9f\x94\x91="));
}

static void a_repeat_counts_the_whole_character(void **state)
{
    (void)state;
    assert_true(may_begin("é{2}x", "ééx"));
    assert_true(may_begin("é?x", "x"));
    assert_true(may_begin("é?x", "éx"));
    assert_true(may_begin("密*码", "密密码"));
    assert_true(may_begin("[é]{2,3}x", "éééx"));
}

/* Look-ahead may want to see what stands behind a match, whatever that is. */
static void behind_a_short_match_everything_is_possible(void **state)
{
    (void)state;
    assert_places("ab", "a", "b", "^+", "^+");
    assert_places("a?", "^+", "^+");
    assert_places("abc|x", "ax", "^+", "^+", "^+");
    assert_places("ab(?![0-9])", "a", "b", "^+");
}

/* The first byte tells one word from another. */
static void a_first_byte_leaves_what_goes_with_it(void **state)
{
    struct byte_set only = {{0}};
    struct first_bytes first;
    char shown[300];

    (void)state;
    byte_set_add(&only, 's');
    first_bytes_from(span_str("(?:token|secret|x?sas)"), &only, &first);
    show_place(&first.at[0], shown);
    assert_string_equal(shown, "s");
    show_place(&first.at[1], shown);
    assert_string_equal(shown, "ae");
    show_place(&first.at[2], shown);
    assert_string_equal(shown, "cs");
}

static void a_class_that_is_not_known_is_not_taken_away(void **state)
{
    (void)state;
    assert_places("[^[:alpha:]]x", "^+");
    assert_places("[^\\p{L}]x", "^+");
}

static void the_first_places_are_those_of_all(void **state)
{
    const struct span core = span_str("(?:key|[a-f]{2}|é)_(?i:x)y{0,3}z");
    struct first_bytes all, some;

    (void)state;
    first_bytes_of(core, &all);
    first_bytes_some(core, 3, &some);
    assert_memory_equal(some.at, all.at, 3 * sizeof(all.at[0]));
    for (unsigned i = 3; i < FIRST_BYTES; i++) {
        assert_true(byte_set_has(&some.at[i], 0) && byte_set_has(&some.at[i], 255));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_stand_for_themselves),
        cmocka_unit_test(classes_and_ranges_give_their_characters),
        cmocka_unit_test(negated_classes_give_the_others),
        cmocka_unit_test(escapes_give_what_they_stand_for),
        cmocka_unit_test(the_dot_is_anything),
        cmocka_unit_test(alternatives_join),
        cmocka_unit_test(repeats_shift_what_follows),
        cmocka_unit_test(a_brace_that_is_no_repeat_is_a_letter),
        cmocka_unit_test(groups_are_seen_through),
        cmocka_unit_test(without_case_both_cases_are_possible),
        cmocka_unit_test(spread_out_anything_is_possible),
        cmocka_unit_test(without_case_k_and_s_have_partners_beyond_ascii),
        cmocka_unit_test(characters_beyond_ascii_take_several_places),
        cmocka_unit_test(a_repeat_counts_the_whole_character),
        cmocka_unit_test(behind_a_short_match_everything_is_possible),
        cmocka_unit_test(a_first_byte_leaves_what_goes_with_it),
        cmocka_unit_test(a_class_that_is_not_known_is_not_taken_away),
        cmocka_unit_test(the_first_places_are_those_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
