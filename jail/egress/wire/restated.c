#include "jail/egress/wire/restated.h"

#include <ctype.h>
#include <strings.h>

enum { NAME_MAX_BYTES = 40 };

static const char *const headers[] = {
    /* the method */
    "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Method", "X-Override-Method", "X-REST-Method",
    "X-HTTP-Verb-Override", "X-Original-Method", "X-Forwarded-Method", "X-Rewrite-Method", "Method-Override", "HTTP-Method-Override",
    /* the path; Destination is that of COPY and MOVE, which no rule looks at */
    "X-Original-URL", "X-Original-URI", "X-Original-Path", "X-Rewrite-URL", "X-Rewrite-URI", "X-Rewrite-Path", "X-Override-URL",
    "X-Override-URI", "X-Forwarded-URL", "X-Forwarded-URI", "X-Forwarded-Path", "X-Forwarded-Prefix", "X-Envoy-Original-Path",
    "X-Request-URI", "X-Request-URL", "X-Proxy-URL", "X-Script-Name", "X-Path-Info", "X-HTTP-DestinationURL", "Destination",
    /* the host, with its port and scheme */
    "X-Forwarded-Host", "X-Original-Host", "X-Rewrite-Host", "X-Host", "X-Host-Override", "X-HTTP-Host-Override", "X-HTTP-Host",
    "X-Forwarded-Server", "X-Forwarded-Authority", "X-Proxy-Host", "X-Backend-Host", "X-Real-Host", "X-Forwarded-Port",
    "X-Forwarded-Proto", "X-Forwarded-Protocol", "X-Forwarded-Scheme", "X-Forwarded-SSL", "X-URL-Scheme",
};

static const char *const framing[] = {"Content-Length", "Transfer-Encoding"};

static const char *const parameters[] = {"_method", "_HttpMethod", "$httpMethod", "$httpHeaders", "X-HTTP-Method-Override",
                                         "X-HTTP-Method", "X-Method-Override"};

/* Letters as they are, and one mark for all that is neither letter nor digit. */
static char fold(char c)
{
    return isalnum((unsigned char)c) ? (char)tolower((unsigned char)c) : '-';
}

static bool is_folded(struct span name, const char *other)
{
    size_t i = 0;

    while (i < name.len && other[i] != '\0' && fold(name.ptr[i]) == fold(other[i])) {
        i++;
    }
    return i == name.len && other[i] == '\0';
}

static const char *find(struct span name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (is_folded(name, list[i])) {
            return list[i];
        }
    }
    return NULL;
}

static bool has_word(struct span text, const char *word)
{
    size_t len = strlen(word);

    for (size_t i = 0; i + len <= text.len; i++) {
        if (strncasecmp(text.ptr + i, word, len) == 0) {
            return true;
        }
    }
    return false;
}

const char *egress_restated_in_head(const struct egress_head *h)
{
    for (size_t i = 0; i < h->n; i++) {
        struct span name = h->headers[i].name;
        const char *found = find(name, headers, COUNT(headers)), *frames = find(name, framing, COUNT(framing));
        if (found != NULL) {
            return found;
        }
        if (frames != NULL && !egress_name_equal(name, frames)) {
            return frames;
        }
        /* RFC 7239; a parameter's name may be in a value as well, and who needs that? */
        if (is_folded(name, "Forwarded") &&
            (has_word(h->headers[i].value, "host") || has_word(h->headers[i].value, "proto"))) {
            return "Forwarded";
        }
    }
    return NULL;
}

/* --- parameters ----------------------------------------------------------- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* In place, once; returns the new length. */
static size_t decode(char *text, size_t len)
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++) {
        int high = text[i] == '%' && len - i > 2 ? hex_digit(text[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
        text[n++] = low >= 0 ? (char)(high * 16 + low) : text[i] == '+' ? ' ' : text[i];
        i += low >= 0 ? 2 : 0;
    }
    return n;
}

/* As the loosest of readers: decoded twice, without spaces before it, up to a NUL or the bracket of an array. What has no room
 * is longer than any name that matters, and stays empty. */
static struct span read_loosely(struct span text, char out[3 * NAME_MAX_BYTES])
{
    size_t len = text.len, start = 0;

    if (len > (size_t)3 * NAME_MAX_BYTES) {
        return span_of(out, 0);
    }
    memcpy(out, text.ptr, len);
    len = decode(out, decode(out, len));
    while (start < len && out[start] == ' ') {
        start++;
    }
    size_t end = start;
    while (end < len && out[end] != '\0' && (out[end] != '[' || end == start)) {
        end++;
    }
    return span_of(out + start, end - start);
}

static bool is_other_method(struct span value, struct span method)
{
    static const char *const methods[] = {"GET",  "HEAD",  "POST",     "PUT",       "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE",
                                          "COPY", "MOVE", "PROPFIND", "PROPPATCH", "MKCOL", "LOCK",   "UNLOCK",  "REPORT",  "MERGE"};

    return find(value, methods, COUNT(methods)) != NULL && !(value.len == method.len && strncasecmp(value.ptr, method.ptr, value.len) == 0);
}

static const char *in_pair(struct span pair, struct span method)
{
    char name[3 * NAME_MAX_BYTES], value[3 * NAME_MAX_BYTES];
    const char *equals = memchr(pair.ptr, '=', pair.len);
    size_t len = equals == NULL ? pair.len : (size_t)(equals - pair.ptr);
    struct span key = read_loosely(span_slice(pair, 0, len), name);
    const char *found = find(key, parameters, COUNT(parameters));

    if (found == NULL && equals != NULL && is_folded(key, "method") &&
        is_other_method(read_loosely(span_slice(pair, len + 1, pair.len), value), method)) {
        return "method";
    }
    return found;
}

const char *egress_restated_in_pairs(struct span pairs, struct span method)
{
    const char *found = NULL;

    while (found == NULL && pairs.len > 0) {
        size_t len = 0;
        while (len < pairs.len && pairs.ptr[len] != '&' && pairs.ptr[len] != ';') {
            len++;
        }
        found = len > 0 ? in_pair(span_slice(pairs, 0, len), method) : NULL;
        pairs = span_slice(pairs, len < pairs.len ? len + 1 : len, pairs.len);
    }
    return found;
}

/* A part of multipart names its field in a header of its own. */
static const char *in_parts(struct span body)
{
    char quoted[NAME_MAX_BYTES], plain[NAME_MAX_BYTES];

    for (size_t i = 0; i < COUNT(parameters); i++) {
        (void)snprintf(quoted, sizeof(quoted), "name=\"%s\"", parameters[i]);
        (void)snprintf(plain, sizeof(plain), "name=%s", parameters[i]);
        if (has_word(body, quoted) || has_word(body, plain)) {
            return parameters[i];
        }
    }
    return NULL;
}

const char *egress_restated_in_body(const struct egress_head *h, struct span body)
{
    const char *found = NULL;

    for (size_t i = 0; found == NULL && i < h->n; i++) {
        if (!is_folded(h->headers[i].name, "Content-Type")) {
            continue;
        }
        if (has_word(h->headers[i].value, "x-www-form-urlencoded")) {
            found = egress_restated_in_pairs(body, h->method);
        } else if (has_word(h->headers[i].value, "multipart/")) {
            found = in_parts(body);
        }
    }
    return found;
}
