#include "envoy/grpc.h"

#include <nghttp2/nghttp2.h>
#include <stdlib.h>

#include "base/locked_pages.h"

enum {
    PREFIX = 5,               /* of a message: a flag and its length */
    WINDOW = 256 * 1024,      /* of a call */
    CONNECTION_WINDOW = 4 * 1024 * 1024,
    HEADERS_MAX = 16 * 1024,  /* of one call */
    FRAME_MAX = 16 * 1024,
    KEPT = 64 * 1024,         /* a larger buffer is freed when it is empty */
    HOLD_STEP = 16 * 1024,
    RESETS_BURST = 10000,     /* calls that the peer may reset at once, and per second (CVE-2023-44487) */
    RESETS_PER_SECOND = 2000,
    ACKS_MAX = 1000,          /* that wait because the peer does not read */
    SETTINGS_MAX = 32,
};

struct grpc_call {
    struct grpc *grpc;
    struct grpc_call *next, **link;
    int32_t id;
    void *state;
    bool is_open;      /* `opened` has accepted it */
    bool is_paused;    /* a message was not taken */
    bool is_answered;  /* the answer's head was submitted */
    bool is_deferred;  /* nghttp2 waits for more to send */
    bool has_ended;    /* the peer sends nothing more */
    bool is_finished;
    enum grpc_status status;
    struct buf in, out;
    size_t out_at;
    size_t unread;     /* bytes in `in` for which the peer has no window yet */
    uint64_t held;
};

struct grpc {
    nghttp2_session *session;
    const struct grpc_events *events;
    struct grpc_limits limits;
    void *context;
    struct grpc_head head; /* of the header block that is being read: there is only one at a time */
    struct grpc_call *calls;
    size_t n_calls;
};

/* --- calls --------------------------------------------------------------------- */

static struct grpc_call *call_of(nghttp2_session *session, int32_t id)
{
    return nghttp2_session_get_stream_user_data(session, id);
}

static struct grpc_call *call_new(struct grpc *g, int32_t id)
{
    struct grpc_call *c = calloc(1, sizeof(*c));

    if (c == NULL) {
        return NULL;
    }
    *c = (struct grpc_call){.grpc = g, .id = id, .next = g->calls, .link = &g->calls};
    buf_init_text(&c->in, g->limits.message_max + PREFIX + WINDOW + FRAME_MAX);
    buf_init_text(&c->out, g->limits.send_max);
    if (c->next != NULL) {
        c->next->link = &c->next;
    }
    g->calls = c;
    g->n_calls++;
    return c;
}

static void call_free(struct grpc_call *c)
{
    struct grpc *g = c->grpc;

    *c->link = c->next;
    if (c->next != NULL) {
        c->next->link = c->link;
    }
    g->n_calls--;
    if (c->is_open) {
        g->events->closed(c->state);
    }
    g->events->release(g->context, c->held);
    buf_deinit(&c->in);
    buf_deinit(&c->out);
    free(c);
}

static void reset_call(struct grpc_call *c)
{
    (void)nghttp2_submit_rst_stream(c->grpc->session, NGHTTP2_FLAG_NONE, c->id, NGHTTP2_INTERNAL_ERROR);
}

#define FIELD(field_name, field_value, field_len)                                                                                 \
    {.name = (uint8_t *)(uintptr_t)(field_name),                                                                                \
     .value = (uint8_t *)(uintptr_t)(field_value),                                                                              \
     .namelen = sizeof(field_name) - 1,                                                                                         \
     .valuelen = (field_len)}

static void submit_trailer(struct grpc_call *c)
{
    char text[16];
    int n = snprintf(text, sizeof(text), "%d", (int)c->status);
    const nghttp2_nv trailer[] = {FIELD("grpc-status", text, (size_t)n)};

    if (nghttp2_submit_trailer(c->grpc->session, c->id, trailer, COUNT(trailer)) != 0) {
        reset_call(c);
    }
}

/* NOLINTNEXTLINE(readability-function-size): nghttp2 dictates the parameters */
static ssize_t read_out(nghttp2_session *session, int32_t id, uint8_t *bytes, size_t max, uint32_t *flags,
                        nghttp2_data_source *source, void *context)
{
    struct grpc_call *c = source->ptr;
    size_t left = c->out.len - c->out_at, n = left < max ? left : max;

    (void)session;
    (void)id;
    (void)context;
    if (n > 0) {
        memcpy(bytes, c->out.data + c->out_at, n);
        c->out_at += n;
    }
    if (c->out_at < c->out.len) {
        return (ssize_t)n;
    }
    c->out_at = c->out.len = 0;
    if (c->out.cap > KEPT) {
        size_t limit = c->out.max;
        buf_deinit(&c->out);
        buf_init_text(&c->out, limit);
    }
    if (n > 0 && c->is_open) {
        c->grpc->events->drained(c->state);
    }
    if (c->is_finished) {
        *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
        submit_trailer(c);
    } else if (n == 0) {
        c->is_deferred = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    return (ssize_t)n;
}

static void wake(struct grpc_call *c)
{
    static const nghttp2_nv head[] = {FIELD(":status", "200", 3), FIELD("content-type", GRPC_TYPE, sizeof(GRPC_TYPE) - 1)};
    const nghttp2_data_provider out = {.source.ptr = c, .read_callback = read_out};

    if (!c->is_answered) {
        c->is_answered = nghttp2_submit_response(c->grpc->session, c->id, head, COUNT(head), &out) == 0;
        if (!c->is_answered) {
            reset_call(c);
        }
    } else if (c->is_deferred) {
        c->is_deferred = false;
        (void)nghttp2_session_resume_data(c->grpc->session, c->id);
    }
}

bool grpc_send(struct grpc_call *c, struct span message, struct error *err)
{
    const char prefix[PREFIX] = {0, (char)(message.len >> 24), (char)(message.len >> 16), (char)(message.len >> 8),
                                 (char)message.len};

    if (message.len > UINT32_MAX) {
        return error_set(err, ERROR_LIMIT, "grpc: a message of less than 4 GiB expected");
    }
    if (!buf_reserve(&c->out, PREFIX + message.len, err) || !buf_append(&c->out, span_of(prefix, PREFIX), err) ||
        !buf_append(&c->out, message, err)) {
        return false;
    }
    wake(c);
    return true;
}

size_t grpc_queued(const struct grpc_call *c)
{
    return c->out.len - c->out_at;
}

void grpc_finish(struct grpc_call *c, enum grpc_status status)
{
    if (!c->is_finished) {
        c->is_finished = true;
        c->status = status;
        wake(c);
    }
}

/* --- messages -------------------------------------------------------------------- */

/* The length of the message at the front; false: it is not there yet, or cannot be. */
static bool front(struct grpc_call *c, size_t at, size_t *len)
{
    const uint8_t *p = (const uint8_t *)c->in.data + at;

    if (c->in.len - at < PREFIX) {
        return false;
    }
    *len = (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4];
    if (p[0] != 0 || *len > c->grpc->limits.message_max) {
        c->in.len = at;
        grpc_finish(c, p[0] != 0 ? GRPC_UNIMPLEMENTED : GRPC_RESOURCE_EXHAUSTED);
        return false;
    }
    return c->in.len - at - PREFIX >= *len;
}

static void drop_front(struct grpc_call *c, size_t n)
{
    memmove(c->in.data, c->in.data + n, c->in.len - n);
    c->in.len -= n;
    if (c->in.len == 0 && c->in.cap > KEPT) {
        size_t limit = c->in.max;
        buf_deinit(&c->in);
        buf_init_text(&c->in, limit);
        c->grpc->events->release(c->grpc->context, c->held);
        c->held = 0;
    }
}

static void deliver(struct grpc_call *c)
{
    const struct grpc_events *events = c->grpc->events;
    size_t at = 0, len = 0;

    while (!c->is_paused && !c->is_finished && front(c, at, &len)) {
        c->is_paused = !events->received(c->state, span_of(c->in.data + at + PREFIX, len));
        at += c->is_paused ? 0 : PREFIX + len;
    }
    if (at > 0) {
        drop_front(c, at);
    }
    if (!c->is_paused && c->unread > 0) {
        (void)nghttp2_session_consume_stream(c->grpc->session, c->id, c->unread);
        c->unread = 0;
    }
    if (!c->is_paused && c->has_ended && !c->is_finished) {
        events->ended(c->state);
    }
}

void grpc_resume(struct grpc_call *c)
{
    c->is_paused = false;
    deliver(c);
}

/* Room is taken before the bytes are stored. */
static bool store(struct grpc_call *c, struct span bytes)
{
    struct grpc *g = c->grpc;
    uint64_t need = c->in.len + bytes.len;
    struct error err;

    if (need > c->held) {
        uint64_t step = need - c->held + HOLD_STEP;
        if (!g->events->hold(g->context, step)) {
            return false;
        }
        c->held += step;
    }
    return buf_append(&c->in, bytes, &err);
}

/* --- nghttp2's callbacks ---------------------------------------------------------- */

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    struct grpc *g = context;

    g->head = (struct grpc_head){0};
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) {
        return 0;
    }
    struct grpc_call *c = call_new(g, frame->hd.stream_id);
    if (c == NULL) {
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    return nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, c) == 0 ? 0
                                                                                     : NGHTTP2_ERR_CALLBACK_FAILURE;
}

/* NOLINTNEXTLINE(readability-function-size): nghttp2 dictates the parameters */
static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_len,
                     const uint8_t *value, size_t value_len, uint8_t flags, void *context)
{
    struct grpc *g = context;
    struct grpc_head *head = &g->head;
    struct span key = span_of((const char *)name, name_len), text = span_of((const char *)value, value_len);

    (void)session;
    (void)frame;
    (void)flags;
    head->bytes += name_len + value_len;
    if (head->bytes > HEADERS_MAX) {
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; /* resets the stream */
    }
    grpc_head_add(head, key, text);
    return 0;
}

static void open_call(struct grpc *g, struct grpc_call *c)
{
    enum grpc_status status = GRPC_INVALID_ARGUMENT;

    if (!g->head.is_malformed && g->head.is_post && g->head.is_grpc) {
        status = g->events->opened(g->context, c, &g->head, &c->state);
    }
    explicit_bzero(g->head.authorization, sizeof(g->head.authorization));
    c->is_open = status == GRPC_OK;
    if (status != GRPC_OK) {
        grpc_finish(c, status);
    }
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    struct grpc_call *c = call_of(session, frame->hd.stream_id);
    bool is_part = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;

    if (c == NULL || !is_part) {
        return 0;
    }
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
        open_call(context, c);
    }
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
        c->has_ended = true;
        if (c->is_open) {
            deliver(c);
        }
    }
    return 0;
}

/* NOLINTNEXTLINE(readability-function-size): nghttp2 dictates the parameters */
static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes, size_t n, void *context)
{
    struct grpc_call *c = call_of(session, id);

    (void)flags;
    (void)context;
    (void)nghttp2_session_consume_connection(session, n);
    if (c == NULL || !c->is_open || c->is_finished) {
        (void)nghttp2_session_consume_stream(session, id, n);
        return 0;
    }
    c->unread += n;
    if (!store(c, span_of((const char *)bytes, n))) {
        grpc_finish(c, GRPC_RESOURCE_EXHAUSTED);
        return 0;
    }
    deliver(c);
    return 0;
}

/* A peer that is still sending is not listened to any more. */
static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *context)
{
    struct grpc_call *c = call_of(session, frame->hd.stream_id);
    bool is_last = frame->hd.type == NGHTTP2_HEADERS && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;

    (void)context;
    if (c != NULL && is_last && !c->has_ended) {
        (void)nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, c->id, NGHTTP2_NO_ERROR);
    }
    return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t code, void *context)
{
    struct grpc_call *c = call_of(session, id);

    (void)code;
    (void)context;
    if (c != NULL) {
        (void)nghttp2_session_set_stream_user_data(session, id, NULL);
        call_free(c);
    }
    return 0;
}

/* --- the connection --------------------------------------------------------------- */

static bool make_session(struct grpc *g)
{
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;

    if (nghttp2_session_callbacks_new(&callbacks) != 0) {
        return false;
    }
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    if (nghttp2_option_new(&option) == 0) {
        nghttp2_option_set_no_auto_window_update(option, 1);
        nghttp2_option_set_max_outbound_ack(option, ACKS_MAX);
        nghttp2_option_set_max_settings(option, SETTINGS_MAX);
        nghttp2_option_set_stream_reset_rate_limit(option, RESETS_BURST, RESETS_PER_SECOND);
        (void)nghttp2_session_server_new2(&g->session, callbacks, g, option);
        nghttp2_option_del(option);
    }
    nghttp2_session_callbacks_del(callbacks);
    return g->session != NULL;
}

static bool greet(struct grpc *g)
{
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, g->limits.calls},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, HEADERS_MAX},
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
    };

    return nghttp2_submit_settings(g->session, NGHTTP2_FLAG_NONE, settings, COUNT(settings)) == 0 &&
           nghttp2_session_set_local_window_size(g->session, NGHTTP2_FLAG_NONE, 0, CONNECTION_WINDOW) == 0;
}

struct grpc *grpc_new(const struct grpc_events *events, const struct grpc_limits *limits, void *context, struct error *err)
{
    struct grpc *g = calloc(1, sizeof(*g));

    if (g != NULL) {
        *g = (struct grpc){.events = events, .limits = *limits, .context = context};
    }
    if (g == NULL || !make_session(g) || !greet(g)) {
        grpc_free(g);
        error_set(err, ERROR_NO_MEMORY, "grpc: no memory");
        return NULL;
    }
    return g;
}

void grpc_free(struct grpc *g)
{
    if (g == NULL) {
        return;
    }
    while (g->calls != NULL) {
        (void)nghttp2_session_set_stream_user_data(g->session, g->calls->id, NULL);
        call_free(g->calls);
    }
    nghttp2_session_del(g->session);
    free(g);
}

bool grpc_feed(struct grpc *g, struct span bytes)
{
    return nghttp2_session_mem_recv(g->session, (const uint8_t *)bytes.ptr, bytes.len) == (ssize_t)bytes.len;
}

bool grpc_pull(struct grpc *g, struct span *bytes)
{
    const uint8_t *data = NULL;
    ssize_t n = nghttp2_session_mem_send(g->session, &data);

    *bytes = span_of((const char *)data, n > 0 ? (size_t)n : 0);
    return n >= 0;
}

bool grpc_is_over(struct grpc *g)
{
    return nghttp2_session_want_read(g->session) == 0 && nghttp2_session_want_write(g->session) == 0;
}

void grpc_shut_down(struct grpc *g)
{
    (void)nghttp2_submit_goaway(g->session, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(g->session),
                                NGHTTP2_NO_ERROR, NULL, 0);
}

size_t grpc_calls(const struct grpc *g)
{
    return g->n_calls;
}
