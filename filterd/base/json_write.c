#include "base/json.h"

#include "base/json_text.h"

/* The letter after the backslash; 0 for bytes that need another form. */
static const char short_form[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
    ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
};

enum { ESCAPE_MAX = 6 };

/* What stands for one byte that cannot stand for itself. */
static size_t put_escape(char to[ESCAPE_MAX], unsigned char c)
{
    static const char hex[] = "0123456789abcdef";

    if (short_form[c] != 0) {
        to[0] = '\\';
        to[1] = short_form[c];
        return 2;
    }
    if (c >= 0x80) {
        memcpy(to, "\xef\xbf\xbd", 3);
        return 3;
    }
    memcpy(to, "\\u00", 4);
    to[4] = hex[c >> 4];
    to[5] = hex[c & 15];
    return ESCAPE_MAX;
}

static bool append_inside(struct buf *out, struct span text, struct error *err)
{
    for (;;) {
        char escape[ESCAPE_MAX];
        size_t plain = json_plain_prefix(text);
        if (!buf_append(out, span_of(text.ptr, plain), err)) {
            return false;
        }
        if (plain == text.len) {
            return true;
        }
        size_t len = put_escape(escape, (unsigned char)text.ptr[plain]);
        if (!buf_append(out, span_of(escape, len), err)) {
            return false;
        }
        text = span_slice(text, plain + 1, text.len);
    }
}

bool json_append_string(struct buf *out, struct span text, struct error *err)
{
    size_t before = out->len;

    /* No byte becomes shorter, so this room is needed in any case, and mostly it is enough. */
    if (!buf_reserve(out, text.len, err)) {
        return false;
    }
    if (!buf_append_char(out, '"', err) || !append_inside(out, text, err) ||
        !buf_append_char(out, '"', err)) {
        out->len = before;
        return false;
    }
    return true;
}
