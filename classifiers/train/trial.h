/* trial.h - a head trained without one source and measured on it; and what a score is worth, learned from all of them.
 *
 * A document scores as its highest window does; for a head that judges units as a whole, as all of it does. Each fold leaves
 * out one source of the head's texts and one of ordinary answers, so that both are unseen; every source is left out at least
 * once. The threshold is the one that the worst source of ordinary answers asks for. A head whose worst source has an area
 * under the curve of no more than TRIAL_ACTS only reports. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_TRIAL_H
#define FILTERD_CLASSIFIERS_TRAIN_TRIAL_H

#include <stdio.h>

#include "classifiers/train/learn.h"

#define TRIAL_ACTS 0.75

struct scores {
    double *items;
    size_t n, cap;
};

struct curve {
    double slope, offset; /* score = 1 / (1 + exp(-(slope z + offset))) */
    double threshold;     /* z that no more than the goal's share of ordinary answers reaches, of whatever source */
    bool acts;            /* the head is better than TRIAL_ACTS on every source that it has not seen */
};

/* Leaves out each source in turn; prints one row of a Markdown table for each fold. */
MUST_CHECK bool trial_run(const struct windows *w, const struct corpus *c, enum head head, FILE *out,
                          struct curve *curve, struct error *err);

/* Of two lists: how often a random one of the first is above one of the second. Sorts both. */
double area_under(struct scores *positive, struct scores *negative);
/* The share of the list at or above z. */
double share_above(const struct scores *s, double z);
/* z that at most that share of the list reaches. Sorts it. */
double reached_by(struct scores *s, double share);

#endif
