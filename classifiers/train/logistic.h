/* logistic.h - 1 / (1 + exp(-z)), the same bits on every machine: the C library's exp differs in its last digit between
 * processors with and without fused multiply-add, and a model has to come out the same everywhere. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_LOGISTIC_H
#define FILTERD_CLASSIFIERS_TRAIN_LOGISTIC_H

#include <math.h>

/* exp(x) = 2^n exp(r), r within half of log 2, by its series. */
static inline double exponential(double x)
{
    static const double log_2 = 0.693147180559945309;
    double clamped = x > 700 ? 700 : x < -700 ? -700 : x, n = floor(clamped / log_2 + 0.5), r = clamped - n * log_2;
    double term = 1, sum = 1;

    for (int i = 1; i <= 14; i++) {
        term *= r / i;
        sum += term;
    }
    return ldexp(sum, (int)n);
}

static inline double logistic(double z)
{
    return 1 / (1 + exponential(-z));
}

#endif
