/* Numbers of the United Kingdom and Ireland. */
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

static bool nino_uk_passes(struct span value, const struct check_args *args)
{
    static const char *const unused[] = {"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"};
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) || !symbols_have_shape(&s, "AA999999A")) {
        return false;
    }
    char first = symbols_character(s.value[0]);
    char second = symbols_character(s.value[1]);
    char suffix = symbols_character(s.value[8]);
    if (strchr("DFIQUV", first) != NULL || strchr("DFIOQUV", second) != NULL || suffix > 'D') {
        return false;
    }
    for (size_t i = 0; i < COUNT(unused); i++) {
        if (first == unused[i][0] && second == unused[i][1]) {
            return false;
        }
    }
    return true;
}

/* The check digit is first; a K that may follow the number is no part of it. */
static bool utr_uk_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[9] = {6, 7, 8, 9, 10, 5, 4, 3, 2};
    static const uint8_t digits[11] = {2, 1, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    struct symbols s;

    (void)args;
    if (value.len > 0 && (value.ptr[value.len - 1] | 0x20) == 'k') {
        value.len--;
    }
    return symbols_read_exactly(value, 10, &s) && !symbols_all_equal(&s) &&
           s.value[0] == digits[checksum_weighted(s.value + 1, weights, 9) % 11];
}

/* Weight 1 is the check digit's; 10 is never issued, and no digit makes up for it. */
static bool nhs_uk_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[10] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    struct symbols s;

    (void)args;
    return symbols_read_exactly(value, COUNT(weights), &s) && !symbols_all_equal(&s) &&
           checksum_weighted(s.value, weights, s.n) % 11 == 0;
}

static bool ppsn_ie_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[7] = {8, 7, 6, 5, 4, 3, 2};
    static const char letters[] = "WABCDEFGHIJKLMNOPQRSTUV";
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) ||
        !(symbols_have_shape(&s, "9999999A") || symbols_have_shape(&s, "9999999AA"))) {
        return false;
    }
    long sum = checksum_weighted(s.value, weights, COUNT(weights));
    if (s.n == 9) {
        char second = symbols_character(s.value[8]);
        sum += second == 'W' || second == 'T' ? 0 : 9 * (second - 'A' + 1);
    }
    return sum > 0 && symbols_character(s.value[7]) == letters[sum % 23];
}

/* The check letter is first: the sum of place (from 2) times value, mod 23, in an alphabet without I, O and S. A temporary number
 * ends in one of these letters, with its place in the alphabet as value. */
static bool upn_gb_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[12] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
    static const char letters[] = "ABCDEFGHJKLMNPQRTUVWXYZ";
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) ||
        !(symbols_have_shape(&s, "A999999999999") || symbols_have_shape(&s, "A99999999999A"))) {
        return false;
    }
    const char *last = strchr(letters, symbols_character(s.value[12]));
    if (s.value[12] > 9 && last == NULL) {
        return false;
    }
    s.value[12] = last != NULL ? (uint8_t)(last - letters) : s.value[12];
    return symbols_character(s.value[0]) == letters[checksum_weighted(s.value + 1, weights, COUNT(weights)) % 23];
}

const struct check_type check_nino_uk = {
    .name = "nino_uk",
    .summary = "passes when a UK national insurance number has its form and an issued prefix",
    .passes = nino_uk_passes,
};

const struct check_type check_utr_uk = {
    .name = "utr_uk",
    .summary = "passes when the first digit of a UK taxpayer reference is its check digit",
    .passes = utr_uk_passes,
};

const struct check_type check_nhs_uk = {
    .name = "nhs_uk",
    .summary = "passes when the mod 11 check digit of a UK NHS number holds",
    .passes = nhs_uk_passes,
};

const struct check_type check_upn_gb = {
    .name = "upn_gb",
    .summary = "passes when the check letter of an English unique pupil number holds",
    .passes = upn_gb_passes,
};

const struct check_type check_ppsn_ie = {
    .name = "ppsn_ie",
    .summary = "passes when the mod 23 check letter of an Irish PPS number holds",
    .passes = ppsn_ie_passes,
};
