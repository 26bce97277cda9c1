#include "base/json.h"
#include "base/json_text.h"

/* Reads from `at`; every step moves it past the accepted bytes, or leaves it at the first wrong
 * byte and sets `expected` to what should be there. */
struct reader {
    const char *start, *at, *end;
    const char *expected;
    struct json_known known; /* values that are still to come */
    unsigned depth;
    uint64_t is_object[JSON_DEPTH_MAX / 64]; /* a bit per open container */
};

static bool refuse(struct reader *r, const char *expected)
{
    r->expected = expected;
    return false;
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The byte at hand, or NUL, which no rule of the grammar accepts, at the end. */
static inline char peek(const struct reader *r)
{
    return (char)(r->at < r->end ? *r->at : '\0');
}

static inline void skip_space(struct reader *r)
{
    while (r->at < r->end &&
           (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r')) {
        r->at++;
    }
}

/* The four digits after \u. */
static bool read_unit(struct reader *r, unsigned *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        char c = peek(r);
        int lower = c | 0x20;
        if (is_digit(c)) {
            *unit = *unit * 16 + (unsigned)(c - '0');
        } else if (lower >= 'a' && lower <= 'f') {
            *unit = *unit * 16 + (unsigned)(lower - 'a') + 10;
        } else {
            return refuse(r, "a hexadecimal digit");
        }
    }
    return true;
}

static bool read_unicode_escape(struct reader *r)
{
    unsigned unit;

    if (!read_unit(r, &unit)) {
        return false;
    }
    if (unit < 0xd800 || unit > 0xdfff) {
        return true;
    }
    if (unit >= 0xdc00) {
        return refuse(r, "a high surrogate before a low one");
    }
    if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u') {
        return refuse(r, "a low surrogate after a high one");
    }
    r->at += 2;
    if (!read_unit(r, &unit)) {
        return false;
    }
    return (unit >= 0xdc00 && unit <= 0xdfff) || refuse(r, "a low surrogate after a high one");
}

/* r->at is after the backslash. */
static inline bool read_escape(struct reader *r)
{
    if (json_is_short_escape(peek(r))) {
        r->at++;
        return true;
    }
    if (peek(r) != 'u') {
        return refuse(r, "an escape");
    }
    r->at++;
    return read_unicode_escape(r);
}

static bool read_string(struct reader *r)
{
    r->at++;
    for (;;) {
        r->at += json_short_escapes_prefix(span_of(r->at, (size_t)(r->end - r->at)));
        r->at += json_plain_prefix(span_of(r->at, (size_t)(r->end - r->at)));
        char c = peek(r);
        if (c == '"') {
            r->at++;
            return true;
        }
        if (c != '\\') {
            return refuse(r, r->at == r->end         ? "the end of the string"
                             : (unsigned char)c < 32 ? "no control character in a string"
                                                     : "valid UTF-8");
        }
        r->at++;
        if (!read_escape(r)) {
            return false;
        }
    }
}

static bool read_digits(struct reader *r)
{
    if (!is_digit(peek(r))) {
        return refuse(r, "a digit");
    }
    while (is_digit(peek(r))) {
        r->at++;
    }
    return true;
}

static bool read_number(struct reader *r)
{
    if (peek(r) == '-') {
        r->at++;
    }
    if (peek(r) == '0') {
        r->at++;
    } else if (!read_digits(r)) {
        return false;
    }
    if (peek(r) == '.') {
        r->at++;
        if (!read_digits(r)) {
            return false;
        }
    }
    if (peek(r) == 'e' || peek(r) == 'E') {
        r->at++;
        if (peek(r) == '+' || peek(r) == '-') {
            r->at++;
        }
        return read_digits(r);
    }
    return true;
}

static bool read_word(struct reader *r, const char *word)
{
    size_t len = strlen(word);

    if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0) {
        return refuse(r, "a value");
    }
    r->at += len;
    return true;
}

/* A value that is no container. */
static bool read_scalar(struct reader *r)
{
    switch (peek(r)) {
    case '"':
        return read_string(r);
    case 't':
        return read_word(r, "true");
    case 'f':
        return read_word(r, "false");
    case 'n':
        return read_word(r, "null");
    default:
        return peek(r) == '-' || is_digit(peek(r)) ? read_number(r) : refuse(r, "a value");
    }
}

static inline bool in_object(const struct reader *r)
{
    unsigned level = r->depth - 1;
    return (r->is_object[level / 64] >> (level % 64) & 1) != 0;
}

static bool open_container(struct reader *r, bool is_object)
{
    unsigned level = r->depth;

    if (level == JSON_DEPTH_MAX) {
        return refuse(r, NULL);
    }
    uint64_t bit = (uint64_t)1 << (level % 64);
    r->is_object[level / 64] = (r->is_object[level / 64] & ~bit) | (is_object ? bit : 0);
    r->depth++;
    r->at++;
    skip_space(r);
    return true;
}

/* A name and its colon, where the innermost container is an object. */
static bool read_name(struct reader *r)
{
    if (!in_object(r)) {
        return true;
    }
    if (peek(r) != '"') {
        return refuse(r, "a member name");
    }
    if (!read_string(r)) {
        return false;
    }
    skip_space(r);
    if (peek(r) != ':') {
        return refuse(r, "':'");
    }
    r->at++;
    skip_space(r);
    return true;
}

/* An element of an array that is a member of the root. */
static bool take_known(struct reader *r)
{
    if (r->known.n == 0 || r->known.values->ptr != r->at || r->depth != 2 || in_object(r)) {
        return false;
    }
    r->at += r->known.values->len;
    r->known.values++;
    r->known.n--;
    return true;
}

/* Down to the first scalar, or to the closing bracket of an empty container. */
static bool descend(struct reader *r)
{
    for (;;) {
        char c = peek(r);
        if (take_known(r)) {
            return true;
        }
        if (c != '{' && c != '[') {
            return read_scalar(r);
        }
        if (!open_container(r, c == '{')) {
            return false;
        }
        if (peek(r) == (c == '{' ? '}' : ']')) {
            return true;
        }
        if (!read_name(r)) {
            return false;
        }
    }
}

/* Behind a value: closes containers until a comma asks for one more value, or all are closed. */
static bool ascend(struct reader *r)
{
    while (r->depth > 0) {
        skip_space(r);
        bool is_object = in_object(r);
        char c = peek(r);
        if (c == (is_object ? '}' : ']')) {
            r->at++;
            r->depth--;
            continue;
        }
        if (c != ',') {
            return refuse(r, is_object ? "',' or '}'" : "',' or ']'");
        }
        r->at++;
        skip_space(r);
        return read_name(r);
    }
    return true;
}

static bool read_text(struct reader *r)
{
    skip_space(r);
    do {
        if (!descend(r) || !ascend(r)) {
            return false;
        }
    } while (r->depth > 0);
    skip_space(r);
    return r->at == r->end || refuse(r, "the end of the text");
}

bool json_validate(struct span text, struct error *err)
{
    return json_validate_known(text, (struct json_known){0}, err);
}

bool json_validate_known(struct span text, struct json_known known, struct error *err)
{
    if (text.len == 0) {
        return error_set(err, ERROR_MALFORMED, "JSON: byte 0: a value expected");
    }
    struct reader r = {.start = text.ptr, .at = text.ptr, .end = text.ptr + text.len, .known = known};
    if (read_text(&r)) {
        return r.known.n == 0 || error_set(err, ERROR_INTERNAL, "JSON: a known value is none");
    }
    size_t offset = (size_t)(r.at - r.start);
    if (r.expected == NULL) {
        return error_set(err, ERROR_LIMIT, "JSON: byte %zu: nesting of at most %d expected", offset,
                         JSON_DEPTH_MAX);
    }
    return error_set(err, ERROR_MALFORMED, "JSON: byte %zu: %s expected", offset, r.expected);
}
