#include "ctl/outputs/line_diff.h"

static size_t line_length(struct span text)
{
    const char *end = text.len == 0 ? NULL : memchr(text.ptr, '\n', text.len);

    return end == NULL ? text.len : (size_t)(end - text.ptr) + 1;
}

/* The bytes of whole lines that both begin with; *n counts them. */
static size_t common_start(struct span a, struct span b, size_t *n)
{
    size_t at = 0;

    for (*n = 0; at < a.len && at < b.len; (*n)++) {
        struct span rest = span_slice(a, at, a.len), other = span_slice(b, at, b.len);
        size_t len = line_length(rest);
        if (len != line_length(other) || memcmp(rest.ptr, other.ptr, len) != 0) {
            break;
        }
        at += len;
    }
    return at;
}

/* The bytes of whole lines that both end with, of what is left of them. */
static size_t common_end(struct span a, struct span b)
{
    size_t n = 0;

    while (n < a.len && n < b.len && a.ptr[a.len - n - 1] == b.ptr[b.len - n - 1]) {
        n++;
    }
    /* Back to the start of a line of both; the start of either text is one only where it is of both. */
    while (n > 0) {
        bool starts_a = n == a.len || a.ptr[a.len - n - 1] == '\n';
        bool starts_b = n == b.len || b.ptr[b.len - n - 1] == '\n';
        if (starts_a && starts_b) {
            break;
        }
        n--;
    }
    return n;
}

static bool append_lines(struct span text, const char *sign, struct buf *out, struct error *err)
{
    while (text.len > 0) {
        size_t len = line_length(text);
        bool is_whole = text.ptr[len - 1] == '\n';
        if (!buf_append_str(out, sign, err) || !buf_append(out, span_slice(text, 0, len), err) ||
            (!is_whole && !buf_append_str(out, "\n\\ no line end\n", err))) {
            return false;
        }
        text = span_slice(text, len, text.len);
    }
    return true;
}

bool line_diff_append(struct span old_text, struct span new_text, struct buf *out, struct error *err)
{
    size_t lines = 0, start = common_start(old_text, new_text, &lines);

    old_text = span_slice(old_text, start, old_text.len);
    new_text = span_slice(new_text, start, new_text.len);
    size_t end = common_end(old_text, new_text);
    old_text.len -= end;
    new_text.len -= end;
    if (old_text.len == 0 && new_text.len == 0) {
        return true;
    }
    return buf_appendf(out, err, "@@ line %zu\n", lines + 1) && append_lines(old_text, "-", out, err) &&
           append_lines(new_text, "+", out, err);
}
