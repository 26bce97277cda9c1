#include "base/ascii.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"

/* A line of a machine-readable zone has 44 characters. */
enum { MRZ_MAX = 96 };

/* Value of a character of a machine-readable zone, or -1. */
static int mrz_value(char c)
{
    if (ascii_is_digit(c)) {
        return c - '0';
    }
    if (ascii_is_letter(c)) {
        return ascii_lower(c) - 'a' + 10;
    }
    return c == '<' ? 0 : -1;
}

static bool mrz731_passes(struct span value, const struct check_args *args)
{
    uint8_t values[MRZ_MAX];
    size_t n = 0;
    bool has_data = false;

    (void)args;
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] == ' ') {
            continue;
        }
        int v = mrz_value(value.ptr[i]);
        if (v < 0 || n == MRZ_MAX) {
            return false;
        }
        has_data = has_data || v > 0;
        values[n++] = (uint8_t)v;
    }
    return n >= 2 && has_data && checksum_731(values, n - 1) == values[n - 1];
}

const struct check_type check_mrz731 = {
    .name = "mrz731",
    .summary = "passes when the last digit is the ICAO 7-3-1 check digit of those before",
    .passes = mrz731_passes,
};
