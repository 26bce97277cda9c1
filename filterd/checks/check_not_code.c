#include "checks/checks_table.h"
#include "lexical/code_shape.h"

static bool not_code_passes(struct span value, const struct check_args *args)
{
    (void)args;
    return !code_shape_is(value);
}

const struct check_type check_not_code = {
    .name = "not_code",
    .summary = "passes when the value is not a call, member, path, template, type, name or prose",
    .passes = not_code_passes,
};
