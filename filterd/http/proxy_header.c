#include "http/proxy_header.h"

#include <strings.h>

#include "base/span.h"

enum { ID_MAX = 80, NUMBER_MAX = 40 };

static bool is_same(struct span name, const char *other)
{
    return name.len == strlen(other) && strncasecmp(name.ptr, other, name.len) == 0;
}

static bool begins(struct span name, const char *prefix)
{
    size_t len = strlen(prefix);

    return name.len >= len && strncasecmp(name.ptr, prefix, len) == 0;
}

static bool is_listed(struct span name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (is_same(name, names[i])) {
            return true;
        }
    }
    return false;
}

/* Whether Connection names the header: it is for the next hop alone then. */
static bool is_named(struct span name, struct span connection)
{
    while (connection.len > 0) {
        const char *comma = memchr(connection.ptr, ',', connection.len);
        size_t len = comma == NULL ? connection.len : (size_t)(comma - connection.ptr);
        struct span item = span_slice(connection, 0, len);
        while (item.len > 0 && strchr(" \t", item.ptr[0]) != NULL) {
            item = span_slice(item, 1, item.len);
        }
        while (item.len > 0 && strchr(" \t", item.ptr[item.len - 1]) != NULL) {
            item.len--;
        }
        if (item.len == name.len && strncasecmp(item.ptr, name.ptr, name.len) == 0) {
            return true;
        }
        connection = span_slice(connection, len + (comma != NULL), connection.len);
    }
    return false;
}

/* A line break in a value would be a header of its own. */
static bool is_value(struct span value)
{
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        if ((c < ' ' && c != '\t') || c == 0x7f) {
            return false;
        }
    }
    return true;
}

bool header_goes_up(struct span name, struct span value, struct span connection,
                    bool has_credential)
{
    static const char *const kept_back[] = {
        /* of this hop */
        "Connection",
        "Keep-Alive",
        "Proxy-Connection",
        "Proxy-Authorization",
        "Proxy-Authenticate",
        "TE",
        "Trailer",
        "Transfer-Encoding",
        "Upgrade",
        /* written anew */
        "Host",
        "Content-Length",
        "Expect",
        "Accept-Encoding",
        /* of the client's own dealings */
        "Cookie",
        "Cookie2",
        /* an answer in parts cannot be judged */
        "Range",
        "If-Range",
        "If-None-Match",
        "If-Modified-Since",
        "If-Match",
        "If-Unmodified-Since",
    };
    static const char *const credentials[] = {"Authorization", "x-api-key", "x-goog-api-key",
                                              "api-key"};

    return name.len > 0 && is_value(value) && !begins(name, "X-Filterd-") &&
           !is_listed(name, kept_back, COUNT(kept_back)) && !is_named(name, connection) &&
           !(has_credential && is_listed(name, credentials, COUNT(credentials)));
}

static bool consists_of(struct span value, const char *others, size_t max)
{
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_plain && (c == '\0' || strchr(others, c) == NULL)) {
            return false;
        }
    }
    return value.len > 0 && value.len <= max;
}

static bool is_id(struct span value)
{
    return consists_of(value, "-_", ID_MAX);
}

/* A count, a duration ("6m0s") or a date as RFC 3339 has it. */
static bool is_number(struct span value)
{
    return consists_of(value, ".:+-", NUMBER_MAX) && value.ptr[0] >= '0' && value.ptr[0] <= '9';
}

bool header_comes_down(struct span name, struct span value)
{
    static const struct {
        const char *name;
        bool is_prefix;
        bool (*looks_right)(struct span value);
    } known[] = {
        {"request-id", false, is_id},
        {"x-request-id", false, is_id},
        {"apim-request-id", false, is_id},
        {"x-ms-request-id", false, is_id},
        {"retry-after", false, is_number},
        {"retry-after-ms", false, is_number},
        {"openai-processing-ms", false, is_number},
        {"openai-version", false, is_number},
        {"x-ratelimit-", true, is_number},
        {"anthropic-ratelimit-", true, is_number},
    };

    for (size_t i = 0; i < COUNT(known); i++) {
        if (known[i].is_prefix ? begins(name, known[i].name) : is_same(name, known[i].name)) {
            return consists_of(name, "-", ID_MAX) && known[i].looks_right(value);
        }
    }
    return false;
}

static bool escape(struct buf *out, struct span text, const char *plain, struct error *err)
{
    static const char digits[] = "0123456789ABCDEF";

    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        char escaped[3] = {'%', digits[c >> 4], digits[c & 15]};
        bool is_plain = consists_of(span_slice(text, i, i + 1), plain, 1);
        if (!buf_append(out, is_plain ? span_slice(text, i, i + 1) : span_of(escaped, 3), err)) {
            return false;
        }
    }
    return true;
}

static bool is_segment(struct span segment)
{
    for (size_t i = 0; i < segment.len; i++) {
        unsigned char c = (unsigned char)segment.ptr[i];
        if (c < ' ' || c == 0x7f || c == '\\') {
            return false;
        }
    }
    return segment.len > 0 && !span_is(segment, ".") && !span_is(segment, "..");
}

bool target_add_path(struct buf *out, struct span path, struct error *err)
{
    static const char expected[] = "the path: segments without '.', '..' and control characters "
                                   "expected";

    if (path.len < 2 || path.ptr[0] != '/') {
        return error_set(err, ERROR_INVALID, "%s", expected);
    }
    for (size_t from = 1; from <= path.len;) {
        const char *slash = memchr(path.ptr + from, '/', path.len - from);
        size_t to = slash == NULL ? path.len : (size_t)(slash - path.ptr);
        if (!is_segment(span_slice(path, from, to))) {
            return error_set(err, ERROR_INVALID, "%s", expected);
        }
        from = to + 1;
    }
    return escape(out, path, "/-._~!$&'()*+,;=:@", err);
}

bool target_add_parameter(struct buf *out, bool is_first, struct span name, struct span value,
                          bool has_value, struct error *err)
{
    static const char plain[] = "-._~!$'()*,;:@/";

    return buf_append_char(out, is_first ? '?' : '&', err) && escape(out, name, plain, err) &&
           (!has_value || (buf_append_char(out, '=', err) && escape(out, value, plain, err)));
}
