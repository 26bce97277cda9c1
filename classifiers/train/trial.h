/* trial.h - a head trained without one source and measured on it; and what a score is worth, learned from all of them.
 *
 * A document scores as its highest window does. Harmless answers that were left out in turn show how often a head fires
 * on what it has not seen. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_TRIAL_H
#define FILTERD_CLASSIFIERS_TRAIN_TRIAL_H

#include <stdio.h>

#include "classifiers/train/learn.h"

struct scores {
    double *items;
    size_t n, cap;
};

struct curve {
    double slope, offset; /* score = 1 / (1 + exp(-(slope z + offset))) */
    double threshold;     /* z that no more than the goal's share of harmless answers reaches */
};

/* Leaves out each source of the head in turn; prints one row of a Markdown table for each. */
MUST_CHECK bool trial_run(const struct windows *w, const struct corpus *c, enum head head, FILE *out,
                          struct curve *curve, struct error *err);

/* Of two lists: how often a random one of the first is above one of the second. Sorts both. */
double area_under(struct scores *positive, struct scores *negative);
/* The share of the list at or above z. */
double share_above(const struct scores *s, double z);
/* z that at most that share of the list reaches. Sorts it. */
double reached_by(struct scores *s, double share);

#endif
