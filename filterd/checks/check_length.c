#include "checks/check_argument.h"
#include "checks/checks_table.h"

enum { MIN, MAX };

/* Code points: bytes that do not continue one. */
static size_t count_characters(struct span text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        n += ((unsigned char)text.ptr[i] & 0xc0u) != 0x80u ? 1 : 0;
    }
    return n;
}

static bool length_passes(struct span value, const struct check_args *args)
{
    size_t n = count_characters(value);

    return n >= argument_count(args, MIN, 0) && n <= argument_count(args, MAX, CHECK_SPAN_MAX);
}

static bool length_accepts(const struct check_args *args, struct error *err)
{
    if (!argument_accept_whole(args, MIN, 0, CHECK_SPAN_MAX, err) ||
        !argument_accept_whole(args, MAX, 0, CHECK_SPAN_MAX, err)) {
        return false;
    }
    if (argument_count(args, MIN, 0) <= argument_count(args, MAX, CHECK_SPAN_MAX)) {
        return true;
    }
    return error_set(err, ERROR_INVALID, "min: expected at most max");
}

const struct check_type check_length = {
    .name = "length",
    .summary = "passes when the number of characters is within min and max",
    .parameters = {{"min", CHECK_NUMBER, false}, {"max", CHECK_NUMBER, false}},
    .passes = length_passes,
    .accepts = length_accepts,
};
