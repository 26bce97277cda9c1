#include "base/ascii.h"
#include "checks/checks_table.h"

static bool is_uuid(struct span value)
{
    static const char shape[] = "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh";

    if (value.len != sizeof(shape) - 1) {
        return false;
    }
    for (size_t i = 0; i < value.len; i++) {
        bool fits = shape[i] == '-' ? value.ptr[i] == '-' : ascii_is(value.ptr[i], ASCII_HEX);
        if (!fits) {
            return false;
        }
    }
    return true;
}

static bool not_uuid_passes(struct span value, const struct check_args *args)
{
    (void)args;
    if (value.len > 2 && value.ptr[0] == '{' && value.ptr[value.len - 1] == '}') {
        value = span_slice(value, 1, value.len - 1);
    }
    return !is_uuid(value);
}

const struct check_type check_not_uuid = {
    .name = "not_uuid",
    .summary = "passes when the value is not a UUID (8-4-4-4-12 hexadecimal digits)",
    .passes = not_uuid_passes,
};
