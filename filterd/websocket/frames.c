#include "websocket/frames.h"

#include <sodium.h>
#include <stdlib.h>
#include <wslay/wslay.h>

enum {
    REASON_MAX = 123,
    FRAMES_BEHIND = 1024,
    RECEIVE_MAX = 64 * 1024, /* bytes in turn: frames that are dropped could come for ever */
};

struct frames {
    struct frames_options options;
    wslay_event_context_ptr wslay;
    struct buf message; /* as far as it has come */
    uint64_t held;
    size_t received; /* bytes, in this turn */
    unsigned refused; /* the code with which this end refused what came; 0: it did not */
    bool is_data;     /* the frame that is being received is part of a message */
    bool is_broken;   /* the peer's bytes have ended, or cannot be sent to it */
};

/* --- libwslay's callbacks ---------------------------------------------------------- */

/* NOLINTNEXTLINE(readability-non-const-parameter): libwslay dictates the types */
static ssize_t receive(wslay_event_context_ptr wslay, uint8_t *out, size_t max, int flags, void *context)
{
    struct frames *f = context;
    ssize_t n = frames_has_more(f) ? FRAMES_AGAIN : f->options.receive(f->options.context, (char *)out, max);

    (void)flags;
    if (n <= 0) {
        f->is_broken = f->is_broken || n != FRAMES_AGAIN;
        wslay_event_set_error(wslay, n == FRAMES_AGAIN ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
        return -1;
    }
    f->received += (size_t)n;
    return n;
}

static ssize_t send_bytes(wslay_event_context_ptr wslay, const uint8_t *bytes, size_t len, int flags, void *context)
{
    struct frames *f = context;
    ssize_t n = f->options.send(f->options.context, span_of((const char *)bytes, len), (flags & WSLAY_MSG_MORE) != 0);

    if (n <= 0) {
        wslay_event_set_error(wslay, n == FRAMES_AGAIN ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
        return -1;
    }
    return n;
}

static int make_mask(wslay_event_context_ptr wslay, uint8_t *out, size_t len, void *context)
{
    (void)wslay, (void)context;
    randombytes_buf(out, len);
    return 0;
}

static void refuse(struct frames *f, unsigned code)
{
    if (f->refused == 0) {
        f->refused = code;
        frames_close(f, code, "");
        wslay_event_shutdown_read(f->wslay);
    }
}

/* Before libwslay or the buffer takes memory for it. */
static void begin_frame(wslay_event_context_ptr wslay, const struct wslay_event_on_frame_recv_start_arg *frame, void *context)
{
    struct frames *f = context;

    (void)wslay;
    f->is_data = !wslay_is_ctrl_frame(frame->opcode);
    if (!f->is_data) {
        return;
    }
    if (frame->opcode == WSLAY_BINARY_FRAME) {
        refuse(f, FRAMES_UNSUPPORTED);
    } else if (frame->payload_length > f->options.message_max - f->message.len) {
        refuse(f, FRAMES_TOO_LONG);
    } else if (!f->options.hold(f->options.context, frame->payload_length)) {
        refuse(f, FRAMES_TRY_LATER);
    } else {
        f->held += frame->payload_length;
    }
}

static void take_chunk(wslay_event_context_ptr wslay, const struct wslay_event_on_frame_recv_chunk_arg *chunk, void *context)
{
    struct frames *f = context;
    struct error err;

    (void)wslay;
    if (f->is_data && f->refused == 0 && !buf_append(&f->message, span_of((const char *)chunk->data, chunk->data_length), &err)) {
        refuse(f, FRAMES_TRY_LATER);
    }
}

static void release(struct frames *f)
{
    f->options.release(f->options.context, f->held);
    f->held = 0;
    buf_deinit(&f->message);
}

static void end_message(wslay_event_context_ptr wslay, const struct wslay_event_on_msg_recv_arg *message, void *context)
{
    struct frames *f = context;

    (void)wslay;
    if (wslay_is_ctrl_frame(message->opcode) || f->refused != 0) {
        return;
    }
    if (!f->options.message(f->options.context, buf_span(&f->message))) {
        refuse(f, FRAMES_TRY_LATER);
    }
    release(f);
}

/* --- life ------------------------------------------------------------------------------ */

bool frames_new(const struct frames_options *options, struct frames **out, struct error *err)
{
    static const struct wslay_event_callbacks callbacks = {
        .recv_callback = receive,
        .send_callback = send_bytes,
        .genmask_callback = make_mask,
        .on_frame_recv_start_callback = begin_frame,
        .on_frame_recv_chunk_callback = take_chunk,
        .on_msg_recv_callback = end_message,
    };
    struct frames *f = calloc(1, sizeof(*f));

    if (f == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "websocket: no memory");
    }
    f->options = *options;
    buf_init(&f->message, options->message_max);
    int status = options->is_client ? wslay_event_context_client_init(&f->wslay, &callbacks, f)
                                    : wslay_event_context_server_init(&f->wslay, &callbacks, f);
    if (status != 0) {
        free(f);
        return error_set(err, ERROR_NO_MEMORY, "websocket: no memory");
    }
    wslay_event_config_set_no_buffering(f->wslay, 1);
    wslay_event_config_set_max_recv_msg_length(f->wslay, options->message_max);
    *out = f;
    return true;
}

void frames_free(struct frames *f)
{
    if (f == NULL) {
        return;
    }
    release(f);
    wslay_event_context_free(f->wslay);
    free(f);
}

/* --- bytes ------------------------------------------------------------------------------ */

bool frames_receive(struct frames *f)
{
    f->received = 0;
    if (wslay_event_want_read(f->wslay) == 0 || f->is_broken) {
        return false;
    }
    if (wslay_event_recv(f->wslay) != 0) {
        f->is_broken = true;
        return false;
    }
    return wslay_event_want_read(f->wslay) != 0;
}

bool frames_flush(struct frames *f)
{
    if (wslay_event_want_write(f->wslay) != 0 && wslay_event_send(f->wslay) != 0) {
        f->is_broken = true;
        return false;
    }
    return true;
}

static bool queue(struct frames *f, uint8_t opcode, struct span bytes)
{
    const struct wslay_event_msg message = {.opcode = opcode, .msg = (const uint8_t *)bytes.ptr, .msg_length = bytes.len};

    return wslay_event_queue_msg(f->wslay, &message) == 0;
}

bool frames_text(struct frames *f, struct span text)
{
    return queue(f, WSLAY_TEXT_FRAME, text);
}

bool frames_ping(struct frames *f)
{
    return queue(f, WSLAY_PING, span_str(""));
}

/* Of RFC 6455, section 7.4, and of applications. */
static bool may_send(unsigned code)
{
    return (code >= 1000 && code <= 1014 && code != 1004 && code != FRAMES_NO_CODE && code != FRAMES_ABNORMAL) ||
           (code >= 3000 && code <= 4999);
}

void frames_close(struct frames *f, unsigned code, const char *reason)
{
    size_t len = strlen(reason);

    (void)wslay_event_queue_close(f->wslay, (uint16_t)(may_send(code) ? code : FRAMES_NORMAL), (const uint8_t *)reason,
                                  len <= REASON_MAX ? len : 0);
}

/* --- state ------------------------------------------------------------------------------- */

bool frames_wants_to_send(const struct frames *f)
{
    return wslay_event_want_write(f->wslay) != 0;
}

size_t frames_queued(const struct frames *f)
{
    return wslay_event_get_queued_msg_length(f->wslay);
}

bool frames_has_more(const struct frames *f)
{
    return f->received >= RECEIVE_MAX;
}

bool frames_is_behind(const struct frames *f)
{
    return wslay_event_get_queued_msg_count(f->wslay) >= FRAMES_BEHIND;
}

unsigned frames_peer_code(const struct frames *f)
{
    if (wslay_event_get_close_received(f->wslay) != 0) {
        unsigned code = wslay_event_get_status_code_received(f->wslay);
        return code == WSLAY_CODE_ABNORMAL_CLOSURE ? FRAMES_NO_CODE : code;
    }
    return f->is_broken ? FRAMES_ABNORMAL : 0;
}

bool frames_is_closed(const struct frames *f)
{
    return wslay_event_get_close_sent(f->wslay) != 0;
}
