#include "formats/json_shape.h"

#include "base/ascii.h"

#include <stdint.h>


/* What the next token must be. */
enum expects { VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, COMMA_OR_END, NOTHING };

struct reader {
    struct span text;
    size_t at;
    uint64_t is_object; /* one bit per level, the innermost lowest */
    unsigned depth;
    enum expects expects;
};

static void skip_space(struct reader *r)
{
    while (r->at < r->text.len && ascii_is_space(r->text.ptr[r->at])) {
        r->at++;
    }
}

/* Past the string whose quote is at r->at. */
static bool skip_string(struct reader *r)
{
    for (size_t i = r->at + 1; i < r->text.len; i++) {
        unsigned char c = (unsigned char)r->text.ptr[i];
        if (c == '"') {
            r->at = i + 1;
            return true;
        }
        if (c < 0x20) {
            return false;
        }
        i += c == '\\' ? 1 : 0;
    }
    return false;
}

/* Past a number, true, false or null. */
static bool skip_scalar(struct reader *r)
{
    static const char *const literals[] = {"true", "false", "null"};
    size_t from = r->at;

    while (r->at < r->text.len) {
        char c = r->text.ptr[r->at];
        if (!ascii_is_alnum(c) && c != '-' && c != '+' && c != '.') {
            break;
        }
        r->at++;
    }
    struct span scalar = span_slice(r->text, from, r->at);
    if (scalar.len == 0) {
        return false;
    }
    for (size_t i = 0; i < COUNT(literals); i++) {
        if (span_is(scalar, literals[i])) {
            return true;
        }
    }
    return ascii_is_digit(scalar.ptr[0]) ||
           (scalar.ptr[0] == '-' && scalar.len > 1 && ascii_is_digit(scalar.ptr[1]));
}

static bool open_level(struct reader *r, bool is_object)
{
    if (r->depth == JSON_DEPTH_MAX) {
        return false;
    }
    r->depth++;
    r->is_object = r->is_object << 1 | (is_object ? 1u : 0u);
    r->expects = is_object ? KEY_OR_END : VALUE_OR_END;
    r->at++;
    return true;
}

static bool close_level(struct reader *r, bool is_object)
{
    bool may_end =
        r->expects == COMMA_OR_END || r->expects == (is_object ? KEY_OR_END : VALUE_OR_END);

    if (r->depth == 0 || !may_end || ((r->is_object & 1u) != 0) != is_object) {
        return false;
    }
    r->depth--;
    r->is_object >>= 1;
    r->expects = r->depth == 0 ? NOTHING : COMMA_OR_END;
    r->at++;
    return true;
}

static bool read_value(struct reader *r, char c)
{
    if (r->expects != VALUE && r->expects != VALUE_OR_END) {
        return false;
    }
    if (c == '{' || c == '[') {
        return open_level(r, c == '{');
    }
    r->expects = COMMA_OR_END;
    return c == '"' ? skip_string(r) : skip_scalar(r);
}

/* One token; false when it may not be here. There is one. */
static bool read_token(struct reader *r)
{
    char c = r->text.ptr[r->at];

    if (c == '}' || c == ']') {
        return close_level(r, c == '}');
    }
    if (c == ',' && r->expects == COMMA_OR_END) {
        r->expects = (r->is_object & 1u) != 0 ? KEY : VALUE;
        r->at++;
        return true;
    }
    if (c == ':' && r->expects == COLON) {
        r->expects = VALUE;
        r->at++;
        return true;
    }
    if (c == '"' && (r->expects == KEY || r->expects == KEY_OR_END)) {
        r->expects = COLON;
        return skip_string(r);
    }
    return read_value(r, c);
}

bool json_is_object(struct span text)
{
    struct reader r = {.text = text, .expects = VALUE};

    skip_space(&r);
    if (r.at == text.len || text.ptr[r.at] != '{') {
        return false;
    }
    while (r.at < text.len) {
        if (r.expects == NOTHING || !read_token(&r)) {
            return false;
        }
        skip_space(&r);
    }
    return r.expects == NOTHING;
}

/* The value of which r->at is the first byte. */
static bool take_value(struct reader *r, struct span *value)
{
    unsigned outer = r->depth;
    bool is_string = r->text.ptr[r->at] == '"';
    size_t from = r->at;

    do {
        if (!read_token(r)) {
            return false;
        }
        size_t to = r->at;
        skip_space(r);
        if (r->depth <= outer) {
            *value =
                is_string ? span_slice(r->text, from + 1, to - 1) : span_slice(r->text, from, to);
            return true;
        }
    } while (r->at < r->text.len);
    return false;
}

bool json_member(struct span object, struct span key, struct span *value)
{
    struct reader r = {.text = object, .expects = VALUE};
    bool is_wanted = false;

    skip_space(&r);
    while (r.at < object.len) {
        bool is_key = r.depth == 1 && (r.expects == KEY || r.expects == KEY_OR_END);
        if (is_wanted && r.expects == VALUE) {
            return take_value(&r, value);
        }
        size_t from = r.at;
        if (!read_token(&r)) {
            return false;
        }
        if (is_key && r.expects == COLON) {
            is_wanted = span_equal(span_slice(object, from + 1, r.at - 1), key);
        }
        skip_space(&r);
    }
    return false;
}
