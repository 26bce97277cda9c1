/* pack.h - from weights to the model that is shipped: eight bits a weight, all heads side by side. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_PACK_H
#define FILTERD_CLASSIFIERS_TRAIN_PACK_H

#include "classifiers/linear.h"
#include "classifiers/train/trial.h"

struct pack {
    struct linear_settings settings;
    struct linear_head heads[LINEAR_HEADS];
    struct linear_row *rows;
};

MUST_CHECK bool pack_init(struct pack *p, unsigned bits, size_t half, struct error *err);
MUST_CHECK bool pack_head(struct pack *p, enum head head, const struct weights *weights, const struct curve *curve,
                          struct error *err);
MUST_CHECK bool pack_write(const struct pack *p, const char *path, struct error *err);
void pack_deinit(struct pack *p);

#endif
