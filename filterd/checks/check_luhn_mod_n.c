#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

enum { BASE };
enum { BASE_MIN = 2, BASE_MAX = 36 };

static bool luhn_mod_n_passes(struct span value, const struct check_args *args)
{
    struct symbols s;
    size_t base = argument_count(args, BASE, BASE_MAX);

    return symbols_read(value, &s) && s.n >= 2 && !symbols_all_equal(&s) &&
           checksum_luhn(s.value, s.n, (unsigned)base);
}

static bool luhn_mod_n_accepts(const struct check_args *args, struct error *err)
{
    return argument_accept_whole(args, BASE, BASE_MIN, BASE_MAX, err);
}

const struct check_type check_luhn_mod_n = {
    .name = "luhn_mod_n",
    .summary = "passes when Luhn holds in the base (36), digits before letters",
    .parameters = {{"base", CHECK_NUMBER, false}},
    .passes = luhn_mod_n_passes,
    .accepts = luhn_mod_n_accepts,
};
