/* Numbers of the United States, by the rules of their issuers. */
#include "base/ascii.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

enum { TAXPAYER_DIGITS = 9, AREA = 0, GROUP = 3, SERIAL = 5 };

/* Numbers that were printed in advertisements and voided for it. */
static bool is_voided_ssn(const struct symbols *s)
{
    uint64_t number = symbols_number(s, 0, s->n);

    return number == 78051120 || number == 219099999;
}

static bool ssn_us_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    if (!symbols_read_exactly(value, TAXPAYER_DIGITS, &s) || symbols_all_equal(&s)) {
        return false;
    }
    uint64_t area = symbols_number(&s, AREA, GROUP);
    return area != 0 && area != 666 && area < 900 && symbols_number(&s, GROUP, SERIAL) != 0 &&
           symbols_number(&s, SERIAL, s.n) != 0 && !is_voided_ssn(&s);
}

static bool itin_us_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    if (!symbols_read_exactly(value, TAXPAYER_DIGITS, &s) || s.value[0] != 9) {
        return false;
    }
    uint64_t group = symbols_number(&s, GROUP, SERIAL);
    return (group >= 50 && group <= 65) || (group >= 70 && group <= 88) ||
           (group >= 90 && group <= 92) || (group >= 94 && group <= 99);
}

/* The first two digits tell the office; these were never given to one. */
static bool ein_us_passes(struct span value, const struct check_args *args)
{
    static const uint8_t unused[] = {0,  7,  8,  9,  17, 18, 19, 28, 29,
                                     49, 69, 70, 78, 79, 89, 96, 97};
    struct symbols s;

    (void)args;
    if (!symbols_read_exactly(value, TAXPAYER_DIGITS, &s) || symbols_all_equal(&s)) {
        return false;
    }
    return memchr(unused, (int)symbols_number(&s, 0, 2), sizeof(unused)) == NULL;
}

static bool dea_us_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) || !symbols_have_shape(&s, "A*9999999") ||
        (s.value[1] < 10 && s.value[1] != 9) ||
        strchr("ABCDEFGHJKLMPRSTUX", symbols_character(s.value[0])) == NULL) {
        return false;
    }
    const uint8_t *d = s.value + 2;
    int sum = d[0] + d[2] + d[4] + 2 * (d[1] + d[3] + d[5]);
    return sum > 0 && sum % 10 == d[6];
}

static bool aba_us_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[9] = {3, 7, 1, 3, 7, 1, 3, 7, 1};
    struct symbols s;

    (void)args;
    if (!symbols_read_exactly(value, COUNT(weights), &s) || symbols_all_equal(&s)) {
        return false;
    }
    uint64_t office = symbols_number(&s, 0, 2);
    bool is_office = office <= 12 || (office >= 21 && office <= 32) ||
                     (office >= 61 && office <= 72) || office == 80;
    return is_office && checksum_weighted(s.value, weights, s.n) % 10 == 0;
}

/* Luhn as if the card issuer prefix 80840 was before. */
static bool npi_us_passes(struct span value, const struct check_args *args)
{
    uint8_t prefixed[15] = {8, 0, 8, 4, 0};
    struct symbols s;

    (void)args;
    if (!symbols_read_exactly(value, 10, &s) || (s.value[0] != 1 && s.value[0] != 2)) {
        return false;
    }
    memcpy(prefixed + 5, s.value, s.n);
    return checksum_luhn(prefixed, sizeof(prefixed), 10);
}

static bool mbi_us_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) || !symbols_have_shape(&s, "9A*9A*9AA99") || s.value[0] == 0) {
        return false;
    }
    for (size_t i = 0; i < s.n; i++) {
        if (strchr("SLOIBZ", symbols_character(s.value[i])) != NULL) {
            return false;
        }
    }
    return true;
}

const struct check_type check_ssn_us = {
    .name = "ssn_us",
    .summary = "passes when area, group and serial of a US social security number are issued",
    .passes = ssn_us_passes,
};

const struct check_type check_itin_us = {
    .name = "itin_us",
    .summary = "passes when a US taxpayer number begins with 9 and its group is issued",
    .passes = itin_us_passes,
};

const struct check_type check_ein_us = {
    .name = "ein_us",
    .summary = "passes when the prefix of a US employer number is of an office",
    .passes = ein_us_passes,
};

const struct check_type check_dea_us = {
    .name = "dea_us",
    .summary = "passes when a US DEA registration has its form and check digit",
    .passes = dea_us_passes,
};

const struct check_type check_aba_us = {
    .name = "aba_us",
    .summary = "passes when a US routing number has its prefix and checksum",
    .passes = aba_us_passes,
};

const struct check_type check_npi_us = {
    .name = "npi_us",
    .summary = "passes when a US provider number begins with 1 or 2 and Luhn holds with 80840",
    .passes = npi_us_passes,
};

const struct check_type check_mbi_us = {
    .name = "mbi_us",
    .summary = "passes when a US Medicare number has its form and none of S L O I B Z",
    .passes = mbi_us_passes,
};
