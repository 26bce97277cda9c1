/* linear_judge.h - a linear model as a classifier for rules (scan/classifier.h).
 *
 * Adjacent or overlapping windows that reach the threshold become one place, with the highest of their scores. A head that
 * judges units as a whole has one place, from the first window to the last. */
#ifndef FILTERD_CLASSIFIERS_LINEAR_JUDGE_H
#define FILTERD_CLASSIFIERS_LINEAR_JUDGE_H

#include "classifiers/linear.h"
#include "scan/classifier.h"

/* Borrows the model, which must outlive it. */
struct classifier linear_judge(const struct linear *l);

#endif
