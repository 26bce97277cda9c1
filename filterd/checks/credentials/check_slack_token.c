#include "base/ascii.h"
#include "checks/checks_table.h"
#include "lexical/placeholder.h"

enum { ID_MIN = 9, ID_MAX = 14, SECRET_MIN = 16 };

static bool is_number(struct span part)
{
    size_t n = 0;

    while (n < part.len && ascii_is_digit(part.ptr[n])) {
        n++;
    }
    return n == part.len && n > 0;
}

static bool is_id(struct span part)
{
    return part.len >= ID_MIN && part.len <= ID_MAX && part.ptr[0] != '0' &&
           !placeholder_is_pattern(part);
}

static bool is_secret(struct span part)
{
    for (size_t i = 0; i < part.len; i++) {
        if (!ascii_is_alnum(part.ptr[i])) {
            return false;
        }
    }
    return part.len >= SECRET_MIN && !placeholder_is_pattern(part);
}

/* Parts between hyphens: a prefix, ids and counters, the secret. Numbers of two or more digits
 * are ids, which count up from 2013 and so have ten digits or a few more. */
static bool slack_token_passes(struct span value, const struct check_args *args)
{
    size_t from = ascii_find(value, 0, "-");

    (void)args;
    if (!ascii_starts_with(value, "xox") && !ascii_starts_with(value, "xapp")) {
        return false;
    }
    while (from < value.len) {
        size_t to = ascii_find(value, from + 1, "-");
        struct span part = span_slice(value, from + 1, to);
        if (to == value.len) {
            return is_secret(part);
        }
        if (is_number(part) && part.len > 2 && !is_id(part)) {
            return false;
        }
        from = to;
    }
    return false;
}

const struct check_type check_slack_token = {
    .name = "slack_token",
    .summary = "passes when the ids of a Slack token are plausible and its secret is not a pattern",
    .passes = slack_token_passes,
};
