/* Numbers of Sweden, Norway, Denmark and Finland. */
#include "base/ascii.h"
#include "formats/calendar.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

enum { CENTURIAN_MAX = 16 };

/* People over a hundred have + for the hyphen. Twelve digits begin with the century, which the
 * check digit leaves out. Coordination numbers add 60 to the day. */
static bool read_personnummer(struct span value, struct symbols *s)
{
    char text[CENTURIAN_MAX];

    if (value.len > sizeof(text)) {
        return false;
    }
    for (size_t i = 0; i < value.len; i++) {
        text[i] = value.ptr[i];
        if (text[i] == '+') {
            text[i] = '-';
        }
    }
    if (!symbols_read_digits(span_of(text, value.len), s)) {
        return false;
    }
    if (s->n == 12) {
        uint64_t century = symbols_number(s, 0, 2);
        memmove(s->value, s->value + 2, 10);
        s->n = century >= 18 && century <= 20 ? 10 : 0;
    }
    return s->n == 10;
}

static bool personnummer_se_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    if (!read_personnummer(value, &s)) {
        return false;
    }
    unsigned day = (unsigned)symbols_number(&s, 4, 6);
    day -= day > 60 ? 60 : 0;
    return calendar_has_short_date((unsigned)symbols_number(&s, 0, 2),
                                   (unsigned)symbols_number(&s, 2, 4), day) &&
           checksum_luhn(s.value, s.n, 10);
}

/* D-numbers add 40 to the day, numbers of health services 40 to the month, of tests 80. */
static bool is_norwegian_date(const struct symbols *s)
{
    unsigned day = (unsigned)symbols_number(s, 0, 2);
    unsigned month = (unsigned)symbols_number(s, 2, 4);

    day -= day > 40 ? 40 : 0;
    month -= month > 80 ? 80 : month > 40 ? 40 : 0;
    return calendar_has_short_date((unsigned)symbols_number(s, 4, 6), month, day);
}

static bool fnr_no_passes(struct span value, const struct check_args *args)
{
    static const int8_t first[10] = {3, 7, 6, 1, 8, 9, 4, 5, 2, 1};
    static const int8_t second[11] = {5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1};
    struct symbols s;

    (void)args;
    return symbols_read_exactly(value, 11, &s) && is_norwegian_date(&s) &&
           checksum_weighted(s.value, first, 10) % 11 == 0 &&
           checksum_weighted(s.value, second, 11) % 11 == 0;
}

/* Numbers issued since 2007 need not hold the sum: rules lower the confidence, they do not drop. */
static bool cpr_dk_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[10] = {4, 3, 2, 7, 6, 5, 4, 3, 2, 1};
    struct symbols s;

    (void)args;
    return symbols_read_exactly(value, 10, &s) &&
           calendar_has_short_date((unsigned)symbols_number(&s, 4, 6),
                                   (unsigned)symbols_number(&s, 2, 4),
                                   (unsigned)symbols_number(&s, 0, 2)) &&
           checksum_weighted(s.value, weights, 10) % 11 == 0;
}

/* DDMMYY, the sign of the century, three digits, a check character. */
static bool hetu_fi_passes(struct span value, const struct check_args *args)
{
    enum { LENGTH = 11, SIGN = 6, CHECK = 10 };
    static const char signs[] = "+-ABCDEFUVWXYabcdefuvwxy";
    static const char checks[] = "0123456789ABCDEFHJKLMNPRSTUVWXY";
    char digits[9];
    struct symbols s;

    (void)args;
    if (value.len != LENGTH || value.ptr[SIGN] == '\0' || strchr(signs, value.ptr[SIGN]) == NULL) {
        return false;
    }
    memcpy(digits, value.ptr, SIGN);
    memcpy(digits + SIGN, value.ptr + SIGN + 1, 3);
    if (!symbols_read_exactly(span_of(digits, sizeof(digits)), sizeof(digits), &s)) {
        return false;
    }
    bool is_date = calendar_has_short_date((unsigned)symbols_number(&s, 4, 6),
                                           (unsigned)symbols_number(&s, 2, 4),
                                           (unsigned)symbols_number(&s, 0, 2));
    char check = checks[symbols_number(&s, 0, 9) % 31];
    return is_date && symbols_number(&s, SIGN, 9) >= 2 &&
           ascii_lower(value.ptr[CHECK]) == ascii_lower(check);
}

const struct check_type check_personnummer_se = {
    .name = "personnummer_se",
    .summary = "passes when date and Luhn of a Swedish personal number hold",
    .passes = personnummer_se_passes,
};

const struct check_type check_fnr_no = {
    .name = "fnr_no",
    .summary = "passes when date and both check digits of a Norwegian birth number hold",
    .passes = fnr_no_passes,
};

const struct check_type check_cpr_dk = {
    .name = "cpr_dk",
    .summary = "passes when date and mod 11 of a Danish CPR number hold (not all since 2007 do)",
    .passes = cpr_dk_passes,
};

const struct check_type check_hetu_fi = {
    .name = "hetu_fi",
    .summary = "passes when date and check character of a Finnish identity code hold",
    .passes = hetu_fi_passes,
};
