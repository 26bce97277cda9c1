/* linear_judge.h - a linear model as a classifier that rules can name (scan/classifier.h).
 *
 * Windows that reach what is asked for and touch one another are one place, with the highest of their scores. */
#ifndef FILTERD_CLASSIFIERS_LINEAR_JUDGE_H
#define FILTERD_CLASSIFIERS_LINEAR_JUDGE_H

#include "classifiers/linear.h"
#include "scan/classifier.h"

/* Borrows the model, which outlives it. */
struct classifier linear_judge(const struct linear *l);

#endif
