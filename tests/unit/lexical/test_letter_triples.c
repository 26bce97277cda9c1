#include "unit/checks/check_case.h"

#include "lexical/letter_triples.h"

static double chance(const char *text)
{
    return letter_triples_chance(span_str(text));
}

static void letters_drawn_at_random_are_likelier_by_chance(void **state)
{
    static const char *const strings[] = {"zqwkvbnpy", "hbvqxzkdwj", "tgkwqzvhxn", "holdygxjeyefkyyicqvnujoz", "YwzgTzmndQ"};

    (void)state;
    for (size_t i = 0; i < COUNT(strings); i++) {
        if (chance(strings[i]) < 4) {
            fail_msg("%s: %.2f", strings[i], chance(strings[i]));
        }
    }
}

static void words_and_names_are_likelier_written(void **state)
{
    static const char *const strings[] = {
        "incorrect", "abgelaufen", "obligatoire", "obligatorisk", "wachtwoord", "getPasswordFromUser", "strncasecmp", "Dostoevsky",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(strings); i++) {
        if (chance(strings[i]) >= 0) {
            fail_msg("%s: %.2f", strings[i], chance(strings[i]));
        }
    }
}

static void capitals_count_as_small_letters_and_other_characters_for_nothing(void **state)
{
    char bytes[300];

    (void)state;
    assert_true(chance("ZQWKvbnpy") == chance("zqwkvbnpy"));
    assert_true(chance("zqw.kvb") == chance("zqw") + chance("kvb"));
    assert_true(chance("") == 0 && chance("4711-\xff") == 0);
    memset(bytes, 'q', sizeof(bytes)); /* the beginning counts */
    assert_true(letter_triples_chance(span_of(bytes, sizeof(bytes))) == letter_triples_chance(span_of(bytes, LETTER_TRIPLES_SAMPLE)));
}

static void the_check_wants_so_many_bits_and_no_digit(void **state)
{
    struct check_case c = case_of("drawn_letters");

    (void)state;
    assert_passes("drawn_letters", "zqwkvbnpy");
    assert_fails("drawn_letters", "zqwkvbnpy7");
    assert_fails("drawn_letters", "zqwkvbnpy_vcnegh");
    assert_fails("drawn_letters", "incorrect");
    assert_fails("drawn_letters", "");
    case_number(&c, "min", 100);
    assert_false(case_passes(&c, "zqwkvbnpy"));
    case_number(&c, "min", -100);
    assert_true(case_passes(&c, "incorrect"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_drawn_at_random_are_likelier_by_chance),
        cmocka_unit_test(words_and_names_are_likelier_written),
        cmocka_unit_test(capitals_count_as_small_letters_and_other_characters_for_nothing),
        cmocka_unit_test(the_check_wants_so_many_bits_and_no_digit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
