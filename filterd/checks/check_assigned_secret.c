#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "lexical/assigned_value.h"

enum { MIN };

static const double min_default = 0.5;

static double assigned_secret_score(struct span before, struct span value)
{
    return assigned_value_score(&assigned_value_shipped, before, value);
}

static bool assigned_secret_passes_score(double score, const struct check_args *args)
{
    return score >= argument_number(args, MIN, min_default);
}

static bool assigned_secret_passes(struct span before, struct span value, const struct check_args *args)
{
    return assigned_secret_passes_score(assigned_secret_score(before, value), args);
}

static bool assigned_secret_passes_alone(struct span value, const struct check_args *args)
{
    return assigned_secret_passes((struct span){0}, value, args);
}

static bool assigned_secret_accepts(const struct check_args *args, struct error *err)
{
    double min = argument_number(args, MIN, min_default);

    if (min >= 0 && min <= 1) {
        return true;
    }
    return error_set(err, ERROR_INVALID, "min: expected a score from 0 to 1");
}

const struct check_type check_assigned_secret = {
    .name = "assigned_secret",
    .summary = "passes when the value and what the match has in front of it look like a secret and its name: at least min (0.5)",
    .parameters = {{"min", CHECK_NUMBER, false}},
    .passes = assigned_secret_passes_alone,
    .passes_behind = assigned_secret_passes,
    .score = assigned_secret_score,
    .passes_score = assigned_secret_passes_score,
    .accepts = assigned_secret_accepts,
};
