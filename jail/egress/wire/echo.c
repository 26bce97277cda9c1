#include "jail/egress/wire/echo.h"

#include <string.h>

#include "base/ascii.h"

enum { HEX_DIGITS = 2, NAME_MAX = 8 };

/* --- forms ------------------------------------------------------------------ */

/* Of base64 those letters that the secret alone decides, where 0 to 2 of its bytes end a group of others. */
enum form { FORM_PLAIN, FORM_HEX, FORM_BASE64, FORM_BASE64_1, FORM_BASE64_2, FORMS };

static size_t form_length(enum form f, size_t len)
{
    return f == FORM_PLAIN ? len : f == FORM_HEX ? HEX_DIGITS * len : (len - (f - FORM_BASE64)) / 3 * 4;
}

static char form_at(enum form f, struct span secret, size_t i)
{
    static const char digits[] = "0123456789abcdef";
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = (const unsigned char *)secret.ptr;

    if (f == FORM_PLAIN) {
        return secret.ptr[i];
    }
    if (f == FORM_HEX) {
        return digits[i % 2 == 0 ? bytes[i / 2] >> 4 : bytes[i / 2] & 15];
    }
    bytes += (f - FORM_BASE64) + i / 4 * 3;
    unsigned group = (unsigned)bytes[0] << 16 | (unsigned)bytes[1] << 8 | bytes[2];
    return letters[group >> (18 - 6 * (i % 4)) & 63];
}

static bool is_same(enum form f, char is, char expected)
{
    if (f == FORM_PLAIN) {
        return is == expected || (is == '+' && expected == ' ');
    }
    if (f == FORM_HEX) {
        return ascii_lower(is) == expected;
    }
    return is == expected || (is == '-' && expected == '+') || (is == '_' && expected == '/');
}

/* --- characters ------------------------------------------------------------- */

/* What a text has at a place: a character, and how many bytes it takes; 0: the text ends in the middle of it, perhaps. */
struct unit {
    char is;
    size_t len;
};

static struct unit read_hex(struct span in, size_t at, size_t n, struct unit otherwise)
{
    unsigned value = 0;

    for (size_t i = at; i < at + n; i++) {
        if (i == in.len) {
            return (struct unit){0};
        }
        unsigned digit = ascii_hex_value(in.ptr[i]);
        if (digit == ASCII_NOT_HEX) {
            return otherwise;
        }
        value = value << 4 | digit;
    }
    return value < 0x80 ? (struct unit){(char)value, at + n} : otherwise;
}

static struct unit read_backslash(struct span in, struct unit otherwise)
{
    if (in.len == 1) {
        return (struct unit){0};
    }
    if (in.ptr[1] == 'u' || in.ptr[1] == 'x') {
        return read_hex(in, 2, in.ptr[1] == 'u' ? 4 : HEX_DIGITS, otherwise);
    }
    return ascii_is(in.ptr[1], ASCII_ALNUM) ? otherwise : (struct unit){in.ptr[1], 2};
}

static struct unit read_number(struct span digits, size_t len, struct unit otherwise)
{
    bool is_hex = digits.len > 0 && ascii_lower(digits.ptr[0]) == 'x';
    unsigned value = 0;

    for (size_t i = is_hex; i < digits.len; i++) {
        unsigned digit = ascii_hex_value(digits.ptr[i]);
        if (digit == ASCII_NOT_HEX || digit >= (is_hex ? 16U : 10U)) {
            return otherwise;
        }
        value = value * (is_hex ? 16 : 10) + digit;
    }
    return value > 0 && value < 0x80 ? (struct unit){(char)value, len} : otherwise;
}

static struct unit read_reference(struct span in, struct unit otherwise)
{
    static const struct {
        const char *name;
        char is;
    } rows[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    size_t bound = in.len < ECHO_UNIT_MAX ? in.len : ECHO_UNIT_MAX;
    const char *end = memchr(in.ptr, ';', bound);

    if (end == NULL) {
        return in.len < ECHO_UNIT_MAX ? (struct unit){0} : otherwise;
    }
    struct span name = span_slice(in, 1, (size_t)(end - in.ptr));
    if (name.len > 0 && name.ptr[0] == '#') {
        return read_number(span_slice(name, 1, name.len), name.len + 2, otherwise);
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (span_is(name, rows[i].name)) {
            return (struct unit){rows[i].is, name.len + 2};
        }
    }
    return otherwise;
}

static struct unit read_unit(struct span in, const char *escapes)
{
    const struct unit itself = {in.ptr[0], 1};

    if (in.ptr[0] == '\0' || strchr(escapes, in.ptr[0]) == NULL) {
        return itself;
    }
    return in.ptr[0] == '%' ? read_hex(in, 1, HEX_DIGITS, itself) : in.ptr[0] == '&' ? read_reference(in, itself) : read_backslash(in, itself);
}

/* --- search ----------------------------------------------------------------- */

enum match { MATCH_NONE, MATCH_OPEN, MATCH_WHOLE };

/* A text that is escaped in one way has the characters of other escapes as they are. */
static const char *const escapings[] = {"", "%", "\\", "&", "%\\&"};

static enum match match_at(enum form f, struct span secret, struct span text, const char *escapes)
{
    size_t n = form_length(f, secret.len), at = 0;

    for (size_t i = 0; i < n; i++) {
        if (at == text.len) {
            return MATCH_OPEN;
        }
        struct unit u = read_unit(span_slice(text, at, text.len), escapes);
        if (u.len == 0) {
            return MATCH_OPEN;
        }
        if (!is_same(f, u.is, form_at(f, secret, i))) {
            return MATCH_NONE;
        }
        at += u.len;
    }
    return MATCH_WHOLE;
}

static bool is_escape(char c)
{
    return c == '%' || c == '\\' || c == '&';
}

/* Without an escape in the text there is one way to read it. */
static bool is_form_at(enum form f, struct span secret, struct span text, enum match expected)
{
    size_t n = form_length(f, secret.len), at = 0;

    while (at < n && at < text.len && !is_escape(text.ptr[at])) {
        if (!is_same(f, text.ptr[at], form_at(f, secret, at))) {
            return false;
        }
        at++;
    }
    if (at == n || at == text.len) {
        return expected == (at == n ? MATCH_WHOLE : MATCH_OPEN);
    }
    for (size_t i = 0; i < COUNT(escapings); i++) {
        if (match_at(f, secret, text, escapings[i]) == expected) {
            return true;
        }
    }
    return false;
}

/* The forms that may begin with a byte: a bit for each. */
static void mark_starts(struct span secret, unsigned starts[256])
{
    for (unsigned c = 0; c < 256; c++) {
        starts[c] = 0;
        for (enum form f = FORM_PLAIN; f < FORMS; f++) {
            starts[c] |= is_escape((char)c) || is_same(f, (char)c, form_at(f, secret, 0)) ? 1U << f : 0;
        }
    }
}

/* The first place from `from` on where a form is found, to its end or to that of the text; text.len: none. */
static size_t find(struct span secret, struct span text, size_t from, enum match expected)
{
    unsigned starts[256];

    mark_starts(secret, starts);
    for (size_t i = from; i < text.len; i++) {
        unsigned forms = starts[(unsigned char)text.ptr[i]];
        for (enum form f = FORM_PLAIN; forms >> f != 0; f++) {
            if ((forms >> f & 1) != 0 && is_form_at(f, secret, span_slice(text, i, text.len), expected)) {
                return i;
            }
        }
    }
    return text.len;
}

bool echo_is_in(struct span secret, struct span text)
{
    return find(secret, text, 0, MATCH_WHOLE) < text.len;
}

size_t echo_begun(struct span secret, struct span text)
{
    size_t most = ECHO_FACTOR * secret.len;

    return text.len - find(secret, text, text.len > most ? text.len - most : 0, MATCH_OPEN);
}
