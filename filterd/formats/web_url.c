#include "formats/web_url.h"

#include "base/ascii.h"
#include "formats/host.h"

enum {
    HOST_MAX = 2048, /* of a host that is written with escapes; DNS names have at most 253 bytes */
    TEL_MAX = 40,
};

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* Without tabs and line ends, and without control characters and spaces around. */
static bool clean(struct arena *a, struct span text, struct span *out, struct error *err)
{
    char *bytes = arena_alloc(a, text.len + 1, err);
    size_t n = 0;

    if (bytes == NULL) {
        return false;
    }
    while (text.len > 0 && (unsigned char)text.ptr[text.len - 1] <= ' ') {
        text.len--;
    }
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool is_in_front = n == 0 && (unsigned char)c <= ' ';
        if (!is_in_front && c != '\t' && c != '\n' && c != '\r') {
            bytes[n++] = c;
        }
    }
    *out = span_of(bytes, n);
    return true;
}

/* The length of "scheme:"; 0: none. */
static size_t scheme_len(struct span text)
{
    size_t n = 0;

    if (text.len == 0 || !ascii_is_letter(text.ptr[0])) {
        return 0;
    }
    while (n < text.len && (ascii_is_alnum(text.ptr[n]) || text.ptr[n] == '+' || text.ptr[n] == '-' || text.ptr[n] == '.')) {
        n++;
    }
    return n < text.len && text.ptr[n] == ':' ? n + 1 : 0;
}

static bool is_one_of(struct span scheme, const char *const *names)
{
    while (*names != NULL && !ascii_equals(scheme, *names)) {
        names++;
    }
    return *names != NULL;
}

/* From the authority to its host: without user and port. */
static struct span host_of(struct span text)
{
    size_t end = 0, from = 0;

    while (end < text.len && !is_slash(text.ptr[end]) && text.ptr[end] != '?' && text.ptr[end] != '#') {
        from = text.ptr[end] == '@' ? end + 1 : from;
        end++;
    }
    struct span host = span_slice(text, from, end);
    size_t port = host.len;
    while (port > 0 && ascii_is_digit(host.ptr[port - 1])) {
        port--;
    }
    return port > 0 && host.ptr[port - 1] == ':' ? span_slice(host, 0, port - 1) : host;
}

static bool is_host_text(struct span host)
{
    for (size_t i = 0; i < host.len; i++) {
        if (!ascii_is_alnum(host.ptr[i]) && host.ptr[i] != '-' && host.ptr[i] != '.' && host.ptr[i] != '_') {
            return false;
        }
    }
    return true;
}

static bool is_ascii(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

static size_t undo_percent(struct span text, char *out)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        bool is_escape = text.ptr[i] == '%' && i + 2 < text.len && ascii_is(text.ptr[i + 1], ASCII_HEX) &&
                         ascii_is(text.ptr[i + 2], ASCII_HEX);
        out[n++] = is_escape ? (char)(ascii_hex_value(text.ptr[i + 1]) << 4 | ascii_hex_value(text.ptr[i + 2])) : text.ptr[i];
        i += is_escape ? 2 : 0;
    }
    return n;
}

bool web_url_host(struct arena *a, struct span host, struct span *out, struct error *err)
{
    char *bytes = host.len <= HOST_MAX ? arena_alloc(a, host.len + 1, err) : NULL;
    const char *ascii = NULL;
    struct error invalid = {0};

    *out = span_str("");
    if (bytes == NULL) {
        return host.len > HOST_MAX;
    }
    struct span name = span_of(bytes, undo_percent(host, bytes));
    bytes[name.len] = '\0';
    if (memchr(bytes, '\0', name.len) != NULL) {
        return true;
    }
    if (!is_ascii(name)) {
        if (!host_to_ascii(a, bytes, &ascii, &invalid)) {
            return invalid.kind == ERROR_INVALID || error_set(err, invalid.kind, "%s", invalid.text);
        }
        name = span_str(ascii);
        bytes = arena_alloc(a, name.len + 1, err);
        if (bytes == NULL) {
            return false;
        }
    }
    for (size_t i = 0; i < name.len; i++) {
        bytes[i] = ascii_lower(name.ptr[i]);
    }
    name = span_of(bytes, name.len > 0 && name.ptr[name.len - 1] == '.' ? name.len - 1 : name.len);
    bool is_address = name.len > 2 && name.ptr[0] == '[' && name.ptr[name.len - 1] == ']';
    *out = is_address || is_host_text(name) ? name : span_str("");
    return true;
}

/* Behind mailto:. With header fields or a body it carries these to its address: its host counts, if it has only one. */
static bool read_mailto(struct arena *a, struct span rest, struct web_url *out, struct error *err)
{
    const char *query = rest.len == 0 ? NULL : memchr(rest.ptr, '?', rest.len);
    struct span to = span_slice(rest, 0, query == NULL ? rest.len : (size_t)(query - rest.ptr));
    struct span fields = span_slice(rest, to.len, rest.len);

    out->kind = query == NULL ? WEB_URL_CONTACT : WEB_URL_SCHEME;
    const char *at = to.len == 0 ? NULL : memrchr(to.ptr, '@', to.len);
    if (query == NULL || at == NULL || memchr(to.ptr, ',', to.len) != NULL || memchr(to.ptr, '%', to.len) != NULL ||
        memchr(fields.ptr, '@', fields.len) != NULL || memmem(fields.ptr, fields.len, "%40", 3) != NULL) {
        return true;
    }
    if (!web_url_host(a, span_slice(to, (size_t)(at + 1 - to.ptr), to.len), &out->host, err)) {
        return false;
    }
    out->kind = out->host.len > 0 ? WEB_URL_HOST : WEB_URL_SCHEME;
    return true;
}

/* Behind tel:. Only a number carries nothing else. */
static bool is_number(struct span rest)
{
    for (size_t i = 0; i < rest.len; i++) {
        if (!ascii_is_digit(rest.ptr[i]) && (rest.ptr[i] == '\0' || strchr("+-.()*#, ", rest.ptr[i]) == NULL)) {
            return false;
        }
    }
    return rest.len <= TEL_MAX;
}

static bool read_without_host(struct arena *a, struct span scheme, struct span rest, struct web_url *out, struct error *err)
{
    if (ascii_equals(scheme, "mailto:")) {
        return read_mailto(a, rest, out, err);
    }
    out->kind = ascii_equals(scheme, "tel:") && is_number(rest) ? WEB_URL_CONTACT : WEB_URL_SCHEME;
    return true;
}

/* Whether browsers and readers of RFC 3986 go to different hosts: a \ ends the authority for the former only, so that what is
 * before an @ is the host for them, and a user for the others. */
static bool is_ambiguous(struct span text)
{
    size_t end = 0;
    bool has_backslash = false, has_user = false;

    while (end < text.len && text.ptr[end] != '/' && text.ptr[end] != '?' && text.ptr[end] != '#') {
        has_backslash = has_backslash || text.ptr[end] == '\\';
        has_user = has_user || (has_backslash && text.ptr[end] == '@');
        end++;
    }
    return has_user;
}

bool web_url_read(struct arena *a, struct span text, struct web_url *out, struct error *err)
{
    static const char *const of_hosts[] = {"https:", "http:", "ftp:", "wss:", "ws:", NULL};
    struct span url;
    size_t slashes = 0;

    *out = (struct web_url){0};
    if (!clean(a, text, &url, err)) {
        return false;
    }
    size_t at = scheme_len(url);
    struct span scheme = span_slice(url, 0, at);
    if (at > 0 && at < url.len && !is_one_of(scheme, of_hosts)) {
        return read_without_host(a, scheme, span_slice(url, at, url.len), out, err);
    }
    while (at + slashes < url.len && is_slash(url.ptr[at + slashes])) {
        slashes++;
    }
    if ((at == 0 && slashes < 2) || at + slashes == url.len) { /* with no host at all it leads nowhere */
        out->kind = WEB_URL_RELATIVE;
        return true;
    }
    struct span authority = span_slice(url, at + slashes, url.len);
    if (!is_ambiguous(authority) && !web_url_host(a, host_of(authority), &out->host, err)) {
        return false;
    }
    out->kind = out->host.len > 0 ? WEB_URL_HOST : WEB_URL_INVALID;
    return true;
}
