/* quality.h - the precision of a rule and the misses, estimated from dispositions: proportions with 95 % Wilson intervals.
 *
 * Pure. Precision is true positives over true and false positives; the dispositions benign, policy gap and unsure do not count.
 * Misses are estimated from blind samples of allowed exchanges. */
#ifndef FILTERD_REVIEW_QUALITY_H
#define FILTERD_REVIEW_QUALITY_H

#include <stdbool.h>
#include <stdint.h>

enum { QUALITY_SHADOW_MIN = 30 /* reviewed findings required to suggest shadow */ };

struct estimate {
    double value, low, high;
};

/* k / n with its interval, in [0, 1]. n = 0: value 0, interval [0, 1]. */
struct estimate quality_proportion(uint64_t k, uint64_t n);

/* The upper bound of the rule's precision is below one half. */
bool quality_suggests_shadow(uint64_t true_positives, uint64_t false_positives);

/* Misses per week among `population` texts that were allowed in `days`; `missed` of `sampled` reviewed ones were misses. */
struct estimate quality_misses_per_week(uint64_t missed, uint64_t sampled, uint64_t population, double days);

#endif
