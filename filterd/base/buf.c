#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/locked_pages.h"

enum { BUF_FIRST_CAPACITY = 256, BUF_TIGHT_STEP = 128, BUF_TIGHT_MAX = 4096 };

atomic_bool locked_pages_exceeded;
static atomic_bool locks_texts;

void buf_init(struct buf *b, size_t max)
{
    *b = (struct buf){.max = max};
}

void buf_init_text(struct buf *b, size_t max)
{
    *b = (struct buf){.max = max, .is_locked = atomic_load_explicit(&locks_texts, memory_order_relaxed)};
}

void buf_lock_texts(void)
{
    atomic_store(&locks_texts, true);
}

void buf_deinit(struct buf *b)
{
    if (b->is_locked) {
        locked_pages_free(b->data, locked_pages_size(b->cap));
    } else {
        free(b->data);
    }
    *b = (struct buf){.max = b->max, .is_locked = b->is_locked};
}

void buf_lock(struct buf *b)
{
    buf_deinit(b);
    b->is_locked = true;
}

void buf_wipe(struct buf *b)
{
    if (b->data != NULL) {
        explicit_bzero(b->data, b->cap);
    }
    b->len = 0;
}

/* Not by mremap: the place that it leaves would not be wiped. */
static char *resize_locked(const struct buf *b, size_t cap)
{
    char *data = locked_pages_new(locked_pages_size(cap));

    if (data != NULL && b->len > 0) {
        memcpy(data, b->data, b->len);
    }
    if (data != NULL) {
        locked_pages_free(b->data, locked_pages_size(b->cap));
    }
    return data;
}

static bool resize(struct buf *b, size_t cap, struct error *err)
{
    cap = b->is_locked ? locked_pages_size(cap) : cap; /* pages are used whole */
    cap = cap < b->max ? cap : b->max;
    char *data = b->is_locked ? resize_locked(b, cap) : realloc(b->data, cap);
    if (data == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "buffer: no memory for %zu bytes", cap);
    }
    b->data = data;
    b->cap = cap;
    return true;
}

static bool has_room(const struct buf *b, size_t more, struct error *err)
{
    return more <= b->max - b->len || error_set(err, ERROR_LIMIT, "buffer: more than %zu bytes", b->max);
}

bool buf_grow(struct buf *b, size_t more, struct error *err)
{
    size_t cap = b->cap < BUF_FIRST_CAPACITY ? BUF_FIRST_CAPACITY : b->cap;

    if (!has_room(b, more, err)) {
        return false;
    }
    while (cap < b->len + more) {
        cap = cap > b->max / 2 ? b->max : cap * 2;
    }
    return resize(b, cap, err);
}

bool buf_reserve_tight(struct buf *b, size_t more, struct error *err)
{
    if (more <= b->cap - b->len) {
        return true;
    }
    if (!has_room(b, more, err)) {
        return false;
    }
    size_t need = b->len + more;
    return need > BUF_TIGHT_MAX ? buf_grow(b, more, err)
                                : resize(b, (need + BUF_TIGHT_STEP - 1) / BUF_TIGHT_STEP * BUF_TIGHT_STEP, err);
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
