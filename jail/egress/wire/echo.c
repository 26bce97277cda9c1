#include "jail/egress/wire/echo.h"

#include <assert.h>
#include <string.h>

#include "base/ascii.h"

enum { HEX_DIGITS = 2, UNICODE_DIGITS = 4, NAME_MAX = 7, PARTS = 8, DEPTHS = 2, WORD_BITS = 64 };

/* --- forms ------------------------------------------------------------------ */

/* Of base64 those letters that the bytes alone decide, where 0 to 2 of them end a group of others. */
enum code { CODE_NONE, CODE_HEX, CODE_HEX_UPPER, CODE_BASE64, CODE_BASE64_2 = CODE_BASE64 + 2, CODE_LINK64, CODE_LINK64_2 = CODE_LINK64 + 2 };

/* A code, of what is in another code or as it is. As the last one upper case and letters for links are read like the common ones. */
static const struct form {
    uint8_t last, first;
} forms[] = {
    {0, 0}, {1, 0}, {3, 0}, {4, 0}, {5, 0}, {1, 1}, {3, 1}, {4, 1}, {5, 1}, {1, 2}, {3, 2}, {4, 2}, {5, 2},
    {1, 3}, {3, 3}, {4, 3}, {5, 3}, {1, 4}, {3, 4}, {4, 4}, {5, 4}, {1, 5}, {3, 5}, {4, 5}, {5, 5}, {1, 6},
    {3, 6}, {4, 6}, {5, 6}, {1, 7}, {3, 7}, {4, 7}, {5, 7}, {1, 8}, {3, 8}, {4, 8}, {5, 8},
};
_Static_assert(sizeof(forms) / sizeof(forms[0]) == ECHO_FORMS_MAX, "each has a number");

static bool is_hex_code(enum code c)
{
    return c == CODE_HEX || c == CODE_HEX_UPPER;
}

static size_t coded_length(enum code c, size_t len)
{
    size_t skipped = c < CODE_BASE64 ? 0 : (c - CODE_BASE64) % 3;

    return c == CODE_NONE ? len : is_hex_code(c) ? HEX_DIGITS * len : (len - skipped) / 3 * 4;
}

static char hex_digit(enum code c, unsigned value)
{
    return (c == CODE_HEX ? "0123456789abcdef" : "0123456789ABCDEF")[value & 15];
}

/* A letter of three bytes. */
static char base64_letter(enum code c, const char bytes[3], size_t i)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    unsigned group = (unsigned)(unsigned char)bytes[0] << 16 | (unsigned)(unsigned char)bytes[1] << 8 | (unsigned char)bytes[2];
    unsigned letter = group >> (18 - 6 * i) & 63;

    return letter < 62 ? letters[letter] : (c <= CODE_BASE64_2 ? "+/" : "-_")[letter - 62];
}

static char first_code_at(enum code c, struct span part, size_t i)
{
    if (c == CODE_NONE) {
        return part.ptr[i];
    }
    if (is_hex_code(c)) {
        unsigned char byte = (unsigned char)part.ptr[i / 2];
        return hex_digit(c, i % 2 == 0 ? byte >> 4 : byte);
    }
    return base64_letter(c, part.ptr + (c - CODE_BASE64) % 3 + i / 4 * 3, i % 4);
}

static char form_at(const struct form *f, struct span part, size_t i)
{
    char bytes[3];

    if (f->last == CODE_NONE) {
        return first_code_at(f->first, part, i);
    }
    if (is_hex_code(f->last)) {
        unsigned char byte = (unsigned char)first_code_at(f->first, part, i / 2);
        return hex_digit(f->last, i % 2 == 0 ? byte >> 4 : byte);
    }
    for (size_t k = 0; k < sizeof(bytes); k++) {
        bytes[k] = first_code_at(f->first, part, f->last - CODE_BASE64 + i / 4 * 3 + k);
    }
    return base64_letter(f->last, bytes, i % 4);
}

static size_t form_length(const struct form *f, size_t len)
{
    return coded_length(f->last, coded_length(f->first, len));
}

static bool is_same(const struct form *f, char is, char expected)
{
    if (f->last == CODE_NONE) {
        return ascii_lower(is) == ascii_lower(expected) || (is == '+' && expected == ' ');
    }
    if (f->last == CODE_HEX) {
        return ascii_lower(is) == expected;
    }
    return is == expected || (is == '-' && expected == '+') || (is == '_' && expected == '/');
}

/* What may be the same has the same. */
static unsigned char fold(char c)
{
    return c == '-' || c == ' ' ? '+' : c == '_' ? '/' : (unsigned char)ascii_lower(c);
}

/* --- characters ------------------------------------------------------------- */

/* What a text has at a place: a character, and how many bytes it takes; 0: the text ends in the middle of it, perhaps. */
struct unit {
    char is;
    size_t len;
};

/* Reads characters whose escapes are undone `depth` times. */
struct reader {
    struct span in;
    size_t at;
    const char *escapes;
    unsigned depth;
    bool is_open; /* the text has ended */
};

static struct unit read_unit(struct span in, const char *escapes, unsigned depth);

/* NOLINTNEXTLINE(misc-no-recursion): at most DEPTHS deep */
static char next(struct reader *r)
{
    struct unit u = {0};

    if (r->at < r->in.len) {
        u = read_unit(span_slice(r->in, r->at, r->in.len), r->escapes, r->depth);
    }
    r->is_open |= u.len == 0;
    r->at += u.len;
    return u.is;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static struct unit read_hex(struct reader *r, size_t n, struct unit otherwise)
{
    unsigned value = 0;

    for (size_t i = 0; i < n; i++) {
        unsigned digit = ascii_hex_value(next(r));
        if (r->is_open || digit == ASCII_NOT_HEX) {
            return r->is_open ? (struct unit){0} : otherwise;
        }
        value = value << 4 | digit;
    }
    return value < 0x80 ? (struct unit){(char)value, r->at} : otherwise;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static struct unit read_backslash(struct reader *r, struct unit otherwise)
{
    char c = next(r);

    if (r->is_open) {
        return (struct unit){0};
    }
    if (c == 'u' || c == 'x') {
        return read_hex(r, c == 'u' ? UNICODE_DIGITS : HEX_DIGITS, otherwise);
    }
    return ascii_is(c, ASCII_ALNUM) ? otherwise : (struct unit){c, r->at};
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

/* NOLINTNEXTLINE(misc-no-recursion) */
static struct unit read_reference(struct reader *r, struct unit otherwise)
{
    static const struct {
        const char *name;
        char is;
    } rows[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    char bytes[NAME_MAX];
    size_t n = 0;
    char c = next(r);

    while (!r->is_open && n < NAME_MAX && (ascii_is(c, ASCII_ALNUM) || c == '#')) {
        bytes[n++] = c;
        c = next(r);
    }
    if (r->is_open || c != ';') {
        return r->is_open ? (struct unit){0} : otherwise;
    }
    struct span name = span_of(bytes, n);
    if (n > 0 && bytes[0] == '#') {
        return read_number(span_slice(name, 1, n), r->at, otherwise);
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (span_is(name, rows[i].name)) {
            return (struct unit){rows[i].is, r->at};
        }
    }
    return otherwise;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static struct unit read_unit(struct span in, const char *escapes, unsigned depth)
{
    struct reader r = {.in = in, .escapes = escapes, .depth = depth - 1};

    if (depth == 0) {
        return (struct unit){in.ptr[0], 1};
    }
    char c = next(&r);
    const struct unit itself = {c, r.at};
    if (r.is_open || c == '\0' || strchr(escapes, c) == NULL) {
        return r.is_open ? (struct unit){0} : itself;
    }
    return c == '%' ? read_hex(&r, HEX_DIGITS, itself) : c == '&' ? read_reference(&r, itself) : read_backslash(&r, itself);
}

/* --- search ----------------------------------------------------------------- */

static struct span part_of(const struct echo *e, size_t way)
{
    size_t at = way / ECHO_FORMS_MAX * e->step, last = e->secret.len - e->part;

    return span_slice(e->secret, at < last ? at : last, (at < last ? at : last) + e->part);
}

static unsigned pair_of(char first, char second)
{
    return (unsigned)(unsigned char)first << 8 | (unsigned char)second;
}

/* Both characters in each way in which they may be written. */
static void mark_pairs(struct echo *e, size_t way)
{
    const struct form *f = &forms[way % ECHO_FORMS_MAX];
    char first = form_at(f, part_of(e, way), 0), second = form_at(f, part_of(e, way), 1);

    for (unsigned a = 0; a < 256; a++) {
        for (unsigned b = 0; b < 256 && is_same(f, (char)a, first); b++) {
            unsigned pair = pair_of((char)a, (char)b);
            e->pairs[pair / WORD_BITS] |= (uint64_t)is_same(f, (char)b, second) << pair % WORD_BITS;
        }
    }
    e->from[fold(first) + 1]++;
}

void echo_init(struct echo *e, struct span secret)
{
    size_t half = (secret.len + 1) / 2;

    *e = (struct echo){.secret = secret};
    if (secret.len < ECHO_LEAST) {
        return;
    }
    e->part = half > ECHO_LEAST ? half : ECHO_LEAST;
    e->step = secret.len < 2 * PARTS ? 1 : secret.len / PARTS;
    size_t n = ((secret.len - e->part + e->step - 1) / e->step + 1) * ECHO_FORMS_MAX;
    assert(n <= ECHO_WAYS_MAX);
    for (size_t way = 0; way < n; way++) {
        mark_pairs(e, way);
    }
    for (size_t c = 1; c < COUNT(e->from); c++) {
        e->from[c] = (uint16_t)(e->from[c] + e->from[c - 1]);
    }
    uint16_t at[256];
    memcpy(at, e->from, sizeof(at));
    for (size_t way = 0; way < n; way++) {
        e->ways[at[fold(form_at(&forms[way % ECHO_FORMS_MAX], part_of(e, way), 0))]++] = (uint16_t)way;
    }
}

enum match { MATCH_NONE, MATCH_OPEN, MATCH_WHOLE };

/* A text that is escaped in one way has the characters of other escapes as they are. */
static const struct escaping {
    const char *escapes;
    unsigned depth;
} escapings[] = {{"", 1}, {"%", 1}, {"\\", 1}, {"&", 1}, {"%\\&", 1}, {"%", 2}, {"\\", 2}, {"&", 2}, {"\\&", 2}, {"%\\&", 2}};

static enum match match_at(const struct echo *e, size_t way, struct span text, const struct escaping *how)
{
    const struct form *f = &forms[way % ECHO_FORMS_MAX];
    struct span part = part_of(e, way);
    size_t n = form_length(f, part.len);
    struct reader r = {.in = text, .escapes = how->escapes, .depth = how->depth};

    for (size_t i = 0; i < n; i++) {
        char c = next(&r);
        if (r.is_open) {
            return MATCH_OPEN;
        }
        if (!is_same(f, c, form_at(f, part, i))) {
            return MATCH_NONE;
        }
    }
    return MATCH_WHOLE;
}

static bool is_escape(char c)
{
    return c == '%' || c == '\\' || c == '&';
}

/* Without an escape in the text there is one way to read it. */
static bool is_way_at(const struct echo *e, size_t way, struct span text, enum match expected)
{
    const struct form *f = &forms[way % ECHO_FORMS_MAX];
    struct span part = part_of(e, way);
    size_t n = form_length(f, part.len), at = 0;

    while (at < n && at < text.len && !is_escape(text.ptr[at])) {
        if (!is_same(f, text.ptr[at], form_at(f, part, at))) {
            return false;
        }
        at++;
    }
    if (at == n || at == text.len) {
        return expected == (at == n ? MATCH_WHOLE : MATCH_OPEN);
    }
    for (size_t i = 0; i < COUNT(escapings); i++) {
        if (match_at(e, way, text, &escapings[i]) == expected) {
            return true;
        }
    }
    return false;
}

static bool is_any_from(const struct echo *e, unsigned char first, struct span text, enum match expected)
{
    for (size_t i = e->from[first]; i < e->from[first + 1]; i++) {
        if (is_way_at(e, e->ways[i], text, expected)) {
            return true;
        }
    }
    return false;
}

static bool is_pair(const struct echo *e, char first, char second)
{
    unsigned pair = pair_of(first, second);

    return (e->pairs[pair / WORD_BITS] >> pair % WORD_BITS & 1) != 0;
}

static bool is_read_at(const struct echo *e, struct span text, const struct escaping *how, enum match expected)
{
    struct reader r = {.in = text, .escapes = how->escapes, .depth = how->depth};
    char first = next(&r);

    if (r.is_open) {
        return expected == MATCH_OPEN;
    }
    char second = next(&r);
    for (size_t i = e->from[fold(first)]; (r.is_open || is_pair(e, first, second)) && i < e->from[fold(first) + 1]; i++) {
        if (match_at(e, e->ways[i], text, how) == expected) {
            return true;
        }
    }
    return false;
}

/* Whether a part, in any form, is at the beginning. */
static bool is_at(const struct echo *e, struct span text, enum match expected)
{
    bool is_read = false;

    if (!is_escape(text.ptr[0])) {
        return (text.len == 1 || is_escape(text.ptr[1]) || is_pair(e, text.ptr[0], text.ptr[1])) &&
               is_any_from(e, fold(text.ptr[0]), text, expected);
    }
    for (size_t i = 0; i < COUNT(escapings) && !is_read; i++) {
        is_read = is_read_at(e, text, &escapings[i], expected);
    }
    return is_read;
}

/* The first place from `from` on where a part is found, to its end or to that of the text; text.len: none. */
static size_t find(const struct echo *e, struct span text, size_t from, enum match expected)
{
    for (size_t i = from; e->part > 0 && i < text.len; i++) {
        if (is_at(e, span_slice(text, i, text.len), expected)) {
            return i;
        }
    }
    return text.len;
}

bool echo_is_in(const struct echo *e, struct span text)
{
    return find(e, text, 0, MATCH_WHOLE) < text.len;
}

size_t echo_begun(const struct echo *e, struct span text)
{
    size_t most = ECHO_FACTOR * e->part;

    return text.len - find(e, text, text.len > most ? text.len - most : 0, MATCH_OPEN);
}
