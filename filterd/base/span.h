/* span.h - borrowed bytes: a pointer and a length, passed by value.
 *
 * A span never owns its bytes, need not be NUL-terminated, and may contain any bytes. Offsets into
 * a span are bytes; ranges are half-open. */
#ifndef FILTERD_BASE_SPAN_H
#define FILTERD_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
    const char *ptr;
    size_t len;
};

/* For printf: only for ids and names, never for inspected text. */
#define SPAN_FMT "%.*s"
#define SPAN_ARG(s) (int)(s).len, (s).ptr

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline struct span span_of(const char *ptr, size_t len)
{
    return (struct span){.ptr = ptr, .len = len};
}

static inline struct span span_str(const char *text)
{
    return span_of(text, strlen(text));
}

static inline bool span_equal(struct span a, struct span b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool span_is(struct span a, const char *text)
{
    return span_equal(a, span_str(text));
}

/* The part [from, to) of s; the caller guarantees from <= to <= s.len. */
static inline struct span span_slice(struct span s, size_t from, size_t to)
{
    return span_of(s.ptr + from, to - from);
}

static inline bool span_starts_with(struct span s, struct span prefix)
{
    return s.len >= prefix.len && span_equal(span_of(s.ptr, prefix.len), prefix);
}

#endif
