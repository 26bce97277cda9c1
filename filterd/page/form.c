#include "page/form.h"

#include "text/utf8.h"

static int digit_of(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c);

    return at == NULL ? -1 : (int)(at - digits);
}

/* Into `out`, which has room for text.len. */
static bool decode(struct span text, char *out, size_t *len)
{
    *len = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i] == '+' ? ' ' : text.ptr[i];
        if (c == '%') {
            int high = i + 2 < text.len ? digit_of(text.ptr[i + 1]) : -1;
            int low = i + 2 < text.len ? digit_of(text.ptr[i + 2]) : -1;
            if (high < 0 || low < 0) {
                return false;
            }
            c = (char)(high << 4 | low);
            i += 2;
        }
        if (c == '\0') {
            return false;
        }
        out[(*len)++] = c;
    }
    return utf8_valid_prefix(span_of(out, *len)) == *len;
}

bool form_decode(struct arena *a, struct span text, struct span *out, struct error *err)
{
    char *decoded = arena_alloc(a, text.len + 1, err);
    size_t len;

    if (decoded == NULL) {
        return false;
    }
    if (!decode(text, decoded, &len)) {
        return error_set(err, ERROR_INVALID, "form: percent-encoded UTF-8 without NUL expected");
    }
    *out = span_of(decoded, len);
    return true;
}

static bool take_field(struct arena *a, struct span text, struct form_field *out, struct error *err)
{
    const char *equals = text.len == 0 ? NULL : memchr(text.ptr, '=', text.len);
    size_t len = equals == NULL ? text.len : (size_t)(equals - text.ptr);

    return form_decode(a, span_slice(text, 0, len), &out->name, err) &&
           form_decode(a, span_slice(text, equals == NULL ? len : len + 1, text.len), &out->value, err);
}

static size_t count_fields(struct span body)
{
    size_t n = body.len > 0;

    for (size_t i = 0; i < body.len; i++) {
        n += body.ptr[i] == '&';
    }
    return n;
}

bool form_parse(struct arena *a, struct span body, struct form *out, struct error *err)
{
    struct form form = {.n = count_fields(body)};

    if (form.n > FORM_FIELDS_MAX) {
        return error_set(err, ERROR_LIMIT, "form: at most %d fields expected", FORM_FIELDS_MAX);
    }
    form.fields = arena_array(a, form.n + 1, sizeof(*form.fields), err);
    if (form.fields == NULL) {
        return false;
    }
    for (size_t i = 0; i < form.n; i++) {
        const char *end = body.len == 0 ? NULL : memchr(body.ptr, '&', body.len);
        size_t len = end == NULL ? body.len : (size_t)(end - body.ptr);
        if (!take_field(a, span_slice(body, 0, len), &form.fields[i], err)) {
            return false;
        }
        body = span_slice(body, end == NULL ? len : len + 1, body.len);
    }
    *out = form;
    return true;
}

struct span form_value(const struct form *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++) {
        if (span_is(f->fields[i].name, name)) {
            return f->fields[i].value;
        }
    }
    return span_of("", 0);
}
