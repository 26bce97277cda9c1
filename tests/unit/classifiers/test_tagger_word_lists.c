#include "testing.h"

#include <string.h>

#include "classifiers/tagger_word_lists.h"

static enum tagger_word_list list_of(const char *unit)
{
    size_t n_lines;

    return tagger_word_list_of(span_str(unit), &n_lines);
}

static void lists_are_told_by_their_lines(void **state)
{
    (void)state;
    assert_int_equal(list_of("Frida/PN\nfred/AbDvYy\nWagner/L'D'Q' po:patr is:epi\n\xd0\x90\xd0\xbd\xd0\xbd\xd0\xb0/BbCc\n"), TAGGER_WORD_LIST);
    assert_int_equal(list_of("Alda po:noun is:x\nAldo po:noun\nBert po:noun\nbill po:verb is:plural\n"), TAGGER_WORD_LIST);
    assert_int_equal(list_of("Roger's\nRogers\nRogers's\nRoget's\nRoland\nRoland's\n"), TAGGER_WORD_LIST);
    assert_int_equal(list_of("dan\tB1jk\t3\ndana\tB+lE\tZ\ndani\tBtfv\tBz\ndenys\tEI0\to\n"), TAGGER_WORD_LIST);
}

static void few_lines_and_other_lines_are_no_list(void **state)
{
    (void)state;
    assert_int_equal(list_of(""), TAGGER_NO_WORD_LIST);
    assert_int_equal(list_of("Frida/PN\nFred/PN\nWagner/PN\n"), TAGGER_NO_WORD_LIST);
    assert_int_equal(list_of("Anna/Berta\nFrida/Olm\nCarl/Dora\nEmil/Nora\n"), TAGGER_NO_WORD_LIST);
    assert_int_equal(list_of("ANNA/OLM\nFRIDA/OLM\nCARL/OLM\nEMIL/OLM\n"), TAGGER_NO_WORD_LIST);
    assert_int_equal(list_of("Alda to: Olm\nAldo at: Olm\nBert to: Olm\nBill to:\n"), TAGGER_NO_WORD_LIST);
    assert_int_equal(list_of("Anna\tOlm\t12\nBerta\tOlm\t13\nCarl\tOlm\t14\nDora\tOlm\t15\n"), TAGGER_NO_WORD_LIST);
    assert_int_equal(list_of("a\t\t\nb\tx\t\n\t\t\n\n/\n's\n"), TAGGER_NO_WORD_LIST);
}

static void words_in_the_order_of_the_alphabet_are_a_list(void **state)
{
    (void)state;
    assert_int_equal(list_of("anchor\nAndy\nangel\nanger\nangle\nAnna\nannex\nannual\nant\nApril\napron\narch\narm\nart\nash\nask\n"), TAGGER_SORTED_WORDS);
    assert_int_equal(list_of("ask\nash\nart\narm\narch\napron\nApril\nant\nannual\nannex\nAnna\nangle\nanger\nangel\nAndy\nanchor\n"), TAGGER_NO_WORD_LIST);
}

static void words_of_a_list_stand_alone_in_their_line(void **state)
{
    (void)state;
    assert_true(tagger_is_word_of_list(span_str("Roger's")));
    assert_true(tagger_is_word_of_list(span_str("Wagner/L'D'Q' po:patr")));
    assert_true(tagger_is_word_of_list(span_str("Alda po:noun is:plural")));
    assert_true(tagger_is_word_of_list(span_str("dana\tB+lE\tZ")));
    assert_false(tagger_is_word_of_list(span_str("by Roger Olm")));
    assert_false(tagger_is_word_of_list(span_str("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_told_by_their_lines),
        cmocka_unit_test(few_lines_and_other_lines_are_no_list),
        cmocka_unit_test(words_in_the_order_of_the_alphabet_are_a_list),
        cmocka_unit_test(words_of_a_list_stand_alone_in_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
