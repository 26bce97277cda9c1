/* writer.h - appends pieces and stores the first failure, so that code with many pieces needs no
 * checks in between. */
#ifndef FILTERD_HTTP_WRITER_H
#define FILTERD_HTTP_WRITER_H

#include <stdint.h>

#include "base/buf.h"

struct writer {
    struct buf *out;
    struct error *err;
    bool is_ok; /* starts true */
};

/* Mostly literals, whose length and copy the compiler then knows. */
__attribute__((always_inline)) static inline void put(struct writer *w, const char *text)
{
    w->is_ok = w->is_ok && buf_append_str(w->out, text, w->err);
}
/* A JSON string, including its quotes. */
void put_string(struct writer *w, struct span text);
void put_number(struct writer *w, uint64_t value);
/* At most four decimals, as JSON: 0.98, 1, 0. For values in [0, 1]. */
void put_fraction(struct writer *w, double value);

#endif
