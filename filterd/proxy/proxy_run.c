/* proxy_run.c - /{upstream}/…: forwards a complete request to its upstream. */
#include <strings.h>

#include "base/clock.h"
#include "proxy/proxy.h"
#include "upstream/proxy_header.h"
#include "pipeline/stream_inquiry.h"

struct header_list {
    const struct proxy *proxy;
    struct span connection;
    struct curl_slist *list;
    bool has_type, has_accept, is_ok;
};

static bool add_line(struct header_list *h, const char *line)
{
    struct curl_slist *longer = h->is_ok ? curl_slist_append(h->list, line) : NULL;

    h->list = longer == NULL ? h->list : longer;
    h->is_ok = longer != NULL;
    return h->is_ok;
}

static bool add_pair(struct header_list *h, struct span name, struct span value)
{
    struct buf line;
    struct error err;

    buf_init(&line, 64 * 1024);
    /* libcurl's way to write a header without a value ends in a semicolon. */
    bool is_made = buf_append(&line, name, &err) &&
                   buf_append_str(&line, value.len == 0 ? ";" : ": ", &err) &&
                   buf_append(&line, value, &err) && buf_append_char(&line, '\0', &err) &&
                   add_line(h, line.data);
    if (line.cap > 0) {
        explicit_bzero(line.data, line.cap);
    }
    buf_deinit(&line);
    return is_made;
}

/* NOLINTNEXTLINE(readability-function-size): libmicrohttpd dictates the parameters */
static enum MHD_Result add_header(void *context, enum MHD_ValueKind kind, const char *name,
                                  size_t name_len, const char *value, size_t value_len)
{
    struct header_list *h = context;
    struct span key = span_of(name, name_len);
    struct span text = span_of(value == NULL ? "" : value, value_len);

    (void)kind;
    if (!header_goes_up(key, text, h->connection, h->proxy->upstream->credential != NULL)) {
        return MHD_YES;
    }
    h->has_type |= name_len == 12 && strncasecmp(name, "Content-Type", 12) == 0;
    h->has_accept |= name_len == 6 && strncasecmp(name, "Accept", 6) == 0;
    h->is_ok = add_pair(h, key, text);
    return h->is_ok ? MHD_YES : MHD_NO;
}

/* What libcurl would add by itself is taken out: the request is the client's. */
static bool set_headers(struct proxy *p, const struct request *r)
{
    struct header_list h = {
        .proxy = p, .connection = request_header(r, "Connection"), .is_ok = true};
    const struct upstream *u = p->upstream;

    (void)MHD_get_connection_values_n(r->connection, MHD_HEADER_KIND, add_header, &h);
    bool is_made = h.is_ok && add_line(&h, "Accept-Encoding: identity") &&
                   add_line(&h, "Expect:") && (h.has_accept || add_line(&h, "Accept:")) &&
                   (h.has_type || add_line(&h, "Content-Type:"));
    if (is_made && u->credential != NULL) {
        char value[5000];
        (void)snprintf(value, sizeof(value), "%s%s", u->header->prefix, u->credential);
        is_made = add_pair(&h, span_str(u->header->name), span_str(value));
        explicit_bzero(value, sizeof(value));
    }
    p->up.headers = h.list;
    return is_made;
}

/* A place among the open ones, given back by proxy_unref. */
static bool take_place(struct proxy *p)
{
    struct service *s = p->service;

    p->counts = true;
    return (uint64_t)atomic_fetch_add(&s->metrics.proxy.open, 1) < s->options->proxy_streams &&
           !atomic_load(&s->is_draining);
}

static bool take_room(struct proxy *p, struct request *r)
{
    uint64_t room = PROXY_ROOM + r->body.cap;

    /* Room was taken for a body that is also an answer; this one only waits to be sent. */
    service_release(r->service, r->held);
    r->held = 0;
    if (!service_hold(r->service, room)) {
        return false;
    }
    p->room = room;
    p->up.body = r->body;
    r->body = (struct buf){.max = p->up.body.max};
    return true;
}

static bool open_stream(struct proxy *p, const struct request *r, struct error *err)
{
    const struct stream_options options = {
        .snapshot = r->snapshot,
        .policy = p->policy,
        .who = p->who,
        .id = p->id,
        .now_ns = clock_utc_ns(),
        .text_max = p->service->options->text_max,
        .hold_max = STREAM_HOLD_MAX_DEFAULT,
        .can_wait = p->service->supervisor != NULL,
    };

    p->stream = stream_new(&options, err);
    if (p->stream == NULL) {
        return false;
    }
    struct span target = buf_span(&p->target);
    struct span query = span_slice(target, p->path_len, target.len);
    const struct translation_request request = {
        .route = p->route,
        .path = p->path,
        .query = query.len > 0 ? span_slice(query, 1, query.len) : query,
        .body = buf_span(&p->up.body),
        .stream = p->stream,
        .block = p->upstream->block,
        .client = request_header(r, "User-Agent"),
        .event_max = p->upstream->event_max,
        .passed_max = p->upstream->answer_max,
        .waiting_max = p->down.fresh.max, /* it goes there */
    };
    p->translation = translation_new(&request, err);
    if (p->translation == NULL) {
        return false;
    }
    p->down.is_streaming = translation_is_streaming(p->translation);
    if (!p->down.is_streaming) {
        stream_wait_whole(p->stream);
    }
    p->down.waits_whole = stream_waits_whole(p->stream);
    return true;
}

static void refuse_body(struct request *r, const struct error *err)
{
    if (err->kind == ERROR_DENIED) {
        request_problem(r, 400, err->text, NULL);
    } else if (err->kind == ERROR_INVALID || err->kind == ERROR_MALFORMED) {
        request_problem(r, 400, "another body expected by this route", NULL);
    } else {
        request_problem(r, 503, "no room at the moment", NULL);
    }
}

/* False: the request is refused, with an answer. */
static bool prepare(struct proxy *p, struct request *r)
{
    struct error err = {0};

    if (!take_place(p) || !take_room(p, r)) {
        (void)atomic_fetch_add(&p->service->metrics.overloads, 1);
        request_problem(r, 503, "no room at the moment", NULL);
        return false;
    }
    if (!set_headers(p, r)) {
        request_problem(r, 503, "no room at the moment", NULL);
        return false;
    }
    if (!open_stream(p, r, &err)) {
        refuse_body(r, &err);
        return false;
    }
    return true;
}

enum step proxy_run(struct request *r)
{
    struct proxy *p = r->proxy;
    struct service *s = r->service;
    unsigned turn = atomic_fetch_add_explicit(&s->next_reactor, 1, memory_order_relaxed);
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    if (!prepare(p, r)) {
        return STEP_ANSWERED;
    }
    p->request = r;
    p->reactor = s->reactors[turn % s->n_reactors];
    request_suspend(r);
    (void)atomic_fetch_add(&p->references, 1); /* the reactor's */
    proxy_watch(p, info == NULL ? -1 : info->connect_fd);
    proxy_notify(p, PROXY_EVENT_START);
    return STEP_SUSPENDED;
}
