/* Numbers of India and China. */
#include "formats/calendar.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

static bool is_palindrome(const struct symbols *s)
{
    for (size_t i = 0; i < s->n / 2; i++) {
        if (s->value[i] != s->value[s->n - 1 - i]) {
            return false;
        }
    }
    return true;
}

static bool aadhaar_in_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    return symbols_read_exactly(value, 12, &s) && s.value[0] >= 2 && !is_palindrome(&s) &&
           checksum_verhoeff(s.value, s.n);
}

/* State, PAN of the holder, number of the registration, Z, check character. */
static bool gstin_in_passes(struct span value, const struct check_args *args)
{
    enum { RESERVED = 13 };
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) || !symbols_have_shape(&s, "99AAAAA9999A*A*") ||
        symbols_character(s.value[RESERVED]) != 'Z') {
        return false;
    }
    uint64_t state = symbols_number(&s, 0, 2);
    bool is_state = (state >= 1 && state <= 38) || state == 97 || state == 99;
    return is_state && checksum_luhn(s.value, s.n, 36);
}

/* Region, YYYYMMDD, serial, check character, X for ten. Regions begin with 1 to 6; 71 is Taiwan,
 * 81 to 83 are Hong Kong, Macao and Taiwan, 9 is for foreigners. */
static bool ric_cn_passes(struct span value, const struct check_args *args)
{
    enum { LENGTH = 18, LETTER_X = 33, YEAR_MIN = 1850, YEAR_MAX = 2100 };
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) || !symbols_have_shape(&s, "99999999999999999*")) {
        return false;
    }
    uint8_t *check = &s.value[LENGTH - 1];
    if (*check > 9) {
        if (*check != LETTER_X) {
            return false;
        }
        *check = 10;
    }
    unsigned year = (unsigned)symbols_number(&s, 6, 10);
    return s.value[0] != 0 && year >= YEAR_MIN && year <= YEAR_MAX &&
           calendar_has_date(year, (unsigned)symbols_number(&s, 10, 12),
                             (unsigned)symbols_number(&s, 12, 14)) &&
           checksum_mod11_2(s.value, s.n);
}

const struct check_type check_aadhaar_in = {
    .name = "aadhaar_in",
    .summary = "passes when an Indian Aadhaar number begins with 2 to 9 and Verhoeff holds",
    .passes = aadhaar_in_passes,
};

const struct check_type check_gstin_in = {
    .name = "gstin_in",
    .summary = "passes when form, state and check character of an Indian GSTIN hold",
    .passes = gstin_in_passes,
};

const struct check_type check_ric_cn = {
    .name = "ric_cn",
    .summary = "passes when date and check character of a Chinese identity number hold",
    .passes = ric_cn_passes,
};
