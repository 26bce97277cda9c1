/* quality.h - how good a rule is, from what reviewers said of its findings: proportions with their 95 % intervals (Wilson's).
 *
 * Pure. Precision is true positives over true and false positives: what reviewers call benign, a policy gap or unsure says
 * nothing about it. Misses are estimated from blind samples of what was allowed. */
#ifndef FILTERD_REVIEW_QUALITY_H
#define FILTERD_REVIEW_QUALITY_H

#include <stdbool.h>
#include <stdint.h>

enum { QUALITY_SHADOW_MIN = 30 /* reviewed findings, before shadow is suggested */ };

struct estimate {
    double value, low, high;
};

/* Of `k` among `n`, in [0, 1]. Without any n: value 0, from 0 to 1. */
struct estimate quality_proportion(uint64_t k, uint64_t n);

/* The rule is more often wrong than right: the upper bound of its precision is below one half. */
bool quality_suggests_shadow(uint64_t true_positives, uint64_t false_positives);

/* Misses a week among `population` texts that were allowed in `days`, of which `sampled` were looked at and `missed` were
 * misses. */
struct estimate quality_misses_per_week(uint64_t missed, uint64_t sampled, uint64_t population, double days);

#endif
