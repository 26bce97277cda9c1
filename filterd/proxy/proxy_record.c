/* proxy_record.c - records the start and the end of a stream. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "proxy/proxy.h"
#include "service/receipts.h"
#include "service/sealing.h"
#include "service/admission.h"

static void opened(void *context, bool is_durable)
{
    struct proxy *p = context;

    proxy_notify(p, is_durable ? PROXY_EVENT_OPENED : PROXY_EVENT_OPEN_FAILED);
    proxy_unref(p);
}

static void closed(void *context, bool is_durable)
{
    struct proxy *p = context;

    proxy_notify(p, is_durable ? PROXY_EVENT_CLOSED : PROXY_EVENT_CLOSE_FAILED);
    proxy_unref(p);
}

static const char *phase_of(const struct proxy *p, bool is_last)
{
    bool is_final = p->end == END_WHOLE || p->end == END_BLOCKED;

    return !is_last ? "open" : is_final ? "final" : "aborted";
}

static void count(struct proxy *p, const struct exchange *x)
{
    struct metrics *m = &p->service->metrics;

    metrics_count_stream(m, x);
    (void)atomic_fetch_add(&p->traffic->actions[x->action], 1);
    if (x->action == ACTION_BLOCK) {
        (void)atomic_fetch_add(&m->proxy.blocks, 1);
    }
}

static struct exchange_times times_of(const struct proxy *p)
{
    uint64_t now_ns = clock_monotonic_ns();

    return (struct exchange_times){.started_utc_ns = clock_utc_ns() - (int64_t)(now_ns - p->started_ns),
                                   .started_ns = p->started_ns,
                                   .received_ns = p->up.asked_ns,
                                   .asked_ns = p->up.asked_ns,
                                   .answered_ns = p->up.answered_ns,
                                   .answer_ended_ns = p->up.received_ns,
                                   .delivered_ns = p->down.headed_ns,
                                   .ended_ns = now_ns};
}

/* Of the answer that proxy_deliver.c sends in place of the translation's, once this is on disk. */
static size_t bytes_of_ours(const struct proxy *p)
{
    const struct protocol *protocol = protocol_of_route(p->route);
    struct buf body CLEANUP(buf_deinit);
    struct error err;

    buf_init(&body, PROXY_BACKLOG_MAX);
    bool is_written = p->down.failure != NULL
                          ? protocol_error_body(protocol, p->down.status, p->down.failure, &body, &err)
                          : translation_hard_block(p->translation, &body, &err);
    return is_written ? body.len : 0;
}

static size_t bytes_to(const struct proxy *p)
{
    bool is_replaced = p->down.failure != NULL || p->down.is_hard;
    bool has_begun = p->down.is_streaming && p->opened == RECORD_DURABLE;
    size_t before_cut = has_begun ? p->down.tail_at : 0; /* a connection that breaks has no tail */
    size_t rest = p->down.is_cut ? before_cut : p->down.fresh.len;

    if (!proxy_is_headed(p) && (is_replaced || (p->down.is_cut && rest == 0))) {
        return bytes_of_ours(p);
    }
    return p->down.sent + rest;
}

/* Nobody waits for the open record before there is text. */
static bool append(struct proxy *p, bool is_last, struct error *err)
{
    bool has_receipt = receipts_of(p->service) != RECEIPTS_OFF;

    return is_last ? decision_log_append_receipt(p->service->log, buf_span(&p->record), has_receipt ? &p->receipt : NULL, closed, p, err)
                   : decision_log_append_deferred(p->service->log, buf_span(&p->record), opened, p, err);
}

void proxy_record_write(struct proxy *p, bool is_last)
{
    const struct decision_stream stream = {
        .phase = phase_of(p, is_last),
        .end = is_last ? proxy_end_name(p->end) : NULL,
        .protocol = p->upstream->protocol_name,
        .upstream = p->upstream->name,
        .bytes_from = p->up.received,
        .bytes_to = bytes_to(p),
        .sent = p->up.sent,
        .hold_max = stream_held_max(p->stream),
    };
    struct exchange x;
    struct sealed_note note;
    struct error err;

    const struct exchange_times times = times_of(p);

    translation_exchange(p->translation, &x);
    x.times = &times;
    if (is_last) {
        struct exchange counted = x; /* what is on record is what left: a full ledger cannot take it back */
        admission_count(p->service, &counted);
        count(p, &x);
        sealing_apply_stream(p->service, &x, &note);
    }
    (void)atomic_fetch_add(&p->references, 1); /* until the writer has called back */
    /* A late task may find the record closed. */
    if (p->service->log == NULL || !decision_format_stream(&x, &stream, token_keys_at(p->service->token_keys, x.now_ns),
                                clock_monotonic_ns() - p->started_ns, &p->record, &err) ||
        !append(p, is_last, &err)) {
        (is_last ? closed : opened)(p, false);
    }
    buf_deinit(&p->record); /* there may be long between the two */
}
