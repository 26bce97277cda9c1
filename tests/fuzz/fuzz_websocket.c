/* What a peer sends over a WebSocket: the answer to a handshake, frames, events. The first byte chooses. Messages are what they are
 * however their bytes are cut. */
#include <stdint.h>
#include <stdlib.h>

#include "websocket/event.h"
#include "websocket/frames.h"
#include "websocket/handshake.h"

enum { MESSAGE_MAX = 4096, OUT_MAX = 1 << 20 };

struct peer {
    struct span in;
    size_t step;
    struct buf got;
    uint64_t held;
};

static ssize_t receive(void *context, char *out, size_t max)
{
    struct peer *p = context;
    size_t n = p->in.len < max ? p->in.len : max;

    n = n < p->step ? n : p->step;
    memcpy(out, p->in.ptr, n);
    p->in = span_slice(p->in, n, p->in.len);
    return n > 0 ? (ssize_t)n : FRAMES_AGAIN;
}

static ssize_t send_bytes(void *context, struct span bytes, bool has_more)
{
    (void)context, (void)has_more;
    return (ssize_t)bytes.len;
}

static void read_events(struct span text)
{
    static const enum event_api apis[] = {EVENT_RESPONSES, EVENT_REALTIME};
    struct event e;
    struct error err;

    for (size_t i = 0; i < COUNT(apis); i++) {
        if (event_read(apis[i], text, &e, &err) != (e.use != EVENT_UNKNOWN)) {
            abort();
        }
    }
}

static bool message(void *context, struct span text)
{
    struct peer *p = context;
    struct error err;

    read_events(text);
    return buf_append(&p->got, text, &err) && buf_append_char(&p->got, '\0', &err);
}

static bool hold(void *context, uint64_t n)
{
    ((struct peer *)context)->held += n;
    return true;
}

static void release(void *context, uint64_t n)
{
    ((struct peer *)context)->held -= n;
}

static void read_frames(struct span bytes, bool is_client, size_t step, struct buf *got)
{
    struct peer p = {.in = bytes, .step = step};
    const struct frames_options options = {.is_client = is_client, .message_max = MESSAGE_MAX, .context = &p, .receive = receive,
                                           .send = send_bytes, .message = message, .hold = hold, .release = release};
    struct frames *f = NULL;
    struct error err;

    buf_init(&p.got, OUT_MAX);
    if (!frames_new(&options, &f, &err)) {
        abort();
    }
    while (p.in.len > 0 && frames_receive(f)) {
        (void)!frames_flush(f);
    }
    (void)frames_peer_code(f);
    frames_free(f);
    if (p.held != 0) {
        abort();
    }
    *got = p.got;
}

static void compare_cuttings(struct span bytes, bool is_client)
{
    struct buf whole, cut;

    read_frames(bytes, is_client, SIZE_MAX, &whole);
    read_frames(bytes, is_client, 3, &cut);
    if (!span_equal(buf_span(&whole), buf_span(&cut))) {
        abort();
    }
    buf_deinit(&whole);
    buf_deinit(&cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span rest = span_of((const char *)data + 1, size - 1);
    struct handshake_answer answer;

    if (size == 0) {
        return 0;
    }
    if (data[0] % 4 == 0) {
        (void)handshake_read_answer(rest, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", span_str("realtime"), &answer);
    } else if (data[0] % 4 == 1) {
        read_events(rest);
    } else {
        compare_cuttings(rest, data[0] % 4 == 2);
    }
    return 0;
}
