#include "base/ascii.h"
#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "lexical/code_shape.h"

/* Whether the value is one word with at least n digits behind it, and signs behind these perhaps: dragon_8934. */
static bool is_numbered_word(struct span value, size_t n)
{
    size_t end = value.len, from;

    while (end > 0 && !ascii_is_alnum(value.ptr[end - 1])) {
        end--;
    }
    for (from = end; from > 0 && ascii_is_digit(value.ptr[from - 1]);) {
        from--;
    }
    for (size_t i = 0; i < value.len; i++) {
        if (!ascii_is_alnum(value.ptr[i]) && (value.ptr[i] == '\0' || strchr("_-.!@#$%*+^~?&", value.ptr[i]) == NULL)) {
            return false;
        }
    }
    return end - from >= n && from > 0 && ascii_is_letter(value.ptr[0]);
}

static bool not_code_passes(struct span value, const struct check_args *args)
{
    const size_t n = argument_count(args, 0, 0);

    return !code_shape_is(value) || (n > 0 && is_numbered_word(value, n));
}

static bool not_code_accepts(const struct check_args *args, struct error *err)
{
    return argument_accept_whole(args, 0, 0, CHECK_SPAN_MAX, err);
}

const struct check_type check_not_code = {
    .name = "not_code",
    .summary = "passes when the value is not a call, member, path, template, type, name or prose; with `digits`, a word with so many passes",
    .parameters = {{"digits", CHECK_NUMBER, false}},
    .passes = not_code_passes,
    .accepts = not_code_accepts,
};
