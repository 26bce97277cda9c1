/* Numbers of France, the Netherlands and Belgium. */
#include "formats/calendar.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

enum { NIR_KEY = 13, NIR_LENGTH = 15, DEPARTMENT = 5, LETTER_A = 10, LETTER_B = 11 };

/* Corsica's departments 2A and 2B count as 19 and 18. */
static bool replace_corsica(struct symbols *s)
{
    uint8_t *department = s->value + DEPARTMENT;

    if (department[1] <= 9) {
        return true;
    }
    if (department[0] != 2 || (department[1] != LETTER_A && department[1] != LETTER_B)) {
        return false;
    }
    department[0] = 1;
    department[1] = department[1] == LETTER_A ? 9 : 8;
    return true;
}

/* Months over 12 stand for a birth date that is not known. */
static bool is_nir_month(uint64_t month)
{
    return (month >= 1 && month <= 12) || (month >= 20 && month <= 42) || month >= 50;
}

static bool nir_fr_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) || s.n != NIR_LENGTH || !replace_corsica(&s) ||
        !symbols_have_shape(&s, "999999999999999")) {
        return false;
    }
    bool is_sex = s.value[0] >= 1 && s.value[0] <= 8 && s.value[0] != 5 && s.value[0] != 6;
    return is_sex && is_nir_month(symbols_number(&s, 3, 5)) &&
           97 - symbols_number(&s, 0, NIR_KEY) % 97 == symbols_number(&s, NIR_KEY, NIR_LENGTH);
}

static bool bsn_nl_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[9] = {9, 8, 7, 6, 5, 4, 3, 2, -1};
    struct symbols s;

    (void)args;
    if (!symbols_read_digits(value, &s) || (s.n != 8 && s.n != 9) || symbols_all_equal(&s)) {
        return false;
    }
    return checksum_weighted(s.value, weights + (9 - s.n), s.n) % 11 == 0;
}

/* Numbers for people not in the register have 20 or 40 added to the month; a month and day of
 * nought stand for a date that is not known. */
static bool is_belgian_date(const struct symbols *s)
{
    unsigned year = (unsigned)symbols_number(s, 0, 2);
    unsigned month = (unsigned)symbols_number(s, 2, 4);
    unsigned day = (unsigned)symbols_number(s, 4, 6);

    month -= month >= 40 ? 40 : month >= 20 ? 20 : 0;
    return month == 0 || (month <= 12 && day == 0) || calendar_has_short_date(year, month, day);
}

static bool national_be_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    if (!symbols_read_exactly(value, 11, &s) || symbols_all_equal(&s) || !is_belgian_date(&s)) {
        return false;
    }
    uint64_t body = symbols_number(&s, 0, 9);
    uint64_t key = symbols_number(&s, 9, 11);
    /* Born from 2000 on, a 2 is put before. */
    return body > 0 && (97 - body % 97 == key || 97 - (2000000000 + body) % 97 == key);
}

const struct check_type check_nir_fr = {
    .name = "nir_fr",
    .summary = "passes when sex, month and key of a French insurance number hold",
    .passes = nir_fr_passes,
};

const struct check_type check_bsn_nl = {
    .name = "bsn_nl",
    .summary = "passes when the eleven test of a Dutch citizen number holds",
    .passes = bsn_nl_passes,
};

const struct check_type check_national_be = {
    .name = "national_be",
    .summary = "passes when date and key of a Belgian national number hold",
    .passes = national_be_passes,
};
