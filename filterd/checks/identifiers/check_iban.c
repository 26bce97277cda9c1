#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "formats/iban_lengths.h"
#include "lexical/symbols.h"

enum { ANY_LENGTH };
enum { HEAD = 4, SHORTEST = 14 };

/* Of a country's length, and without letters where it has none. */
static bool is_registered(const struct symbols *s)
{
    char first = symbols_character(s->value[0]), second = symbols_character(s->value[1]);
    bool has_letter = false;

    for (size_t i = HEAD; i < s->n; i++) {
        has_letter = has_letter || s->value[i] > 9;
    }
    return iban_length(first, second) == s->n && !(has_letter && iban_is_numeric(first, second));
}

static bool iban_passes(struct span value, const struct check_args *args)
{
    struct symbols s;
    uint8_t moved[IBAN_LENGTH_MAX];

    if (!symbols_read(value, &s) || s.n < HEAD || s.n > IBAN_LENGTH_MAX || s.value[2] > 9 ||
        s.value[3] > 9) {
        return false;
    }
    bool is_form = s.n >= SHORTEST && s.value[0] > 9 && s.value[1] > 9;
    if (!is_registered(&s) && !(argument_flag(args, ANY_LENGTH) && is_form)) {
        return false;
    }
    memcpy(moved, s.value + HEAD, s.n - HEAD);
    memcpy(moved + s.n - HEAD, s.value, HEAD);
    return checksum_mod97(moved, s.n) == 1;
}

const struct check_type check_iban = {
    .name = "iban",
    .summary = "passes when the country, its length and characters are known and mod 97 holds",
    .parameters = {{"any_length", CHECK_FLAG, false}},
    .passes = iban_passes,
};
