#include "server/origin.h"

#include <arpa/inet.h>
#include <strings.h>

#include "server/routes.h"
#include "service/access.h"
#include "service/listener.h"

static struct span trim(struct span s)
{
    while (s.len > 0 && s.ptr[0] == ' ') {
        s = span_slice(s, 1, s.len);
    }
    while (s.len > 0 && s.ptr[s.len - 1] == ' ') {
        s.len--;
    }
    return s;
}

/* The next item of a comma-separated list; false: there is none. */
static bool next_item(const char **list, struct span *item)
{
    if (*list == NULL) {
        return false;
    }
    size_t len = strcspn(*list, ",");
    *item = trim(span_of(*list, len));
    *list = (*list)[len] == ',' ? *list + len + 1 : NULL;
    return true;
}

static bool is_same(struct span a, struct span b)
{
    return a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

static bool is_listed(const char *list, struct span text)
{
    struct span item;

    while (next_item(&list, &item)) {
        if (is_same(item, text)) {
            return true;
        }
    }
    return false;
}

static bool consists_of(struct span text, const char *others)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_plain && (c == '\0' || strchr(others, c) == NULL)) {
            return false;
        }
    }
    return text.len > 0;
}

/* scheme://host[:port]; so neither "null", which every page can be, nor a star. */
static bool is_origin(struct span text)
{
    const char *at = memmem(text.ptr, text.len, "://", 3);

    return at != NULL && consists_of(span_of(text.ptr, (size_t)(at - text.ptr)), "+-.") &&
           consists_of(span_slice(text, (size_t)(at - text.ptr) + 3, text.len), "-._:[]");
}

bool origin_check_options(const struct service_options *o, struct error *err)
{
    const char *hosts = o->hosts, *origins = o->origins;
    struct span item;

    while (next_item(&hosts, &item)) {
        if (!consists_of(item, "-._") && !(item.len > 0 && item.ptr[0] == '[' && consists_of(item, "[]:."))) {
            return error_set(err, ERROR_INVALID, "hosts: names or addresses, without ports, separated by commas expected");
        }
    }
    while (next_item(&origins, &item)) {
        if (!is_origin(item)) {
            return error_set(err, ERROR_INVALID,
                             "origins: like https://chat.example:8443, separated by commas, expected");
        }
    }
    return true;
}

/* Without the port; head_check has seen that it is a host. */
static struct span name_of(struct span host)
{
    host = trim(host);
    const char *end = host.len > 0 && host.ptr[0] == '[' ? memchr(host.ptr, ']', host.len) : NULL;
    if (end != NULL) {
        return span_of(host.ptr, (size_t)(end - host.ptr) + 1);
    }
    const char *colon = memchr(host.ptr, ':', host.len);
    return colon == NULL ? host : span_of(host.ptr, (size_t)(colon - host.ptr));
}

static bool is_loopback(struct span name)
{
    char text[INET6_ADDRSTRLEN + 2];
    struct in_addr v4;
    struct in6_addr v6;

    if (is_same(name, span_str("localhost"))) {
        return true;
    }
    if (name.len == 0 || name.len >= sizeof(text)) {
        return false;
    }
    bool is_v6 = name.len > 2 && name.ptr[0] == '[';
    size_t len = name.len - (is_v6 ? 2 : 0);
    memcpy(text, name.ptr + (is_v6 ? 1 : 0), len);
    text[len] = '\0';
    return is_v6 ? inet_pton(AF_INET6, text, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6)
                 : inet_pton(AF_INET, text, &v4) == 1 && ntohl(v4.s_addr) >> 24 == 127;
}

/* What a token proves no name can disprove; a Unix socket no browser reaches. */
static bool is_name_ours(const struct request *r)
{
    struct span name = name_of(request_header(r, "Host"));

    return r->listener->address.kind != ADDRESS_TCP || service_token_count(r->service) > 0 || is_loopback(name) ||
           is_listed(r->service->options->hosts, name);
}

struct span origin_listed(const struct request *r)
{
    struct span origin = request_header(r, "Origin");

    return origin.len > 0 && is_listed(r->service->options->origins, origin) ? origin : (struct span){.ptr = ""};
}

/* Of what browsers say of themselves: typed into the address bar, or from a page of the same origin. */
static bool is_site_ours(const struct request *r)
{
    struct span site = request_header(r, "Sec-Fetch-Site");

    return site.len == 0 || span_is(site, "none") || span_is(site, "same-origin");
}

/* "https://audit.example:8471" of a request whose Host is audit.example:8471. Behind a proxy that ends TLS the scheme is not
 * the listener's. */
static bool is_origin_ours(const struct request *r, struct span origin)
{
    const char *scheme = origin.len == 0 ? NULL : memmem(origin.ptr, origin.len, "://", 3);

    if (scheme == NULL) {
        return false;
    }
    size_t at = (size_t)(scheme - origin.ptr) + 3;
    return (span_starts_with(origin, span_str("https://")) || span_starts_with(origin, span_str("http://"))) &&
           is_same(span_slice(origin, at, origin.len), trim(request_header(r, "Host")));
}

/* A link from another page may lead here: it shows a page, and brings no cookie. */
static bool is_link(const struct request *r)
{
    return strcmp(r->route->method, "GET") == 0 && span_is(request_header(r, "Sec-Fetch-Mode"), "navigate") &&
           span_is(request_header(r, "Sec-Fetch-Dest"), "document");
}

/* The review page is for itself alone, whatever `origins` says. What changes something comes from it, and says so: a client
 * without a browser sends Origin or Sec-Fetch-Site, too. */
static unsigned check_page(const struct request *r, bool has_origin)
{
    struct span origin = request_header(r, "Origin");
    bool has_site = request_header(r, "Sec-Fetch-Site").len > 0;
    bool is_post = strcmp(r->route->method, "POST") == 0;
    bool is_ours = (!has_origin || is_origin_ours(r, origin)) && (is_site_ours(r) || is_link(r));

    return is_ours && (!is_post || has_origin || has_site) ? 0 : 403;
}

unsigned origin_check(const struct request *r)
{
    if (!is_name_ours(r)) {
        return 421;
    }
    bool has_origin = MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, "Origin") != NULL;
    if (r->route != NULL && (r->route->roles & ACCESS_PAGE) != 0) {
        return check_page(r, has_origin);
    }
    return origin_listed(r).len > 0 || (!has_origin && is_site_ours(r)) ? 0 : 403;
}

bool origin_is_preflight(const struct request *r, const char *method)
{
    return strcmp(method, "OPTIONS") == 0 && origin_listed(r).len > 0 &&
           request_header(r, "Access-Control-Request-Method").len > 0;
}
