/* ascii.h - classes of single bytes, whatever the locale; a byte over 127 belongs to none. */
#ifndef FILTERD_FORMATS_ASCII_H
#define FILTERD_FORMATS_ASCII_H

#include "base/span.h"

static inline bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool ascii_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool ascii_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool ascii_is_letter(char c)
{
    return ascii_is_lower(c) || ascii_is_upper(c);
}

static inline bool ascii_is_alnum(char c)
{
    return ascii_is_letter(c) || ascii_is_digit(c);
}

static inline bool ascii_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline char ascii_lower(char c)
{
    return ascii_is_upper(c) ? (char)(c + ('a' - 'A')) : c;
}

/* 0 to 15, or -1. */
static inline int ascii_hex_value(char c)
{
    char lower = ascii_lower(c);

    if (ascii_is_digit(c)) {
        return c - '0';
    }
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* `lower` is a literal in lower case. */
static inline bool ascii_starts_with(struct span text, const char *lower)
{
    size_t i = 0;

    while (i < text.len && lower[i] != '\0' && ascii_lower(text.ptr[i]) == lower[i]) {
        i++;
    }
    return lower[i] == '\0';
}

/* `lower` is a literal in lower case. */
static inline bool ascii_is(struct span text, const char *lower)
{
    return text.len == strlen(lower) && ascii_starts_with(text, lower);
}

/* Where the literal in lower case first stands at or after `from`; text.len when nowhere. */
static inline size_t ascii_find(struct span text, size_t from, const char *lower)
{
    size_t at = from;

    while (at < text.len && !ascii_starts_with(span_slice(text, at, text.len), lower)) {
        at++;
    }
    return at < text.len ? at : text.len;
}

#endif
