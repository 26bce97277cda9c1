/* model_write.h - puts a model together, for the programs that train one: the same parts give the same bytes.
 *
 * The parts are borrowed until model_write has put them out. Not thread-safe. */
#ifndef FILTERD_CLASSIFIERS_MODEL_WRITE_H
#define FILTERD_CLASSIFIERS_MODEL_WRITE_H

#include "base/buf.h"
#include "classifiers/model.h"

struct model_part {
    const char *name;
    const void *bytes;
    size_t len;
};

/* Appends the model to out, which is empty. Fails for a name that is none, for a part that is empty or there twice, and
 * for what is larger than a model may be. */
MUST_CHECK bool model_write(const char *kind, const char *name, const struct model_part *parts, size_t n,
                            struct buf *out, struct error *err);

#endif
