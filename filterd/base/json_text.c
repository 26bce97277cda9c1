#include "base/json_text.h"

#include <string.h>

#include "base/json.h"

static inline bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

static inline bool is_continuation(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

/* The length in bytes of the character beyond ASCII at the front, 0 when it is ill-formed. len > 0.
 */
static inline size_t character_len(const unsigned char *at, size_t len)
{
    unsigned char lead = at[0];

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

size_t json_beyond_ascii(struct span text)
{
    const unsigned char *bytes = (const unsigned char *)text.ptr;
    size_t i = 0;

    while (i < text.len) {
        if (bytes[i] >= 0x80) {
            size_t n = character_len(bytes + i, text.len - i);
            if (n == 0) {
                break;
            }
            i += n;
        } else if (is_plain(bytes[i]) && text.len - i > 1 && bytes[i + 1] >= 0x80) {
            i++; /* the space between two words */
        } else {
            break;
        }
    }
    return i;
}

size_t json_plain_prefix(struct span text)
{
    const unsigned char *bytes = (const unsigned char *)text.ptr;
    size_t i = 0;

    for (;;) {
        while (text.len - i >= JSON_BLOCK) {
            json_block block[2];
            memcpy(block, text.ptr + i, JSON_BLOCK);
            size_t n = json_first_special(block);
            i += n;
            if (n < JSON_BLOCK) {
                break;
            }
        }
        while (i < text.len && is_plain(bytes[i])) {
            i++;
        }
        /* Characters beyond ASCII come in runs. */
        size_t run = json_beyond_ascii(span_slice(text, i, text.len));
        if (run == 0) {
            return i;
        }
        i += run;
    }
}

/* A table, because the branches of a switch would be mispredicted. */
bool json_is_short_escape(char c)
{
    static const bool is_short[256] = {
        ['"'] = true, ['\\'] = true, ['/'] = true, ['b'] = true,
        ['f'] = true, ['n'] = true,  ['r'] = true, ['t'] = true,
    };

    return is_short[(unsigned char)c];
}

/* Lines are short: each block is read once, however many escapes are in it. */
size_t json_short_escapes_prefix(struct span text)
{
    size_t i = 0;

    while (text.len - i > JSON_BLOCK) { /* so that what is behind a backslash can be read */
        json_block block[2];
        memcpy(block, text.ptr + i, JSON_BLOCK);
        uint32_t special = json_special(block);
        size_t len = JSON_BLOCK;
        while (special != 0) {
            size_t at = (size_t)__builtin_ctz(special);
            if (text.ptr[i + at] != '\\' || !json_is_short_escape(text.ptr[i + at + 1])) {
                return i + at;
            }
            special &= ~(UINT32_C(3) << at);
            len += at + 1 == JSON_BLOCK; /* the escape goes on in the next block */
        }
        i += len;
    }
    return i;
}
