#include "upstream/proxy_header.h"

#include "formats/header_text.h"

enum {
    ID_MAX = 80,
    AMOUNT_MAX = 7, /* digits and point of one number */
    DIGITS_MAX = 15,
    FRACTION_MAX = 10, /* of a second, with its point */
};

static bool begins(struct span name, const char *prefix)
{
    size_t len = strlen(prefix);

    return name.len >= len && strncasecmp(name.ptr, prefix, len) == 0;
}

static bool is_listed(struct span name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (header_is(name, names[i])) {
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
        "traceparent",
        "tracestate",
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

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Matches the template: 'D' a digit, 'a' a letter, anything else itself. Moves *at past it. */
static bool follows(struct span value, size_t *at, const char *template)
{
    size_t i = *at;

    for (; *template != '\0'; template++, i++) {
        char c = i < value.len ? value.ptr[i] : '\0';
        bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        if (*template == 'D' ? !is_digit(c) : *template == 'a' ? !is_letter : c != *template) {
            return false;
        }
    }
    *at = i;
    return true;
}

static size_t skip_digits(struct span value, size_t at)
{
    while (at < value.len && is_digit(value.ptr[at])) {
        at++;
    }
    return at;
}

/* RFC 9110's and RFC 3339's, and a day. */
static bool is_date(struct span value)
{
    size_t at = 0;

    if (follows(value, &at, "aaa, DD aaa DDDD DD:DD:DD GMT")) {
        return at == value.len;
    }
    if (!follows(value, &at, "DDDD-DD-DD") || at == value.len) {
        return at > 0;
    }
    if (!follows(value, &at, "TDD:DD:DD")) {
        return false;
    }
    size_t fraction = at < value.len && value.ptr[at] == '.' ? skip_digits(value, at + 1) : at;
    bool is_short = fraction - at <= FRACTION_MAX && fraction != at + 1;
    at = fraction;
    return is_short && (follows(value, &at, "Z") || follows(value, &at, "+DD:DD") || follows(value, &at, "-DD:DD")) &&
           at == value.len;
}

/* "20", "0.5", "6m0s", "1h2m3.5s": numbers of few digits, each but a lone one with its unit, the longer units first. */
static bool is_amount(struct span value)
{
    static const char *const units[] = {"d", "h", "ms", "us", "\xc2\xb5s", "ns", "m", "s"};
    static const unsigned order[] = {1, 2, 5, 6, 6, 7, 3, 4};
    unsigned last = 0;

    for (size_t at = 0; at < value.len;) {
        size_t from = at;
        at = skip_digits(value, at);
        size_t end = at < value.len && value.ptr[at] == '.' ? skip_digits(value, at + 1) : at;
        bool is_number = at > from && end - from <= AMOUNT_MAX && end != at + 1;
        at = end;
        if (!is_number || at == value.len) {
            return is_number && last == 0;
        }
        size_t unit = 0;
        while (unit < COUNT(units) && !follows(value, &at, units[unit])) {
            unit++;
        }
        if (unit == COUNT(units) || order[unit] <= last) {
            return false;
        }
        last = order[unit];
    }
    return last > 0;
}

static enum header_use use_of_id(struct span value)
{
    return consists_of(value, "-_", ID_MAX) ? HEADER_JUDGED : HEADER_KEPT;
}

/* Few digits can be nothing but what they should be; more may be a card's. */
static enum header_use use_of_number(struct span value)
{
    bool is_long = skip_digits(value, 0) == value.len && value.len <= DIGITS_MAX;

    return is_date(value) || is_amount(value) ? HEADER_PASSES : is_long && value.len > 0 ? HEADER_JUDGED : HEADER_KEPT;
}

/* Permitted words after a prefix: they name the limited resource. */
static bool is_of_limits(struct span name)
{
    static const char *const words[] = {
        "limit", "remaining", "reset",   "requests", "tokens", "input", "output", "images",      "project", "unified",
        "minute", "hour",     "day",     "month",    "used",   "after", "5h",     "7d",          "model",   "tokensbymodel",
        "utilization", "timeremaining", "renewalperiod", "fallback", "percentage", "organization", "search", "units"};

    while (name.len > 0) {
        const char *dash = memchr(name.ptr, '-', name.len);
        size_t len = dash == NULL ? name.len : (size_t)(dash - name.ptr);
        if (!is_listed(span_slice(name, 0, len), words, COUNT(words))) {
            return false;
        }
        name = span_slice(name, len + (dash != NULL), name.len);
    }
    return true;
}

enum header_use header_comes_down(struct span name, struct span value)
{
    static const struct {
        const char *name;
        bool is_prefix;
        enum header_use (*use)(struct span value);
    } known[] = {
        {"request-id", false, use_of_id},
        {"x-request-id", false, use_of_id},
        {"apim-request-id", false, use_of_id},
        {"x-ms-request-id", false, use_of_id},
        {"retry-after", false, use_of_number},
        {"retry-after-ms", false, use_of_number},
        {"openai-processing-ms", false, use_of_number},
        {"openai-version", false, use_of_number},
        {"x-ratelimit-", true, use_of_number},
        {"anthropic-ratelimit-", true, use_of_number},
    };

    for (size_t i = 0; i < COUNT(known); i++) {
        if (!known[i].is_prefix && header_is(name, known[i].name)) {
            return known[i].use(value);
        }
        if (known[i].is_prefix && begins(name, known[i].name)) {
            return is_of_limits(span_slice(name, strlen(known[i].name), name.len)) ? known[i].use(value) : HEADER_KEPT;
        }
    }
    return HEADER_KEPT;
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
