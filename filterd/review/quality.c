#include "review/quality.h"

#include <math.h>

static const double z = 1.959963984540054; /* 95 %, two-sided */

static double clamp(double p)
{
    return p < 0 ? 0 : p > 1 ? 1 : p;
}

struct estimate quality_proportion(uint64_t k, uint64_t n)
{
    if (n == 0) {
        return (struct estimate){.high = 1};
    }
    double count = (double)n, p = clamp((double)k / count);
    double scale = 1 + z * z / count;
    double middle = (p + z * z / (2 * count)) / scale;
    double half = z / scale * sqrt(p * (1 - p) / count + z * z / (4 * count * count));
    /* Rounding must not keep a bound from the end that it has. */
    return (struct estimate){p, k == 0 ? 0 : clamp(middle - half), k >= n ? 1 : clamp(middle + half)};
}

bool quality_suggests_shadow(uint64_t true_positives, uint64_t false_positives)
{
    uint64_t n = true_positives + false_positives;

    return n >= QUALITY_SHADOW_MIN && quality_proportion(true_positives, n).high < 0.5;
}

struct estimate quality_misses_per_week(uint64_t missed, uint64_t sampled, uint64_t population, double days)
{
    struct estimate share = quality_proportion(missed, sampled);
    double weekly = days > 0 ? (double)population * 7 / days : 0;

    return (struct estimate){share.value * weekly, share.low * weekly, share.high * weekly};
}
