/* Numbers of Germany, Austria and Switzerland. */
#include "formats/calendar.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

/* Among the first ten digits exactly one occurs twice or three times, the others at most once;
 * three never side by side. */
static bool has_digits_of_tax_id(const struct symbols *s)
{
    unsigned counts[10] = {0};
    unsigned more_than_once = 0;

    for (size_t i = 0; i < 10; i++) {
        counts[s->value[i]]++;
        if (i >= 2 && s->value[i] == s->value[i - 1] && s->value[i] == s->value[i - 2]) {
            return false;
        }
    }
    for (size_t digit = 0; digit < 10; digit++) {
        if (counts[digit] > 3) {
            return false;
        }
        more_than_once += counts[digit] > 1 ? 1 : 0;
    }
    return more_than_once == 1;
}

static bool tax_id_de_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    return symbols_read_exactly(value, 11, &s) && s.value[0] != 0 && has_digits_of_tax_id(&s) &&
           checksum_hybrid(s.value, s.n, 10);
}

/* Nine characters and the check digit of the machine-readable zone; a D of old cards may follow.
 * Cards from before 2010 have digits only, or T and digits. */
static bool id_card_de_passes(struct span value, const struct check_args *args)
{
    enum { BODY = 9 };
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s)) {
        return false;
    }
    if (s.n == BODY + 2 && symbols_character(s.value[BODY + 1]) == 'D') {
        s.n--;
    }
    if (s.n != BODY + 1 || s.value[BODY] > 9 || symbols_all_equal(&s)) {
        return false;
    }
    for (size_t i = 0; i < BODY; i++) {
        if (strchr("ABDEIOQSU", symbols_character(s.value[i])) != NULL) {
            return false;
        }
    }
    return checksum_731(s.value, BODY) == s.value[BODY];
}

/* Serial, check digit, date of birth; the month is 13 to 15 where a day has no serials left. */
static bool svnr_at_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[10] = {3, 7, 9, 0, 5, 8, 4, 2, 1, 6};
    struct symbols s;

    (void)args;
    if (!symbols_read_exactly(value, COUNT(weights), &s) || s.value[0] == 0) {
        return false;
    }
    unsigned day = (unsigned)symbols_number(&s, 4, 6);
    unsigned month = (unsigned)symbols_number(&s, 6, 8);
    unsigned year = (unsigned)symbols_number(&s, 8, 10);
    bool is_date = calendar_has_short_date(year, month, day) ||
                   (month >= 13 && month <= 15 && day >= 1 && day <= 31);
    return is_date && checksum_weighted(s.value, weights, s.n) % 11 == s.value[3];
}

/* EAN-13 of the country 756. */
static bool ahv_ch_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[13] = {1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1};
    struct symbols s;

    (void)args;
    return symbols_read_exactly(value, COUNT(weights), &s) && symbols_number(&s, 0, 3) == 756 &&
           checksum_weighted(s.value, weights, s.n) % 10 == 0;
}

const struct check_type check_tax_id_de = {
    .name = "tax_id_de",
    .summary = "passes when a German tax id has its distribution of digits and check digit",
    .passes = tax_id_de_passes,
};

const struct check_type check_id_card_de = {
    .name = "id_card_de",
    .summary = "passes when a German card or passport number is followed by its check digit",
    .passes = id_card_de_passes,
};

const struct check_type check_svnr_at = {
    .name = "svnr_at",
    .summary = "passes when an Austrian insurance number has its date and check digit",
    .passes = svnr_at_passes,
};

const struct check_type check_ahv_ch = {
    .name = "ahv_ch",
    .summary = "passes when a Swiss AHV number begins with 756 and its check digit holds",
    .passes = ahv_ch_passes,
};
