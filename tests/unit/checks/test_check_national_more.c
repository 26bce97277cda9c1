/* National numbers of more countries. The numbers were made for this test by a second implementation of the
 * published rules, but those of which a source is named. */
#include "check_case.h"

struct example {
    const char *check;
    const char *number;
};

static const struct example valid_numbers[] = {
    {"hkid_hk", "A123456(3)"},      /* Wikipedia, Hong Kong identity card */
    {"hkid_hk", "AB987654(3)"},     /* two letters */
    {"nhi_nz", "ZZZ0016"},          /* HISO 10046 */
    {"abn_au", "51 824 753 556"},   /* Australian Business Register */
    {"nit_co", "800.197.268-4"},    /* DIAN's own */
    {"upn_gb", "P207000016049"},    /* S = 266 */
    {"upn_gb", "B666176031372"}, {"upn_gb", "R013962459571"}, {"upn_gb", "M20700001604A"}, {"cui_pe", "819093780"},
    {"cui_pe", "57975432-5"}, {"cui_pe", "31948757C"},
    {"rvnr_de", "15 070649 C 103"}, /* Wikipedia, Versicherungsnummer */
    {"kvnr_de", "A123456780"},      /* Wikipedia, Krankenversichertennummer */
    {"corporate_number_jp", "7000012050002"}, /* National Tax Agency */
    {"vat_eu", "NL123456789B13"},   /* mod 97 over the whole, no citizen number */
    {"vat_eu", "BE 0403.019.261"},
    {"vat_eu", "ATU13585627"},
    {"vat_eu", "GB 980 7806 84"},
    {"hkid_hk", "P245915(2)"}, {"hkid_hk", "B295655(7)"}, {"hkid_hk", "R136171(5)"}, {"nric_sg", "F2133505M"},
    {"nric_sg", "M6033922P"}, {"nric_sg", "F7648039R"}, {"national_id_tw", "W178767719"},
    {"national_id_tw", "Y295161758"}, {"national_id_tw", "K124340967"}, {"abn_au", "62574507826"},
    {"abn_au", "88998288873"}, {"abn_au", "82715164394"}, {"ird_nz", "109329797"}, {"ird_nz", "117794407"},
    {"ird_nz", "171048036"}, {"nhi_nz", "GNH3288"}, {"nhi_nz", "TXF4446"}, {"nhi_nz", "FYS1812"},
    {"curp_mx", "RURN740310MJCPNP36"}, {"curp_mx", "GIMZ590617HDFRDV37"}, {"curp_mx", "ZIFL741108HVZVMZ54"},
    {"rfc_mx", "BUBD960219H61"}, {"rfc_mx", "QISR750314M1A"}, {"rfc_mx", "RIFS991006K40"}, {"nit_co", "9091867042"},
    {"nit_co", "9956115218"}, {"nit_co", "9207538810"}, {"rif_ve", "G415164051"}, {"rif_ve", "V447387391"},
    {"rif_ve", "E647975723"}, {"cbu_ar", "7850321208758348461738"}, {"cbu_ar", "2072160452785533164445"},
    {"cbu_ar", "3606257968927009086421"}, {"personal_code_baltic", "45308016814"},
    {"personal_code_baltic", "45408267284"}, {"personal_code_baltic", "35712115972"},
    {"personal_code_lv", "25108614989"}, {"personal_code_lv", "23036612087"}, {"personal_code_lv", "23035415479"},
    {"matricule_lu", "1968061575216"}, {"matricule_lu", "1986081670055"}, {"matricule_lu", "1965110505570"},
    {"rvnr_de", "65030289H306"}, {"rvnr_de", "15210482Q601"}, {"rvnr_de", "15171053P380"}, {"kvnr_de", "A114743814"},
    {"kvnr_de", "S792971121"}, {"kvnr_de", "Y478753273"}, {"spi_fr", "2644780741085"}, {"spi_fr", "1973897780337"},
    {"spi_fr", "1404969753292"}, {"social_security_es", "281522110495"}, {"social_security_es", "281692039644"},
    {"social_security_es", "415466629023"}, {"ogrn_ru", "1157710387592"}, {"ogrn_ru", "1027720134397"},
    {"ogrn_ru", "1157723980754"}, {"edrpou_ua", "20641072"}, {"edrpou_ua", "25495830"}, {"edrpou_ua", "24096364"},
    {"brn_kr", "3580615160"}, {"brn_kr", "3247221290"}, {"brn_kr", "3408455456"},
    {"corporate_number_jp", "9797414794911"}, {"corporate_number_jp", "8733029365567"},
    {"corporate_number_jp", "1546650302018"}, {"phn_ca", "9752643956"}, {"phn_ca", "9788823911"},
    {"phn_ca", "9680469541"}, {"vat_eu", "DE614855681"}, {"vat_eu", "ATU19569535"}, {"vat_eu", "BE0249931980"},
    {"vat_eu", "FR26190382325"}, {"vat_eu", "IT67574950845"}, {"vat_eu", "NL737974308B01"},
    {"vat_eu", "PL3062450563"}, {"vat_eu", "PT516818643"}, {"vat_eu", "GB815890115"}, {"vat_eu", "DK32453287"},
    {"vat_eu", "SE559204174201"}, {"vat_eu", "FI89585462"}, {"vat_eu", "ESG06016927"}, {"vat_eu", "CHE164023487"},
    {"vat_eu", "LU47785615"}, {"vat_eu", "HU88886192"}, {"vat_eu", "IE4512706H"}, {"vat_eu", "EL306592218"},
    {"vat_eu", "EE106720718"}, {"vat_eu", "SK2023110749"}, {"vat_eu", "SI61567752"}, {"vat_eu", "CZ22096124"},
    {"vat_eu", "RO45198871"}, {"vat_eu", "MT78730123"}, {"vat_eu", "LV40178557883"}, {"vat_eu", "LT592711415"},
    {"vat_eu", "HR70124211580"}, {"vat_eu", "CY10265847W"}, {"vat_eu", "BG131972521"}, {"vat_eu", "NO998953642"},
};

static void numbers_that_follow_the_rule_pass(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(valid_numbers); i++) {
        assert_passes(valid_numbers[i].check, valid_numbers[i].number);
    }
}

static const struct example wrong_numbers[] = {
    {"hkid_hk", "A123456(4)"}, {"hkid_hk", "A123456"}, {"hkid_hk", "1234563"}, {"hkid_hk", "A12B456(3)"},
    {"nric_sg", "S1234567"}, {"nric_sg", "A1234567D"}, {"national_id_tw", "A12345678"}, {"national_id_tw", "AB23456789"},
    {"abn_au", "01824753556"}, {"abn_au", "5182475355"}, {"ird_nz", "9999999"}, {"ird_nz", "200000012"},
    {"nhi_nz", "ZIZ0016"}, {"nhi_nz", "ZZZ00A6"}, {"curp_mx", "GOMA830417HDFRNS0"}, {"curp_mx", "GOMA830417HDFRNS-5"},
    {"rfc_mx", "GOMA830417"}, {"rfc_mx", "GOMA830417Q*5"}, {"rif_ve", "X123456789"}, {"rif_ve", "V12345678"},
    {"cbu_ar", "0000000000000000000000"}, {"cbu_ar", "123456789012345678901"}, {"nit_co", "0000000000"},
    {"nit_co", "12"}, {"personal_code_baltic", "99001011234"}, {"personal_code_baltic", "38013011234"},
    {"personal_code_lv", "31023011234"}, {"personal_code_lv", "01019091234"}, {"personal_code_lv", "00000000000"},
    {"matricule_lu", "1983133100123"}, {"matricule_lu", "198304310012"}, {"rvnr_de", "15070649C10"},
    {"rvnr_de", "150706491103"}, {"kvnr_de", "1234567890"}, {"spi_fr", "4000000000000"}, {"spi_fr", "0000000000000"},
    {"social_security_es", "991234567840"}, {"social_security_es", "28123456784"}, {"ogrn_ru", "0000000000000"},
    {"ogrn_ru", "10277001324"}, {"edrpou_ua", "00000000"}, {"edrpou_ua", "1234567"}, {"brn_kr", "0000000000"},
    {"corporate_number_jp", "0000000000000"}, {"phn_ca", "8698658215"}, {"phn_ca", "0000000000"},
    {"vat_eu", "DE"}, {"vat_eu", "DE000000000"}, {"vat_eu", "ZZ123456789"}, {"vat_eu", "DE12345678"},
    {"vat_eu", "ATX13585627"}, {"vat_eu", "NL123456789C13"}, {"vat_eu", "BE 2403.019.261"}, {"vat_eu", "RO1"},
    {"upn_gb", "B207000016049"}, {"upn_gb", "P20700001604"}, {"upn_gb", "M20700001604I"}, {"cui_pe", "819093781"},
    {"cui_pe", "81909378L"}, {"cui_pe", "81909378"},
    {"vat_eu", "RO12345678901"}, {"vat_eu", "ES1234567890"}, {"vat_eu", "CHX123456788"}, {"vat_eu", "12"},
};

static void numbers_of_another_form_or_range_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(wrong_numbers); i++) {
        assert_fails(wrong_numbers[i].check, wrong_numbers[i].number);
    }
}

/* Every single-digit error is caught by these, whose weights are prime to the modulus. */
static void single_digit_errors_are_caught(void **state)
{
    static const struct example examples[] = {
        {"hkid_hk", "R136171(5)"}, {"nric_sg", "F7648039R"}, {"abn_au", "82715164394"}, {"rif_ve", "E647975723"},
        {"personal_code_lv", "23035415479"}, {"spi_fr", "1404969753292"}, {"cbu_ar", "3606257968927009086421"},
        {"nhi_nz", "FYS1812"}, {"upn_gb", "B666176031372"}, {"vat_eu", "DE716100068"}, {"vat_eu", "BE0412288305"}, {"vat_eu", "FR39499996791"},
        {"vat_eu", "IT20456469822"}, {"vat_eu", "PL8957214645"}, {"vat_eu", "DK40184406"}, {"vat_eu", "FI17029221"},
        {"vat_eu", "LU31232625"}, {"vat_eu", "HU45659421"}, {"vat_eu", "EE104573802"}, {"vat_eu", "MT32842622"},
        {"vat_eu", "SE555930858901"},
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

static void a_remainder_of_10_is_handled_as_each_country_does(void **state)
{
    (void)state;
    assert_passes("personal_code_baltic", "39706033768"); /* the second weights count */
    assert_passes("ird_nz", "170205097"); /* the second weights count */
    assert_passes("edrpou_ua", "23453494"); /* all weights two more */
    assert_passes("rfc_mx", "AOTF660106H4A"); /* A stands for 10 */
    assert_passes("hkid_hk", "A724773(A)"); /* A stands for 10 */
    assert_passes("nit_co", "8320283361"); /* 1 stands for 10 */
    assert_passes("nhi_nz", "BUL7220"); /* 10 becomes 0 */
    assert_passes("vat_eu", "LT867764012"); /* the second weights count */
    assert_passes("vat_eu", "BG966316145"); /* the second weights count */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_follow_the_rule_pass),
        cmocka_unit_test(numbers_of_another_form_or_range_fail),
        cmocka_unit_test(single_digit_errors_are_caught),
        cmocka_unit_test(a_remainder_of_10_is_handled_as_each_country_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
