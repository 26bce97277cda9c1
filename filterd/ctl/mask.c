#include "ctl/mask.h"

#include <stdint.h>

#include "text/utf8.h"

/* The length of the character at the front; *shown is false when it must not reach a terminal. */
static size_t next_character(struct span text, bool *shown)
{
    static const struct {
        uint32_t from, to;
    } hidden[] = {
        {0x00, 0x1f},     {0x7f, 0xa0},        {0xad, 0xad},     {0x034f, 0x034f}, {0x061c, 0x061c},
        {0x115f, 0x1160}, {0x17b4, 0x17b5},    {0x180b, 0x180f}, {0x2000, 0x200f}, {0x2028, 0x202f},
        {0x205f, 0x206f}, {0x3164, 0x3164},    {0xe000, 0xf8ff}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff},
        {0xfff0, 0xfffd}, {0xe0000, 0x10ffff},
    };
    size_t len = 1;
    size_t valid = utf8_valid_prefix(span_of(text.ptr, text.len < 4 ? text.len : 4));

    *shown = false;
    if (valid == 0) {
        return 1;
    }
    uint32_t c = utf8_decode(text, &len);
    for (size_t i = 0; i < COUNT(hidden); i++) {
        if (c >= hidden[i].from && c <= hidden[i].to) {
            return len;
        }
    }
    *shown = true;
    return len;
}

bool mask_append(struct buf *out, struct span match, struct error *err)
{
    size_t n = 0;
    bool shown;

    for (size_t at = 0; at < match.len; n++) {
        at += next_character(span_slice(match, at, match.len), &shown);
    }
    size_t i = 0;
    for (size_t at = 0; at < match.len; i++) {
        struct span rest = span_slice(match, at, match.len);
        size_t len = next_character(rest, &shown);
        bool is_ok = true;
        if (n < MASK_CLEAR_MIN) {
            is_ok = buf_append_char(out, '*', err);
        } else if (i < MASK_FIRST || i >= n - MASK_LAST) {
            is_ok = shown ? buf_append(out, span_of(rest.ptr, len), err)
                          : buf_append_char(out, '.', err);
        } else if (i == MASK_FIRST) {
            is_ok = buf_append_str(out, "…", err);
        }
        if (!is_ok) {
            return false;
        }
        at += len;
    }
    return true;
}

bool mask_append_visible(struct buf *out, struct span name, struct error *err)
{
    for (size_t at = 0; at < name.len;) {
        bool shown;
        struct span rest = span_slice(name, at, name.len);
        size_t len = next_character(rest, &shown);
        if (!(shown ? buf_append(out, span_of(rest.ptr, len), err)
                    : buf_append_char(out, '.', err))) {
            return false;
        }
        at += len;
    }
    return true;
}

static bool append_escape(struct buf *out, struct span bytes, struct error *err)
{
    static const char *const named[] = {['\n'] = "\\n", ['\r'] = "\\r", ['\t'] = "\\t"};
    unsigned char first = (unsigned char)bytes.ptr[0];
    size_t len;

    if (first < COUNT(named) && named[first] != NULL) {
        return buf_append_str(out, named[first], err);
    }
    if (bytes.len == 1) {
        return buf_appendf(out, err, "\\x%02x", first);
    }
    uint32_t c = utf8_decode(bytes, &len);
    return buf_appendf(out, err, c > 0xffff ? "\\U%08x" : "\\u%04x", c);
}

bool mask_append_escaped(struct buf *out, struct span name, struct error *err)
{
    for (size_t at = 0; at < name.len;) {
        bool shown;
        struct span rest = span_slice(name, at, name.len);
        struct span character = span_slice(rest, 0, next_character(rest, &shown));
        if (!(shown ? buf_append(out, character, err) : append_escape(out, character, err))) {
            return false;
        }
        at += character.len;
    }
    return true;
}

/* What JSON has for a character that is not shown as it is. */
static bool append_json_escape(struct buf *out, struct span bytes, struct error *err)
{
    enum { PLANE = 0x10000 };
    size_t len;

    if (bytes.len == 1) {
        unsigned char c = (unsigned char)bytes.ptr[0];
        return buf_appendf(out, err, "\\u%04x", c < 0x80 ? c : 0xfffd);
    }
    uint32_t c = utf8_decode(bytes, &len);
    return c < PLANE ? buf_appendf(out, err, "\\u%04x", c)
                     : buf_appendf(out, err, "\\u%04x\\u%04x", 0xd800 + ((c - PLANE) >> 10), 0xdc00 + ((c - PLANE) & 0x3ff));
}

bool mask_append_json_name(struct buf *out, struct span name, struct error *err)
{
    bool is_ok = buf_append_char(out, '"', err);

    for (size_t at = 0; at < name.len && is_ok;) {
        bool shown;
        struct span rest = span_slice(name, at, name.len);
        struct span character = span_slice(rest, 0, next_character(rest, &shown));
        bool is_quoted = rest.ptr[0] == '"' || rest.ptr[0] == '\\';
        is_ok = shown && !is_quoted ? buf_append(out, character, err) : append_json_escape(out, character, err);
        at += character.len;
    }
    return is_ok && buf_append_char(out, '"', err);
}
