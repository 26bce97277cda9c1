/* texts.h - the texts of an Arrow array: utf8, large_utf8 or utf8_view.
 *
 * Source: Arrow columnar format, "Variable-size Binary Layout" and "Variable-size Binary View Layout"; C data interface,
 * "Format strings". Borrows the array. */
#ifndef FILTERD_LIBRARY_TEXTS_H
#define FILTERD_LIBRARY_TEXTS_H

#include "base/error.h"
#include "base/span.h"
#include "library/filterd.h"

enum texts_kind { TEXTS_UTF8, TEXTS_LARGE_UTF8, TEXTS_VIEW };

struct texts {
    enum texts_kind kind;
    const struct ArrowArray *array;
    size_t n;
};

/* The texts, when the array has the form that the schema says and each text lies in its buffer as far as the interface
 * tells; the error names the row. */
MUST_CHECK bool texts_open(const struct ArrowArray *array, const struct ArrowSchema *schema, struct texts *out, struct error *err);

/* False: null. */
bool texts_get(const struct texts *t, size_t i, struct span *out);

#endif
