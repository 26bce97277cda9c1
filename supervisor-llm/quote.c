#include "supervisor-llm/quote.h"

/* Whether a space follows text[i]. Names of control tokens begin with a letter, a slash, a bar (an
 * ASCII or a full-width one, whose first byte is 0xef) or another bracket. A comparison, an index or
 * an empty list is left as it is. */
static bool is_opener(struct span text, size_t i)
{
    char c = text.ptr[i];

    if ((c != '<' && c != '[') || i + 1 >= text.len) {
        return false;
    }
    unsigned char next = (unsigned char)text.ptr[i + 1];
    bool is_letter = (next | 0x20) >= 'a' && (next | 0x20) <= 'z';
    return is_letter || next == '/' || next == '|' || next == '_' || next == '!' || next == '?' ||
           next == '#' || next == '@' || next >= 0x80 || next == '<' || next == '[';
}

bool quote_append(struct buf *out, struct span text, struct error *err)
{
    size_t done = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (is_opener(text, i)) {
            if (!buf_append(out, span_slice(text, done, i + 1), err) ||
                !buf_append_char(out, ' ', err)) {
                return false;
            }
            done = i + 1;
        }
    }
    return buf_append(out, span_slice(text, done, text.len), err);
}

size_t quote_origin(struct span text, size_t at)
{
    size_t quoted = 0;

    for (size_t i = 0; i < text.len; i++) {
        size_t width = is_opener(text, i) ? 2 : 1;
        if (at < quoted + 1) {
            return i;
        }
        if (at < quoted + width) {
            return i + 1;
        }
        quoted += width;
    }
    return text.len;
}
