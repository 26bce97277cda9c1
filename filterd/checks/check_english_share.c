#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "lexical/english.h"

enum { MAX };
/* The front of a long value tells enough. */
enum { SAMPLE = 2048 };

static const double share_default = 0.6;

static bool english_share_passes(struct span value, const struct check_args *args)
{
    struct span sample = span_slice(value, 0, value.len < SAMPLE ? value.len : SAMPLE);
    struct span part;
    size_t letters = 0;
    size_t covered = 0;

    for (size_t at = 0; english_next_part(sample, &at, &part);) {
        letters += part.len;
        covered += english_covered(part);
    }
    return (double)covered <= argument_number(args, MAX, share_default) * (double)letters;
}

static bool english_share_accepts(const struct check_args *args, struct error *err)
{
    double max = argument_number(args, MAX, share_default);

    if (max >= 0 && max <= 1) {
        return true;
    }
    return error_set(err, ERROR_INVALID, "max: expected a share from 0 to 1");
}

const struct check_type check_english_share = {
    .name = "english_share",
    .summary = "passes when at most this share (0.6) of the letters is in common words",
    .parameters = {{"max", CHECK_NUMBER, false}},
    .passes = english_share_passes,
    .accepts = english_share_accepts,
};
