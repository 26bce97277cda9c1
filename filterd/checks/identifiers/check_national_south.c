/* Numbers of Spain, Italy, Portugal and Greece. */
#include "formats/calendar.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

enum { NIF_LENGTH = 9, NIF_LETTER = 8 };

static char dni_letter(uint64_t number)
{
    static const char letters[] = "TRWAGMYFPDXBNJZSQVHLCKE";

    return letters[number % 23];
}

/* Luhn's check digit of the seven; as a letter J A B … I. Some kinds of company have the letter,
 * some the digit, the rest either. */
static bool is_cif(const struct symbols *s, char kind)
{
    uint8_t digits[8];
    unsigned check = 0;
    uint8_t last = s->value[NIF_LETTER];

    memcpy(digits, s->value + 1, 7);
    do {
        digits[7] = (uint8_t)check;
    } while (!checksum_luhn(digits, sizeof(digits), 10) && ++check < 10);
    bool is_digit = last == check;
    bool is_letter = last > 9 && symbols_character(last) == "JABCDEFGHI"[check % 10];
    if (strchr("PQRSNW", kind) != NULL) {
        return is_letter;
    }
    return strchr("ABEH", kind) != NULL ? is_digit : is_digit || is_letter;
}

static bool nif_es_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) || s.n != NIF_LENGTH) {
        return false;
    }
    char last = symbols_character(s.value[NIF_LETTER]);
    if (symbols_have_shape(&s, "99999999A")) {
        return symbols_number(&s, 0, 8) > 0 && last == dni_letter(symbols_number(&s, 0, 8));
    }
    if (!symbols_have_shape(&s, "A9999999*")) {
        return false;
    }
    char first = symbols_character(s.value[0]);
    uint64_t number = symbols_number(&s, 1, 8);
    if (first >= 'X' && first <= 'Z') {
        return last == dni_letter((uint64_t)(first - 'X') * 10000000 + number);
    }
    if (first >= 'K' && first <= 'M') {
        return last == dni_letter(number);
    }
    return strchr("ABCDEFGHJNPQRSUVW", first) != NULL && is_cif(&s, first);
}

/* Values of the characters at odd places, counted from 1: digits as the letters A to J. */
static const uint8_t fiscal_odd[26] = {1,  0,  5, 7, 9, 13, 15, 17, 19, 21, 2,  4,  18,
                                       20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23};

/* Digits may be written as letters to tell namesakes apart. */
static int fiscal_digit(uint8_t symbol)
{
    static const char letters[] = "LMNPQRSTUV";

    if (symbol <= 9) {
        return symbol;
    }
    const char *at = strchr(letters, symbols_character(symbol));
    return at == NULL ? -1 : (int)(at - letters);
}

static bool has_fiscal_date(const struct symbols *s)
{
    static const char months[] = "ABCDEHLMPRST";
    static const uint8_t places[] = {6, 7, 9, 10, 12, 13, 14};
    unsigned digits[16] = {0};
    const char *month = strchr(months, symbols_character(s->value[8]));

    for (size_t i = 0; i < COUNT(places); i++) {
        int digit = fiscal_digit(s->value[places[i]]);
        if (digit < 0) {
            return false;
        }
        digits[places[i]] = (unsigned)digit;
    }
    unsigned day = digits[9] * 10 + digits[10];
    day -= day > 40 ? 40 : 0; /* women */
    return month != NULL && s->value[8] > 9 &&
           calendar_has_short_date(digits[6] * 10 + digits[7], (unsigned)(month - months) + 1, day);
}

static bool fiscal_code_it_passes(struct span value, const struct check_args *args)
{
    struct symbols s;
    unsigned sum = 0;

    (void)args;
    if (!symbols_read(value, &s) || !symbols_have_shape(&s, "AAAAAA**A**A***A") ||
        !has_fiscal_date(&s)) {
        return false;
    }
    for (size_t i = 0; i < 15; i++) {
        unsigned rank = s.value[i] <= 9 ? s.value[i] : s.value[i] - 10u;
        sum += i % 2 == 0 ? fiscal_odd[rank] : rank;
    }
    return symbols_character(s.value[15]) == (char)('A' + sum % 26);
}

static bool nif_pt_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[8] = {9, 8, 7, 6, 5, 4, 3, 2};
    struct symbols s;

    (void)args;
    if (!symbols_read_exactly(value, 9, &s) || symbols_all_equal(&s)) {
        return false;
    }
    uint64_t kind = symbols_number(&s, 0, 2);
    bool is_kind = (kind >= 10 && kind < 40) || kind == 45 || (kind >= 50 && kind < 70) ||
                   (kind >= 70 && kind <= 79 && kind != 73 && kind != 76) || kind >= 80;
    unsigned check = checksum_complement(checksum_weighted(s.value, weights, 8), 11);
    return is_kind && (check == 10 ? 0 : check) == s.value[8];
}

/* Luhn in which a letter counts as its value, 10 to 35, and 9 is taken off what doubles over 9. */
static bool citizen_card_pt_passes(struct span value, const struct check_args *args)
{
    struct symbols s;
    unsigned sum = 0;

    (void)args;
    if (!symbols_read(value, &s) || !symbols_have_shape(&s, "999999999**9") ||
        symbols_all_equal(&s)) {
        return false;
    }
    for (size_t i = 0; i < s.n; i++) {
        unsigned v = s.value[i];
        if (i % 2 == 0) {
            v = 2 * v > 9 ? 2 * v - 9 : 2 * v;
        }
        sum += v;
    }
    return sum % 10 == 0;
}

static bool amka_gr_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    return symbols_read_exactly(value, 11, &s) &&
           calendar_has_short_date((unsigned)symbols_number(&s, 4, 6),
                                   (unsigned)symbols_number(&s, 2, 4),
                                   (unsigned)symbols_number(&s, 0, 2)) &&
           checksum_luhn(s.value, s.n, 10);
}

const struct check_type check_nif_es = {
    .name = "nif_es",
    .summary = "passes when the check character of a Spanish DNI, NIE, NIF or CIF holds",
    .passes = nif_es_passes,
};

const struct check_type check_fiscal_code_it = {
    .name = "fiscal_code_it",
    .summary = "passes when date and check letter of an Italian fiscal code hold",
    .passes = fiscal_code_it_passes,
};

const struct check_type check_nif_pt = {
    .name = "nif_pt",
    .summary = "passes when kind and check digit of a Portuguese NIF hold",
    .passes = nif_pt_passes,
};

const struct check_type check_citizen_card_pt = {
    .name = "citizen_card_pt",
    .summary = "passes when the check digit of a Portuguese citizen card holds",
    .passes = citizen_card_pt_passes,
};

const struct check_type check_amka_gr = {
    .name = "amka_gr",
    .summary = "passes when date and Luhn of a Greek AMKA hold",
    .passes = amka_gr_passes,
};
