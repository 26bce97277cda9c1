#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

enum { SYSTEM };
enum iso7064_system { MOD97_10, MOD11_2, MOD11_10, MOD37_36, SYSTEMS };

static const char *const systems[SYSTEMS] = {"mod97_10", "mod11_2", "mod11_10", "mod37_36"};

enum { LETTER_X = 33, TEN = 10 };

static bool mod11_2_holds(struct symbols *s)
{
    uint8_t *last = &s->value[s->n - 1];

    if (*last == LETTER_X) {
        *last = TEN;
    } else if (*last > 9) {
        return false;
    }
    for (size_t i = 0; i + 1 < s->n; i++) {
        if (s->value[i] > 9) {
            return false;
        }
    }
    return checksum_mod11_2(s->value, s->n);
}

static bool iso7064_passes(struct span value, const struct check_args *args)
{
    struct symbols s;
    bool is_digits = symbols_read_digits(value, &s);

    if (!symbols_read(value, &s) || s.n < 3 || symbols_all_equal(&s)) {
        return false;
    }
    switch ((enum iso7064_system)argument_choice(args, SYSTEM, systems, SYSTEMS)) {
    case MOD97_10:
        return checksum_mod97(s.value, s.n) == 1;
    case MOD11_2:
        return mod11_2_holds(&s);
    case MOD11_10:
        return is_digits && checksum_hybrid(s.value, s.n, 10);
    case MOD37_36:
        return checksum_hybrid(s.value, s.n, 36);
    case SYSTEMS:
        break;
    }
    return false;
}

static bool iso7064_accepts(const struct check_args *args, struct error *err)
{
    return argument_accept_choice(args, SYSTEM, systems, SYSTEMS, err);
}

const struct check_type check_iso7064 = {
    .name = "iso7064",
    .summary = "passes when the ISO 7064 system holds over the letters and digits",
    .parameters = {{"system", CHECK_TEXT, true}},
    .passes = iso7064_passes,
    .accepts = iso7064_accepts,
};
