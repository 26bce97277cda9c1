#include "jail/egress/wire/head.h"

#include <strings.h>

/* RFC 9110, 5.6.2. */
static bool is_token_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool is_token(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!is_token_byte(text.ptr[i])) {
            return false;
        }
    }
    return text.len > 0;
}

/* Visible bytes, spaces and tabs; bytes from 0x80 on are obsolete text, not control characters (RFC 9110, 5.5). */
static bool is_value(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if ((c < ' ' && c != '\t') || c == 0x7f) {
            return false;
        }
    }
    return true;
}

bool egress_name_equal(struct span name, const char *other)
{
    return name.len == strlen(other) && strncasecmp(name.ptr, other, name.len) == 0;
}

size_t egress_head_length(struct span bytes)
{
    const char *end = memmem(bytes.ptr, bytes.len, "\r\n\r\n", 4);

    return bytes.len == 0 || end == NULL ? 0 : (size_t)(end - bytes.ptr) + 4;
}

/* The line at *at without its end; moves *at past it. The caller knows that the text ends with one. */
static struct span next_line(struct span text, size_t *at)
{
    const char *from = text.ptr + *at;
    const char *end = memmem(from, text.len - *at, "\r\n", 2);
    size_t len = end == NULL ? text.len - *at : (size_t)(end - from);

    *at = end == NULL ? text.len : *at + len + 2;
    return span_of(from, len);
}

static struct span trim(struct span text)
{
    while (text.len > 0 && (text.ptr[0] == ' ' || text.ptr[0] == '\t')) {
        text = span_slice(text, 1, text.len);
    }
    while (text.len > 0 && (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t')) {
        text.len--;
    }
    return text;
}

static bool read_header(struct span line, struct egress_head *out, struct error *err)
{
    const char *colon = memchr(line.ptr, ':', line.len);

    if (out->n == EGRESS_HEADERS_MAX) {
        return error_set(err, ERROR_LIMIT, "at most %d headers expected", EGRESS_HEADERS_MAX);
    }
    if (colon == NULL) {
        return error_set(err, ERROR_MALFORMED, "a header's name and ':' expected");
    }
    struct egress_header h = {.name = span_of(line.ptr, (size_t)(colon - line.ptr))};
    h.value = trim(span_of(colon + 1, line.len - h.name.len - 1));
    if (!is_token(h.name)) {
        return error_set(err, ERROR_MALFORMED, "a header's name of token characters expected, directly before ':'");
    }
    if (!is_value(h.value)) {
        return error_set(err, ERROR_MALFORMED, "a header's value without control characters expected");
    }
    out->headers[out->n++] = h;
    return true;
}

static bool read_headers(struct span text, size_t at, struct egress_head *out, struct error *err)
{
    while (at < text.len) {
        struct span line = next_line(text, &at);
        if (line.len == 0) {
            return at == text.len || error_set(err, ERROR_MALFORMED, "one empty line expected, at the end");
        }
        if (!read_header(line, out, err)) {
            return false;
        }
    }
    return error_set(err, ERROR_MALFORMED, "an empty line expected");
}

const struct span *egress_head_find(const struct egress_head *h, const char *name)
{
    for (size_t i = 0; i < h->n; i++) {
        if (egress_name_equal(h->headers[i].name, name)) {
            return &h->headers[i].value;
        }
    }
    return NULL;
}

size_t egress_head_count(const struct egress_head *h, const char *name)
{
    size_t count = 0;

    for (size_t i = 0; i < h->n; i++) {
        count += egress_name_equal(h->headers[i].name, name);
    }
    return count;
}

bool egress_header_stays_behind(struct span name)
{
    static const char *const names[] = {
        "Connection", "Content-Length",     "Expect",           "HTTP2-Settings", "Keep-Alive", "Proxy-Authenticate",
        "Host",       "Proxy-Authorization", "Proxy-Connection", "TE",             "Trailer",    "Transfer-Encoding",
        "Upgrade",
    };

    for (size_t i = 0; i < COUNT(names); i++) {
        if (egress_name_equal(name, names[i])) {
            return true;
        }
    }
    return false;
}

static bool read_length(struct span text, int64_t *out)
{
    int64_t value = 0;

    for (size_t i = 0; i < text.len && i <= EGRESS_LENGTH_DIGITS; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
        value = value * 10 + (text.ptr[i] - '0');
    }
    *out = value;
    return text.len > 0 && text.len <= EGRESS_LENGTH_DIGITS;
}

static bool read_framing(struct egress_head *out, enum egress_framing otherwise, struct error *err)
{
    const struct span *coding = egress_head_find(out, "Transfer-Encoding");
    const struct span *length = egress_head_find(out, "Content-Length");

    if (egress_head_count(out, "Transfer-Encoding") + egress_head_count(out, "Content-Length") > 1) {
        return error_set(err, ERROR_MALFORMED, "one Content-Length or one Transfer-Encoding expected");
    }
    out->framing = otherwise;
    if (coding != NULL) {
        out->framing = EGRESS_BODY_CHUNKED;
        return (egress_name_equal(*coding, "chunked") && out->minor == 1) ||
               error_set(err, ERROR_MALFORMED, "Transfer-Encoding: chunked expected, with HTTP/1.1");
    }
    if (length != NULL) {
        out->framing = EGRESS_BODY_LENGTH;
        return read_length(*length, &out->length) ||
               error_set(err, ERROR_MALFORMED, "a Content-Length of digits expected");
    }
    return true;
}

static bool read_version(struct span text, unsigned *minor)
{
    *minor = text.len > 0 && text.ptr[text.len - 1] == '1';
    return span_is(text, "HTTP/1.1") || span_is(text, "HTTP/1.0");
}

static bool read_request_line(struct span line, struct egress_head *out)
{
    const char *first = memchr(line.ptr, ' ', line.len);
    const char *last = memrchr(line.ptr, ' ', line.len);

    if (first == NULL || first == last) {
        return false;
    }
    out->method = span_of(line.ptr, (size_t)(first - line.ptr));
    out->target = span_of(first + 1, (size_t)(last - first) - 1);
    for (size_t i = 0; i < out->target.len; i++) {
        if (out->target.ptr[i] <= ' ' || out->target.ptr[i] >= 0x7f) {
            return false;
        }
    }
    for (size_t i = 0; i < out->method.len; i++) {
        if (out->method.ptr[i] < 'A' || out->method.ptr[i] > 'Z') {
            return false;
        }
    }
    return out->method.len > 0 && out->target.len > 0 &&
           read_version(span_of(last + 1, line.len - (size_t)(last - line.ptr) - 1), &out->minor);
}

static bool is_plain_option(struct span option)
{
    static const char *const options[] = {"close", "keep-alive", "te", "upgrade", "HTTP2-Settings", "proxy-connection"};

    for (size_t i = 0; i < COUNT(options); i++) {
        if (egress_name_equal(option, options[i])) {
            return true;
        }
    }
    return false;
}

static bool has_plain_options(struct span list)
{
    while (list.len > 0) {
        const char *comma = memchr(list.ptr, ',', list.len);
        size_t len = comma == NULL ? list.len : (size_t)(comma - list.ptr);
        if (!is_plain_option(trim(span_slice(list, 0, len)))) {
            return false;
        }
        list = span_slice(list, comma == NULL ? len : len + 1, list.len);
    }
    return true;
}

/* "Connection: authorization" would remove a header after it was judged. */
static bool is_plain_connection(const struct egress_head *h)
{
    for (size_t i = 0; i < h->n; i++) {
        if (egress_name_equal(h->headers[i].name, "Connection") && !has_plain_options(h->headers[i].value)) {
            return false;
        }
    }
    return true;
}

bool egress_request_read(struct span text, struct egress_head *out, struct error *err)
{
    size_t at = 0;

    memset(out, 0, offsetof(struct egress_head, headers));
    out->n = 0;
    out->length = 0;
    struct span line = next_line(text, &at);
    if (!read_request_line(line, out)) {
        return error_set(err, ERROR_MALFORMED, "a method, a target and HTTP/1.1 expected");
    }
    if (!read_headers(text, at, out, err) || !read_framing(out, EGRESS_BODY_NONE, err)) {
        return false;
    }
    size_t hosts = egress_head_count(out, "Host");
    if (hosts > 1 || (hosts == 0 && !span_is(out->method, "CONNECT"))) {
        return error_set(err, ERROR_MALFORMED, "one Host expected");
    }
    return is_plain_connection(out) || error_set(err, ERROR_MALFORMED, "no other options of Connection expected");
}

static bool read_status_line(struct span line, struct egress_head *out)
{
    enum { VERSION = 8, STATUS = 12 }; /* where the parts of "HTTP/1.1 200 OK" end */

    if (line.len < STATUS || !read_version(span_slice(line, 0, VERSION), &out->minor) || line.ptr[VERSION] != ' ' ||
        (line.len > STATUS && line.ptr[STATUS] != ' ')) {
        return false;
    }
    for (size_t i = VERSION + 1; i < STATUS; i++) {
        if (line.ptr[i] < '0' || line.ptr[i] > '9') {
            return false;
        }
        out->status = out->status * 10 + (unsigned)(line.ptr[i] - '0');
    }
    out->reason = line.len > STATUS ? span_slice(line, STATUS + 1, line.len) : span_of("", 0);
    return out->status >= 100 && is_value(out->reason);
}

bool egress_response_read(struct span text, struct span method, struct egress_head *out, struct error *err)
{
    size_t at = 0;

    memset(out, 0, offsetof(struct egress_head, headers));
    out->n = 0;
    out->length = 0;
    struct span line = next_line(text, &at);
    if (!read_status_line(line, out)) {
        return error_set(err, ERROR_MALFORMED, "HTTP/1.1 and a status expected");
    }
    if (!read_headers(text, at, out, err) || !read_framing(out, EGRESS_BODY_TO_END, err)) {
        return false;
    }
    if (span_is(method, "HEAD") || out->status < 200 || out->status == 204 || out->status == 304) {
        out->framing = EGRESS_BODY_NONE;
    }
    return true;
}
