/* learn.h - logistic regression on rows, by AdaGrad, from a fixed seed: the same windows give the same weights. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_LEARN_H
#define FILTERD_CLASSIFIERS_TRAIN_LEARN_H

#include "classifiers/train/goal.h"
#include "classifiers/train/windows.h"

struct weights {
    float *rows; /* as many as the windows' bits say */
    double bias;
};

/* What is left out of training, to be measured: one source of the head's texts, and one source of ordinary answers. */
struct left_out {
    const char *group, *ordinary; /* NULL: none */
};

bool is_left_out(const struct document *d, const struct left_out *left);
/* Whether the document speaks against the head. */
bool is_negative(const struct document *d, enum head head);

MUST_CHECK bool learn(const struct windows *w, const struct corpus *c, enum head head, const struct left_out *left,
                      struct weights *out, struct error *err);
void weights_deinit(struct weights *w);

/* z of one window. */
double weights_z(const struct weights *weights, const struct windows *w, size_t window);

#endif
