/* admit.c - what a request's headers decide before its body is read. */
#include <strings.h>

#include "http/access.h"
#include "http/proxy.h"
#include "http/server.h"

enum {
    NO_BODY_MAX = 256 * 1024,    /* of a route that takes none */
    DROP_MAX = 64 * 1024 * 1024, /* of a refused body: read, for a client that only then listens */
    DECIMAL_DIGITS = 18,
    BATCH_BLOCK = 1024 * 1024,
};

static bool is_media_type(struct span value, const char *type)
{
    size_t len = strlen(type);

    return value.len >= len && strncasecmp(value.ptr, type, len) == 0 &&
           (value.len == len || strchr("; \t,", value.ptr[len]) != NULL);
}

/* Texts are UTF-8; another charset would be judged as what it is not. */
static bool is_charset_known(struct span type)
{
    static const char key[] = "charset=";

    for (size_t i = 0; i + sizeof(key) - 1 <= type.len; i++) {
        if (strncasecmp(type.ptr + i, key, sizeof(key) - 1) != 0) {
            continue;
        }
        struct span value = span_slice(type, i + sizeof(key) - 1, type.len);
        if (value.len > 0 && value.ptr[0] == '"') {
            value = span_slice(value, 1, value.len);
        }
        return value.len >= 5 && strncasecmp(value.ptr, "utf-8", 5) == 0;
    }
    return true;
}

static unsigned body_kind(struct span type)
{
    static const struct {
        const char *type;
        unsigned kind;
    } kinds[] = {
        {"application/json", BODY_JSON},       {"text/plain", BODY_PLAIN},
        {"application/x-ndjson", BODY_NDJSON}, {"application/ndjson", BODY_NDJSON},
        {"application/jsonl", BODY_NDJSON},
    };

    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (is_media_type(type, kinds[i].type)) {
            return kinds[i].kind;
        }
    }
    return BODY_NONE;
}

static unsigned check_type(struct request *r)
{
    struct span type = request_header(r, "Content-Type");
    struct span coding = request_header(r, "Content-Encoding");
    unsigned kind = type.len == 0 ? BODY_ABSENT : body_kind(type);

    if (r->route->bodies == BODY_NONE) {
        return 0;
    }
    r->is_plain_in = kind == BODY_PLAIN;
    r->is_plain_out = is_media_type(request_header(r, "Accept"), "text/plain");
    bool is_known = (kind & r->route->bodies) != 0 && is_charset_known(type) &&
                    (coding.len == 0 || strcasecmp(coding.ptr, "identity") == 0);
    return is_known ? 0 : 415;
}

/* Digits only; UINT64_MAX for more than anybody sends. */
static uint64_t parse_length(struct span text)
{
    uint64_t value = 0;

    if (text.len > DECIMAL_DIGITS) {
        return UINT64_MAX;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return UINT64_MAX;
        }
        value = value * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    return value;
}

static void set_limits(struct request *r)
{
    const struct service_options *o = r->service->options;

    r->body_max = r->route->bodies == BODY_NONE ? NO_BODY_MAX : o->body_max;
    r->received_max = 2 * r->body_max;
    if (r->route->receive != NULL) {
        r->body_max = o->batch_line_max + BATCH_BLOCK;
        r->received_max = 2 * o->batch_body_max;
    }
}

static unsigned check_length(const struct request *r, struct span length)
{
    uint64_t max = r->route->receive != NULL ? r->received_max / 2 : r->body_max;

    /* Two ways to say where a body ends are one too many: some proxy may believe the other. */
    if (length.len > 0 && request_header(r, "Transfer-Encoding").len > 0) {
        return 400;
    }
    return parse_length(length) > max ? 413 : 0;
}

static const char *detail_of(unsigned status)
{
    static const struct {
        unsigned status;
        const char *detail;
    } details[] = {
        {400, "either Content-Length or Transfer-Encoding expected"},
        {401, "a valid bearer token expected"},
        {403, "these credentials do not reach here"},
        {404, "there is nothing here"},
        {405, "another method expected"},
        {413, "the body is larger than this service takes"},
        {415, "another Content-Type, in UTF-8 and without Content-Encoding, expected"},
    };

    for (size_t i = 0; i < COUNT(details); i++) {
        if (details[i].status == status) {
            return details[i].detail;
        }
    }
    return "";
}

/* A client that is still sending when the connection closes may never see the answer. So a refused
 * body is read and dropped before the answer, to a bound; one that waits for leave to send, or is
 * longer, is answered at once. */
static bool is_waited_for(const struct request *r, unsigned status, struct span length)
{
    bool waits_for_leave = request_header(r, "Expect").len > 0;

    return status != 400 && !waits_for_leave && parse_length(length) <= DROP_MAX;
}

/* A request for an upstream was looked at by proxy_admit, but for its length. */
static unsigned check(struct request *r, bool is_proxied, struct span length)
{
    unsigned status = is_proxied ? 0 : access_check(r);

    status = status != 0 ? status : check_length(r, length);
    return status != 0 || is_proxied ? status : check_type(r);
}

void request_admit(struct request *r, const char *method, const char *path)
{
    struct span length = request_header(r, "Content-Length");

    static const char one_meaning[] = "a path in which each '%' begins two hexadecimal digits, and none is a NUL, expected";
    struct route_match match = route_find(r->listener->kind, method, path == NULL ? "" : path);
    r->route = match.route;
    match.status = path == NULL ? 400 : match.status;
    if (match.parameter.len > REQUEST_PARAMETER_MAX) {
        match.status = 404;
    } else if (match.parameter.len > 0) {
        memcpy(r->parameter, match.parameter.ptr, match.parameter.len);
    }
    set_limits(r);
    bool is_proxied = match.status == 404 && proxy_admit(r, method, path);
    unsigned status = is_proxied ? r->reply.status : match.status;
    if (status == 0) {
        status = check(r, is_proxied, length);
    }
    if (status == 0) {
        return;
    }
    if (r->reply.status == 0) {
        request_problem(r, status, path == NULL ? one_meaning : detail_of(status), NULL);
        r->reply.allow = match.allow;
    }
    r->is_refused = true;
    r->received_max = DROP_MAX;
    r->reply.closes = !is_waited_for(r, status, length);
}
