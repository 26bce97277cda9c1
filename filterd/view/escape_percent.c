#include "base/ascii.h"
#include "view/escape.h"
#include "text/utf8.h"

bool escape_is_text(uint32_t code_point)
{
    if (code_point < ' ' || code_point == 0x7f) {
        return code_point == '\t' || code_point == '\n' || code_point == '\r';
    }
    return code_point <= 0x10ffff && (code_point < 0xd800 || code_point > 0xdfff) &&
           (code_point < 0x80 || code_point > 0x9f);
}

bool escape_hex_number(struct span text, size_t *at, unsigned min_digits, unsigned max_digits,
                       uint32_t *number)
{
    uint32_t value = 0;
    unsigned n = 0;

    while (n < max_digits && *at + n < text.len) {
        unsigned digit = ascii_hex_value(text.ptr[*at + n]);
        if (digit == ASCII_NOT_HEX) {
            break;
        }
        value = value << 4 | digit;
        n++;
    }
    if (n < min_digits) {
        return false;
    }
    *at += n;
    *number = value;
    return true;
}

/* `introducer` and two hex digits, as often as the UTF-8 of one character needs. */
static bool escape_hex_bytes(struct span text, size_t at, char introducer, struct escape *out)
{
    char bytes[4];
    size_t wanted = 1;
    size_t from = at;

    for (size_t n = 0; n < wanted; n++) {
        uint32_t byte;
        if (at >= text.len || text.ptr[at++] != introducer ||
            !escape_hex_number(text, &at, 2, 2, &byte)) {
            return false;
        }
        bytes[n] = (char)byte;
        if (n == 0 && byte >= 0xc2 && byte < 0xf5) {
            wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
        }
    }
    struct span character = span_of(bytes, wanted);
    if (utf8_valid_prefix(character) != wanted) {
        return false;
    }
    size_t len;
    *out = (struct escape){.code_point = utf8_decode(character, &len), .len = at - from};
    return escape_is_text(out->code_point);
}

bool escape_percent(struct span text, size_t at, struct escape *out)
{
    return escape_hex_bytes(text, at, '%', out);
}
