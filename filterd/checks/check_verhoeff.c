#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

static bool verhoeff_passes(struct span value, const struct check_args *args)
{
    struct symbols s;

    (void)args;
    return symbols_read_digits(value, &s) && s.n >= 2 && !symbols_all_equal(&s) &&
           checksum_verhoeff(s.value, s.n);
}

const struct check_type check_verhoeff = {
    .name = "verhoeff",
    .summary = "passes when Verhoeff's checksum holds over the digits",
    .passes = verhoeff_passes,
};
