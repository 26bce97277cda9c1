/* ascii.h - classes of ASCII characters, independent of the locale. */
#ifndef FILTERD_BASE_ASCII_H
#define FILTERD_BASE_ASCII_H

#include <stdint.h>

#include "base/span.h"

enum ascii_class {
    ASCII_DIGIT = 1 << 0,
    ASCII_UPPER = 1 << 1,
    ASCII_LOWER = 1 << 2,
    ASCII_HEX = 1 << 3,
    ASCII_BASE64 = 1 << 4, /* of either alphabet, without '=' */
    ASCII_TOKEN = 1 << 5,  /* characters of secrets, paths and addresses */
    ASCII_SPACE = 1 << 6,
    ASCII_PRINT = 1 << 7, /* a space to a tilde, tab, newline, carriage return */
    ASCII_LETTER = ASCII_UPPER | ASCII_LOWER,
    ASCII_ALNUM = ASCII_DIGIT | ASCII_LETTER,
};

enum { ASCII_NOT_HEX = 16, ASCII_NOT_BASE64 = 64 };

extern const uint8_t ascii_classes[256];
extern const uint8_t ascii_hex_values[256];    /* ASCII_NOT_HEX for other characters */
extern const uint8_t ascii_base64_values[256]; /* ASCII_NOT_BASE64 likewise */

/* Decodes a run of ASCII_BASE64, of either alphabet or mixed; other characters make the result undefined. `out`
 * has space for run.len * 3 / 4 bytes. Returns the number written: a single character after the last complete four adds
 * none. */
size_t ascii_base64_decode(struct span run, char *out);

static inline bool ascii_is(char c, unsigned classes)
{
    return (ascii_classes[(unsigned char)c] & classes) != 0;
}

static inline bool ascii_is_digit(char c)
{
    return ascii_is(c, ASCII_DIGIT);
}

static inline bool ascii_is_lower(char c)
{
    return ascii_is(c, ASCII_LOWER);
}

static inline bool ascii_is_upper(char c)
{
    return ascii_is(c, ASCII_UPPER);
}

static inline bool ascii_is_letter(char c)
{
    return ascii_is(c, ASCII_LETTER);
}

static inline bool ascii_is_alnum(char c)
{
    return ascii_is(c, ASCII_ALNUM);
}

static inline bool ascii_is_space(char c)
{
    return ascii_is(c, ASCII_SPACE);
}

static inline char ascii_lower(char c)
{
    return ascii_is_upper(c) ? (char)(c + ('a' - 'A')) : c;
}

static inline unsigned ascii_hex_value(char c)
{
    return ascii_hex_values[(unsigned char)c];
}

/* ROT13. */
static inline char ascii_rot13(char c)
{
    if (!ascii_is(c, ASCII_LETTER)) {
        return c;
    }
    return (char)((c & 0x1f) <= 13 ? c + 13 : c - 13);
}

/* The end of the run of these classes that starts at `at`. */
static inline size_t ascii_run_end(struct span text, size_t at, unsigned classes)
{
    while (at < text.len && ascii_is(text.ptr[at], classes)) {
        at++;
    }
    return at;
}

/* The start of the first `min` characters of these classes in a row, all of them in [at, limit);
 * `limit` when there are none. Reads few characters of text without any. */
static inline size_t ascii_find_run(struct span text, size_t at, size_t limit, unsigned classes,
                                    size_t min)
{
    while (limit - at >= min) {
        size_t last = at + min;
        while (last > at && ascii_is(text.ptr[last - 1], classes)) {
            last--;
        }
        if (last == at) {
            return at;
        }
        at = last;
    }
    return limit;
}

/* The start of the run of these classes that ends at `at`; not before `first`. */
static inline size_t ascii_run_begin(struct span text, size_t first, size_t at, unsigned classes)
{
    while (at > first && ascii_is(text.ptr[at - 1], classes)) {
        at--;
    }
    return at;
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
static inline bool ascii_equals(struct span text, const char *lower)
{
    return text.len == strlen(lower) && ascii_starts_with(text, lower);
}

/* How many bytes are above the space, which white space is not. */
static inline size_t ascii_count_visible(struct span text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        n += (unsigned char)text.ptr[i] > ' ';
    }
    return n;
}

/* The first place of the lower-case literal at or after `from`; text.len when there is none. */
static inline size_t ascii_find(struct span text, size_t from, const char *lower)
{
    size_t at = from;

    while (at < text.len && !ascii_starts_with(span_slice(text, at, text.len), lower)) {
        at++;
    }
    return at < text.len ? at : text.len;
}

#endif
