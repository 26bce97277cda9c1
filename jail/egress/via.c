#include "jail/egress/via.h"

#include <netinet/in.h>
#include <arpa/inet.h>
#include <strings.h>

#include "jail/egress/address.h"
#include "jail/egress/target.h"

enum { UPSTREAM_NAME_MAX = 64, AGENT_MAX = 254 };

/* --- the address ------------------------------------------------------------ */

static const struct scheme {
    const char *text;
    uint16_t port;
} schemes[] = {[EGRESS_HTTP] = {"http://", EGRESS_PORT_HTTP}, [EGRESS_HTTPS] = {"https://", EGRESS_PORT_HTTPS}};

static bool read_scheme(struct span *text, struct egress_via *out)
{
    for (size_t i = 0; i < COUNT(schemes); i++) {
        size_t len = strlen(schemes[i].text);
        if (text->len >= len && strncasecmp(text->ptr, schemes[i].text, len) == 0) {
            *text = span_slice(*text, len, text->len);
            out->scheme = (enum egress_scheme)i;
            out->port = schemes[i].port;
            return true;
        }
    }
    return false;
}

/* The name of an upstream, as filterd-upstreams(5) has it, and nothing behind it. */
static bool is_upstream(struct span path)
{
    bool is_name = path.len > 1 && path.len <= 1 + UPSTREAM_NAME_MAX && path.ptr[0] == '/';

    for (size_t i = 1; is_name && i < path.len; i++) {
        char c = path.ptr[i];
        is_name = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    }
    return is_name;
}

static bool is_loopback(const struct egress_host *host)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};

    return (inet_pton(AF_INET, host->text, &v4.sin_addr) == 1 &&
            egress_address_classes((const struct sockaddr *)&v4) == EGRESS_LOOPBACK) ||
           (inet_pton(AF_INET6, host->text, &v6.sin6_addr) == 1 &&
            egress_address_classes((const struct sockaddr *)&v6) == EGRESS_LOOPBACK);
}

bool egress_via_read(struct span text, struct egress_via *out, struct error *err)
{
    struct egress_via v = {.port = 0};

    if (!read_scheme(&text, &v)) {
        return error_set(err, ERROR_INVALID, "http:// or https:// expected");
    }
    const char *slash = memchr(text.ptr, '/', text.len);
    size_t end = slash == NULL ? text.len : (size_t)(slash - text.ptr);
    v.path = span_slice(text, end, text.len);
    if (!egress_authority_read(span_slice(text, 0, end), &v.host, &v.port, err)) {
        return false;
    }
    if (!is_upstream(v.path)) {
        return error_set(err, ERROR_INVALID, "'/' and the name of an upstream of filterd expected behind the host");
    }
    if (v.scheme == EGRESS_HTTP && !is_loopback(&v.host)) {
        return error_set(err, ERROR_INVALID, "https:// expected, or a loopback address");
    }
    *out = v;
    return true;
}

/* --- the headers ------------------------------------------------------------ */

bool egress_via_drops(struct span name)
{
    static const char prefix[] = "X-Filterd-";
    enum { LEN = sizeof(prefix) - 1 };

    return name.len >= LEN && strncasecmp(name.ptr, prefix, LEN) == 0;
}

bool egress_caller_check(const struct egress_caller *caller, struct error *err)
{
    const char *agent = caller->agent == NULL ? "" : caller->agent;

    for (const char *c = agent; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f || c - agent >= AGENT_MAX) {
            return error_set(err, ERROR_INVALID, "an agent of at most %d bytes without control characters expected", AGENT_MAX);
        }
    }
    return true;
}

bool egress_via_write(const struct egress_caller *caller, struct buf *out, struct error *err)
{
    return (caller->agent == NULL || caller->agent[0] == '\0' ||
            buf_appendf(out, err, "X-Filterd-Agent: %s\r\n", caller->agent)) &&
           buf_appendf(out, err, "X-Filterd-Session: %s\r\n", caller->session);
}
