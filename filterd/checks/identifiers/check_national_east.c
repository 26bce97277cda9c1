/* Numbers of Poland, Romania, Czechia with Slovakia, and Turkey. */
#include "formats/calendar.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

/* The century is added to the month: 1800 80, 1900 0, 2000 20, 2100 40, 2200 60. */
static bool has_pesel_date(const struct symbols *s)
{
    static const unsigned centuries[5] = {1900, 2000, 2100, 2200, 1800};
    unsigned month = (unsigned)symbols_number(s, 2, 4);
    unsigned year = centuries[month / 20] + (unsigned)symbols_number(s, 0, 2);

    return calendar_has_date(year, month % 20, (unsigned)symbols_number(s, 4, 6));
}

static bool pesel_pl_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[11] = {1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1};
    struct symbols s;

    (void)args;
    return symbols_read_exactly(value, COUNT(weights), &s) && has_pesel_date(&s) &&
           checksum_weighted(s.value, weights, s.n) % 10 == 0;
}

/* A remainder of 10 is no digit: such numbers are never issued. */
static bool nip_pl_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[9] = {6, 5, 7, 2, 3, 4, 5, 6, 7};
    struct symbols s;

    (void)args;
    return symbols_read_exactly(value, 10, &s) && !symbols_all_equal(&s) && s.value[0] != 0 &&
           checksum_weighted(s.value, weights, 9) % 11 == s.value[9];
}

/* Sex and century, YYMMDD, county, serial, check digit. */
static bool cnp_ro_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[12] = {2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9};
    struct symbols s;

    (void)args;
    if (!symbols_read_exactly(value, 13, &s) || s.value[0] == 0) {
        return false;
    }
    uint64_t county = symbols_number(&s, 7, 9);
    bool is_county = (county >= 1 && county <= 52) || county == 70;
    long check = checksum_weighted(s.value, weights, 12) % 11;
    return is_county &&
           calendar_has_short_date((unsigned)symbols_number(&s, 1, 3),
                                   (unsigned)symbols_number(&s, 3, 5),
                                   (unsigned)symbols_number(&s, 5, 7)) &&
           (check == 10 ? 1 : check) == s.value[12];
}

/* Women add 50 to the month, days without serials left 20 more. Numbers of nine digits are from
 * before 1954 and have no check digit. */
static bool has_czech_date(const struct symbols *s)
{
    unsigned month = (unsigned)symbols_number(s, 2, 4);

    month -= month > 50 ? 50 : 0;
    month -= month > 20 ? 20 : 0;
    return calendar_has_short_date((unsigned)symbols_number(s, 0, 2), month,
                                   (unsigned)symbols_number(s, 4, 6));
}

static bool birth_number_cz_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    if (!symbols_read_digits(value, &s) || (s.n != 9 && s.n != 10) || !has_czech_date(&s)) {
        return false;
    }
    if (s.n == 9) {
        return symbols_number(&s, 0, 2) < 54 && symbols_number(&s, 6, 9) > 0;
    }
    return symbols_number(&s, 0, 9) % 11 % 10 == s.value[9];
}

static bool tckn_tr_passes(struct span value, const struct check_args *args)
{
    struct symbols s;
    unsigned odd = 0;
    unsigned even = 0;

    (void)args;
    if (!symbols_read_exactly(value, 11, &s) || s.value[0] == 0) {
        return false;
    }
    for (size_t i = 0; i < 9; i++) {
        *(i % 2 == 0 ? &odd : &even) += s.value[i];
    }
    unsigned tenth = (7 * odd + 100 - even) % 10; /* 100: the sum of four digits is less */
    return tenth == s.value[9] && (odd + even + tenth) % 10 == s.value[10];
}

const struct check_type check_pesel_pl = {
    .name = "pesel_pl",
    .summary = "passes when date and check digit of a Polish PESEL hold",
    .passes = pesel_pl_passes,
};

const struct check_type check_nip_pl = {
    .name = "nip_pl",
    .summary = "passes when the check digit of a Polish NIP holds",
    .passes = nip_pl_passes,
};

const struct check_type check_cnp_ro = {
    .name = "cnp_ro",
    .summary = "passes when date, county and check digit of a Romanian CNP hold",
    .passes = cnp_ro_passes,
};

const struct check_type check_birth_number_cz = {
    .name = "birth_number_cz",
    .summary = "passes when date and check digit of a Czech or Slovak birth number hold",
    .passes = birth_number_cz_passes,
};

const struct check_type check_tckn_tr = {
    .name = "tckn_tr",
    .summary = "passes when both check digits of a Turkish identity number hold",
    .passes = tckn_tr_passes,
};
