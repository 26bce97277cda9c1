/* model_write.h - assembles a model, for the training programs: the same parts give the same bytes.
 *
 * model_write borrows the parts. Not thread-safe. */
#ifndef FILTERD_CLASSIFIERS_MODEL_WRITE_H
#define FILTERD_CLASSIFIERS_MODEL_WRITE_H

#include "base/buf.h"
#include "classifiers/model.h"

struct model_part {
    const char *name;
    const void *bytes;
    size_t len;
};

/* Appends the model to out, which is empty. Fails for an invalid name, for an empty or duplicate part, and
 * for a model above the size limit. */
MUST_CHECK bool model_write(const char *kind, const char *name, const struct model_part *parts, size_t n,
                            struct buf *out, struct error *err);

#endif
