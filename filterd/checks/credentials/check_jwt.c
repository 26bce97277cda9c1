#include "checks/checks_table.h"
#include "formats/jwt.h"

static bool jwt_passes(struct span value, const struct check_args *args)
{
    (void)args;
    return jwt_is_token(value);
}

const struct check_type check_jwt = {
    .name = "jwt",
    .summary = "passes when header and payload are JSON objects and the signature has its length",
    .passes = jwt_passes,
};
