#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "formats/iban_lengths.h"
#include "lexical/symbols.h"

enum { HEAD = 4 };

static bool iban_passes(struct span value, const struct check_args *args)
{
    struct symbols s;
    uint8_t moved[IBAN_LENGTH_MAX];

    (void)args;
    if (!symbols_read(value, &s) || s.n < HEAD || s.n > IBAN_LENGTH_MAX || s.value[2] > 9 ||
        s.value[3] > 9) {
        return false;
    }
    if (iban_length(symbols_character(s.value[0]), symbols_character(s.value[1])) != s.n) {
        return false;
    }
    memcpy(moved, s.value + HEAD, s.n - HEAD);
    memcpy(moved + s.n - HEAD, s.value, HEAD);
    return checksum_mod97(moved, s.n) == 1;
}

const struct check_type check_iban = {
    .name = "iban",
    .summary = "passes when the country and its length are known and mod 97 holds",
    .passes = iban_passes,
};
