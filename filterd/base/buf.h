/* buf.h - an owned, growing buffer of bytes with a limit.
 *
 * Invariants: len <= cap <= max; data is NULL while cap is 0. The limit is set at init, before
 * any allocation, so no input can make a buffer grow without bound. Not thread-safe. */
#ifndef FILTERD_BASE_BUF_H
#define FILTERD_BASE_BUF_H

#include "base/error.h"
#include "base/span.h"

struct buf {
    char *data;
    size_t len, cap, max;
    bool is_locked; /* in locked pages (base/locked_pages.h) */
};

void buf_init(struct buf *b, size_t max);
void buf_deinit(struct buf *b); /* frees, locked pages wiped; the buf may be initialised again */
/* What it holds from now on is in locked pages, until it is initialised again; what it held is gone. */
void buf_lock(struct buf *b);
/* Overwrites all that it ever held; the memory stays. */
void buf_wipe(struct buf *b);
static inline void buf_clear(struct buf *b)
{
    b->len = 0;
}
static inline struct span buf_span(const struct buf *b)
{
    return span_of(b->data, b->len);
}

/* Reserves `more` bytes after len; false when that exceeds the limit or memory is exhausted. The
 * buffer is unchanged on failure. All append functions fail in the same way. buf_grow is for buf_reserve. */
MUST_CHECK bool buf_grow(struct buf *b, size_t more, struct error *err);
MUST_CHECK static inline bool buf_reserve(struct buf *b, size_t more, struct error *err)
{
    return more <= b->cap - b->len || buf_grow(b, more, err);
}
/* The same with little extra space while the buffer is short: for buffers that exist in thousands. */
MUST_CHECK bool buf_reserve_tight(struct buf *b, size_t more, struct error *err);
/* Inline, because answers and records are written in many small pieces, most of them literals. */
MUST_CHECK static inline bool buf_append(struct buf *b, struct span bytes, struct error *err)
{
    if (!buf_reserve(b, bytes.len, err)) {
        return false;
    }
    if (bytes.len > 0) {
        memcpy(b->data + b->len, bytes.ptr, bytes.len);
        b->len += bytes.len;
    }
    return true;
}
MUST_CHECK static inline bool buf_append_str(struct buf *b, const char *text, struct error *err)
{
    return buf_append(b, span_str(text), err);
}
MUST_CHECK static inline bool buf_append_char(struct buf *b, char c, struct error *err)
{
    return buf_append(b, span_of(&c, 1), err);
}
MUST_CHECK bool buf_appendf(struct buf *b, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
