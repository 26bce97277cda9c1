#include "checks/checks_table.h"
#include "lexical/placeholder.h"

static bool not_placeholder_passes(struct span value, const struct check_args *args)
{
    (void)args;
    return !placeholder_is(value);
}

const struct check_type check_not_placeholder = {
    .name = "not_placeholder",
    .summary = "passes when the value is not an example, mask, template, repeat, run or keyboard walk",
    .passes = not_placeholder_passes,
};
