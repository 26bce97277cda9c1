#include "jail/egress/target.h"

#include <strings.h>

#include "jail/egress/wire/path.h"

enum { PORT_DIGITS = 5 };

static bool read_port(struct span text, uint16_t *out)
{
    unsigned value = 0;

    if (text.len == 0 || text.len > PORT_DIGITS || text.ptr[0] == '0') {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
        value = value * 10 + (unsigned)(text.ptr[i] - '0');
    }
    *out = (uint16_t)value;
    return value <= UINT16_MAX;
}

bool egress_authority_read(struct span text, struct egress_host *host, uint16_t *port, struct error *err)
{
    const char *colon = text.len > 0 ? memrchr(text.ptr, ':', text.len) : NULL;
    bool is_bracketed = text.len > 0 && text.ptr[text.len - 1] == ']'; /* whose last colon is its own */
    uint16_t number = *port;

    if (colon != NULL && !is_bracketed) {
        size_t len = (size_t)(colon - text.ptr);
        if (!read_port(span_slice(text, len + 1, text.len), &number)) {
            return error_set(err, ERROR_INVALID, "a port from 1 to 65535 expected");
        }
        text = span_slice(text, 0, len);
    }
    if (!egress_host_read(text, host, err)) {
        return false;
    }
    *port = number;
    return true;
}

static bool read_absolute(struct span text, struct egress_target *out, struct span *target_text, struct error *err)
{
    static const char scheme[] = "http://";
    enum { SCHEME = sizeof(scheme) - 1 };

    if (text.len < SCHEME || strncasecmp(text.ptr, scheme, SCHEME) != 0) {
        return error_set(err, ERROR_INVALID, "http:// and a host expected, or CONNECT");
    }
    struct span rest = span_slice(text, SCHEME, text.len);
    size_t end = 0;
    while (end < rest.len && strchr("/?#", rest.ptr[end]) == NULL) {
        end++;
    }
    out->scheme = EGRESS_HTTP;
    out->port = EGRESS_PORT_HTTP;
    *target_text = end < rest.len ? span_slice(rest, end, rest.len) : span_str("/");
    if (!egress_authority_read(span_slice(rest, 0, end), &out->host, &out->port, err) ||
        !egress_path_check(*target_text, err)) {
        return false;
    }
    out->path = egress_path_only(*target_text);
    return true;
}

static bool read_connect(struct span text, struct egress_target *out, struct error *err)
{
    out->scheme = EGRESS_HTTPS;
    out->port = 0;
    return egress_authority_read(text, &out->host, &out->port, err) &&
           (out->port != 0 || error_set(err, ERROR_INVALID, "a host and a port expected"));
}

/* Absent is the same place. */
static bool has_same_host(const struct egress_head *head, const struct egress_target *t)
{
    const struct span *text = egress_head_find(head, "Host");
    uint16_t port = t->scheme == EGRESS_HTTPS ? EGRESS_PORT_HTTPS : EGRESS_PORT_HTTP;
    struct egress_host host;
    struct error err;

    return text == NULL || (egress_authority_read(*text, &host, &port, &err) && egress_host_equal(&host, &t->host) &&
                            port == t->port);
}

bool egress_target_read(const struct egress_head *head, struct egress_target *out, struct span *target_text,
                        struct error *err)
{
    bool is_connect = span_is(head->method, "CONNECT");
    struct egress_target t = {.method = is_connect ? (struct span){0} : head->method};

    *target_text = (struct span){0};
    if (!(is_connect ? read_connect(head->target, &t, err) : read_absolute(head->target, &t, target_text, err))) {
        return false;
    }
    if (is_connect && head->framing != EGRESS_BODY_NONE) {
        return error_set(err, ERROR_INVALID, "CONNECT without a body expected");
    }
    if (!has_same_host(head, &t)) {
        return error_set(err, ERROR_INVALID, "Host as in the target expected");
    }
    *out = t;
    return true;
}

bool egress_target_read_inside(const struct egress_head *head, const struct egress_target *tunnel,
                               struct egress_target *out, struct span *target_text, struct error *err)
{
    struct egress_target t = *tunnel;

    if (span_is(head->method, "CONNECT") || !egress_path_check(head->target, err)) {
        return error_set(err, ERROR_INVALID, "a path expected, without dots and other places");
    }
    t.method = head->method;
    t.path = egress_path_only(head->target);
    if (!has_same_host(head, &t)) {
        return error_set(err, ERROR_INVALID, "the host of CONNECT as Host expected");
    }
    *target_text = head->target;
    *out = t;
    return true;
}
