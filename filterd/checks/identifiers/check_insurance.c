/* Numbers of insurance and tax offices: Germany, France, Spain, Russia, Ukraine, Korea, Japan and British
 * Columbia. */
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

enum { LETTER_A = 10, EXPANDED_MAX = 16 };

/* A letter becomes two digits, its place in the alphabet. */
static size_t expand(const struct symbols *s, uint8_t *out)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n && n + 2 <= EXPANDED_MAX; i++) {
        if (s->value[i] >= LETTER_A) {
            unsigned place = s->value[i] - LETTER_A + 1u;
            out[n++] = (uint8_t)(place / 10);
            out[n++] = (uint8_t)(place % 10);
        } else {
            out[n++] = s->value[i];
        }
    }
    return n;
}

static unsigned sum_of_digit_sums(const uint8_t *values, const uint8_t *weights, size_t n)
{
    unsigned sum = 0;

    for (size_t i = 0; i < n; i++) {
        unsigned product = (unsigned)values[i] * weights[i];
        sum += product / 10 + product % 10;
    }
    return sum;
}

/* Area, date of birth, letter of the name, serial, check digit. */
static bool rvnr_de_passes(struct span value, const struct check_args *args)
{
    static const uint8_t weights[12] = {2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1};
    uint8_t digits[EXPANDED_MAX];
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) || !symbols_have_shape(&s, "99999999A999")) {
        return false;
    }
    (void)expand(&s, digits);
    return sum_of_digit_sums(digits, weights, COUNT(weights)) % 10 == s.value[11];
}

/* The part of the insurance card's number that stays for life. */
static bool kvnr_de_passes(struct span value, const struct check_args *args)
{
    static const uint8_t weights[10] = {1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
    uint8_t digits[EXPANDED_MAX];
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) || !symbols_have_shape(&s, "A999999999")) {
        return false;
    }
    (void)expand(&s, digits);
    return sum_of_digit_sums(digits, weights, COUNT(weights)) % 10 == s.value[9];
}

/* The French tax number: the last three digits are the first ten mod 511. */
static bool spi_fr_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    return symbols_read_exactly(value, 13, &s) && s.value[0] <= 3 && symbols_number(&s, 0, 10) > 0 &&
           symbols_number(&s, 0, 10) % 511 == symbols_number(&s, 10, 13);
}

/* Province and serial as one number mod 97; a serial below ten millions loses its leading nought. */
static bool social_security_es_passes(struct span value, const struct check_args *args)
{
    enum { SMALL = 10000000 };
    struct symbols s;

    (void)args;
    if (!symbols_read_exactly(value, 12, &s)) {
        return false;
    }
    uint64_t province = symbols_number(&s, 0, 2);
    uint64_t serial = symbols_number(&s, 2, 10);
    uint64_t number = serial < SMALL ? province * SMALL + serial : province * SMALL * 10 + serial;
    return province >= 1 && province <= 66 && number % 97 == symbols_number(&s, 10, 12);
}

/* 13 digits mod 11 for companies, 15 mod 13 for persons in business; the last digit of the remainder. */
static bool ogrn_ru_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    if (!symbols_read_digits(value, &s) || (s.n != 13 && s.n != 15) || s.value[0] == 0) {
        return false;
    }
    return symbols_number(&s, 0, s.n - 1) % (s.n == 13 ? 11 : 13) % 10 == s.value[s.n - 1];
}

/* Weights 1 to 7, in the middle range turned round by one; each two more where the first give 10. */
static bool edrpou_ua_passes(struct span value, const struct check_args *args)
{
    static const int8_t plain[7] = {1, 2, 3, 4, 5, 6, 7};
    static const int8_t turned[7] = {7, 1, 2, 3, 4, 5, 6};
    struct symbols s;

    (void)args;
    if (!symbols_read_exactly(value, 8, &s) || symbols_all_equal(&s)) {
        return false;
    }
    uint64_t number = symbols_number(&s, 0, 8);
    const int8_t *weights = number >= 30000000 && number <= 60000000 ? turned : plain;
    long sum = checksum_weighted(s.value, weights, 7);
    if (sum % 11 == 10) {
        for (size_t i = 0; i < 7; i++) {
            sum += 2 * s.value[i];
        }
    }
    return sum % 11 % 10 == s.value[7];
}

/* The ninth digit is weighed by 5, and the tens of that product count too. */
static bool brn_kr_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[9] = {1, 3, 7, 1, 3, 7, 1, 3, 5};
    struct symbols s;

    (void)args;
    if (!symbols_read_exactly(value, 10, &s) || symbols_all_equal(&s)) {
        return false;
    }
    long sum = checksum_weighted(s.value, weights, COUNT(weights)) + s.value[8] * 5 / 10;
    return checksum_complement(sum, 10) == s.value[9];
}

/* The check digit is first: 9 less the sum mod 9, weights 2 and 1 in turn. */
static bool corporate_number_jp_passes(struct span value, const struct check_args *args)
{
    struct symbols s;
    unsigned sum = 0;

    (void)args;
    if (!symbols_read_exactly(value, 13, &s) || symbols_all_equal(&s)) {
        return false;
    }
    for (size_t i = 1; i < s.n; i++) {
        sum += s.value[i] * (i % 2 == 1 ? 2u : 1u);
    }
    return s.value[0] == 9 - sum % 9;
}

/* Each product mod 11 before it is added; 10 and 11 are never issued. */
static bool phn_ca_passes(struct span value, const struct check_args *args)
{
    static const uint8_t weights[8] = {2, 4, 8, 5, 10, 9, 7, 3};
    struct symbols s;
    unsigned sum = 0;

    (void)args;
    if (!symbols_read_exactly(value, 10, &s) || s.value[0] != 9 || symbols_all_equal(&s)) {
        return false;
    }
    for (size_t i = 0; i < COUNT(weights); i++) {
        sum += (unsigned)s.value[i + 1] * weights[i] % 11;
    }
    return 11 - sum % 11 == s.value[9];
}

const struct check_type check_rvnr_de = {
    .name = "rvnr_de",
    .summary = "passes when the check digit of a German pension insurance number holds",
    .passes = rvnr_de_passes,
};

const struct check_type check_kvnr_de = {
    .name = "kvnr_de",
    .summary = "passes when the check digit of a German health insurance number holds",
    .passes = kvnr_de_passes,
};

const struct check_type check_spi_fr = {
    .name = "spi_fr",
    .summary = "passes when the key of a French tax number holds",
    .passes = spi_fr_passes,
};

const struct check_type check_social_security_es = {
    .name = "social_security_es",
    .summary = "passes when province and key of a Spanish social security number hold",
    .passes = social_security_es_passes,
};

const struct check_type check_ogrn_ru = {
    .name = "ogrn_ru",
    .summary = "passes when the check digit of a Russian OGRN holds",
    .passes = ogrn_ru_passes,
};

const struct check_type check_edrpou_ua = {
    .name = "edrpou_ua",
    .summary = "passes when the check digit of a Ukrainian company code holds",
    .passes = edrpou_ua_passes,
};

const struct check_type check_brn_kr = {
    .name = "brn_kr",
    .summary = "passes when the check digit of a Korean business number holds",
    .passes = brn_kr_passes,
};

const struct check_type check_corporate_number_jp = {
    .name = "corporate_number_jp",
    .summary = "passes when the check digit of a Japanese corporate number holds",
    .passes = corporate_number_jp_passes,
};

const struct check_type check_phn_ca = {
    .name = "phn_ca",
    .summary = "passes when the check digit of a health number of British Columbia holds",
    .passes = phn_ca_passes,
};
