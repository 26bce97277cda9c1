/* layers.h - the documented ways to hide a text, as functions from one text to another that may be applied one
 * after another: what a model, a program of coreutils or a library would write. */
#ifndef FILTERD_TESTS_SUPPORT_LAYERS_H
#define FILTERD_TESTS_SUPPORT_LAYERS_H

#include "base/buf.h"

struct layer {
    const char *name;
    void (*put)(struct buf *out, struct span text); /* the text is valid UTF-8, and so is what is appended */
};

enum { LAYERS = 20 };
extern const struct layer layers[LAYERS];

/* base64 of coreutils: lines of `width` characters, a newline behind each. */
void layer_put_base64_wrapped(struct buf *out, struct span text, size_t width);

#endif
