/* Numbers of Hong Kong, Singapore, Taiwan, Australia and New Zealand. */
#include "base/ascii.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

enum { LETTER_A = 10, NATIONAL_MAX = 32 };

/* One or two letters, six digits, the check digit, mostly in brackets. A letter counts 10 to 35, a missing
 * second one 36; weights 9 to 1, the check digit A is 10. */
static bool hkid_hk_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[9] = {9, 8, 7, 6, 5, 4, 3, 2, 1};
    enum { BLANK = 36, SHORT = 8 };
    char text[NATIONAL_MAX];
    size_t len = 0;
    struct symbols s;

    (void)args;
    for (size_t i = 0; i < value.len && len < sizeof(text); i++) {
        if (value.ptr[i] != '(' && value.ptr[i] != ')') {
            text[len++] = value.ptr[i];
        }
    }
    if (!symbols_read(span_of(text, len), &s) || (s.n != SHORT && s.n != COUNT(weights))) {
        return false;
    }
    if (s.n == SHORT) {
        memmove(s.value + 1, s.value, SHORT);
        s.value[0] = BLANK;
        s.n++;
    }
    bool is_form = s.value[0] >= LETTER_A && s.value[1] >= LETTER_A && s.value[8] <= LETTER_A;
    for (size_t i = 2; i < SHORT; i++) {
        is_form = is_form && s.value[i] <= 9;
    }
    return is_form && checksum_weighted(s.value, weights, s.n) % 11 == 0;
}

/* S and T for citizens, F, G and M for foreigners; T and G add 4, M adds 3. */
static bool nric_sg_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[7] = {2, 7, 6, 5, 4, 3, 2};
    static const struct {
        char kind;
        uint8_t offset;
        char letters[12];
    } kinds[] = {{'S', 0, "JZIHGFEDCBA"},
                 {'T', 4, "JZIHGFEDCBA"},
                 {'F', 0, "XWUTRQPNMLK"},
                 {'G', 4, "XWUTRQPNMLK"},
                 {'M', 3, "XWUTRQPNJLK"}};
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) || !symbols_have_shape(&s, "A9999999A")) {
        return false;
    }
    long sum = checksum_weighted(s.value + 1, weights, COUNT(weights));
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (kinds[i].kind == symbols_character(s.value[0])) {
            return kinds[i].letters[(sum + kinds[i].offset) % 11] == symbols_character(s.value[8]);
        }
    }
    return false;
}

/* The letter is the place of registration and counts as two digits. */
static bool national_id_tw_passes(struct span value, const struct check_args *args)
{
    static const uint8_t places[26] = {10, 11, 12, 13, 14, 15, 16, 17, 34, 18, 19, 20, 21,
                                       22, 35, 23, 24, 25, 26, 27, 28, 29, 32, 30, 31, 33};
    static const int8_t weights[9] = {8, 7, 6, 5, 4, 3, 2, 1, 1};
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) || !symbols_have_shape(&s, "A999999999")) {
        return false;
    }
    unsigned place = places[s.value[0] - LETTER_A];
    return (place / 10 + 9L * (place % 10) + checksum_weighted(s.value + 1, weights, COUNT(weights))) % 10 == 0;
}

/* One is taken from the first digit; mod 89. */
static bool abn_au_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[11] = {10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19};
    struct symbols s;

    (void)args;
    if (!symbols_read_exactly(value, COUNT(weights), &s) || s.value[0] == 0 || symbols_all_equal(&s)) {
        return false;
    }
    s.value[0]--;
    return checksum_weighted(s.value, weights, s.n) % 89 == 0;
}

/* Eight or nine digits; a second set of weights where the first gives 10. */
static bool ird_nz_passes(struct span value, const struct check_args *args)
{
    static const int8_t first[8] = {3, 2, 7, 6, 5, 4, 3, 2};
    static const int8_t second[8] = {7, 4, 3, 2, 5, 2, 7, 6};
    enum { LENGTH = 9, LOWEST = 10000000, HIGHEST = 200000000 };
    struct symbols s;

    (void)args;
    if (!symbols_read_digits(value, &s) || (s.n != LENGTH && s.n != LENGTH - 1)) {
        return false;
    }
    uint64_t number = symbols_number(&s, 0, s.n);
    size_t skip = LENGTH - s.n;
    unsigned check = checksum_complement(checksum_weighted(s.value, first + skip, s.n - 1), 11);
    if (check == 10) {
        check = checksum_complement(checksum_weighted(s.value, second + skip, s.n - 1), 11);
    }
    return number > LOWEST && number < HIGHEST && check == s.value[s.n - 1];
}

/* Three letters without I and O, which count 1 to 24; the old form ends in three digits and a check digit. */
static bool nhi_nz_passes(struct span value, const struct check_args *args)
{
    static const char letters[] = "ABCDEFGHJKLMNPQRSTUVWXYZ";
    struct symbols s;
    long sum = 0;

    (void)args;
    if (!symbols_read(value, &s) || !symbols_have_shape(&s, "AAA9999")) {
        return false;
    }
    for (size_t i = 0; i < 6; i++) {
        long v = s.value[i];
        if (i < 3) {
            const char *at = strchr(letters, symbols_character(s.value[i]));
            if (at == NULL) {
                return false;
            }
            v = at - letters + 1;
        }
        sum += v * (long)(7 - i);
    }
    return sum % 11 != 0 && (11 - sum % 11) % 10 == s.value[6];
}

const struct check_type check_hkid_hk = {
    .name = "hkid_hk",
    .summary = "passes when the check digit of a Hong Kong identity card holds",
    .passes = hkid_hk_passes,
};

const struct check_type check_nric_sg = {
    .name = "nric_sg",
    .summary = "passes when the check letter of a Singapore NRIC or FIN holds",
    .passes = nric_sg_passes,
};

const struct check_type check_national_id_tw = {
    .name = "national_id_tw",
    .summary = "passes when the check digit of a Taiwanese identity number holds",
    .passes = national_id_tw_passes,
};

const struct check_type check_abn_au = {
    .name = "abn_au",
    .summary = "passes when the mod 89 check of an Australian business number holds",
    .passes = abn_au_passes,
};

const struct check_type check_ird_nz = {
    .name = "ird_nz",
    .summary = "passes when range and check digit of a New Zealand IRD number hold",
    .passes = ird_nz_passes,
};

const struct check_type check_nhi_nz = {
    .name = "nhi_nz",
    .summary = "passes when the check digit of a New Zealand health number holds",
    .passes = nhi_nz_passes,
};
