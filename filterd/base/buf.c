#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUF_FIRST_CAPACITY = 256 };

void buf_init(struct buf *b, size_t max)
{
    *b = (struct buf){.max = max};
}

void buf_deinit(struct buf *b)
{
    free(b->data);
    *b = (struct buf){.max = b->max};
}

bool buf_grow(struct buf *b, size_t more, struct error *err)
{
    if (more > b->max - b->len) {
        return error_set(err, ERROR_LIMIT, "buffer: more than %zu bytes", b->max);
    }
    size_t need = b->len + more;
    size_t cap = b->cap < BUF_FIRST_CAPACITY ? BUF_FIRST_CAPACITY : b->cap;
    while (cap < need) {
        cap = cap > b->max / 2 ? b->max : cap * 2;
    }
    if (cap > b->max) {
        cap = b->max;
    }
    char *data = realloc(b->data, cap);
    if (data == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "buffer: no memory for %zu bytes", cap);
    }
    b->data = data;
    b->cap = cap;
    return true;
}

bool buf_appendf(struct buf *b, struct error *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0 || !buf_reserve(b, (size_t)len + 1, err)) {
        return len < 0 ? error_set(err, ERROR_INTERNAL, "buffer: bad format") : false;
    }
    va_start(args, format);
    (void)vsnprintf(b->data + b->len, (size_t)len + 1, format, args);
    va_end(args);
    b->len += (size_t)len;
    return true;
}
