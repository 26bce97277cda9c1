/* proxy_deliver.c - delivers to the client what the record permits; and handles time: heartbeats, timeouts of the
 * upstream, the stop of the service.
 *
 * Invariants:
 *   - No byte of a stream is sent before the open record is on disk (opened == RECORD_DURABLE), and none after tail_at
 *     before the last record is (PROXY_RECORDED). A stream that ends before its open record is on disk, and an answer that is not a
 *     stream, are sent as a whole after the last record, and so is one that is taken as a whole (is_taken_whole), which has no open record.
 *   - The head is given with the first bytes; from then on (proxy_is_headed) the status is final.
 *   - Time affects when bytes are sent and when an exchange ends, never which bytes. */
#include "base/clock.h"
#include "proxy/proxy.h"
#include "pipeline/stream_inquiry.h"

#define SECOND_NS        1000000000ULL
/* Usage follows the last text directly, so a blocked client waits no longer for it. */
#define COST_TIMEOUT_NS (2 * SECOND_NS)
/* Of the silence after which nothing more is expected of an answer whose parts have all ended. Some upstreams end each chunk. */
#define REST_TIMEOUT_NS (5 * SECOND_NS)

/* --- to the client -------------------------------------------------------- */

/* In hard style, and where the supervisor may be asked, the head waits until text is released: from then on no 400 is
 * possible any more. */
static bool may_begin(const struct proxy *p)
{
    bool is_soft = p->upstream->block != BLOCK_HARD &&
                   (p->down.phase == DOWN_PROMISED || !stream_is_supervised(p->stream));

    return proxy_is_headed(p) || is_soft || proxy_is_over(p) || p->down.fresh.len > PROXY_BACKLOG_MAX ||
           stream_left(p->stream) > 0;
}

static void deliver_whole(struct proxy *p)
{
    const struct protocol *protocol = protocol_of_route(p->route);
    struct error err;
    bool is_written = true;

    if (p->down.failure != NULL || p->closed == RECORD_FAILED) {
        unsigned status = p->down.failure != NULL ? p->down.status : 503;
        const char *message =
            p->down.failure != NULL ? p->down.failure : "the decision could not be recorded";
        buf_clear(&p->down.fresh);
        is_written = protocol_error_body(protocol, status, message, &p->down.fresh, &err);
        proxy_answer_whole(p, is_written ? status : 503, "application/json");
        return;
    }
    /* A stream that comes here could not be written, and is blocked for that. */
    if (p->down.is_hard || p->down.is_cut || p->down.is_streaming) {
        buf_clear(&p->down.fresh);
        is_written = translation_hard_block(p->translation, &p->down.fresh, &err);
        proxy_answer_whole(p, 400, "application/json");
        return;
    }
    proxy_answer_whole(p, p->down.status, translation_type(p->translation));
}

/* The receipt of a stream, whose head was given before there was one: a comment in front of what waited for the record,
 * where clients skip comments, or a trailer. Without memory for it there is none. */
static void put_receipt(struct proxy *p)
{
    struct buf *fresh = &p->down.fresh;
    char text[RECEIPT_TEXT + 1], comment[RECEIPT_TEXT + 32];
    struct error err;

    if (p->closed != RECORD_DURABLE || p->receipt.seq == 0) {
        return;
    }
    receipt_format(p->receipt.seq, &p->receipt.leaf, text);
    if (!translation_takes_comments(p->translation)) {
        proxy_answer_trailer(p, text);
        return;
    }
    size_t n = (size_t)snprintf(comment, sizeof(comment), ": filterd-receipt %s\n\n", text);
    if (buf_reserve(fresh, n, &err)) {
        memmove(fresh->data + n, fresh->data, fresh->len);
        memcpy(fresh->data, comment, n);
        fresh->len += n;
    }
}

/* All that is left, once the last record is on disk or cannot be. */
static void deliver_rest(struct proxy *p)
{
    bool is_whole = p->down.failure != NULL || p->down.is_hard || p->closed == RECORD_FAILED || !p->down.is_streaming;
    bool is_good = !p->down.is_cut && p->closed != RECORD_FAILED;

    if (p->closed == RECORD_FAILED || p->end == END_RECORD) {
        (void)atomic_fetch_add(&p->service->metrics.unrecorded, 1);
    }
    if (is_good && (proxy_is_headed(p) || !is_whole)) {
        put_receipt(p);
        is_good = proxy_answer_give(p, p->down.fresh.len);
    }
    if (proxy_is_headed(p)) {
        proxy_answer_complete(p, !is_good);
    } else {
        deliver_whole(p);
    }
    proxy_down_enter(p, DOWN_FINISHED);
}

/* Behind what was read with this text, which may be the end of the answer. Once. */
static void ask_for_record(struct proxy *p)
{
    if (!p->down.is_held) {
        p->down.is_held = true;
        proxy_notify(p, PROXY_EVENT_HELD);
    }
}

/* The part that only waits for the open record; false: there is no memory for it. */
static bool give_what_may_go(struct proxy *p)
{
    size_t n = proxy_is_over(p) ? p->down.tail_at : p->down.fresh.len;

    if (!p->down.is_streaming || p->down.is_hard || p->down.failure != NULL || n == 0 || !may_begin(p)) {
        return true;
    }
    if (p->opened != RECORD_DURABLE) {
        ask_for_record(p);
        return true;
    }
    p->down.tail_at = 0;
    if (!proxy_answer_give(p, n)) {
        p->down.is_cut = true; /* stays: what was cut once is never ended properly */
        return false;
    }
    return true;
}

void proxy_flow_advance(struct proxy *p)
{
    proxy_drive(p);
    if (p->down.phase >= DOWN_FINISHED) {
        return;
    }
    if (!give_what_may_go(p)) {
        proxy_finish(p, END_LIMIT);
        proxy_drive(p);
    }
    if (p->phase == PROXY_RECORDED) {
        deliver_rest(p);
    }
    if (p->down.fresh.len <= PROXY_BACKLOG_LOW && proxy_answer_may_resume(p)) {
        proxy_fetch_resume(p);
    }
}

void proxy_flow_abandon(struct proxy *p)
{
    if (proxy_is_over(p)) {
        return;
    }
    proxy_finish(p, END_CLIENT);
    proxy_fetch_stop(p);
    if (p->down.phase >= DOWN_FINISHED) {
        return;
    }
    buf_clear(&p->down.fresh);
    if (proxy_is_headed(p)) {
        proxy_answer_complete(p, true);
    } else {
        proxy_answer_whole(p, 503, "application/json"); /* so that its connection closes */
    }
    proxy_down_enter(p, DOWN_FINISHED);
}

/* --- time ----------------------------------------------------------------- */

/* `then` may be later than `now`, which was read before the round of ticks. */
static uint64_t since(uint64_t then, uint64_t now)
{
    return now > then ? now - then : 0;
}

static enum proxy_end late(struct proxy *p, uint64_t now)
{
    const struct upstream *u = p->upstream;
    uint64_t timeout = (proxy_has_head(p) ? u->idle_timeout : u->first_byte_timeout) * SECOND_NS;

    if (atomic_load(&p->service->is_cutting)) {
        return END_DRAIN;
    }
    if (p->up.blocked_ns != 0 && since(p->up.blocked_ns, now) > COST_TIMEOUT_NS) {
        return END_WHOLE; /* the answer is blocked whatever it cost */
    }
    if (proxy_is_asking(p) || proxy_answer_is_paused(p)) {
        return END_NONE; /* it waits for us */
    }
    if (proxy_has_head(p) && since(p->up.received_ns, now) > REST_TIMEOUT_NS && translation_needs_no_more(p->translation)) {
        return END_WHOLE;
    }
    return since(p->up.received_ns, now) > timeout ? END_TIMEOUT : END_NONE;
}

/* A heartbeat is a promise of a 200, which only who writes the head can give. */
static bool may_promise(const struct proxy *p)
{
    bool is_ours = p->moved == NULL || proxy_has_head(p);

    return is_ours && !stream_waits_whole(p->stream) && (p->upstream->block != BLOCK_HARD || may_begin(p));
}

static void keep_waiting(struct proxy *p, uint64_t now)
{
    uint64_t pause = p->upstream->heartbeat * SECOND_NS;
    struct error err;

    if (pause == 0 || since(p->down.written_ns, now) < pause || !p->down.is_streaming || p->up.is_error ||
        p->opened != RECORD_DURABLE || proxy_answer_backlog(p) > 0 || !may_promise(p)) {
        return;
    }
    p->down.written_ns = now;
    if (p->down.phase == DOWN_NONE) {
        proxy_down_enter(p, DOWN_PROMISED);
    }
    if (!translation_heartbeat(p->translation, &p->down.fresh, &err)) {
        proxy_finish(p, END_LIMIT);
    }
    proxy_flow_advance(p);
}

/* One that is over waits for the supervisor, or for its transfer to end by itself. */
static void tick_to_end(struct proxy *p, uint64_t now_ns)
{
    if (proxy_is_asking(p)) {
        if (atomic_load(&p->service->is_cutting)) {
            proxy_finish_unjudged(p);
            proxy_fetch_stop(p);
            proxy_flow_advance(p);
        }
    } else if (since(p->over_ns, now_ns) > SECOND_NS) {
        proxy_fetch_stop(p);
        if (p->up.phase == UP_LINGERING) {
            proxy_unref(p);
        }
    }
}

void proxy_flow_tick(struct proxy *p, uint64_t now_ns)
{
    if (proxy_is_over(p)) {
        tick_to_end(p, now_ns);
        return;
    }
    enum proxy_end how = late(p, now_ns);
    if (how == END_NONE) {
        keep_waiting(p, now_ns);
        return;
    }
    if (proxy_is_asking(p)) {
        proxy_finish_unjudged(p);
    }
    proxy_finish(p, how);
    proxy_fetch_stop(p);
    proxy_flow_advance(p);
}
