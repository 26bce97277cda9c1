#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

enum { PREFIX };
enum { PREFIX_MAX = 8 };

static bool complement_holds(const struct symbols *prefix, const struct symbols *s)
{
    uint8_t all[SYMBOLS_MAX + PREFIX_MAX];
    size_t body = s->n - 2;

    memcpy(all, prefix->value, prefix->n);
    memcpy(all + prefix->n, s->value, body);
    return 97 - checksum_mod97(all, prefix->n + body) == symbols_number(s, body, s->n);
}

static bool mod97_complement_passes(struct span value, const struct check_args *args)
{
    struct symbols s;
    struct symbols none = {.n = 0};
    struct symbols prefix;

    if (!symbols_read_digits(value, &s) || s.n < 3 || symbols_all_equal(&s)) {
        return false;
    }
    if (complement_holds(&none, &s)) {
        return true;
    }
    return args->is_given[PREFIX] && symbols_read_digits(argument_text(args, PREFIX), &prefix) &&
           prefix.n <= PREFIX_MAX && complement_holds(&prefix, &s);
}

static bool mod97_complement_accepts(const struct check_args *args, struct error *err)
{
    struct symbols prefix;

    if (!args->is_given[PREFIX] ||
        (symbols_read_digits(argument_text(args, PREFIX), &prefix) && prefix.n <= PREFIX_MAX)) {
        return true;
    }
    return error_set(err, ERROR_INVALID, "prefix: expected 1 to %d digits", PREFIX_MAX);
}

const struct check_type check_mod97_complement = {
    .name = "mod97_complement",
    .summary = "passes when the last two digits are 97 minus those before, mod 97",
    .parameters = {{"prefix", CHECK_TEXT, false}},
    .passes = mod97_complement_passes,
    .accepts = mod97_complement_accepts,
};
