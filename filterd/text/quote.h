/* quote.h - the quotes that literals of programs have: " ' and the backquote. */
#ifndef FILTERD_TEXT_QUOTE_H
#define FILTERD_TEXT_QUOTE_H

#include "base/span.h"
#include "text/vector.h"

static inline bool quote_is(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

/* The first of [at, end); `end`, or `at` when that is further, when there is none. */
static inline size_t quote_next(struct span text, size_t at, size_t end)
{
    for (; at + VECTOR_SIZE <= end; at += VECTOR_SIZE) {
        vector_bytes v = vector_load(text.ptr + at);
        unsigned found = vector_top_bits(vector_is(v, '"') | vector_is(v, '\'') | vector_is(v, '`'));
        if (found != 0) {
            return at + (size_t)__builtin_ctz(found);
        }
    }
    while (at < end && !quote_is(text.ptr[at])) {
        at++;
    }
    return at;
}

#endif
