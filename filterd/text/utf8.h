/* utf8.h - UTF-8: validation, repair that preserves offsets, counting.
 *
 * "Valid" is Unicode's definition (no surrogates, no overlong forms, at most U+10FFFF). */
#ifndef FILTERD_TEXT_UTF8_H
#define FILTERD_TEXT_UTF8_H

#include <stdint.h>

#include "base/arena.h"

/* Replaces each byte of an ill-formed sequence in a repaired text, and each control character that shows as nothing (C0 but white
 * space, backspace, shift out and escape; DEL), so offsets into the repaired text are offsets into the original. Folding drops it. */
enum { UTF8_REPLACEMENT_BYTE = 0x1a };

/* The length of the longest valid prefix; text.len when all is valid. */
size_t utf8_valid_prefix(struct span text);
bool utf8_is_ascii(struct span text);

/* *repaired borrows `text` when there is nothing to replace, otherwise it is a copy of the same length in the arena. */
MUST_CHECK bool utf8_repair(struct arena *a, struct span text, struct span *repaired,
                            struct error *err);

/* The first code point of valid UTF-8, and its length in bytes. text.len > 0. */
static inline uint32_t utf8_decode(struct span text, size_t *len)
{
    const unsigned char *s = (const unsigned char *)text.ptr;
    if (s[0] < 0x80) {
        *len = 1;
        return s[0];
    }
    if (s[0] < 0xe0) {
        *len = 2;
        return (uint32_t)((s[0] & 0x1f) << 6 | (s[1] & 0x3f));
    }
    if (s[0] < 0xf0) {
        *len = 3;
        return (uint32_t)((s[0] & 0x0f) << 12 | (s[1] & 0x3f) << 6 | (s[2] & 0x3f));
    }
    *len = 4;
    return (uint32_t)((s[0] & 0x07) << 18 | (s[1] & 0x3f) << 12 | (s[2] & 0x3f) << 6 |
                      (s[3] & 0x3f));
}

/* Writes 1 to 4 bytes, returns their number. */
size_t utf8_encode(uint32_t code_point, char out[4]);

/* Lengths of valid UTF-8 in code points and in UTF-16 units. */
size_t utf8_count_code_points(struct span text);
size_t utf8_count_utf16_units(struct span text);

#endif
