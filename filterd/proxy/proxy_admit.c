/* proxy_admit.c - checks by a request's headers: its upstream, and its permission. */
#include <strings.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/locked_pages.h"
#include "base/uuid.h"
#include "service/access.h"
#include "formats/form_data.h"
#include "http/identities.h"
#include "http/media_type.h"
#include "proxy/proxy.h"
#include "upstream/proxy_header.h"
#include "service/listener.h"
#include "service/admission.h"

enum {
    TARGET_MAX = 16 * 1024,
    NAMES_MAX = 16 * 1024,
    IDENTITY_MAX = 254,
    ROUTE_NAME_MAX = 64, /* the protocols' own names for their routes */
    ANSWER_EXTRA = 1024 * 1024,
    SURVEY_MAX = 1024 * 1024,
};

static struct proxy *proxy_new(struct request *r, struct upstreams *set, const struct upstream *u)
{
    struct proxy *p = calloc(1, sizeof(*p));

    if (p == NULL) {
        return NULL;
    }
    atomic_init(&p->references, 1);
    (void)pthread_mutex_init(&p->shared.lock, NULL);
    p->service = r->service;
    p->upstreams = upstreams_ref(set);
    p->upstream = u;
    p->started_ns = r->started_ns;
    p->down.client_fd = -1;
    buf_init(&p->target, TARGET_MAX);
    arena_init(&p->memory, 0, SURVEY_MAX);
    buf_init(&p->names, NAMES_MAX);
    buf_init(&p->user, VALUE_TOKEN_MAX);
    buf_init_text(&p->down.fresh, 2 * u->answer_max + ANSWER_EXTRA);
    buf_init_text(&p->shared.out, 2 * u->answer_max + ANSWER_EXTRA);
    buf_init(&p->record, DECISION_RECORD_MAX);
    buf_init(&p->judged.line, DECISION_RECORD_MAX);
    buf_init(&p->down.headers, PROXY_DOWN_MAX);
    buf_init(&p->down.ids, PROXY_DOWN_MAX);
    return p;
}

struct parameters {
    struct proxy *proxy;
    size_t n;
    bool is_ok;
};

/* NOLINTNEXTLINE(readability-function-size): libmicrohttpd dictates the parameters */
static enum MHD_Result add_parameter(void *context, enum MHD_ValueKind kind, const char *name,
                                     size_t name_len, const char *value, size_t value_len)
{
    struct parameters *q = context;
    const struct upstream *u = q->proxy->upstream;
    struct error err;

    (void)kind;
    /* Gemini's clients may give their key here, which ours replaces. */
    if (u->credential != NULL && strcmp(u->header->name, "x-goog-api-key") == 0 &&
        span_is(span_of(name, name_len), "key")) {
        return MHD_YES;
    }
    q->is_ok =
        target_add_parameter(&q->proxy->target, q->n++ == 0, span_of(name, name_len),
                             span_of(value == NULL ? "" : value, value_len), value != NULL, &err);
    return q->is_ok ? MHD_YES : MHD_NO;
}

static bool set_target(struct proxy *p, const struct request *r, struct span path)
{
    struct parameters q = {.proxy = p, .is_ok = true};
    struct error err;

    if (!target_add_path(&p->target, path, &err)) {
        return false;
    }
    p->path_len = p->target.len;
    if (r->source != NULL) {
        return r->source->query.len == 0 ||
               (buf_append_char(&p->target, '?', &err) && buf_append(&p->target, r->source->query, &err));
    }
    (void)MHD_get_connection_values_n(r->connection, MHD_GET_ARGUMENT_KIND, add_parameter, &q);
    return q.is_ok;
}

/* Copies, as headers do not outlive the request. There is room: names are bounded. */
static struct span keep(struct proxy *p, struct span text)
{
    struct span kept = span_of(p->names.data + p->names.len, text.len);

    if (text.len > 0) {
        memcpy(p->names.data + p->names.len, text.ptr, text.len);
    }
    p->names.len += text.len;
    return kept;
}

/* Who speaks, as the headers say it, and as it may be shown; in the arena or the request. */
static bool read_identity(const struct request *r, struct arena *a, struct identity *who)
{
    struct filter_fault fault;

    *who = (struct identity){.tenant = r->proxy->upstream->tenant,
                             .app = request_header(r, "X-Filterd-App"),
                             .agent = request_header(r, "X-Filterd-Agent"),
                             .session = request_header(r, "X-Filterd-Session"),
                             .user = request_header(r, "X-Filterd-User")};
    return who->app.len <= IDENTITY_MAX && who->agent.len <= IDENTITY_MAX && who->session.len <= IDENTITY_MAX &&
           who->user.len <= IDENTITY_MAX &&
           identity_show(r->service->identities, r->snapshot, a, who, &fault);
}

static bool has_body(const struct request *r)
{
    struct span length = request_header(r, "Content-Length");

    return request_header(r, "Transfer-Encoding").len > 0 || (length.len > 0 && !span_is(length, "0"));
}

/* Or it has no body. */
static bool is_json(const struct request *r)
{
    struct span type = request_header(r, "Content-Type");

    return !has_body(r) || (media_type_is(type, "application/json") && media_type_is_utf8(type));
}

/* What could not be read could not be judged. A web page may send forms anywhere without asking, but not without an Origin
 * (server/origin.h). Whatever passes unjudged may have any type, if it has one. */
static bool is_readable(const struct request *r, bool may_be_any)
{
    struct span coding = request_header(r, "Content-Encoding"), type = request_header(r, "Content-Type"), boundary;
    bool is_plain = coding.len == 0 || strcasecmp(coding.ptr, "identity") == 0;

    return !has_body(r) || (is_plain && (is_json(r) || form_boundary(type, &boundary) || (may_be_any && type.len > 0)));
}

static bool set_names(struct proxy *p, const struct request *r, struct span path)
{
    struct identity *who = &p->who;
    struct span *const parts[] = {&who->tenant, &who->app, &who->agent, &who->session, &who->user,
                                  &who->given.tenant, &who->given.app, &who->given.agent};
    struct span type = is_json(r) ? span_of("", 0) : request_header(r, "Content-Type");
    size_t room = path.len + type.len + UPSTREAM_NAME_MAX + ROUTE_NAME_MAX + 2;
    struct arena memory CLEANUP(arena_deinit);
    struct error err;

    arena_init(&memory, 0, NAMES_MAX);
    if (!read_identity(r, &memory, who)) {
        return false;
    }
    for (size_t i = 0; i < COUNT(parts); i++) {
        room += parts[i]->len;
    }
    if (!buf_reserve(&p->names, room, &err)) {
        return false;
    }
    p->path = keep(p, path);
    p->type = keep(p, type);
    p->who.caller = access_caller(r);
    p->who.trace = r->trace;
    for (size_t i = 0; i < COUNT(parts); i++) {
        *parts[i] = keep(p, *parts[i]);
    }
    return true;
}

/* The route as policies and the record know it: the upstream and the protocol's name for it, as
 * the path itself may hold what a client likes. */
static void set_route(struct proxy *p)
{
    struct span name = span_str(protocol_route_name(p->route));

    if (name.len > ROUTE_NAME_MAX) {
        return;
    }
    struct span start = keep(p, span_str("/"));
    size_t len =
        start.len + keep(p, p->upstream->name).len + keep(p, span_str("/")).len + keep(p, name).len;
    p->who.route = span_of(start.ptr, len);
}

/* Nothing goes up for an agent whose answers would not come down. */
static void check_agent(struct request *r)
{
    unsigned wait_s = 0;
    const char *why;
    enum admission admission = admission_open(r->service, r->snapshot, &r->proxy->who, &wait_s, &why);

    if (admission == ADMISSION_BLOCKED) {
        request_problem(r, 403, why, NULL);
    } else if (admission == ADMISSION_WAIT) {
        request_problem(r, 429, admission_throttled, NULL);
        r->reply.retry_s = wait_s;
    }
}

/* Without an upgrade a WebSocket's route is one that is not listed. */
static bool is_upgrade_fit(const struct request *r, struct proxy *p)
{
    bool is_asked = request_header(r, "Upgrade").len > 0;

    if (p->use == ROUTE_UPGRADED && !is_asked) {
        p->use = ROUTE_REFUSED;
    }
    return !is_asked || (p->use == ROUTE_UPGRADED && r->source == NULL && strcmp(p->method, "GET") == 0);
}

static void find_route(struct proxy *p)
{
    bool is_head = strcmp(p->method, "HEAD") == 0; /* asks what GET would answer */

    p->use = protocol_route(p->upstream->protocol, span_str(is_head ? "GET" : p->method), p->path, &p->route);
}

/* What the operator says of routes: of this one, or of all that the protocol does not list. */
static void apply_rule(struct proxy *p)
{
    enum route_rule rule = upstream_route_rule(p->upstream, p->path);
    bool is_listed = p->use != ROUTE_REFUSED, is_upgraded = p->use == ROUTE_UPGRADED;

    if (rule == ROUTE_RULE_REFUSE) {
        p->use = ROUTE_REFUSED;
    } else if (!is_listed && (rule != ROUTE_RULE_NONE || p->upstream->other_routes == OTHER_ROUTES_JUDGED)) {
        p->use = protocol_other_route(p->upstream->protocol, p->path, &p->route);
    }
    p->is_unjudged = rule == ROUTE_RULE_PASS && p->use != ROUTE_REFUSED && !is_upgraded;
}

const char *proxy_key_header(const struct proxy *p)
{
    return p->upstream->credential == NULL ? NULL : p->upstream->header->name;
}

static void check(struct request *r, const char *method, struct span path)
{
    struct proxy *p = r->proxy;
    unsigned status = access_check_proxy(r, proxy_key_header(p));

    if (status != 0) {
        request_problem(r, status,
                        status == 401 ? "a valid filterd token expected" : "these credentials do not reach here", NULL);
        return;
    }
    request_read_trace(r);
    if (strlen(method) >= sizeof(p->method) || !set_target(p, r, path) || !set_names(p, r, path)) {
        request_problem(r, 400, "another path or other headers expected", NULL);
        return;
    }
    (void)snprintf(p->method, sizeof(p->method), "%s", method);
    find_route(p);
    if (!is_upgrade_fit(r, p)) {
        request_problem(r, 400, "connections are upgraded on routes of WebSockets alone", NULL);
        return;
    }
    apply_rule(p);
    if (p->use == ROUTE_REFUSED) {
        request_problem(r, 404, "filterd does not let this route pass", NULL);
        return;
    }
    if (!is_readable(r, p->is_unjudged)) {
        request_problem(r, 415,
                        "the Content-Type application/json, in UTF-8, or multipart/form-data, without Content-Encoding, expected",
                        NULL);
        return;
    }
    r->protocol = protocol_of_route(p->route);
    set_route(p);
    check_agent(r);
}

bool proxy_admit(struct request *r, const char *method, const char *path)
{
    struct upstreams *set = NULL;
    struct error err;

    if (r->listener->kind != LISTENER_DELIVERY || path[0] != '/') {
        return false;
    }
    const char *slash = strchrnul(path + 1, '/');
    struct span name = span_of(path + 1, (size_t)(slash - path) - 1);
    service_state(r->service, &r->snapshot, &set);
    const struct upstream *u = upstreams_find(set, name);
    r->proxy = u == NULL ? NULL : proxy_new(r, set, u);
    upstreams_unref(set);
    if (u == NULL) {
        return false;
    }
    if (r->proxy == NULL) {
        request_overload(r, "no room at the moment");
        return true;
    }
    r->protocol = u->protocol;
    r->body_max = u->request_max < r->service->options->body_max ? u->request_max
                                                                 : r->service->options->body_max;
    r->received_max = 2 * r->body_max;
    r->proxy->policy = snapshot_policy(r->snapshot, u->policy, u->tenant);
    if (r->proxy->policy == NULL || !uuid_make(clock_utc_ns(), r->proxy->id.bytes, &err)) {
        request_problem(r, 503, "not ready at the moment", NULL);
        return true;
    }
    r->proxy->traffic = traffic_row(&r->service->metrics.traffic, u->name, span_str(u->protocol_name), r->proxy->policy->name);
    check(r, method, span_str(slash));
    return true;
}
