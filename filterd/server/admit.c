/* admit.c - checks a request's headers before its body is read. */
#include <strings.h>

#include "contracts/contract.h"
#include "service/access.h"
#include "service/page_identity.h"
#include "http/head.h"
#include "http/media_type.h"
#include "server/origin.h"
#include "proxy/proxy.h"
#include "server/routes.h"
#include "server/server.h"

enum {
    NO_BODY_MAX = 256 * 1024,    /* of a route that takes none, or a form */
    DROP_MAX = 64 * 1024 * 1024, /* of a refused body: read, for a client that only then listens */
    DECIMAL_DIGITS = 18,
    BATCH_BLOCK = 1024 * 1024,
};

static unsigned body_kind(struct span type)
{
    static const struct {
        const char *type;
        unsigned kind;
    } kinds[] = {
        {"application/json", BODY_JSON},       {"text/plain", BODY_PLAIN},
        {"application/x-ndjson", BODY_NDJSON}, {"application/ndjson", BODY_NDJSON},
        {"application/jsonl", BODY_NDJSON},    {"application/x-www-form-urlencoded", BODY_FORM},
    };

    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (media_type_is(type, kinds[i].type)) {
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
    r->is_plain_out = media_type_is(request_header(r, "Accept"), "text/plain");
    bool is_known = (kind & r->route->bodies) != 0 && media_type_is_utf8(type) &&
                    (coding.len == 0 || strcasecmp(coding.ptr, "identity") == 0);
    return is_known ? 0 : 415;
}

/* Digits only; UINT64_MAX for anything else, and for more than 18 of them. */
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

    r->body_max = (r->route->bodies & ~(unsigned)BODY_FORM) == BODY_NONE ? NO_BODY_MAX : o->body_max;
    r->received_max = 2 * r->body_max;
    if (r->route->receive != NULL) {
        r->body_max = o->batch_line_max + BATCH_BLOCK;
        r->received_max = 2 * o->batch_body_max;
    }
}

static unsigned check_length(struct request *r, struct span length)
{
    uint64_t max = r->route->receive != NULL ? r->received_max / 2 : r->body_max;

    r->announced = parse_length(length);
    return r->announced > max ? 413 : 0;
}

static const char *detail_of(unsigned status)
{
    static const struct {
        unsigned status;
        const char *detail;
    } details[] = {
        {400, "a target of visible ASCII, in whose path each '%' begins two hexadecimal digits, and none is a NUL, expected"},
        {401, "a valid bearer token expected"},
        {403, "these credentials do not reach here"},
        {404, "there is nothing here"},
        {413, "the body is larger than this service takes"},
        {421, "a Host that is loopback's, or listed in the option hosts, expected"},
    };

    for (size_t i = 0; i < COUNT(details); i++) {
        if (details[i].status == status) {
            return details[i].detail;
        }
    }
    return "";
}

/* What a route takes, in words: "application/json or text/plain". */
static void name_types(unsigned bodies, char *text, size_t size)
{
    static const struct {
        unsigned kind;
        const char *type;
    } types[] = {{BODY_JSON, "application/json"}, {BODY_PLAIN, "text/plain"}, {BODY_NDJSON, "application/x-ndjson"},
                 {BODY_FORM, "application/x-www-form-urlencoded"}};
    size_t len = 0;

    for (size_t i = 0; i < COUNT(types); i++) {
        if ((bodies & types[i].kind) != 0 && len < size) {
            len += (size_t)snprintf(text + len, size - len, "%s%s", len == 0 ? "" : " or ", types[i].type);
        }
    }
}

static void refuse(struct request *r, unsigned status, const char *allow)
{
    char text[160], types[80] = "";
    const char *detail = detail_of(status);

    if (status == 405) {
        (void)snprintf(text, sizeof(text), "another method expected: %s", allow);
        detail = text;
    } else if (status == 415) {
        name_types(r->route->bodies, types, sizeof(types));
        (void)snprintf(text, sizeof(text), "the Content-Type %s, in UTF-8 and without Content-Encoding, expected", types);
        detail = text;
    } else if (status == 403 && origin_check(r) != 0) {
        detail = "no Origin, or one that is listed in the option origins, expected";
    }
    request_problem(r, status, detail, NULL);
    r->reply.allow = status == 405 ? allow : NULL;
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
    if (!is_proxied && page_identity_is_misplaced(r, (r->route->roles & ACCESS_PAGE) != 0)) {
        request_problem(r, 400, "the headers of page-identity once expected, from the reverse proxy alone, for /review", NULL);
        return 400;
    }
    unsigned status = is_proxied ? 0 : access_check(r, r->route->roles);

    r->caller = is_proxied ? 0 : access_caller(r);
    if (!is_proxied) { /* proxy_admit has read it */
        request_read_trace(r);
    }
    status = status != 0 ? status : check_length(r, length);
    return status != 0 || is_proxied ? status : check_type(r);
}

/* Everything but the credentials of a route that takes some: 0, or why not. */
static unsigned find(struct request *r, const char *method, const char *path, struct route_match *match)
{
    *match = route_find(r->listener->kind, method, path == NULL ? "" : path);
    r->route = match->route;
    r->contract = r->route->run == route_contract_run ? contract_find(r->route->path) : NULL;
    if (path == NULL) {
        return 400;
    }
    unsigned status = origin_check(r);
    if (status != 0) {
        return status;
    }
    if (match->parameter.len > REQUEST_PARAMETER_MAX) {
        return 404;
    }
    if (match->parameter.len > 0) {
        memcpy(r->parameter, match->parameter.ptr, match->parameter.len);
    }
    return match->status;
}

static void admit(struct request *r, const char *method, const char *path)
{
    struct span length = request_header(r, "Content-Length");
    struct route_match match;

    unsigned status = find(r, method, path, &match);
    set_limits(r);
    bool is_proxied = status == 404 && proxy_admit(r, method, path);
    r->route = r->proxy != NULL ? route_proxy() : r->route;
    status = is_proxied ? r->reply.status : status;
    if (status == 0) {
        status = check(r, is_proxied, length);
    }
    if (status == 0) {
        return;
    }
    if (r->reply.status == 0) {
        refuse(r, status, match.allow);
    }
    r->is_refused = true;
    r->received_max = DROP_MAX;
    r->reply.closes = !is_waited_for(r, status, length);
}

void request_admit(struct request *r, const struct request_line *line)
{
    const struct head_fault *fault = head_check(r->connection, line->method, line->target, line->version);

    if (fault != NULL) {
        r->route = route_find(0, "", "").route;
        request_problem(r, fault->status, fault->detail, NULL);
        r->is_refused = r->reply.closes = true;
    } else if (origin_check(r) == 0 && origin_is_preflight(r, line->method)) {
        r->route = route_find(0, "", "").route;
        r->reply = (struct reply){.status = 204, .is_preflight = true};
        r->is_refused = true;
        r->received_max = DROP_MAX;
    } else {
        admit(r, line->method, line->is_malformed ? NULL : line->target);
    }
}
