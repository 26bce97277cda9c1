/* json_text.h - finds the end of the unescaped part of a JSON string; only for the json_*.c files.
 *
 * Readers and writers both need the length of the prefix without escapes.
 * Most text is printable ASCII, so they compare thirty-two bytes at a time. The vector types
 * are the compiler's: SSE2 on x86, NEON on Arm. */
#ifndef FILTERD_BASE_JSON_TEXT_H
#define FILTERD_BASE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/* Unsigned bytes, so that one comparison finds control characters and another non-ASCII. */
typedef uint8_t json_block __attribute__((vector_size(16)));

enum { JSON_BLOCK = 2 * sizeof(json_block) };

/* A bit for each byte of `found`, whose bytes are 0 or 255. */
static inline uint32_t json_bits(json_block found)
{
#if defined(__SSE2__)
    typedef char bytes __attribute__((vector_size(16)));
    return (uint32_t)__builtin_ia32_pmovmskb128((bytes)found);
#else
    /* The multiplication gathers the lowest bit of each byte in the highest byte. */
    typedef uint64_t halves __attribute__((vector_size(16)));
    halves ones = (halves)(found & 1) * UINT64_C(0x0102040810204080) >> 56;
    return (uint32_t)(ones[0] | ones[1] << 8);
#endif
}

/* A bit for each of JSON_BLOCK bytes that is not plain ASCII: printable, no quote, no backslash. */
static inline uint32_t json_special(const json_block bytes[2])
{
    uint32_t bits[2];

    for (int i = 0; i < 2; i++) {
        /* Taking 0x20 away wraps control characters around, above the plain ones. */
        bits[i] = json_bits(
            (json_block)((bytes[i] - 0x20 > 0x5f) | (bytes[i] == '"') | (bytes[i] == '\\')));
    }
    return bits[0] | bits[1] << 16;
}

/* The index of the first of them; JSON_BLOCK: there is none. */
static inline size_t json_first_special(const json_block bytes[2])
{
    uint32_t found = json_special(bytes);

    return found == 0 ? JSON_BLOCK : (size_t)__builtin_ctz(found);
}

/* The same for the first backslash. */
static inline size_t json_first_backslash(const json_block bytes[2])
{
    uint32_t found =
        json_bits((json_block)(bytes[0] == '\\')) | json_bits((json_block)(bytes[1] == '\\')) << 16;

    return found == 0 ? JSON_BLOCK : (size_t)__builtin_ctz(found);
}

/* Whether a backslash and this byte are an escape of two bytes. */
bool json_is_short_escape(char c);

/* The length of a prefix of plain ASCII and escapes of two bytes. It may end before the longest does. */
size_t json_short_escapes_prefix(struct span text);

/* The length of a prefix of well-formed non-ASCII characters with single plain bytes
 * between them. `text` does not begin with a plain byte. */
size_t json_beyond_ascii(struct span text);

#endif
