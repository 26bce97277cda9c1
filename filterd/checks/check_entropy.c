#include <math.h>

#include "checks/check_argument.h"
#include "checks/checks_table.h"

enum { MIN, MAX };
enum { ENTROPY_MAX = 8 };

static double entropy_of(struct span text)
{
    size_t counts[256] = {0};
    double entropy = 0;

    for (size_t i = 0; i < text.len; i++) {
        counts[(unsigned char)text.ptr[i]]++;
    }
    for (size_t byte = 0; byte < COUNT(counts); byte++) {
        if (counts[byte] > 0) {
            double share = (double)counts[byte] / (double)text.len;
            entropy -= share * log2(share);
        }
    }
    return entropy;
}

static bool entropy_passes(struct span value, const struct check_args *args)
{
    double entropy = entropy_of(value);

    return value.len > 0 && entropy >= argument_number(args, MIN, 0) &&
           entropy <= argument_number(args, MAX, ENTROPY_MAX);
}

static bool entropy_accepts(const struct check_args *args, struct error *err)
{
    double min = argument_number(args, MIN, 0);
    double max = argument_number(args, MAX, ENTROPY_MAX);

    if (min >= 0 && min <= max && min <= ENTROPY_MAX) {
        return true;
    }
    return error_set(err, ERROR_INVALID, "expected 0 <= min <= max, min at most %d", ENTROPY_MAX);
}

const struct check_type check_entropy = {
    .name = "entropy",
    .summary = "passes when the Shannon entropy in bits per character is within min and max",
    .parameters = {{"min", CHECK_NUMBER, false}, {"max", CHECK_NUMBER, false}},
    .passes = entropy_passes,
    .accepts = entropy_accepts,
};
