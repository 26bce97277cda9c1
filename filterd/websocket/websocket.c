#include "websocket/websocket.h"

#include <stddef.h>
#include <stdlib.h>
#include <strings.h>

#include "base/clock.h"
#include "service/access.h"
#include "websocket/session.h"

/* --- life ------------------------------------------------------------------------------- */

static void deinit_side(struct side *s)
{
    frames_free(s->frames);
    buf_deinit(&s->early);
    buf_deinit(&s->inbox);
}

void websocket_unref(struct websocket *w)
{
    if (atomic_fetch_sub(&w->references, 1) != 1) {
        return;
    }
    service_release(w->service, SESSION_ROOM);
    deinit_side(&w->client);
    deinit_side(&w->upstream);
    buf_deinit(&w->head);
    buf_deinit(&w->sent.body);
    places_deinit(&w->places);
    proxy_unref(w->proxy);
    (void)pthread_mutex_destroy(&w->lock);
    free(w);
}

static void run(struct reactor_task *e)
{
    struct websocket *w = (struct websocket *)(void *)((char *)e - offsetof(struct websocket, task));

    atomic_store(&w->is_posted, false);
    unsigned events = atomic_exchange(&w->events, 0);
    if ((events & SESSION_START) != 0) {
        dial_start(w);
    }
    if ((events & SESSION_LEFT) != 0) {
        websocket_end(w);
    } else if ((events & SESSION_UPGRADED) != 0) {
        websocket_open(w);
    }
    if ((events & SESSION_TICKED) != 0) {
        websocket_tick(w);
    }
    websocket_pump(w);
    websocket_unref(w);
}

void websocket_notify(struct websocket *w, unsigned event)
{
    (void)atomic_fetch_or(&w->events, event);
    if (!atomic_exchange(&w->is_posted, true)) {
        (void)atomic_fetch_add(&w->references, 1);
        w->task.run = run;
        reactor_post(w->reactor, &w->task);
    }
}

/* --- the client's head ------------------------------------------------------------------------ */

static bool is_of_handshake(struct span name)
{
    static const char *const names[] = {"Sec-WebSocket-", "Upgrade", "Connection", "Content-", "Transfer-Encoding", "Expect", "Origin"};

    for (size_t i = 0; i < COUNT(names); i++) {
        size_t n = strlen(names[i]);
        if (name.len >= n && strncasecmp(name.ptr, names[i], n) == 0) {
            return true;
        }
    }
    return false;
}

/* There is room: the buffer was reserved at once, so that its bytes stay where they are. */
static struct span keep(struct websocket *w, struct span text)
{
    struct span kept = span_of(w->head.data + w->head.len, text.len);

    memcpy(w->head.data + w->head.len, text.ptr, text.len);
    w->head.len += text.len;
    return kept;
}

/* NOLINTNEXTLINE(readability-function-size): libmicrohttpd dictates the parameters */
static enum MHD_Result keep_field(void *context, enum MHD_ValueKind kind, const char *name, size_t name_len, const char *value,
                                  size_t value_len)
{
    struct websocket *w = context;
    struct span key = span_of(name, name_len), text = span_of(value == NULL ? "" : value, value_len);

    (void)kind;
    if (is_of_handshake(key)) {
        return MHD_YES;
    }
    if (w->n_fields == SESSION_FIELDS || key.len + text.len > w->head.cap - w->head.len) {
        w->n_fields = SESSION_FIELDS + 1;
        return MHD_NO;
    }
    struct span kept = keep(w, key);
    w->fields[w->n_fields++] = (struct request_field){kept, keep(w, text)};
    return MHD_YES;
}

static bool keep_head(struct websocket *w, const struct request *r)
{
    struct span offered = request_header(r, "Sec-WebSocket-Protocol");
    struct error err;

    buf_init(&w->head, SESSION_HEAD);
    if (!buf_reserve(&w->head, SESSION_HEAD, &err) || offered.len > SESSION_HEAD / 2) {
        return false;
    }
    w->subprotocols = keep(w, offered);
    (void)MHD_get_connection_values_n(r->connection, MHD_HEADER_KIND, keep_field, w);
    return w->n_fields <= SESSION_FIELDS;
}

/* --- run ------------------------------------------------------------------------------------------ */

static void init_side(struct side *s, struct websocket *w, size_t message_max)
{
    s->watch.ready = websocket_ready;
    s->session = w;
    s->fd = -1;
    buf_init(&s->early, HANDSHAKE_HEAD_MAX);
    buf_init(&s->inbox, 2 * message_max + SESSION_QUEUE);
}

static void done(struct transfer *t, CURLcode code)
{
    struct websocket *w = (struct websocket *)(void *)((char *)t - offsetof(struct websocket, transfer));

    if (w->phase == SESSION_DIALING) {
        dial_connected(w, code);
    } else {
        websocket_end(w); /* the reactor stops */
    }
}

static void tick(struct transfer *t, uint64_t now_ns)
{
    (void)now_ns;
    websocket_notify((struct websocket *)(void *)((char *)t - offsetof(struct websocket, transfer)), SESSION_TICKED);
}

static struct websocket *websocket_new(struct request *r)
{
    struct service *s = r->service;
    struct websocket *w = service_hold(s, SESSION_ROOM) ? calloc(1, sizeof(*w)) : NULL;

    if (w == NULL) {
        return NULL;
    }
    unsigned turn = atomic_fetch_add_explicit(&s->next_reactor, 1, memory_order_relaxed);
    atomic_init(&w->references, 1); /* the request's */
    (void)pthread_mutex_init(&w->lock, NULL);
    w->service = s;
    w->proxy = r->proxy;
    (void)atomic_fetch_add(&w->proxy->references, 1);
    w->request = r;
    w->listener = r->listener;
    w->api = strcmp(protocol_route_name(r->proxy->route), "openai-realtime") == 0 ? EVENT_REALTIME : EVENT_RESPONSES;
    w->caller = access_caller(r);
    access_proxy_token(r, proxy_key_header(w->proxy), w->token);
    w->reactor = s->reactors[turn % s->n_reactors];
    w->transfer = (struct transfer){.done = done, .tick = tick, .keeps_connection = true};
    w->since_ns = clock_monotonic_ns();
    init_side(&w->client, w, r->body_max);
    init_side(&w->upstream, w, w->proxy->upstream->event_max);
    buf_init(&w->sent.body, 2 * r->body_max + SESSION_QUEUE);
    handshake_accept(request_header(r, "Sec-WebSocket-Key"), w->accept);
    return w;
}

static bool is_handshake(const struct request *r)
{
    return handshake_is_request(request_header(r, "Upgrade"), request_header(r, "Connection"),
                                request_header(r, "Sec-WebSocket-Version"), request_header(r, "Sec-WebSocket-Key"));
}

enum step websocket_run(struct request *r)
{
    struct websocket *w;

    if (!is_handshake(r) || r->body.len > 0) {
        request_problem(r, 400, "a WebSocket handshake of version 13, without a body, expected", NULL);
        return STEP_ANSWERED;
    }
    if (!proxy_take_place(r->proxy) || !proxy_set_headers(r->proxy, r) || !proxy_open_masking(r->proxy, r) ||
        (w = websocket_new(r)) == NULL) {
        request_overload(r, "no room at the moment");
        return STEP_ANSWERED;
    }
    r->websocket = w;
    if (!keep_head(w, r)) {
        w->phase = SESSION_OVER;
        request_problem(r, 431, "fewer headers expected", NULL);
        return STEP_ANSWERED;
    }
    request_suspend(r);
    (void)atomic_fetch_add(&w->references, 1); /* the reactor's, until websocket_end */
    websocket_notify(w, SESSION_START);
    return STEP_SUSPENDED;
}

/* --- the upgrade ------------------------------------------------------------------------------------ */

/* NOLINTNEXTLINE(readability-function-size): libmicrohttpd dictates the parameters */
static void upgraded(void *context, struct MHD_Connection *connection, void *state, const char *early, size_t early_len,
                     MHD_socket fd, struct MHD_UpgradeResponseHandle *handle)
{
    struct websocket *w = context;
    struct error err;

    (void)connection, (void)state;
    (void)pthread_mutex_lock(&w->lock);
    w->upgraded = handle;
    w->client.fd = fd;
    w->client.has_ended = !buf_append(&w->client.early, span_of(early, early_len), &err);
    (void)pthread_mutex_unlock(&w->lock);
    websocket_notify(w, SESSION_UPGRADED);
}

struct MHD_Response *websocket_response(struct request *r)
{
    struct websocket *w = r->websocket;
    struct MHD_Response *response = MHD_create_response_for_upgrade(upgraded, w);

    if (response == NULL) {
        return NULL;
    }
    if (MHD_add_response_header(response, "Upgrade", "websocket") == MHD_YES &&
        MHD_add_response_header(response, "Sec-WebSocket-Accept", w->accept) == MHD_YES &&
        (w->subprotocol[0] == '\0' || MHD_add_response_header(response, "Sec-WebSocket-Protocol", w->subprotocol) == MHD_YES)) {
        return response;
    }
    MHD_destroy_response(response);
    return NULL;
}

void websocket_leave(struct websocket *w)
{
    if (w == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&w->lock);
    w->upgraded = NULL;
    (void)pthread_mutex_unlock(&w->lock);
    websocket_notify(w, SESSION_LEFT);
    websocket_unref(w);
}
