/* ISO 7064, weighted sums, keys mod 97, the machine-readable zone, IBAN. */
#include "check_case.h"

static struct check_case iso7064(const char *system_name)
{
    struct check_case c = case_of("iso7064");

    case_text(&c, "system", system_name);
    return c;
}

static void iso7064_systems_hold_for_published_numbers(void **state)
{
    struct check_case mod97 = iso7064("mod97_10");
    struct check_case mod11_2 = iso7064("mod11_2");
    struct check_case mod11_10 = iso7064("mod11_10");
    struct check_case mod37 = iso7064("mod37_36");

    (void)state;
    assert_true(case_passes(&mod97, "79444"));                        /* 794 has check digits 44 */
    assert_true(case_passes(&mod97, "3214282912345698765432161182")); /* an IBAN as digits */
    assert_true(case_passes(&mod11_2, "0000-0002-1825-0097"));        /* ORCID's own example */
    assert_true(case_passes(&mod11_2, "0000-0002-1694-233X"));        /* ORCID, check character X */
    assert_true(case_passes(&mod11_2, "07940"));                      /* check digit 0 */
    assert_true(case_passes(&mod11_10, "07945"));
    assert_true(case_passes(&mod37, "A12425GABC1234002M")); /* the Global Release Identifier */
    assert_false(case_passes(&mod97, "79445"));
    assert_false(case_passes(&mod11_2, "0000-0002-1694-2330"));
    assert_false(case_passes(&mod11_2, "0000-X002-1694-233X"));
    assert_false(case_passes(&mod11_10, "0794A"));
    assert_false(case_passes(&mod37, "A12425GABC1234002N"));
}

static void iso7064_catches_single_digit_errors_and_swaps(void **state)
{
    static const char *const systems[] = {"mod97_10", "mod11_2", "mod11_10", "mod37_36"};
    static const char *const numbers[] = {"79444", "0000000218250097", "07945",
                                          "A12425GABC1234002M"};

    (void)state;
    for (size_t i = 0; i < COUNT(systems); i++) {
        struct check_case c = iso7064(systems[i]);
        assert_int_equal(count_digit_changes_passing(&c, numbers[i]), 0);
        /* Hybrid systems let a few swaps through, the pure ones none. */
        assert_true(count_swaps_passing(&c, numbers[i]) == 0 || i >= 2);
    }
}

static void iso7064_refuses_an_unknown_system(void **state)
{
    struct check_case c = iso7064("mod1271_36");

    (void)state;
    assert_false(case_is_accepted(&c));
    assert_false(case_passes(&c, "79444"));
}

static struct check_case weighted(const double *weights, size_t n, const char *scheme)
{
    struct check_case c = case_of("weighted_mod");

    case_numbers(&c, "weights", weights, n);
    case_text(&c, "scheme", scheme);
    return c;
}

static void weighted_mod_zero_covers_the_check_character(void **state)
{
    static const double isbn[] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    struct check_case c = weighted(isbn, COUNT(isbn), "zero");

    (void)state;
    case_text(&c, "ten", "X");
    assert_true(case_is_accepted(&c));
    assert_true(case_passes(&c, "0-306-40615-2")); /* Wikipedia, ISBN */
    /* 0 8 0 4 4 2 9 5 7: 72 + 28 + 24 + 10 + 36 + 15 + 14 = 199; 10 more makes 209 = 19 * 11. */
    assert_true(case_passes(&c, "080442957X"));
    assert_false(case_passes(&c, "X804429570"));
    assert_int_equal(count_digit_changes_passing(&c, "0306406152"), 0);
    assert_int_equal(count_swaps_passing(&c, "0306406152"), 0);
    case_text(&c, "ten", "never");
    assert_false(case_passes(&c, "080442957X"));
}

/* Thailand's: where the sum leaves nothing, 11 is left over, and its last digit is 1. */
static void weighted_mod_may_take_the_last_digit_of_the_complement(void **state)
{
    static const double weights[] = {4, 3, 2};
    struct check_case c = weighted(weights, COUNT(weights), "complement_digit");

    (void)state;
    assert_true(case_passes(&c, "0132"));  /* S = 9: 2 */
    assert_true(case_passes(&c, "1210"));  /* S = 12, 1 left: 10 becomes 0 */
    assert_true(case_passes(&c, "1121"));  /* S = 11, none left: 11 becomes 1 */
    assert_false(case_passes(&c, "1120"));
    assert_false(case_passes(&c, "0133"));
}

static void weighted_mod_remainder_and_complement(void **state)
{
    static const double descending[] = {4, 3, 2};
    struct check_case remainder = weighted(descending, COUNT(descending), "remainder");
    struct check_case complement = weighted(descending, COUNT(descending), "complement");

    (void)state;
    /* 4 * 1 + 3 * 2 + 2 * 3 = 16 = 5 mod 11, and 11 - 5 = 6. */
    assert_true(case_passes(&remainder, "1235"));
    assert_true(case_passes(&complement, "1236"));
    assert_false(case_passes(&remainder, "1236"));
    assert_int_equal(count_digit_changes_passing(&remainder, "1235"), 0);
    assert_int_equal(count_digit_changes_passing(&complement, "1236"), 0);
}

static void weighted_mod_with_a_check_digit_of_0(void **state)
{
    static const double descending[] = {4, 3, 2};
    struct check_case remainder = weighted(descending, COUNT(descending), "remainder");
    struct check_case complement = weighted(descending, COUNT(descending), "complement");

    (void)state;
    /* 4 * 1 + 3 * 1 + 2 * 2 = 11 */
    assert_true(case_passes(&remainder, "1120"));
    assert_true(case_passes(&complement, "1120"));
}

static void weighted_mod_with_a_remainder_of_10(void **state)
{
    static const char *const stands_for_ten[] = {"0", "X", "A", "K"};
    static const char *const numbers[] = {"1310", "131X", "131A", "131K"};
    static const double weights[] = {4, 1, 3};
    struct check_case c = weighted(weights, COUNT(weights), "remainder");

    (void)state;
    for (size_t i = 0; i < COUNT(numbers); i++) { /* 4 + 3 + 3 = 10 */
        case_text(&c, "ten", "never");
        assert_false(case_passes(&c, numbers[i]));
        case_text(&c, "ten", stands_for_ten[i]);
        assert_true(case_passes(&c, numbers[i]));
        assert_false(case_passes(&c, numbers[(i + 1) % COUNT(numbers)]));
    }
}

static void weighted_mod_finds_the_check_character_elsewhere(void **state)
{
    static const double weights[] = {4, 3, 2};
    struct check_case c = weighted(weights, COUNT(weights), "remainder");

    (void)state;
    case_number(&c, "position", 0);
    assert_true(case_passes(&c, "5123"));
    assert_false(case_passes(&c, "1235"));
    case_number(&c, "position", 4);
    assert_false(case_is_accepted(&c));
}

static void weighted_mod_sums_the_digits_of_products(void **state)
{
    static const double weights[] = {1, 2};
    struct check_case c = weighted(weights, COUNT(weights), "remainder");

    (void)state;
    case_number(&c, "modulus", 10);
    case_number(&c, "digit_sum", 1);
    assert_true(case_passes(&c, "188")); /* 1 + (16: 1 + 6) = 8 */
}

static void weighted_mod_refuses_arguments_that_nothing_satisfies(void **state)
{
    static const double weights[] = {1, 2};
    static const double fractions[] = {1.5};
    struct check_case c = weighted(weights, COUNT(weights), "zero");

    (void)state;
    assert_true(case_is_accepted(&c));
    case_text(&c, "scheme", "sum");
    assert_false(case_is_accepted(&c));
    case_text(&c, "scheme", "zero");
    case_text(&c, "ten", "B");
    assert_false(case_is_accepted(&c));
    case_text(&c, "ten", "X");
    case_number(&c, "modulus", 1);
    assert_false(case_is_accepted(&c));
    case_number(&c, "modulus", 11);
    case_numbers(&c, "weights", fractions, 1);
    assert_false(case_is_accepted(&c));
    case_numbers(&c, "weights", weights, 0);
    assert_false(case_is_accepted(&c));
}

static void mod97_complement_tries_the_prefix_as_well(void **state)
{
    struct check_case c = case_of("mod97_complement");

    (void)state;
    /* 850730033 = 8770412 * 97 + 69, 97 - 69 = 28 */
    assert_true(case_passes(&c, "85.07.30-033.28"));
    /* 2010203456 = 20723746 * 97 + 94, 97 - 94 = 3 */
    assert_false(case_passes(&c, "01020345603"));
    case_text(&c, "prefix", "2");
    assert_true(case_passes(&c, "01020345603"));
    assert_true(case_passes(&c, "85073003328"));
    assert_int_equal(count_digit_changes_passing(&c, "85073003328"), 0);
    case_text(&c, "prefix", "x");
    assert_false(case_is_accepted(&c));
}

static void mrz731_holds_for_the_specimen_of_icao(void **state)
{
    (void)state;
    assert_passes("mrz731", "L898902C36"); /* ICAO Doc 9303, part 4: the document number */
    assert_passes("mrz731", "7408122");    /* the date of birth */
    assert_passes("mrz731", "ZE184226B<<<<<1");
    assert_fails("mrz731", "L898902C37");
    assert_fails("mrz731", "<<<<<<<<<0");
    assert_fails("mrz731", "L898902C3-6");
    struct check_case c = case_of("mrz731");
    /* Weights 7, 3, 1 are prime to 10, so every changed digit shows. */
    assert_int_equal(count_digit_changes_passing(&c, "7408122"), 0);
}

static void iban_of_any_length_is_of_any_country(void **state)
{
    struct check_case c = case_of("iban");

    (void)state;
    case_number(&c, "any_length", 1);
    assert_true(case_passes(&c, "SN08 SN01 0015 2000 0485 0000 3035")); /* Senegal, which is in no registry */
    assert_true(case_passes(&c, "GB82 WEST 1234 5698 7654 32"));
    assert_false(case_passes(&c, "SN09 SN01 0015 2000 0485 0000 3035"));
    assert_false(case_passes(&c, "0808 0801 0015 2000 0485 0000 3035"));
    assert_fails("iban", "SN08 SN01 0015 2000 0485 0000 3035");
}

static void iban_knows_countries_and_their_lengths(void **state)
{
    (void)state;
    assert_passes("iban", "GB82 WEST 1234 5698 7654 32"); /* Wikipedia */
    assert_passes("iban", "DE89 3704 0044 0532 0130 00"); /* the registry's examples from here on */
    assert_passes("iban", "NO93 8601 1117 947");
    assert_passes("iban", "FR14 2004 1010 0505 0001 3M02 606");
    assert_passes("iban", "mt84malt011000012345mtlcast001s");
    assert_fails("iban", "GB83 WEST 1234 5698 7654 32");
    assert_fails("iban", "GB82 WEST 1234 5698 7654 3");
    assert_fails("iban", "BE01 0000 00E8 B4D4"); /* an account in Belgium has no letters */
    assert_fails("iban", "XX82 WEST 1234 5698 7654 32");
    assert_fails("iban", "GB");
    struct check_case c = case_of("iban");
    assert_int_equal(count_digit_changes_passing(&c, "DE89370400440532013000"), 0);
    assert_int_equal(count_swaps_passing(&c, "DE89370400440532013000"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iso7064_systems_hold_for_published_numbers),
        cmocka_unit_test(iso7064_catches_single_digit_errors_and_swaps),
        cmocka_unit_test(iso7064_refuses_an_unknown_system),
        cmocka_unit_test(weighted_mod_zero_covers_the_check_character),
        cmocka_unit_test(weighted_mod_may_take_the_last_digit_of_the_complement),
        cmocka_unit_test(weighted_mod_remainder_and_complement),
        cmocka_unit_test(weighted_mod_with_a_check_digit_of_0),
        cmocka_unit_test(weighted_mod_with_a_remainder_of_10),
        cmocka_unit_test(weighted_mod_finds_the_check_character_elsewhere),
        cmocka_unit_test(weighted_mod_sums_the_digits_of_products),
        cmocka_unit_test(weighted_mod_refuses_arguments_that_nothing_satisfies),
        cmocka_unit_test(mod97_complement_tries_the_prefix_as_well),
        cmocka_unit_test(mrz731_holds_for_the_specimen_of_icao),
        cmocka_unit_test(iban_knows_countries_and_their_lengths),
        cmocka_unit_test(iban_of_any_length_is_of_any_country),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
