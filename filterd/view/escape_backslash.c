/* escape_backslash.c - the escapes of JSON, C, JavaScript, Python and of Markdown. */
#include "base/ascii.h"
#include "view/escape.h"
#include "text/utf8.h"

static bool read_number(struct span text, size_t from, size_t at, unsigned min_digits,
                        unsigned max_digits, struct escape *out)
{
    uint32_t number;

    if (!escape_hex_number(text, &at, min_digits, max_digits, &number)) {
        return false;
    }
    *out = (struct escape){.code_point = number, .len = at - from};
    return escape_is_text(number);
}

/* \u{67} */
static bool read_braced(struct span text, size_t from, struct escape *out)
{
    if (!read_number(text, from, from + 3, 1, 6, out)) {
        return false;
    }
    bool is_closed = from + out->len < text.len && text.ptr[from + out->len] == '}';
    out->len++;
    return is_closed;
}

/* JSON writes control characters so. What shows as nothing is repaired, as in a text (text/utf8.h); a backspace, an escape and a shift out
 * are for the rendered view, and the fold view knows those of C1. */
static bool read_control(uint32_t number, struct escape *out)
{
    enum { BACKSPACE = 0x08, SHIFT_OUT = 0x0e, ESCAPE = 0x1b, DELETE = 0x7f, CONTROLS_END = 0xa0 };

    bool is_shown = number == BACKSPACE || number == SHIFT_OUT || number == ESCAPE || number > DELETE;
    out->code_point = is_shown ? number : UTF8_REPLACEMENT_BYTE;
    return number < ' ' || (number >= DELETE && number < CONTROLS_END);
}

/* \u0067, or the two \u of a surrogate pair. */
static bool read_utf16(struct span text, size_t from, struct escape *out)
{
    size_t at = from + 2;
    uint32_t high;
    uint32_t low;

    if (at < text.len && text.ptr[at] == '{') {
        return read_braced(text, from, out);
    }
    if (!escape_hex_number(text, &at, 4, 4, &high)) {
        return false;
    }
    if (high >= 0xd800 && high < 0xdc00 && text.len - at >= 2 && text.ptr[at] == '\\' &&
        text.ptr[at + 1] == 'u') {
        at += 2;
        if (!escape_hex_number(text, &at, 4, 4, &low) || low < 0xdc00 || low > 0xdfff) {
            return false;
        }
        high = 0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00));
    }
    *out = (struct escape){.code_point = high, .len = at - from};
    return escape_is_text(high) || read_control(high, out);
}

/* \147; \1 alone is more often a group of a regular expression. */
static bool read_octal(struct span text, size_t from, struct escape *out)
{
    if (text.len - from < 4) {
        return false;
    }
    uint32_t number = 0;
    for (size_t i = 1; i < 4; i++) {
        char c = text.ptr[from + i];
        if (c < '0' || c > '7') {
            return false;
        }
        number = number << 3 | (uint32_t)(c - '0');
    }
    *out = (struct escape){.code_point = number, .len = 4};
    return number < 0x80 && escape_is_text(number);
}

/* \xc3\xa9 is one character in UTF-8, \xe9 alone is it in Latin-1. */
static bool read_bytes(struct span text, size_t from, struct escape *out)
{
    char bytes[4];
    size_t n = 0;
    size_t len;

    for (size_t at = from;
         n < sizeof(bytes) && text.len - at >= 4 && text.ptr[at] == '\\' && text.ptr[at + 1] == 'x';
         n++) {
        uint32_t byte;
        at += 2;
        if (!escape_hex_number(text, &at, 2, 2, &byte)) {
            break;
        }
        bytes[n] = (char)byte;
    }
    if (n == 0 || utf8_valid_prefix(span_of(bytes, n)) == 0) {
        return read_number(text, from, from + 2, 2, 2, out);
    }
    uint32_t code_point = utf8_decode(span_of(bytes, n), &len);
    *out = (struct escape){.code_point = code_point, .len = 4 * len};
    return escape_is_text(code_point);
}

bool escape_backslash(struct span text, size_t at, struct escape *out)
{
    if (at + 1 >= text.len) {
        return false;
    }
    char c = text.ptr[at + 1];
    *out = (struct escape){.code_point = (uint32_t)c, .len = 2};
    switch (c) {
    case 'n':
        out->code_point = '\n';
        return true;
    case 'r':
        out->code_point = '\r';
        return true;
    case 't':
        out->code_point = '\t';
        return true;
    case '"':
    case '\'':
    case '\\':
    case '/':
    case '_': /* Markdown's and TeX's */
        return true;
    case '-':
    case '.':
        return at > 0 && at + 2 < text.len && ascii_is(text.ptr[at - 1], ASCII_ALNUM) &&
               ascii_is(text.ptr[at + 2], ASCII_ALNUM);
    case 'u':
        return read_utf16(text, at, out);
    case 'U':
        return read_number(text, at, at + 2, 8, 8, out);
    case 'x':
        return read_bytes(text, at, out);
    default:
        return read_octal(text, at, out);
    }
}
