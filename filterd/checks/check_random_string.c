#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "lexical/random_string.h"

enum { MIN, LABELLED };

static const double min_default = 0.7;

static bool random_string_passes(struct span value, const struct check_args *args)
{
    return random_string_score(&random_string_shipped, value, argument_flag(args, LABELLED)) >=
           argument_number(args, MIN, min_default);
}

static bool random_string_accepts(const struct check_args *args, struct error *err)
{
    double min = argument_number(args, MIN, min_default);

    if (min >= 0 && min <= 1) {
        return true;
    }
    return error_set(err, ERROR_INVALID, "min: expected a score from 0 to 1");
}

const struct check_type check_random_string = {
    .name = "random_string",
    .summary = "passes when the string looks drawn at random: a score of at least min (0.7)",
    .parameters = {{"min", CHECK_NUMBER, false}, {"labelled", CHECK_FLAG, false}},
    .passes = random_string_passes,
    .accepts = random_string_accepts,
};
