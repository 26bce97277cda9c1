#include "websocket/turn.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/locked_pages.h"
#include "mask/masking.h"
#include "proxy/proxy.h"

enum { PIECE_EXTRA = 1024 * 1024, PIECE_FACTOR = 2 };

static const char error_head[] = "{\"type\":\"error\",";

struct turn {
    struct turn_options options;
    struct request *request;
    struct request_source source;
    atomic_bool is_resumed; /* the request has its answer, or the head of it */
    bool is_waiting;        /* for that */
    bool may_start;         /* the proxy has said so */
    bool has_started, has_ended, is_over;
    bool goes_on; /* the places are with its translation */
    struct buf piece; /* delivered by the proxy, not yet whole events */
};

static struct turn *of_request(const struct request *r)
{
    return (struct turn *)(void *)((char *)(uintptr_t)r->source - offsetof(struct turn, source));
}

/* --- callbacks of the proxy -------------------------------------------------------------- */

/* As soon as it says so the reactor's thread may free the turn. */
static void resumed(struct request *r)
{
    struct turn *t = of_request(r);
    const struct turn_options options = t->options;

    options.hold(options.context);
    atomic_store(&t->is_resumed, true);
    options.touched(options.context);
    options.release(options.context);
}

static void moved(struct proxy *p)
{
    struct turn *t = of_request(p->request);

    t->may_start = t->may_start || p->up.phase == UP_NONE;
    t->options.touched(t->options.context);
}

static void ignore(struct proxy *p)
{
    (void)p;
}

/* --- what is delivered ---------------------------------------------------------------------- */

static void deliver(struct turn *t, struct span event)
{
    if (!t->options.deliver(t->options.context, event)) {
        turn_abandon(t);
    }
}

/* An answer with an error, as an event. */
static void deliver_error(struct turn *t)
{
    const struct request *r = t->request;
    struct span body = buf_span(&r->answer);
    struct buf event;
    struct error err;

    buf_init(&event, body.len + 64);
    bool is_written = body.len > 1 && body.ptr[0] == '{'
                          ? buf_append_str(&event, error_head, &err) &&
                                buf_appendf(&event, &err, "\"status\":%u,", r->reply.status) &&
                                buf_append(&event, span_slice(body, 1, body.len), &err)
                          : buf_append_str(&event, error_head, &err) &&
                                buf_append_str(&event, "\"error\":{\"type\":\"server_error\"}}", &err);
    if (is_written) {
        deliver(t, buf_span(&event));
    }
    buf_deinit(&event);
}

static void deliver_whole(struct turn *t)
{
    const struct request *r = t->request;

    t->is_over = true;
    if (t->options.is_alone && r->reply.status == 200) {
        deliver(t, buf_span(&r->answer));
    } else {
        deliver_error(t);
    }
}

/* One line of server-sent events: their data is one line, comments and names are dropped. */
static void deliver_line(struct turn *t, struct span line)
{
    static const char data[] = "data: ";

    if (span_starts_with(line, span_str(data)) && line.len > sizeof(data) - 1) {
        deliver(t, span_slice(line, sizeof(data) - 1, line.len));
    }
}

static void deliver_lines(struct turn *t)
{
    struct span rest = buf_span(&t->piece);
    const char *end;

    while (rest.len > 0 && (end = memchr(rest.ptr, '\n', rest.len)) != NULL) {
        struct span line = span_of(rest.ptr, (size_t)(end - rest.ptr));
        deliver_line(t, line);
        rest = span_slice(rest, line.len + 1, rest.len);
    }
    if (rest.len > 0) {
        memmove(t->piece.data, rest.ptr, rest.len);
    }
    t->piece.len = rest.len;
}

static void deliver_stream(struct turn *t)
{
    enum proxy_out_end end = OUT_OPEN;
    struct error err;

    if (!proxy_answer_take(t->request->proxy, SIZE_MAX, &t->piece, &end, &err)) {
        turn_abandon(t);
        return;
    }
    deliver_lines(t);
    if (end == OUT_BROKEN && !t->is_over) {
        t->options.broken_off(t->options.context);
    }
    t->is_over = t->is_over || end != OUT_OPEN;
}

/* --- what the upstream sends --------------------------------------------------------------- */

static void start(struct turn *t)
{
    struct proxy *p = t->request->proxy;

    t->has_started = true;
    if (t->options.places != NULL && p->translation != NULL) {
        t->goes_on = true;
        translation_go_on(p->translation, t->options.places);
    }
    t->options.started(t->options.context, t, buf_span(&p->up.body));
    p->down.status = 200;
    (void)snprintf(p->up.type, sizeof(p->up.type), "%s", t->options.is_alone ? "application/json" : "text/event-stream");
    proxy_flow_head(p);
    proxy_flow_advance(p);
}

bool turn_pump(struct turn *t)
{
    if (t->is_over || t->request == NULL) {
        return false;
    }
    if (atomic_load(&t->is_resumed)) {
        if (t->request->reply.is_stream) {
            deliver_stream(t);
        } else {
            deliver_whole(t);
        }
    } else if (t->may_start && !t->has_started) {
        start(t);
        return true;
    }
    return false;
}

bool turn_may_feed(struct turn *t)
{
    return t->has_started && proxy_answer_may_feed(t->request->proxy);
}

/* A JSON text has line breaks only between its tokens: there a blank is the same. */
static bool append_line(struct buf *out, struct span event, struct error *err)
{
    size_t from = out->len;

    if (!buf_append(out, event, err)) {
        return false;
    }
    for (size_t i = from; i < out->len; i++) {
        if (out->data[i] == '\n' || out->data[i] == '\r') {
            out->data[i] = ' ';
        }
    }
    return true;
}

void turn_feed(struct turn *t, struct span event)
{
    struct proxy *p = t->request->proxy;
    struct buf text;
    struct error err;

    buf_init(&text, event.len + 16);
    if (t->options.is_alone) {
        proxy_flow_take(p, event);
    } else if (buf_append_str(&text, "data: ", &err) && append_line(&text, event, &err) && buf_append_str(&text, "\n\n", &err)) {
        proxy_flow_take(p, buf_span(&text));
    } else {
        proxy_finish(p, END_LIMIT);
    }
    buf_deinit(&text);
    proxy_flow_advance(p);
}

void turn_end(struct turn *t, enum proxy_end how)
{
    if (t->has_started && !t->has_ended) {
        proxy_finish(t->request->proxy, how);
        proxy_flow_advance(t->request->proxy);
    }
    t->has_ended = true;
}

void turn_abandon(struct turn *t)
{
    t->is_over = true;
    if (t->has_started) {
        proxy_flow_abandon(t->request->proxy);
    }
}

bool turn_has_started(const struct turn *t)
{
    return t->has_started;
}

bool turn_has_ended(const struct turn *t)
{
    return t->has_ended;
}

bool turn_is_over(const struct turn *t)
{
    return t->is_over;
}

/* --- life ------------------------------------------------------------------------------------ */

/* False: it is refused, with an answer. */
static bool admit(struct turn *t)
{
    struct request *r = t->request;

    if (!proxy_admit(r, t->options.method, t->options.path) || r->proxy == NULL || r->reply.status != 0) {
        return false;
    }
    r->proxy->moved = moved;
    if (t->options.masking != NULL) {
        r->proxy->masking = masking_ref(t->options.masking);
    }
    return t->options.body.len == 0 || (request_receive(r, t->options.body) && r->reply.status == 0);
}

struct turn *turn_new(const struct turn_options *options, struct error *err)
{
    struct turn *t = calloc(1, sizeof(*t));

    if (t == NULL) {
        error_set(err, ERROR_NO_MEMORY, "websocket: no memory");
        return NULL;
    }
    t->options = *options;
    t->source = (struct request_source){.fields = options->fields,
                                        .n_fields = options->n_fields,
                                        .query = span_str(""),
                                        .reactor = options->reactor,
                                        .caller = options->caller,
                                        .resume = resumed};
    t->request = request_take(options->service, options->listener, NULL);
    if (t->request == NULL) {
        free(t);
        error_set(err, ERROR_NO_MEMORY, "websocket: no memory");
        return NULL;
    }
    buf_init_text(&t->piece, PIECE_FACTOR * options->service->options->body_max + PIECE_EXTRA);
    t->request->source = &t->source;
    t->is_waiting = admit(t) && proxy_run(t->request) == STEP_SUSPENDED;
    if (!t->is_waiting) {
        deliver_whole(t);
    }
    return t;
}

bool turn_free(struct turn *t)
{
    struct request *r = t->request;

    if (t->is_waiting && !atomic_load(&t->is_resumed)) {
        if (t->may_start) {
            t->has_started = true;
            proxy_flow_abandon(r->proxy);
        }
        if (!atomic_load(&t->is_resumed)) {
            return false;
        }
    }
    if (t->goes_on) {
        translation_hand_on(r->proxy->translation, t->options.places);
    }
    if (r->proxy != NULL) {
        r->proxy->moved = ignore;
        proxy_leave(r->proxy);
        r->proxy = NULL;
    }
    request_give_back(r);
    buf_deinit(&t->piece);
    free(t);
    return true;
}
