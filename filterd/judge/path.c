#include "judge/path.h"

#include <string.h>

/* In front of a name of digits: no escape of a JSON pointer. */
static const struct span digits_mark = {.ptr = "~2", .len = 2};

static bool is_number(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
    }
    return text.len > 0;
}

size_t path_write_name(char *to, struct span name)
{
    size_t n = 0;

    to[n++] = '/';
    if (is_number(name)) {
        memcpy(to + n, digits_mark.ptr, digits_mark.len);
        n += digits_mark.len;
    }
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '~' || c == '/') {
            to[n++] = '~';
            c = c == '~' ? '0' : '1';
        }
        to[n++] = c;
    }
    return n;
}

size_t path_write_index(char *to, size_t index)
{
    char digits[PATH_INDEX_MAX];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + index % 10);
        index /= 10;
    } while (index > 0);
    digits[--at] = '/';
    memcpy(to, digits + at, sizeof(digits) - at);
    return sizeof(digits) - at;
}

bool path_append_name(struct buf *path, struct span name, struct error *err)
{
    if (!buf_reserve(path, 2 * name.len + PATH_NAME_EXTRA, err)) {
        return false;
    }
    path->len += path_write_name(path->data + path->len, name);
    return true;
}

bool path_append_index(struct buf *path, size_t index, struct error *err)
{
    char step[PATH_INDEX_MAX];

    return buf_append(path, span_of(step, path_write_index(step, index)), err);
}

bool path_next(struct span *rest, struct path_step *step)
{
    if (rest->len == 0) {
        return false;
    }
    size_t from = rest->ptr[0] == '/';
    const char *slash = memchr(rest->ptr + from, '/', rest->len - from);
    size_t to = slash == NULL ? rest->len : (size_t)(slash - rest->ptr);
    struct span text = span_slice(*rest, from, to);
    bool is_marked = span_starts_with(text, digits_mark);

    step->text = is_marked ? span_slice(text, digits_mark.len, text.len) : text;
    step->is_index = from == 1 && !is_marked && is_number(text);
    *rest = span_slice(*rest, to, rest->len);
    return true;
}

bool path_append_pointer(struct buf *out, struct span path, struct error *err)
{
    bool has_slash = path.len > 0 && path.ptr[0] == '/';
    struct path_step step;

    while (path_next(&path, &step)) {
        if ((has_slash && !buf_append_char(out, '/', err)) || !buf_append(out, step.text, err)) {
            return false;
        }
        has_slash = true;
    }
    return true;
}

bool path_is_pointer(struct span path, struct span pointer)
{
    struct path_step step;

    while (path_next(&path, &step)) {
        size_t len = step.text.len + 1;
        if (pointer.len < len || pointer.ptr[0] != '/' || !span_equal(span_slice(pointer, 1, len), step.text)) {
            return false;
        }
        pointer = span_slice(pointer, len, pointer.len);
    }
    return pointer.len == 0;
}
