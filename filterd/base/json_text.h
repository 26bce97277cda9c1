/* json_text.h - where the plain part of a JSON string ends; for the json_*.c files alone.
 *
 * Reading and writing meet the same question: how far do the bytes go that stand for themselves?
 * Most text is printable ASCII, so that is answered sixteen bytes at a time. The vector types are
 * the compiler's own: SSE2 on x86, NEON on Arm, no code of ours for either. */
#ifndef FILTERD_BASE_JSON_TEXT_H
#define FILTERD_BASE_JSON_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/* Unsigned bytes, so that one comparison finds control characters and another non-ASCII. */
typedef uint8_t json_block __attribute__((vector_size(16)));
typedef uint64_t json_halves __attribute__((vector_size(16)));

enum { JSON_BLOCK = sizeof(json_block) };

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the first set byte of a word is found by counting zeros from its low end"
#endif

/* The index of the first byte that is set in `found`; JSON_BLOCK when none is. */
static inline size_t json_first(json_halves found)
{
    if ((found[0] | found[1]) == 0) {
        return JSON_BLOCK;
    }
    return found[0] != 0 ? (size_t)__builtin_ctzll(found[0]) / 8
                         : 8 + (size_t)__builtin_ctzll(found[1]) / 8;
}

/* The index of the first byte that is not plain ASCII: printable, no quote, no backslash. */
static inline size_t json_first_special(json_block bytes)
{
    /* Taking 0x20 away wraps control characters around, above the plain ones. */
    return json_first((json_halves)((bytes - 0x20 > 0x5f) | (bytes == '"') | (bytes == '\\')));
}

/* The length of the longest prefix that is valid UTF-8 without control characters, '"' and '\\'. */
size_t json_plain_prefix(struct span text);

/* The length of the longest prefix of well-formed characters beyond ASCII. */
size_t json_beyond_ascii(struct span text);

#endif
