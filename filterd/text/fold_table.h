/* fold_table.h - the folded form of each code point.
 *
 * make_fold_table.py generates the table; it covers every code point, and a lookup takes two
 * loads. */
#ifndef FILTERD_TEXT_FOLD_TABLE_H
#define FILTERD_TEXT_FOLD_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum fold_kind {
    FOLD_BREAK,      /* not folded; ends a run; its value is 0 */
    FOLD_DROP,       /* invisible: zero-width, bidi controls, variation selectors, tags … */
    FOLD_MARK,       /* combining with the previous character */
    FOLD_FOREIGN,    /* a letter of an alphabet written with spaces, unlike any ASCII letter */
    FOLD_CONFUSABLE, /* resembles an ASCII letter or digit; of another script */
    FOLD_LATIN,      /* a Latin letter: accented, a small capital, or resembling an ASCII one */
    FOLD_COMPAT,     /* is an ASCII character in a compatibility form (full-width, mathematical …) */
    FOLD_STRING,     /* the same for two to four ASCII characters */
    FOLD_DASH,       /* a dash */
    FOLD_SPACE,      /* a space */
};

enum { FOLD_PAYLOAD_BITS = 12, FOLD_BLOCK_BITS = 6, FOLD_STRING_MAX = 4 };

extern const uint8_t fold_blocks[];  /* block number by code point >> FOLD_BLOCK_BITS */
extern const uint16_t fold_values[]; /* kind << FOLD_PAYLOAD_BITS | payload */
extern const char fold_strings[][FOLD_STRING_MAX + 1];

static inline uint16_t fold_value(uint32_t code_point)
{
    uint32_t block = fold_blocks[code_point >> FOLD_BLOCK_BITS];
    return fold_values[block << FOLD_BLOCK_BITS | (code_point & ((1u << FOLD_BLOCK_BITS) - 1))];
}

/* The same for valid UTF-8 in two to four bytes; blocks match the range of a continuation byte. */
static inline uint16_t fold_value_of(const unsigned char *bytes, size_t *len)
{
    uint32_t index = bytes[0] & 0x1f;
    size_t last = 1;
    if (bytes[0] >= 0xe0) {
        index = (uint32_t)(bytes[0] & 0x0f) << 6 | (bytes[1] & 0x3f);
        last = 2;
    }
    if (bytes[0] >= 0xf0) {
        index = (index & 0x1ff) << 6 | (bytes[2] & 0x3f);
        last = 3;
    }
    *len = last + 1;
    return fold_values[(uint32_t)fold_blocks[index] << FOLD_BLOCK_BITS | (bytes[last] & 0x3f)];
}

static inline enum fold_kind fold_kind(uint16_t value)
{
    return (enum fold_kind)(value >> FOLD_PAYLOAD_BITS);
}

/* The ASCII character; for FOLD_STRING the index into fold_strings. */
static inline unsigned fold_payload(uint16_t value)
{
    return value & ((1u << FOLD_PAYLOAD_BITS) - 1);
}

#endif
