#include "base/json_text.h"

#include <string.h>

/* Unsigned bytes, so that one comparison finds control characters and another non-ASCII. */
typedef uint8_t block __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

enum { BLOCK = sizeof(block) };

static inline bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* The index of the first byte of the block that is not plain ASCII; BLOCK when all are. */
static inline size_t first_special(const char *at)
{
    block bytes;
    halves found;

    memcpy(&bytes, at, BLOCK);
    /* Taking 0x20 away wraps control characters around, above the plain ones. */
    found = (halves)((bytes - 0x20 > 0x5f) | (bytes == '"') | (bytes == '\\'));
    if (__builtin_expect((found[0] | found[1]) == 0, 1)) {
        return BLOCK;
    }
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the first set byte of a word is found by counting zeros from its low end"
#endif
    return found[0] != 0 ? (size_t)__builtin_ctzll(found[0]) / 8
                         : 8 + (size_t)__builtin_ctzll(found[1]) / 8;
}

static inline bool is_continuation(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

size_t json_character_len(const unsigned char *at, size_t len)
{
    unsigned char lead = at[0];

    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xc2 || len < 2 || !is_continuation(at[1])) {
        return 0;
    }
    if (lead < 0xe0) {
        return 2;
    }
    if (lead < 0xf0) {
        bool is_overlong = lead == 0xe0 && at[1] < 0xa0;
        bool is_surrogate = lead == 0xed && at[1] >= 0xa0;
        return len >= 3 && !is_overlong && !is_surrogate && is_continuation(at[2]) ? 3 : 0;
    }
    if (lead > 0xf4 || (lead == 0xf0 && at[1] < 0x90) || (lead == 0xf4 && at[1] >= 0x90)) {
        return 0;
    }
    return len >= 4 && is_continuation(at[2]) && is_continuation(at[3]) ? 4 : 0;
}

/* Characters beyond ASCII come in runs: stay here until one ends. */
static size_t beyond_ascii(const unsigned char *at, size_t len)
{
    size_t i = 0;

    while (i < len && at[i] >= 0x80) {
        size_t n = json_character_len(at + i, len - i);
        if (n == 0) {
            break;
        }
        i += n;
    }
    return i;
}

size_t json_plain_prefix(struct span text)
{
    const unsigned char *bytes = (const unsigned char *)text.ptr;
    size_t i = 0;

    for (;;) {
        while (text.len - i >= BLOCK) {
            size_t n = first_special(text.ptr + i);
            i += n;
            if (n < BLOCK) {
                break;
            }
        }
        while (i < text.len && is_plain(bytes[i])) {
            i++;
        }
        size_t n = i < text.len && bytes[i] >= 0x80 ? beyond_ascii(bytes + i, text.len - i) : 0;
        if (n == 0) {
            return i;
        }
        i += n;
    }
}
