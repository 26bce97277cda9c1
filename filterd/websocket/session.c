/* session.c - both connections of an open session: messages, time, ends. */
#include "websocket/session.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "service/access.h"
#include "service/admission.h"

#define SECOND_NS 1000000000ULL

enum {
    ROUNDS = 32, /* of a pump, and of what it drops, so that one session does not keep the others waiting */
    CLOSE_SECONDS = 2, /* for the answer to a close */
    LENGTH = sizeof(uint32_t),
    ERROR_MAX = 4096,
};

/* --- messages ------------------------------------------------------------------------------ */

static bool hold(void *context, uint64_t n)
{
    return service_hold(((struct side *)context)->session->service, n);
}

static void release(void *context, uint64_t n)
{
    service_release(((struct side *)context)->session->service, n);
}

static bool queue_message(void *context, struct span text)
{
    struct side *s = context;
    uint32_t len = (uint32_t)text.len;
    struct error err;

    if (!hold(s, text.len)) {
        return false;
    }
    if (!buf_reserve(&s->inbox, LENGTH + text.len, &err)) {
        release(s, text.len);
        return false;
    }
    memcpy(s->inbox.data + s->inbox.len, &len, LENGTH);
    memcpy(s->inbox.data + s->inbox.len + LENGTH, text.ptr, text.len);
    s->inbox.len += LENGTH + text.len;
    return true;
}

static struct span first_message(const struct side *s)
{
    uint32_t len = 0;

    memcpy(&len, s->inbox.data, LENGTH);
    return span_of(s->inbox.data + LENGTH, len);
}

static void drop_message(struct side *s)
{
    size_t len = first_message(s).len;

    release(s, len);
    memmove(s->inbox.data, s->inbox.data + LENGTH + len, s->inbox.len - LENGTH - len);
    s->inbox.len -= LENGTH + len;
    if (s->inbox.len == 0) {
        buf_deinit(&s->inbox);
    }
}

/* --- polling -------------------------------------------------------------------------------- */

static bool may_read(const struct side *s)
{
    return !s->has_ended && !side_is_held_up(s);
}

/* Reading is left out while messages wait, so that epoll does not report it again and again. */
static void poll_side(struct side *s)
{
    bool is_closing = s->session->phase == SESSION_CLOSING;
    bool reads = is_closing ? frames_peer_code(s->frames) == 0 && !side_is_held_up(s) : may_read(s);
    uint32_t events = (reads ? (uint32_t)EPOLLIN : 0) | (frames_wants_to_send(s->frames) ? (uint32_t)EPOLLOUT : 0);

    if (events != s->polled) {
        s->polled = events;
        (void)!reactor_poll(s->session->reactor, s->fd, events, &s->watch);
    }
}

void websocket_ready(struct watch *watch, uint32_t events)
{
    struct side *s = (struct side *)(void *)watch;
    struct websocket *w = s->session;

    if (w->phase == SESSION_SHAKING) {
        dial_ready(w);
        return;
    }
    if (w->phase < SESSION_OPEN && (events & (EPOLLHUP | EPOLLERR)) != 0) {
        s->has_ended = true; /* seen again when the session opens; until then it must not be reported in a circle */
        reactor_unwatch(w->reactor, s->fd);
        s->polled = 0;
        return;
    }
    if ((events & (EPOLLHUP | EPOLLERR)) != 0 && s->polled == 0) {
        s->has_ended = true;
        reactor_unwatch(w->reactor, s->fd);
    }
    websocket_pump(w);
}

/* --- opening ------------------------------------------------------------------------------------ */

static bool open_side(struct side *s, bool is_client, size_t message_max, ssize_t (*receive)(void *, char *, size_t),
                      ssize_t (*send)(void *, struct span, bool))
{
    const struct frames_options options = {.is_client = is_client,
                                           .message_max = message_max,
                                           .context = s,
                                           .receive = receive,
                                           .send = send,
                                           .message = queue_message,
                                           .hold = hold,
                                           .release = release};
    struct error err;

    s->received_ns = clock_monotonic_ns();
    s->polled = EPOLLIN;
    return frames_new(&options, &s->frames, &err) && reactor_poll(s->session->reactor, s->fd, EPOLLIN, &s->watch);
}

void websocket_open(struct websocket *w)
{
    const struct upstream *u = w->proxy->upstream;
    const struct service_options *o = w->service->options;
    size_t request_max = u->request_max < o->body_max ? u->request_max : o->body_max;

    if (w->phase != SESSION_AGREED) {
        return;
    }
    w->phase = SESSION_OPEN;
    w->since_ns = w->pinged_ns = w->checked_ns = clock_monotonic_ns();
    side_set_no_delay(w->client.fd);
    if (!open_side(&w->client, false, request_max, side_receive_client, side_send_client) ||
        !open_side(&w->upstream, true, u->event_max, side_receive_upstream, side_send_upstream)) {
        websocket_end(w);
    }
}

/* --- the pump ---------------------------------------------------------------------------------------- */

static bool may_take_sent(const struct websocket *w)
{
    return w->client.inbox.len > 0 && w->n_taken < SESSION_RATE && frames_queued(w->upstream.frames) < SESSION_QUEUE;
}

static bool may_take_answer(const struct websocket *w)
{
    return w->fault == NULL && w->upstream.inbox.len > 0 && frames_queued(w->client.frames) < SESSION_QUEUE;
}

static bool may_read_more(const struct side *s)
{
    return may_read(s) && frames_has_more(s->frames);
}

static void read_side(struct side *s)
{
    if (may_read(s)) {
        s->has_ended = !frames_receive(s->frames);
    }
}

/* Bytes that a TLS library has read already wake nobody. */
static void flush_side(struct side *s)
{
    bool was_behind = frames_is_behind(s->frames);

    s->has_ended = !frames_flush(s->frames) || s->has_ended;
    if (was_behind && !frames_is_behind(s->frames)) {
        websocket_notify(s->session, SESSION_TOUCHED);
    }
}

/* Whether anything was done. */
static bool take_messages(struct websocket *w)
{
    bool has_moved = false;

    if (may_take_answer(w) && answers_take(w, first_message(&w->upstream))) {
        drop_message(&w->upstream);
        has_moved = true;
    }
    if (w->phase == SESSION_OPEN && may_take_sent(w) && sent_take(w, first_message(&w->client))) {
        drop_message(&w->client);
        w->n_taken++;
        has_moved = true;
    }
    return has_moved;
}

/* What the end of either side means for the other. */
static void look_for_ends(struct websocket *w)
{
    if (w->client.has_ended) {
        websocket_close(w, FRAMES_NORMAL, "");
        return;
    }
    if (w->fault != NULL || (w->upstream.has_ended && w->upstream.inbox.len == 0)) {
        answers_break_off(w);
        unsigned code = frames_peer_code(w->upstream.frames);
        if (!answers_has_turns(w)) {
            bool is_abnormal = w->fault != NULL || code == 0 || code == FRAMES_ABNORMAL;
            websocket_close(w, is_abnormal ? FRAMES_INTERNAL : code, w->fault == NULL ? "" : w->fault);
        }
    }
}

/* What a client sends behind a message that ended the session: unread bytes would reset the connection, and the close with it.
 * False: the client has closed it. */
static bool drop_bytes(struct side *s)
{
    char bytes[4096];
    ssize_t n = 1;

    for (unsigned i = 0; i < ROUNDS && s->has_ended && n > 0; i++) {
        n = recv(s->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
    }
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* A close was sent; what the client still sends is dropped. */
static void finish_closing(struct websocket *w)
{
    while (w->client.inbox.len > 0) {
        drop_message(&w->client);
    }
    while (w->upstream.inbox.len > 0) {
        drop_message(&w->upstream);
    }
    bool is_gone = frames_peer_code(w->client.frames) != 0 || !drop_bytes(&w->client);
    if (is_gone && !frames_wants_to_send(w->client.frames) && !answers_has_turns(w)) {
        websocket_end(w);
    }
}

void websocket_pump(struct websocket *w)
{
    bool has_moved = true;

    for (unsigned i = 0; i < ROUNDS && has_moved && w->phase == SESSION_OPEN; i++) {
        read_side(&w->upstream);
        read_side(&w->client);
        sent_pump(w);
        has_moved = take_messages(w);
        has_moved = answers_pump(w) || has_moved; /* a message may wait for the start of its turn */
        flush_side(&w->client);
        flush_side(&w->upstream);
    }
    if (w->phase == SESSION_OPEN) {
        look_for_ends(w);
    }
    if (w->phase == SESSION_CLOSING) {
        read_side(&w->client);
        (void)answers_pump(w);
        flush_side(&w->client);
        flush_side(&w->upstream);
        finish_closing(w);
    }
    if (w->phase == SESSION_OPEN || w->phase == SESSION_CLOSING) {
        poll_side(&w->client);
        poll_side(&w->upstream);
        if ((has_moved || may_read_more(&w->client) || may_read_more(&w->upstream)) && w->phase == SESSION_OPEN) {
            websocket_notify(w, SESSION_TOUCHED);
        }
    } else if (w->phase == SESSION_OVER) {
        (void)answers_pump(w);
    }
}

/* --- ends --------------------------------------------------------------------------------------------- */

/* An error of the protocol, "{"error": …}", with a type and a status. */
static void send_error(struct websocket *w, unsigned status, const struct buf *body)
{
    struct buf event;
    struct error err;

    buf_init(&event, body->len + 64);
    if (body->len <= 1 || !buf_appendf(&event, &err, "{\"type\":\"error\",\"status\":%u,", status) ||
        !buf_append(&event, span_slice(buf_span(body), 1, body->len), &err) ||
        !frames_text(w->client.frames, buf_span(&event))) {
        websocket_close(w, FRAMES_INTERNAL, "");
    }
    buf_deinit(&event);
}

void websocket_error(struct websocket *w, unsigned status, const char *message)
{
    struct buf body;
    struct error err;

    buf_init(&body, ERROR_MAX);
    if (!protocol_error_body(w->proxy->upstream->protocol, status, message, &body, &err)) {
        buf_clear(&body);
    }
    send_error(w, status, &body);
    buf_deinit(&body);
}

void websocket_blocked(struct websocket *w, struct span notice)
{
    struct buf body;
    struct error err;

    buf_init(&body, ERROR_MAX + 8 * notice.len);
    if (!protocol_blocked_body(w->proxy->upstream->protocol, notice, &body, &err)) {
        buf_clear(&body);
    }
    send_error(w, 400, &body);
    buf_deinit(&body);
}

void websocket_close(struct websocket *w, unsigned code, const char *reason)
{
    if (w->phase != SESSION_OPEN) {
        return;
    }
    w->phase = SESSION_CLOSING;
    w->since_ns = clock_monotonic_ns();
    frames_close(w->client.frames, code, reason);
    frames_close(w->upstream.frames, FRAMES_NORMAL, "");
    answers_abandon(w);
}

/* libmicrohttpd ends the request, and calls websocket_leave with its own lock held, only when it is told to close here: the handle
 * is good without our lock, which must not be held around its. */
static void close_client(struct websocket *w)
{
    (void)pthread_mutex_lock(&w->lock);
    struct MHD_UpgradeResponseHandle *handle = w->upgraded;
    const int fd = w->client.fd;
    w->upgraded = NULL;
    (void)pthread_mutex_unlock(&w->lock);
    if (fd >= 0) {
        reactor_unwatch(w->reactor, fd);
    }
    if (handle != NULL) {
        (void)MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
    }
}

/* The reactor's reference is given back by one more task, behind any event that names a watch. */
void websocket_end(struct websocket *w)
{
    if (w->phase == SESSION_OVER) {
        return;
    }
    w->phase = SESSION_OVER;
    answers_abandon(w);
    sent_record_left_out(w);
    while (w->client.inbox.len > 0) {
        drop_message(&w->client);
    }
    while (w->upstream.inbox.len > 0) {
        drop_message(&w->upstream);
    }
    close_client(w);
    if (w->upstream.fd >= 0) {
        reactor_unwatch(w->reactor, w->upstream.fd);
    }
    reactor_end(w->reactor, &w->transfer);
    curl_easy_cleanup(w->transfer.easy);
    w->transfer.easy = NULL;
    struct request *r = w->request;
    if (r != NULL) {
        w->request = NULL;
        request_overload(r, "the service is stopping");
        request_resume(r);
    }
    websocket_notify(w, SESSION_TOUCHED);
    websocket_unref(w);
}

/* --- time ------------------------------------------------------------------------------------------------- */

static uint64_t since(uint64_t then, uint64_t now)
{
    return now > then ? now - then : 0;
}

static void check_agent(struct websocket *w)
{
    struct snapshot *snapshot = service_snapshot(w->service);
    unsigned wait_s = 0;
    const char *why;

    bool is_stopped = admission_open(w->service, snapshot, &w->proxy->who, &wait_s, &why) == ADMISSION_BLOCKED;
    snapshot_unref(snapshot);
    if (is_stopped) {
        websocket_close(w, FRAMES_POLICY, why);
    }
}

static void check_token(struct websocket *w)
{
    if (!access_may_still_proxy(w->service, w->token)) {
        websocket_close(w, FRAMES_POLICY, "the token of this session is not valid any more");
    }
}

static void tick_open(struct websocket *w, uint64_t now)
{
    const struct upstream *u = w->proxy->upstream;
    uint64_t idle = u->idle_timeout * SECOND_NS;

    if (atomic_load(&w->service->is_cutting) || (atomic_load(&w->service->is_draining) && !answers_has_turns(w))) {
        websocket_close(w, FRAMES_GOING_AWAY, "the service is stopping");
    } else if (since(w->client.received_ns, now) > idle) {
        websocket_close(w, FRAMES_GOING_AWAY, "nothing was received in time");
    } else if (since(w->upstream.received_ns, now) > idle) {
        websocket_close(w, FRAMES_INTERNAL, "the upstream was silent for too long");
    } else if (u->heartbeat > 0 && since(w->pinged_ns, now) > u->heartbeat * SECOND_NS) {
        w->pinged_ns = now;
        (void)!frames_ping(w->client.frames);
        (void)!frames_ping(w->upstream.frames);
    }
    if (since(w->checked_ns, now) > SECOND_NS) {
        w->checked_ns = now;
        w->n_taken = 0;
        check_agent(w);
        check_token(w);
    }
}

void websocket_tick(struct websocket *w)
{
    uint64_t now_ns = clock_monotonic_ns(), age = since(w->since_ns, now_ns);

    if (w->phase < SESSION_AGREED && atomic_load(&w->service->is_cutting)) {
        dial_fail(w, 503, "the service is stopping", END_DRAIN);
    } else if (w->phase == SESSION_SHAKING && age > w->proxy->upstream->connect_timeout * SECOND_NS) {
        dial_fail(w, 504, "the upstream did not answer in time", END_TIMEOUT);
    } else if (w->phase == SESSION_OPEN) {
        tick_open(w, now_ns);
    } else if (w->phase == SESSION_CLOSING && age > CLOSE_SECONDS * SECOND_NS) {
        websocket_end(w);
    }
}
