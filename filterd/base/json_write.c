#include "base/json.h"

#include "base/json_text.h"

/* The letter after the backslash; 0 for bytes that need another form. */
static const char short_form[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
    ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
};

enum { ESCAPE_MAX = 6 };

/* The escape of one byte that must be escaped. */
static size_t put_escape(char to[ESCAPE_MAX], unsigned char c)
{
    static const char hex[] = "0123456789abcdef";

    if (short_form[c] != 0) {
        to[0] = '\\';
        to[1] = short_form[c];
        return 2;
    }
    if (c >= 0x80) {
        to[0] = '\xef';
        to[1] = '\xbf';
        to[2] = '\xbd';
        return 3;
    }
    to[0] = '\\';
    to[1] = 'u';
    to[2] = to[3] = '0';
    to[4] = hex[c >> 4];
    to[5] = hex[c & 15];
    return ESCAPE_MAX;
}

/* Copies block by block while there is room for a block and an escape: fixed lengths, which cost
 * less than copies cut to measure. Stops before the rest that needs care; returns what it took. */
static size_t append_blocks(struct buf *out, struct span text)
{
    size_t i = 0;

    while (text.len - i >= JSON_BLOCK && out->cap - out->len >= JSON_BLOCK + ESCAPE_MAX) {
        char *to = out->data + out->len;
        json_block block[2];
        memcpy(block, text.ptr + i, JSON_BLOCK);
        memcpy(to, block, JSON_BLOCK);
        size_t n = json_first_special(block);
        i += n;
        out->len += n;
        if (n == JSON_BLOCK) {
            continue;
        }
        size_t run = json_beyond_ascii(span_slice(text, i, text.len));
        if (run == 0) {
            out->len += put_escape(to + n, (unsigned char)text.ptr[i++]);
        } else if (run <= out->cap - out->len) {
            memcpy(to + n, text.ptr + i, run);
            out->len += run;
            i += run;
        } else {
            break;
        }
    }
    return i;
}

static bool append_inside(struct buf *out, struct span text, struct error *err)
{
    for (;;) {
        char escape[ESCAPE_MAX];
        text = span_slice(text, append_blocks(out, text), text.len);
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

/* No byte becomes shorter, so text.len is needed in any case; a quarter more is mostly enough. */
static bool reserve(struct buf *out, size_t len, struct error *err)
{
    size_t likely = len + len / 4 + (size_t)2 * JSON_BLOCK;

    return buf_reserve(out, likely <= out->max - out->len ? likely : len, err);
}

bool json_append_string(struct buf *out, struct span text, struct error *err)
{
    size_t before = out->len;

    if (!reserve(out, text.len, err)) {
        return false;
    }
    if (!buf_append_char(out, '"', err) || !append_inside(out, text, err) ||
        !buf_append_char(out, '"', err)) {
        out->len = before;
        return false;
    }
    return true;
}
