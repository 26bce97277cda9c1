#include "base/ascii.h"
#include "checks/checks_table.h"

static bool is_hex(struct span value)
{
    size_t n = 0;

    while (n < value.len && ascii_is(value.ptr[n], ASCII_HEX)) {
        n++;
    }
    return n == value.len && n > 0;
}

static bool hex_only_passes(struct span value, const struct check_args *args)
{
    (void)args;
    return is_hex(value);
}

static bool not_hex_passes(struct span value, const struct check_args *args)
{
    (void)args;
    return !is_hex(value);
}

const struct check_type check_hex_only = {
    .name = "hex_only",
    .summary = "passes when every character is a hexadecimal digit",
    .passes = hex_only_passes,
};

const struct check_type check_not_hex = {
    .name = "not_hex",
    .summary = "passes when not every character is a hexadecimal digit",
    .passes = not_hex_passes,
};
