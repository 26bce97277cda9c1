#include "formats/form_data.h"

#include "base/ascii.h"
#include "formats/header_text.h"

enum { DELIMITER_MAX = FORM_BOUNDARY_MAX + 3 }; /* LF, two hyphens, the boundary */

static bool expected(struct error *err, const char *what)
{
    return error_set(err, ERROR_INVALID, "form: %s expected", what);
}

/* --- parameters ------------------------------------------------------------------- */

static bool is_token_char(char c)
{
    return ascii_is(c, ASCII_ALNUM) || (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

/* The value behind the equals sign, and what follows it. In quotes anything but a quote, a backslash and controls. */
static bool take_value(struct span *rest, struct span *value)
{
    bool is_quoted = rest->len > 0 && rest->ptr[0] == '"';
    size_t from = is_quoted, n = from;

    while (n < rest->len && (is_quoted ? rest->ptr[n] != '"' : is_token_char(rest->ptr[n]))) {
        unsigned char c = (unsigned char)rest->ptr[n];
        if (c < ' ' || c == 0x7f || c == '\\') {
            return false;
        }
        n++;
    }
    if ((is_quoted && n == rest->len) || (!is_quoted && n == 0)) {
        return false;
    }
    *value = span_slice(*rest, from, n);
    *rest = span_slice(*rest, n + is_quoted, rest->len);
    return true;
}

/* The next of `; name=value; …`; false at the end and where it is no parameter: *rest is then empty or not. */
static bool next_parameter(struct span *rest, struct span *name, struct span *value)
{
    struct span at = header_trim(*rest);
    size_t n = 0;

    *rest = at;
    if (at.len == 0 || at.ptr[0] != ';') {
        return false;
    }
    at = header_trim(span_slice(at, 1, at.len));
    while (n < at.len && is_token_char(at.ptr[n])) {
        n++;
    }
    if (n == 0 || n == at.len || at.ptr[n] != '=') {
        return false;
    }
    *name = span_slice(at, 0, n);
    at = span_slice(at, n + 1, at.len);
    if (!take_value(&at, value)) {
        return false;
    }
    *rest = at;
    return true;
}

static bool is_boundary(struct span b)
{
    for (size_t i = 0; i < b.len; i++) {
        char c = b.ptr[i];
        if (!ascii_is(c, ASCII_ALNUM) && (c == '\0' || strchr("'()+_,-./:=? ", c) == NULL)) {
            return false;
        }
    }
    return b.len > 0 && b.len <= FORM_BOUNDARY_MAX && b.ptr[b.len - 1] != ' ';
}

bool form_boundary(struct span content_type, struct span *boundary)
{
    static const char type[] = "multipart/form-data";
    struct span rest = header_trim(content_type), name, value;
    size_t n = 0;

    if (rest.len < sizeof(type) - 1 || strncasecmp(rest.ptr, type, sizeof(type) - 1) != 0) {
        return false;
    }
    rest = span_slice(rest, sizeof(type) - 1, rest.len);
    while (next_parameter(&rest, &name, &value)) {
        if (header_is(name, "boundary")) {
            *boundary = value;
            n++;
        }
    }
    return rest.len == 0 && n == 1 && is_boundary(*boundary);
}

bool form_charset(struct span type, struct span *charset)
{
    const char *semicolon = type.len == 0 ? NULL : memchr(type.ptr, ';', type.len);
    struct span rest = semicolon == NULL ? span_of("", 0) : span_slice(type, (size_t)(semicolon - type.ptr), type.len), name, value;
    size_t n = 0;

    *charset = span_of("", 0);
    while (next_parameter(&rest, &name, &value)) {
        if (header_is(name, "charset")) {
            *charset = value;
            n++;
        }
    }
    return rest.len == 0 && n <= 1;
}

/* --- the headers of a part -------------------------------------------------------- */

static bool take_disposition(struct form_part *p, struct span value, struct error *err)
{
    static const char kind[] = "form-data";
    struct span rest = span_slice(value, 0, value.len), name, text;

    if (rest.len < sizeof(kind) - 1 || strncasecmp(rest.ptr, kind, sizeof(kind) - 1) != 0 || p->name.ptr != NULL) {
        return expected(err, "one Content-Disposition form-data");
    }
    rest = span_slice(rest, sizeof(kind) - 1, rest.len);
    while (next_parameter(&rest, &name, &text)) {
        struct span *to = header_is(name, "name")        ? &p->name
                          : header_is(name, "filename")  ? &p->file
                          : header_is(name, "filename*") ? &p->extended_file
                                                        : NULL;
        if (to == NULL || to->ptr != NULL) {
            return expected(err, "name and filename, once each,");
        }
        *to = text;
    }
    return (rest.len == 0 && p->name.ptr != NULL) || expected(err, "a name without escapes in the Content-Disposition");
}

static bool take_encoding(struct form_part *p, struct span value, struct error *err)
{
    (void)p;
    return header_is(value, "binary") || header_is(value, "8bit") || header_is(value, "7bit") ||
           expected(err, "the Content-Transfer-Encoding binary");
}

static bool take_type(struct form_part *p, struct span value, struct error *err)
{
    if (p->type.ptr != NULL) {
        return expected(err, "one Content-Type");
    }
    p->type = value;
    return true;
}

static bool take_length(struct form_part *p, struct span value, struct error *err)
{
    for (size_t i = 0; i < value.len; i++) {
        if (!ascii_is(value.ptr[i], ASCII_DIGIT)) {
            return expected(err, "a Content-Length of digits");
        }
    }
    if (p->length.ptr != NULL) {
        return expected(err, "one Content-Length");
    }
    p->length = value;
    return true;
}

static bool take_header(struct form_part *p, struct span line, struct error *err)
{
    static const struct {
        const char *name;
        bool (*take)(struct form_part *p, struct span value, struct error *err);
    } headers[] = {
        {"Content-Disposition", take_disposition},
        {"Content-Type", take_type},
        {"Content-Transfer-Encoding", take_encoding},
        {"Content-Length", take_length},
    };
    const char *colon = memchr(line.ptr, ':', line.len);

    for (size_t i = 0; i < line.len; i++) {
        unsigned char c = (unsigned char)line.ptr[i];
        if ((c < ' ' && c != '\t') || c == 0x7f) {
            return expected(err, "a header without control characters");
        }
    }
    for (size_t i = 0; colon != NULL && i < COUNT(headers); i++) {
        size_t n = (size_t)(colon - line.ptr);
        if (header_is(span_slice(line, 0, n), headers[i].name)) {
            return headers[i].take(p, header_trim(span_slice(line, n + 1, line.len)), err);
        }
    }
    return expected(err, "no header of a part but Content-Disposition, -Type, -Length and -Transfer-Encoding");
}

/* The lines up to the empty one; *body is what follows it. */
static bool read_head(struct form_part *p, struct span in, struct span *body, struct error *err)
{
    size_t bound = in.len < FORM_HEAD_MAX ? in.len : FORM_HEAD_MAX, at = 0;

    for (;;) {
        const char *end = at < bound ? memmem(in.ptr + at, bound - at, "\r\n", 2) : NULL;
        if (end == NULL) {
            return expected(err, "headers of a part, each ended by CRLF,");
        }
        struct span line = span_slice(in, at, (size_t)(end - in.ptr));
        at += line.len + 2;
        if (line.len == 0) {
            break;
        }
        if (!take_header(p, line, err)) {
            return false;
        }
    }
    *body = span_slice(in, at, in.len);
    return p->name.ptr != NULL || expected(err, "a Content-Disposition in each part");
}

/* --- the parts -------------------------------------------------------------------- */

struct delimiter {
    char text[DELIMITER_MAX]; /* with the line feed in front of it */
    size_t len;
};

static struct delimiter delimiter_of(struct span boundary)
{
    struct delimiter d = {.text = "\n--", .len = 3 + boundary.len};

    memcpy(d.text + 3, boundary.ptr, boundary.len);
    return d;
}

/* Where the line feed of the next delimiter is; NULL: there is none. */
static const char *find_delimiter(const struct delimiter *d, struct span in)
{
    return in.len == 0 ? NULL : memmem(in.ptr, in.len, d->text, d->len);
}

static bool count_parts(const struct delimiter *d, struct span body, size_t *n, struct error *err)
{
    *n = 1;
    for (const char *at = find_delimiter(d, body); at != NULL; (*n)++) {
        size_t from = (size_t)(at - body.ptr) + 1;
        at = find_delimiter(d, span_slice(body, from, body.len));
        if (*n > FORM_PARTS_MAX) {
            return error_set(err, ERROR_LIMIT, "form: more than %d parts", FORM_PARTS_MAX);
        }
    }
    return true;
}

/* Behind a delimiter: CRLF and a part, or two hyphens and the end. */
static bool take_end_of_delimiter(struct span *rest, bool *is_last, struct error *err)
{
    bool has_two = rest->len >= 2;

    *is_last = has_two && memcmp(rest->ptr, "--", 2) == 0;
    if (!*is_last && !(has_two && memcmp(rest->ptr, "\r\n", 2) == 0)) {
        return expected(err, "CRLF behind the boundary");
    }
    *rest = span_slice(*rest, 2, rest->len);
    return !*is_last || rest->len == 0 || span_is(*rest, "\r\n") || expected(err, "nothing behind the last boundary");
}

static bool read_part(const struct delimiter *d, struct form_part *p, struct span *rest, struct error *err)
{
    const char *feed = find_delimiter(d, *rest);

    if (feed == NULL || feed == rest->ptr || feed[-1] != '\r') {
        return expected(err, "a boundary on a line of its own, ended by CRLF,");
    }
    size_t n = (size_t)(feed - rest->ptr);
    *p = (struct form_part){0};
    if (!read_head(p, span_slice(*rest, 0, n + 1), &p->body, err)) {
        return false;
    }
    if (p->body.len < 2) { /* the empty line was that of the delimiter: there is no line of the body */
        return expected(err, "an empty line behind the headers of a part");
    }
    p->body.len -= 2;
    *rest = span_slice(*rest, n + d->len, rest->len);
    return true;
}

bool form_read(struct arena *a, struct span boundary, struct span body, struct form_part **parts, size_t *n, struct error *err)
{
    struct delimiter d = delimiter_of(boundary);
    struct form_part *list;
    struct span rest = body;
    size_t max, len = 0;
    bool is_last;

    if (!count_parts(&d, body, &max, err)) {
        return false;
    }
    if (body.len < d.len - 1 || memcmp(body.ptr, d.text + 1, d.len - 1) != 0) {
        return expected(err, "the boundary at the beginning");
    }
    list = arena_array(a, max, sizeof(*list), err);
    if (list == NULL) {
        return false;
    }
    rest = span_slice(rest, d.len - 1, rest.len);
    if (!take_end_of_delimiter(&rest, &is_last, err)) {
        return false;
    }
    while (!is_last) {
        if (len == max) {
            return expected(err, "the last boundary");
        }
        if (!read_part(&d, &list[len++], &rest, err) || !take_end_of_delimiter(&rest, &is_last, err)) {
            return false;
        }
    }
    *parts = list;
    *n = len;
    return true;
}
