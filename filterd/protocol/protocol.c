#include "protocol/protocol_table.h"

static const struct protocol *const protocols[] = {
    &protocol_openai, &protocol_anthropic, &protocol_ollama, &protocol_gemini, &protocol_cohere,
};

const struct protocol *protocol_find(struct span name)
{
    for (size_t i = 0; i < COUNT(protocols); i++) {
        if (span_is(name, protocols[i]->name)) {
            return protocols[i];
        }
    }
    return NULL;
}

const char *const protocol_names[] = {"openai", "anthropic", "ollama", "gemini", "cohere", NULL};

const struct protocol *protocol_of_route(const struct protocol_route *route)
{
    for (size_t i = 0; i < COUNT(protocols); i++) {
        const struct protocol *p = protocols[i];
        if (route >= p->routes && route < p->routes + p->n_routes) {
            return p;
        }
    }
    return NULL;
}

bool request_streams(const struct node *body, bool by_default, bool *streams, struct error *err)
{
    const struct node *asked = node_member(body, "stream");

    if (asked == NULL || asked->kind == JSON_KIND_NULL) {
        *streams = by_default;
        return true;
    }
    if (asked->kind != JSON_KIND_TRUE && asked->kind != JSON_KIND_FALSE) {
        return error_set(err, ERROR_INVALID, "request: expected true or false as stream");
    }
    *streams = asked->kind == JSON_KIND_TRUE;
    return true;
}

bool request_streams_events(const struct node *body, enum framing *framing, struct error *err)
{
    bool is_streaming = false;

    if (!request_streams(body, false, &is_streaming, err)) {
        return false;
    }
    *framing = is_streaming ? FRAMING_EVENTS : FRAMING_BODY;
    return true;
}

/* Nothing that an upstream could read as another path than we do. */
static bool is_plain_path(struct span path)
{
    bool after_slash = false;

    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.ptr[i];
        if (c <= ' ' || c >= 0x7f || strchr("%\\?#;", c) != NULL ||
            (after_slash && (c == '.' || c == '/'))) {
            return false;
        }
        after_slash = c == '/';
    }
    return path.len > 0 && path.ptr[0] == '/';
}

bool route_path_fits(struct span pattern, struct span path)
{
    size_t i = 0;

    for (size_t k = 0; k < pattern.len; k++) {
        bool is_end = k + 1 == pattern.len;
        if (pattern.ptr[k] != '*') {
            if (i == path.len || path.ptr[i++] != pattern.ptr[k]) {
                return false;
            }
            continue;
        }
        size_t from = i;
        while (i < path.len && (is_end || (path.ptr[i] != pattern.ptr[k + 1] && path.ptr[i] != '/'))) {
            i++;
        }
        if (i == from) {
            return false;
        }
    }
    return i == path.len;
}

size_t version_length(struct span path)
{
    size_t n = 0;

    if (path.len < 3 || path.ptr[0] != '/' || path.ptr[1] != 'v' || path.ptr[2] < '0' || path.ptr[2] > '9') {
        return 0;
    }
    while (n + 1 < path.len && path.ptr[n + 1] != '/') {
        n++;
    }
    return n + 1;
}

static const struct protocol_route *find_route_at(const struct protocol *p, struct span method, struct span path)
{
    for (size_t i = 0; i < p->n_routes; i++) {
        struct span pattern = span_str(p->routes[i].path);
        struct span bare = span_slice(pattern, version_length(pattern), pattern.len);
        if (span_is(method, p->routes[i].method) && (route_path_fits(pattern, path) || route_path_fits(bare, path))) {
            return &p->routes[i];
        }
    }
    return NULL;
}

static const struct protocol_route *find_route(const struct protocol *p, struct span method, struct span path)
{
    const struct protocol_route *route = find_route_at(p, method, path);
    bool is_below = route == NULL && p->below != NULL && span_starts_with(path, span_str(p->below));

    return is_below ? find_route_at(p, method, span_slice(path, strlen(p->below), path.len)) : route;
}

enum route_use protocol_route(const struct protocol *p, struct span method, struct span path,
                              const struct protocol_route **route)
{
    *route = is_plain_path(path) ? find_route(p, method, path) : NULL;
    if (*route == NULL && p->also != NULL && is_plain_path(path)) {
        *route = find_route(p->also, method, path);
    }
    return *route == NULL ? ROUTE_REFUSED : (*route)->use;
}

bool protocol_blocked_body(const struct protocol *p, struct span notice, struct buf *out, struct error *err)
{
    return p->blocked(notice, out, err);
}

enum route_use protocol_other_route(const struct protocol *p, struct span path, const struct protocol_route **route)
{
    *route = is_plain_path(path) ? &p->routes[p->n_routes - 1] : NULL;
    return *route == NULL ? ROUTE_REFUSED : (*route)->use;
}

const char *protocol_route_name(const struct protocol_route *route)
{
    return route == NULL ? "refused" : route->name;
}
