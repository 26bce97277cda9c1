/* Numbers of Estonia, Lithuania, Latvia and Luxembourg. */
#include "formats/calendar.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

/* Estonia and Lithuania: century and sex, YYMMDD, serial; other weights where the first give 10. */
static bool personal_code_baltic_passes(struct span value, const struct check_args *args)
{
    static const int8_t first[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1};
    static const int8_t second[10] = {3, 4, 5, 6, 7, 8, 9, 1, 2, 3};
    struct symbols s;

    (void)args;
    if (!symbols_read_exactly(value, 11, &s) || s.value[0] < 1 || s.value[0] > 8) {
        return false;
    }
    unsigned year = 1800 + (s.value[0] - 1u) / 2 * 100 + (unsigned)symbols_number(&s, 1, 3);
    if (!calendar_has_date(year, (unsigned)symbols_number(&s, 3, 5), (unsigned)symbols_number(&s, 5, 7))) {
        return false;
    }
    long remainder = checksum_weighted(s.value, first, COUNT(first)) % 11;
    if (remainder == 10) {
        remainder = checksum_weighted(s.value, second, COUNT(second)) % 11 % 10;
    }
    return s.value[10] == remainder;
}

/* DDMMYY, century and serial; codes from 32 carry no date. */
static bool personal_code_lv_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[10] = {10, 5, 8, 4, 2, 1, 6, 3, 7, 9};
    enum { WITHOUT_DATE = 32 };
    struct symbols s;

    (void)args;
    if (!symbols_read_exactly(value, 11, &s) || symbols_all_equal(&s)) {
        return false;
    }
    unsigned day = (unsigned)symbols_number(&s, 0, 2);
    if (day < WITHOUT_DATE && (s.value[6] > 2 || !calendar_has_date(1800u + 100u * s.value[6] + (unsigned)symbols_number(&s, 4, 6),
                                                                   (unsigned)symbols_number(&s, 2, 4), day))) {
        return false;
    }
    return (1 + checksum_weighted(s.value, weights, COUNT(weights))) % 11 % 10 == s.value[10];
}

/* YYYYMMDD and serial, then Luhn over the first eleven, then Verhoeff over the same eleven. */
static bool matricule_lu_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    if (!symbols_read_exactly(value, 13, &s) ||
        !calendar_has_date((unsigned)symbols_number(&s, 0, 4), (unsigned)symbols_number(&s, 4, 6),
                           (unsigned)symbols_number(&s, 6, 8)) ||
        !checksum_luhn(s.value, 12, 10)) {
        return false;
    }
    s.value[11] = s.value[12];
    return checksum_verhoeff(s.value, 12);
}

const struct check_type check_personal_code_baltic = {
    .name = "personal_code_baltic",
    .summary = "passes when date and check digit of an Estonian or Lithuanian personal code hold",
    .passes = personal_code_baltic_passes,
};

const struct check_type check_personal_code_lv = {
    .name = "personal_code_lv",
    .summary = "passes when date and check digit of a Latvian personal code hold",
    .passes = personal_code_lv_passes,
};

const struct check_type check_matricule_lu = {
    .name = "matricule_lu",
    .summary = "passes when date, Luhn and Verhoeff of a Luxembourg number hold",
    .passes = matricule_lu_passes,
};
