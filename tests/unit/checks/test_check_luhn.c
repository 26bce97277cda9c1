/* Luhn and Verhoeff: published examples, and what the algorithms promise to catch. */
#include "check_case.h"

static void luhn_holds_for_published_numbers(void **state)
{
    (void)state;
    assert_passes("luhn", "17893729974"); /* Wikipedia, Luhn algorithm */
    assert_passes("luhn", "4111 1111 1111 1111");
    assert_passes("luhn", "49-015420-323751-8"); /* IMEI, Wikipedia */
    assert_fails("luhn", "17893729975");
    assert_fails("luhn", "0000 0000");
    assert_fails("luhn", "1789372997a");
    assert_fails("luhn", "");
    assert_fails("luhn", "0");
}

static void luhn_catches_every_single_digit_error(void **state)
{
    struct check_case c = case_of("luhn");

    (void)state;
    assert_int_equal(count_digit_changes_passing(&c, "17893729974"), 0);
}

static void luhn_catches_swaps_but_of_09_and_90(void **state)
{
    struct check_case c = case_of("luhn");

    (void)state;
    assert_int_equal(count_swaps_passing(&c, "17893729974"), 0);
    /* 9 + 0 and (9 doubled: 18 - 9) + 0 are the same. */
    assert_true(case_passes(&c, "109"));
    assert_true(case_passes(&c, "190"));
}

static void luhn_with_a_check_digit_of_0(void **state)
{
    (void)state;
    /* 1 + (9 doubled: 18 - 9) + 0 = 10 */
    assert_passes("luhn", "190");
}

static void luhn_puts_the_prefix_before(void **state)
{
    struct check_case c = case_of("luhn");

    (void)state;
    case_text(&c, "prefix", "80840"); /* CMS: 1234567893 is valid as an NPI only with 80840 */
    assert_true(case_is_accepted(&c));
    assert_true(case_passes(&c, "1234567893"));
    assert_false(passes("luhn", "1234567893"));
    case_text(&c, "prefix", "8084x");
    assert_false(case_is_accepted(&c));
    assert_false(case_passes(&c, "1234567893"));
}

static void luhn_mod_n_counts_in_another_base(void **state)
{
    struct check_case c = case_of("luhn_mod_n");

    (void)state;
    case_number(&c, "base", 36);
    assert_true(case_passes(&c, "27AAPFU0939F1ZV")); /* a GSTIN */
    assert_int_equal(count_digit_changes_passing(&c, "27AAPFU0939F1ZV"), 0);
    case_number(&c, "base", 16);
    /* From the right: 7 + (F doubled, 30: 1 + 14) + A = 7 + 15 + 10 = 32 = 2 * 16. */
    assert_true(case_passes(&c, "AF7"));
    assert_false(case_passes(&c, "AF6"));
    assert_false(case_passes(&c, "AG7"));
    case_number(&c, "base", 37);
    assert_false(case_is_accepted(&c));
    case_number(&c, "base", 1);
    assert_false(case_is_accepted(&c));
}

static void verhoeff_holds_for_the_published_number(void **state)
{
    (void)state;
    assert_passes("verhoeff", "2363"); /* Wikipedia, Verhoeff algorithm: 236 has check digit 3 */
    assert_fails("verhoeff", "2364");
    assert_fails("verhoeff", "0000");
    assert_fails("verhoeff", "23a3");
}

static void verhoeff_catches_single_digit_errors_and_all_swaps(void **state)
{
    struct check_case c = case_of("verhoeff");

    (void)state;
    assert_int_equal(count_digit_changes_passing(&c, "2363"), 0);
    assert_int_equal(count_swaps_passing(&c, "2363"), 0);
    assert_int_equal(count_digit_changes_passing(&c, "234123412346"), 0);
    assert_int_equal(count_swaps_passing(&c, "234123412346"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(luhn_holds_for_published_numbers),
        cmocka_unit_test(luhn_catches_every_single_digit_error),
        cmocka_unit_test(luhn_catches_swaps_but_of_09_and_90),
        cmocka_unit_test(luhn_with_a_check_digit_of_0),
        cmocka_unit_test(luhn_puts_the_prefix_before),
        cmocka_unit_test(luhn_mod_n_counts_in_another_base),
        cmocka_unit_test(verhoeff_holds_for_the_published_number),
        cmocka_unit_test(verhoeff_catches_single_digit_errors_and_all_swaps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
