/* header_text.h - names and values of header fields as RFC 9110 reads them. Pure. */
#ifndef FILTERD_FORMATS_HEADER_TEXT_H
#define FILTERD_FORMATS_HEADER_TEXT_H

#include <strings.h>

#include "base/span.h"

/* In any case of ASCII letters. */
static inline bool header_is(struct span name, const char *other)
{
    return name.len == strlen(other) && strncasecmp(name.ptr, other, name.len) == 0;
}

/* Without the spaces and tabs around it. */
static inline struct span header_trim(struct span value)
{
    while (value.len > 0 && (value.ptr[0] == ' ' || value.ptr[0] == '\t')) {
        value = span_slice(value, 1, value.len);
    }
    while (value.len > 0 && (value.ptr[value.len - 1] == ' ' || value.ptr[value.len - 1] == '\t')) {
        value.len--;
    }
    return value;
}

#endif
