/* National numbers: examples of their issuers where there are any, else numbers made for this test
 * by the published rule (weights times digits, the remainder, the check digit). */
#include "check_case.h"

struct example {
    const char *check;
    const char *number;
};

static const struct example valid_numbers[] = {
    {"ssn_us", "536-90-4399"},    /* area 1-899, group and serial not nought */
    {"itin_us", "900-70-0000"},   /* 9, group 70 */
    {"ein_us", "12-3456789"},     /* IRS forms */
    {"dea_us", "AB1234563"},      /* 1 + 3 + 5 + 2 (2 + 4 + 6) = 33 */
    {"dea_us", "F91234563"},      /* Wikipedia, DEA number */
    {"aba_us", "111000025"},      /* Wikipedia, routing transit number */
    {"npi_us", "1234567893"},     /* CMS */
    {"mbi_us", "1EG4-TE5-MK73"},  /* CMS */
    {"nino_uk", "AB 12 34 56 C"}, /* HMRC */
    {"utr_uk", "1123456789"},     /* S = 6 + 14 + 24 + 36 + 50 + 30 + 28 + 24 + 18 = 230 */
    {"utr_uk", "1123456789K"},    /* as printed on letters */
    {"nhs_uk", "943 476 5919"},   /* Wikipedia, NHS number */
    {"nir_fr", "2 55 08 14 168 025 38"}, /* Wikipedia, numéro de sécurité sociale */
    {"tax_id_de", "47981325618"},        /* digits 4798132561: only 1 twice */
    {"id_card_de", "L01X00T471"},        /* specimen of the Ministry of the Interior */
    {"id_card_de", "T220001293"},        /* specimen before 2010 */
    {"id_card_de", "T220001293D"},
    {"nif_es", "12345678Z"}, /* Ministry of the Interior */
    {"nif_es", "X1234567L"},
    {"nif_es", "A58818501"}, /* Wikipedia, código de identificación fiscal */
    {"fiscal_code_it", "RSSMRA85T10A562S"},
    {"fiscal_code_it", "MRTMTT25D09F205Z"}, /* Wikipedia, codice fiscale */
    {"bsn_nl", "111222333"},                /* 9 + 8 + 7 + 12 + 10 + 8 + 9 + 6 - 3 = 66 */
    {"national_be", "85.07.30-033.28"},
    {"national_be", "01.02.03-456.03"}, /* born 2001: over 2010203456 */
    {"pesel_pl", "44051401458"},        /* Wikipedia, PESEL */
    {"pesel_pl", "02251500122"},        /* month 25: May 2002 */
    {"nip_pl", "123-456-32-18"},        /* Wikipedia, NIP */
    {"cnp_ro", "1800228400095"}, /* born on 28 February 1980 in Bucharest: S mod 11 = 5 */
    {"personnummer_se", "811228-9874"}, /* Wikipedia, personnummer */
    {"personnummer_se", "19811228-9874"},
    {"birth_number_cz", "850101/1233"}, /* 850101123 = 77281920 * 11 + 3 */
    {"birth_number_cz", "855101/0017"},
    {"amka_gr", "01018001238"},
    {"nif_pt", "123456789"},
    {"citizen_card_pt", "00000000 0 ZZ4"}, /* the card's specification */
    {"sin_ca", "130 692 544"},
    {"aadhaar_in", "2341 2341 2346"},
    {"gstin_in", "27AAPFU0939F1ZV"},
    {"cpf_br", "111.444.777-35"},
    {"cnpj_br", "11.222.333/0001-81"},
    {"cnpj_br", "12.ABC.345/01DE-35"}, /* Receita Federal, for letters from 2026 */
    {"tckn_tr", "10000000146"},        /* Wikipedia, T.C. kimlik numarası */
    {"vin", "1M8GDM9AXKP042788"},      /* Wikipedia, VIN; check character X */
    {"ahv_ch", "756.9217.0769.85"},    /* Federal Social Insurance Office */
    {"svnr_at", "1237 010180"},        /* Wikipedia, Sozialversicherungsnummer */
    {"ppsn_ie", "1234567T"},           /* Wikipedia, PPS number */
    {"ppsn_ie", "1234567FA"},
    {"cpr_dk", "070761-4285"}, /* Wikipedia, CPR-nummer */
    {"fnr_no", "01019901188"},
    {"fnr_no", "41019901090"},        /* a D-number */
    {"hetu_fi", "131052-308T"},       /* Wikipedia, henkilötunnus */
    {"ric_cn", "11010519491231002X"}, /* Wikipedia, GB 11643 */
};

static void numbers_that_follow_the_rule_pass(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(valid_numbers); i++) {
        assert_passes(valid_numbers[i].check, valid_numbers[i].number);
    }
}

static const struct example numbers_out_of_range[] = {
    {"ssn_us", "000-12-3456"}, {"ssn_us", "666-12-3456"},
    {"ssn_us", "900-12-3456"},
    {"ssn_us", "123-00-4567"},
    {"ssn_us", "123-45-0000"},
    {"ssn_us", "078-05-1120"},
    {"ssn_us", "555-55-5555"},
    {"itin_us", "900-66-0000"},
    {"itin_us", "900-93-1234"},
    {"itin_us", "800-70-0000"},
    {"ein_us", "07-1234567"},
    {"ein_us", "00-1234567"},
    {"dea_us", "QB1234563"},
    {"dea_us", "A81234563"},
    {"aba_us", "131000025"} /* no office 13 */,
    {"npi_us", "3234567891"},
    {"mbi_us", "0EG4-TE5-MK73"},
    {"mbi_us", "1SG4-TE5-MK73"},
    {"nino_uk", "BG 12 34 56 C"},
    {"nino_uk", "QQ 12 34 56 C"},
    {"nino_uk", "AO 12 34 56 C"},
    {"nino_uk", "AB 12 34 56 E"},
    {"nhs_uk", "0000000000"},
    {"nir_fr", "9 55 08 14 168 025 38"},
    {"tax_id_de", "11123456785"} /* three side by side */,
    {"id_card_de", "A01X00T471"},
    {"id_card_de", "L01X00T47"},
    {"nif_es", "I1234567L"},
    {"fiscal_code_it", "RSSMRA85F10A562S"},
    {"bsn_nl", "000000000"},
    {"national_be", "85.13.30-033.28"},
    {"pesel_pl", "44053301458"},
    {"cnp_ro", "1850229400013"},
    {"personnummer_se", "811328-9874"},
    {"birth_number_cz", "851301/0017"},
    {"birth_number_cz", "855401001"} /* nine digits end with 1953 */,
    {"amka_gr", "31023001238"},
    {"nif_pt", "423456789"},
    {"sin_ca", "046454286"} /* 0 is no first digit */,
    {"aadhaar_in", "1341 2341 2346"},
    {"gstin_in", "00AAPFU0939F1ZV"},
    {"gstin_in", "27AAPFU0939F1YV"},
    {"cpf_br", "111.111.111-11"},
    {"cnpj_br", "00.000.000/0000-00"},
    {"tckn_tr", "01000000146"},
    {"vin", "1M8GDM9AXKPO42788"},
    {"ahv_ch", "757.9217.0769.85"},
    {"svnr_at", "1237 320180"},
    {"cpr_dk", "320761-4285"},
    {"fnr_no", "01139901188"},
    {"hetu_fi", "131352-308T"},
    {"hetu_fi", "131052*308T"},
    {"ric_cn", "11010519491331002X"},
    {"ric_cn", "01010519491231002X"},
};

static void numbers_out_of_range_fail_whatever_their_checksum(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(numbers_out_of_range); i++) {
        assert_fails(numbers_out_of_range[i].check, numbers_out_of_range[i].number);
    }
}

static void a_remainder_of_10_is_handled_as_each_country_does(void **state)
{
    (void)state;
    /* Weights 10 to 2 over 400001000 leave 1, which wants 10: never issued. */
    for (char digit = '0'; digit <= '9'; digit++) {
        char number[] = "4000010000";
        number[9] = digit;
        assert_fails("nhs_uk", number);
    }
    assert_passes("cpf_br", "12345671300");         /* 10 becomes 0 */
    assert_passes("birth_number_cz", "7801233540"); /* 780123354 mod 11 = 10 becomes 0 */
    assert_passes("nif_pt", "500000000");           /* 5 * 9 = 45 leaves 1: 10 becomes 0 */
    assert_passes("cnp_ro", "1800228400011");       /* S mod 11 = 10 becomes 1 */
}

static void a_check_digit_of_0_is_a_digit_like_others(void **state)
{
    (void)state;
    assert_passes("nhs_uk", "4000010050");           /* S = 55 */
    assert_passes("birth_number_cz", "736028568/0"); /* divisible by 11 */
    assert_passes("pesel_pl", "00210100080");        /* S = 50 */
}

/* Single-digit errors: every one is caught by these, whose weights are prime to the modulus. */
static void single_digit_errors_are_caught(void **state)
{
    static const struct example examples[] = {
        {"aba_us", "111000025"},          {"npi_us", "1234567893"},
        {"nhs_uk", "9434765919"},         {"nir_fr", "255081416802538"},
        {"bsn_nl", "111222333"},          {"national_be", "85073003328"},
        {"nip_pl", "1234563218"},         {"personnummer_se", "8112289874"},
        {"amka_gr", "01018001238"},       {"sin_ca", "130692544"},
        {"aadhaar_in", "234123412346"},   {"cpf_br", "11144477735"},
        {"cnpj_br", "11222333000181"},    {"tckn_tr", "10000000146"},
        {"ahv_ch", "7569217076985"},      {"cpr_dk", "0707614285"},
        {"fnr_no", "01019901188"},        {"hetu_fi", "131052-308T"},
        {"ric_cn", "11010519491231002X"}, {"tax_id_de", "47981325618"},
        {"pesel_pl", "44051401458"},      {"svnr_at", "1237010180"},
        {"ppsn_ie", "1234567T"},          {"nif_es", "12345678Z"},
        {"vin", "1M8GDM9AXKP042788"},     {"id_card_de", "L01X00T471"},
        {"gstin_in", "27AAPFU0939F1ZV"},  {"birth_number_cz", "8501011233"},
        {"nif_pt", "123456789"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(examples); i++) {
        struct check_case c = case_of(examples[i].check);
        size_t n = count_digit_changes_passing(&c, examples[i].number);
        if (n > 0) {
            fail_msg("%s: %zu changed digits pass in %s", examples[i].check, n, examples[i].number);
        }
    }
}

/* Swaps of neighbours: caught by moduli 11, 23, 31, 97 and by Verhoeff. */
static void swaps_of_neighbours_are_caught(void **state)
{
    static const struct example examples[] = {
        {"nhs_uk", "9434765919"},         {"nir_fr", "255081416802538"},
        {"bsn_nl", "111222333"},          {"national_be", "85073003328"},
        {"aadhaar_in", "234123412346"},   {"hetu_fi", "131052-308T"},
        {"ric_cn", "11010519491231002X"}, {"ppsn_ie", "1234567T"},
        {"nif_es", "12345678Z"},          {"fnr_no", "01019901188"},
        {"nif_pt", "123456789"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(examples); i++) {
        struct check_case c = case_of(examples[i].check);
        size_t n = count_swaps_passing(&c, examples[i].number);
        if (n > 0) {
            fail_msg("%s: %zu swaps pass in %s", examples[i].check, n, examples[i].number);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_follow_the_rule_pass),
        cmocka_unit_test(numbers_out_of_range_fail_whatever_their_checksum),
        cmocka_unit_test(a_remainder_of_10_is_handled_as_each_country_does),
        cmocka_unit_test(a_check_digit_of_0_is_a_digit_like_others),
        cmocka_unit_test(single_digit_errors_are_caught),
        cmocka_unit_test(swaps_of_neighbours_are_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
