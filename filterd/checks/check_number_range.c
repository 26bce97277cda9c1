#include <float.h>

#include "base/ascii.h"
#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "lexical/symbols.h"

enum { MIN, MAX };
enum { DIGITS_MAX = 18 };

/* A sign, digits, at most one point with digits behind it: a coordinate, a port, an amount. */
static bool read_decimal(struct span text, double *number)
{
    size_t at = text.len > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+') ? 1 : 0;
    double sign = at == 1 && text.ptr[0] == '-' ? -1 : 1;
    double value = 0;
    double scale = 1;
    bool is_fraction = false;

    if (text.len == at || text.len - at > DIGITS_MAX + 1) {
        return false;
    }
    for (; at < text.len; at++) {
        char c = text.ptr[at];
        if (c == '.' && !is_fraction && at + 1 < text.len) {
            is_fraction = true;
            continue;
        }
        if (!ascii_is_digit(c)) {
            return false;
        }
        value = value * 10 + (c - '0');
        scale *= is_fraction ? 10 : 1;
    }
    *number = sign * value / scale;
    return true;
}

static bool number_range_passes(struct span value, const struct check_args *args)
{
    struct symbols digits;
    double number = 0;

    if (!read_decimal(value, &number)) {
        if (!symbols_read_digits(value, &digits) || digits.n > DIGITS_MAX) {
            return false;
        }
        number = (double)symbols_number(&digits, 0, digits.n);
    }
    return number >= argument_number(args, MIN, -DBL_MAX) &&
           number <= argument_number(args, MAX, DBL_MAX);
}

static bool number_range_accepts(const struct check_args *args, struct error *err)
{
    if (argument_number(args, MIN, -DBL_MAX) <= argument_number(args, MAX, DBL_MAX)) {
        return true;
    }
    return error_set(err, ERROR_INVALID, "min: expected at most max");
}

const struct check_type check_number_range = {
    .name = "number_range",
    .summary = "passes when the digits as a number (decimal point allowed) are within min and max",
    .parameters = {{"min", CHECK_NUMBER, false}, {"max", CHECK_NUMBER, false}},
    .passes = number_range_passes,
    .accepts = number_range_accepts,
};
