#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

enum { PREFIX };

static bool luhn_passes(struct span value, const struct check_args *args)
{
    struct symbols digits;
    struct symbols prefix = {.n = 0};
    uint8_t all[2 * SYMBOLS_MAX];

    if (!symbols_read_digits(value, &digits) || digits.n < 2 || symbols_all_equal(&digits)) {
        return false;
    }
    if (args->is_given[PREFIX] && !symbols_read_digits(argument_text(args, PREFIX), &prefix)) {
        return false;
    }
    memcpy(all, prefix.value, prefix.n);
    memcpy(all + prefix.n, digits.value, digits.n);
    return checksum_luhn(all, prefix.n + digits.n, 10);
}

static bool luhn_accepts(const struct check_args *args, struct error *err)
{
    struct symbols prefix;

    if (!args->is_given[PREFIX] || symbols_read_digits(argument_text(args, PREFIX), &prefix)) {
        return true;
    }
    return error_set(err, ERROR_INVALID, "prefix: expected digits");
}

const struct check_type check_luhn = {
    .name = "luhn",
    .summary = "passes when Luhn mod 10 holds over the digits and they are not all equal",
    .parameters = {{"prefix", CHECK_TEXT, false}},
    .passes = luhn_passes,
    .accepts = luhn_accepts,
};
