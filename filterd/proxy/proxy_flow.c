/* proxy_flow.c - translates the upstream's input to output for the client.
 *
 * There are three kinds of answers: streamed (`is_streaming`), whole, and errors of the proxy
 * (`failure`, `is_hard`). Nothing is sent before its record is on disk: the first byte waits for the
 * open record; the tail, every answer that is not a stream, and every one that ends before its open record is on disk, wait for the last one. While a question
 * about a part is pending, nothing more is read from the upstream, and its end waits. */
#include "base/clock.h"
#include "proxy/proxy.h"
#include "service/admission.h"
#include "judge/originals.h"
#include "pipeline/stream_inquiry.h"

enum { ROOM_STEP = 16 * 1024 };

/* What is held counts for the operator, and takes room that is bounded for all. */
static bool account(struct proxy *p)
{
    uint64_t held = stream_held(p->stream);
    uint64_t kept = p->down.is_streaming ? stream_released(p->stream) : p->up.received; /* in copies */
    uint64_t waiting = translation_waiting(p->translation) + stream_originals(p->stream)->bytes;
    uint64_t need =
        PROXY_ROOM + held + kept + waiting + p->up.body.cap + p->down.fresh.cap + proxy_answer_backlog(p);

    (void)atomic_fetch_add(&p->service->metrics.proxy.held, (int64_t)held - (int64_t)p->held);
    p->held = held;
    if (need > p->room) {
        uint64_t step = need - p->room + ROOM_STEP;
        if (!service_hold(p->service, step)) {
            return false;
        }
        p->room += step;
    }
    return true;
}

/* A head that says that what follows cannot be judged. */
static void refuse_type(struct proxy *p, const char *reason)
{
    if (proxy_is_headed(p)) {
        proxy_finish(p, END_MALFORMED);
    } else if (p->up.is_error) {
        proxy_finish_failed(p, p->down.status, "the upstream answered in a form that is not its protocol's",
                            END_STATUS);
    } else {
        proxy_finish_blocked(p, reason, END_MALFORMED);
    }
}

static void translate_head(struct proxy *p)
{
    enum head_use use = translation_head(p->translation, p->down.status, span_str(p->up.type));

    p->down.is_streaming = p->down.is_streaming && use == HEAD_OK && !p->up.is_error;
    if (!p->down.is_streaming) {
        stream_wait_whole(p->stream);
    }
    p->down.waits_whole = stream_waits_whole(p->stream);
    if (use == HEAD_UNKNOWN_TYPE) {
        refuse_type(p, "the upstream's answer has an unknown type");
    }
}

void proxy_flow_head(struct proxy *p)
{
    proxy_up_enter(p, UP_HEADED);
    p->up.received_ns = p->up.answered_ns = clock_monotonic_ns();
    buf_deinit(&p->up.body);
    p->up.is_error = p->down.status / 100 != 2;
    if (proxy_is_over(p)) {
        return;
    }
    if (p->down.status / 100 == 3) {
        p->down.status = 502; /* a redirect would lead to a host that is not configured */
        refuse_type(p, NULL);
    } else if (p->up.coding[0] != '\0' && strcasecmp(p->up.coding, "identity") != 0) {
        refuse_type(p, "the upstream's answer is encoded");
    } else if (p->up.is_error && proxy_is_headed(p)) {
        proxy_finish(p, END_STATUS); /* a heartbeat has promised a 200: it ends as cut off */
    } else {
        translate_head(p);
    }
    proxy_drive(p);
}

/* False: the answer cannot be read, and ends. */
static bool translate(struct proxy *p, struct span bytes)
{
    struct error err;

    p->down.tail_at = p->down.fresh.len;
    admission_watch(p->service, p->stream);
    if (!translation_feed(p->translation, reactor_worker(p->reactor), bytes, &p->down.fresh, &err)) {
        proxy_finish_tail(p, END_MALFORMED);
        return false;
    }
    if (p->up.blocked_ns == 0 && translation_awaits_cost(p->translation)) {
        p->up.blocked_ns = clock_monotonic_ns();
    }
    return true;
}

void proxy_flow_take(struct proxy *p, struct span bytes)
{
    p->up.received += bytes.len;
    p->up.received_ns = clock_monotonic_ns();
    if (!proxy_is_over(p) && p->up.received > p->upstream->answer_max + p->up.head_bytes) {
        proxy_finish(p, END_LIMIT);
    } else if (!proxy_is_over(p) && translate(p, bytes)) {
        proxy_drive(p);
        if (!proxy_is_over(p) && !account(p)) {
            proxy_finish(p, END_LIMIT);
        }
    }
}
