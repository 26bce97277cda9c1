/* proxy_flow.c - from what the upstream sends to what is written for the client.
 *
 * Three kinds of answers leave: as they come (`is_streaming`), as a whole, and errors of ours
 * (`failure`, `is_hard`). Nothing leaves before its record is on disk: the first byte waits for the
 * open record, the tail, and every answer that is no stream, for the last one. While the supervisor
 * is asked about a part nothing more of the upstream is taken, and what it says of its end waits. */
#include "http/instant.h"
#include "http/proxy.h"
#include "http/standing.h"
#include "http/request.h"
#include "pipeline/stream_inquiry.h"

enum { ROOM_STEP = 16 * 1024 };

static const char unjudged[] = "filterd.unjudged";

static void block(struct proxy *p, const char *reason)
{
    if (p->stream != NULL) {
        stream_block(p->stream, span_str(unjudged), reason);
    }
}

static bool is_blocked(const struct proxy *p)
{
    return p->stream != NULL &&
           (stream_action(p->stream) == ACTION_BLOCK || translation_is_blocked(p->translation));
}

/* What is held counts for the operator, and takes room that is bounded for all. */
static bool account(struct proxy *p)
{
    uint64_t held = p->stream == NULL ? 0 : stream_held(p->stream);
    uint64_t kept = p->down.is_streaming ? stream_released(p->stream) : p->up.received; /* in copies */
    uint64_t waiting = p->stream == NULL ? 0 : translation_waiting(p->translation);
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

static void record_end(struct proxy *p)
{
    p->closed = RECORD_WAITING;
    p->owes_last = p->opened == RECORD_WAITING; /* which says how the answer ends, too */
    if (!p->owes_last) {
        proxy_record_write(p, true);
    }
}

/* What waited for an answer goes on, or the end of a blocked one in its place: the 400 of a hard block, whatever the
 * style, when the client has nothing yet. */
static void let_go(struct proxy *p)
{
    struct error err;

    /* A call that was left out is no reason: its notice is in what waited. */
    if (stream_action(p->stream) == ACTION_BLOCK) {
        p->down.is_hard = p->down.is_hard || (!p->down.is_headed && p->down.failure == NULL);
    }
    p->end = p->end == END_WHOLE && is_blocked(p) ? END_BLOCKED : p->end;
    if (!translation_resume(p->translation, reactor_worker(p->reactor), &p->down.fresh, &err) &&
        !translation_is_over(p->translation)) {
        block(p, "the answer could not be written");
        p->down.is_cut = true;
    }
}

/* From here on nothing more is written; fresh[tail_at, …) waits for the record of it. */
static void close_answer(struct proxy *p, size_t tail_at, enum proxy_end how)
{
    struct proxy_metrics *m = &p->service->metrics.proxy;
    bool is_hard_style = p->upstream->block == BLOCK_HARD || p->up.is_error || p->use == ROUTE_PASSED;
    bool has_waited = p->stream != NULL && stream_waits(p->stream);

    p->is_over = true;
    p->over_ns = instant_ns();
    p->end = how;
    p->down.tail_at = tail_at;
    p->down.is_hard = p->down.is_hard || (is_blocked(p) && !p->down.is_headed && (is_hard_style || p->down.waits_whole));
    if (how >= END_RESOLVE && how <= END_STATUS) {
        (void)atomic_fetch_add(&m->errors[how - END_RESOLVE], 1);
    }
    if (p->stream == NULL) {
        p->closed = RECORD_DURABLE; /* no text of a model: there is no decision to put on record */
        return;
    }
    p->closed = RECORD_WAITING;
    if (p->down.failure == NULL && proxy_inquiry_begin(p)) {
        return;
    }
    if (has_waited) {
        let_go(p);
    }
    record_end(p);
}

static void fail(struct proxy *p, unsigned status, const char *message, enum proxy_end how)
{
    p->down.failure = message;
    p->down.status = status;
    buf_clear(&p->down.fresh);
    close_answer(p, 0, how);
}

struct failure {
    enum proxy_end end;
    unsigned status;
    const char *message;
};

static const struct failure *failure_of(enum proxy_end how)
{
    static const struct failure failures[] = {
        {END_RESOLVE, 503, "the upstream cannot be reached"},
        {END_CONNECT, 503, "the upstream cannot be reached"},
        {END_TLS, 502, "the upstream could not be trusted"},
        {END_TIMEOUT, 504, "the upstream did not answer in time"},
        {END_STATUS, 502, "the upstream answered with an error"},
        {END_DRAIN, 503, "the service is stopping"},
        {END_RECORD, 503, "the decision could not be recorded"},
        {END_LIMIT, 502, "the upstream's answer is larger than this service takes"},
        {END_BROKEN, 502, "the upstream broke off its answer"},
    };
    size_t i = 0;

    while (i < COUNT(failures) - 1 && failures[i].end != how) {
        i++;
    }
    return &failures[i];
}

/* An answer of which the client has nothing, and whose beginning is of no use to it. */
static bool is_lost(const struct proxy *p, enum proxy_end how)
{
    bool is_ours = how == END_LIMIT || how == END_MALFORMED;

    if (how == END_WHOLE || p->down.is_headed) {
        return false;
    }
    return p->stream == NULL || how == END_RECORD || !p->up.has_head ||
           (!is_ours && (!p->down.is_streaming || stream_taken(p->stream) == 0));
}

/* A heartbeat has promised an answer, and nothing came of it. */
static bool is_empty(const struct proxy *p, enum proxy_end how)
{
    return p->down.is_headed && failure_of(how)->end == how && how != END_LIMIT && !is_blocked(p) &&
           stream_taken(p->stream) == 0;
}

/* An error inside a stream, as its clients know it: they raise it. */
static bool write_error_event(struct proxy *p, enum proxy_end how, struct error *err)
{
    const struct failure *f = failure_of(how);
    bool has_events = strcmp(translation_type(p->translation), "text/event-stream") == 0;
    bool has_names = strcmp(p->upstream->protocol_name, "anthropic") == 0;
    const char *before = !has_events ? "" : has_names ? "event: error\ndata: " : "data: ";

    return buf_append_str(&p->down.fresh, before, err) &&
           protocol_error_body(p->upstream->protocol, f->status, f->message, &p->down.fresh, err) &&
           buf_append_str(&p->down.fresh, has_events ? "\n\n" : "\n", err);
}

static void end_translation(struct proxy *p, enum proxy_end how)
{
    struct error err;

    if (how == END_LIMIT) {
        block(p, "limit reached");
    }
    if (how == END_RECORD) {
        block(p, "the record could not be written");
    }
    bool is_ended = is_empty(p, how) ? write_error_event(p, how, &err)
                                     : translation_end(p->translation, reactor_worker(p->reactor),
                                                       how == END_WHOLE, &p->down.fresh, &err);
    /* Even an answer that cannot be read may have got its end. */
    if (!is_ended && !translation_is_over(p->translation)) {
        block(p, "the upstream's answer could not be read");
        p->down.is_hard = !p->down.is_headed;
        p->down.is_cut = p->down.is_headed;
    }
}

/* Asks about what has come up, part by part. With nothing left to be asked about an answer that is over is closed. */
static void ask_or_close(struct proxy *p, size_t tail_at)
{
    while (stream_asks(p->stream)) {
        if (proxy_inquiry_begin(p)) {
            return;
        }
        let_go(p);
    }
    if (translation_is_over(p->translation) || p->is_ended) {
        enum proxy_end how = p->ending != END_NONE ? p->ending : END_WHOLE;
        close_answer(p, tail_at, how == END_WHOLE && is_blocked(p) ? END_BLOCKED : how);
    }
}

static void end_answer(struct proxy *p, enum proxy_end how, size_t tail_at)
{
    if (p->is_over) {
        return;
    }
    p->ending = how;
    if (p->is_asking) {
        return; /* what it has sent so far comes first */
    }
    if (is_lost(p, how)) {
        fail(p, failure_of(how)->status, failure_of(how)->message, how);
        return;
    }
    if (p->stream == NULL) {
        close_answer(p, tail_at, how);
        return;
    }
    end_translation(p, how);
    p->is_ended = true;
    ask_or_close(p, tail_at);
}

/* It was over already, and nobody has got any of it. */
static void lose_record(struct proxy *p)
{
    const struct failure *f = failure_of(END_RECORD);

    p->end = END_RECORD;
    p->down.failure = f->message;
    p->down.status = f->status;
    buf_clear(&p->down.fresh);
}

/* All of the answer had been there. Nothing came meanwhile that would have shown that the agent was stopped. */
static void end_judged(struct proxy *p)
{
    if (p->opened == RECORD_FAILED) {
        lose_record(p);
    } else if (p->down.is_gone || p->end == END_CLIENT) {
        p->end = END_CLIENT;
    } else {
        let_go(p);
    }
    record_end(p);
}

/* The upstream's turn, unless it is done. */
static void go_on(struct proxy *p)
{
    if (p->up.transfer.easy != NULL && !p->is_asking) {
        proxy_fetch_resume(p);
    } else if (!p->is_asking) {
        proxy_fetch_stop(p);
    }
}

void proxy_flow_judged(struct proxy *p)
{
    size_t tail_at = p->down.fresh.len;

    if (!p->is_asking) {
        return; /* it was given up */
    }
    standing_watch(p->service, p->stream);
    proxy_inquiry_end(p);
    if (p->is_over) {
        end_judged(p);
        go_on(p);
        return;
    }
    p->up.received_ns = instant_ns();
    if (p->ending != END_RECORD) {
        let_go(p);
        ask_or_close(p, tail_at);
    }
    if (!p->is_asking && !p->is_over && p->ending != END_NONE) {
        end_answer(p, p->ending, tail_at);
    }
    if (p->is_over && p->end != END_WHOLE) {
        proxy_fetch_stop(p);
    } else {
        go_on(p);
    }
}

void proxy_flow_give_up(struct proxy *p)
{
    bool was_over = p->is_over;

    proxy_inquiry_give_up(p);
    if (was_over) {
        end_judged(p);
    } else {
        let_go(p);
    }
}

void proxy_flow_end(struct proxy *p, enum proxy_end how)
{
    end_answer(p, how, p->down.fresh.len);
}

void proxy_flow_opened(struct proxy *p, bool is_durable)
{
    p->opened = is_durable ? RECORD_DURABLE : RECORD_FAILED;
    if (!is_durable && p->owes_last) {
        lose_record(p);
    } else if (!is_durable) {
        proxy_flow_end(p, END_RECORD);
    }
    if (p->owes_last) {
        p->owes_last = false;
        proxy_record_write(p, true);
    }
}

static void refuse_type(struct proxy *p, const char *reason)
{
    if (p->down.is_headed) {
        proxy_flow_end(p, END_MALFORMED);
    } else if (p->up.is_error || p->stream == NULL) {
        fail(p, p->up.is_error ? p->down.status : 502,
             "the upstream answered in a form that is not its protocol's", END_STATUS);
    } else {
        block(p, reason);
        p->down.is_hard = true;
        close_answer(p, 0, END_MALFORMED);
    }
}

void proxy_flow_head(struct proxy *p)
{
    p->up.has_head = true;
    p->up.received_ns = instant_ns();
    buf_deinit(&p->up.body);
    p->up.is_error = p->down.status / 100 != 2;
    if (p->is_over) {
        return;
    }
    if (p->down.status / 100 == 3) {
        p->down.status = 502; /* what lies behind a redirect is nobody's configured upstream */
        refuse_type(p, NULL);
        return;
    }
    if (p->up.coding[0] != '\0' && strcasecmp(p->up.coding, "identity") != 0) {
        refuse_type(p, "the upstream's answer is encoded");
        return;
    }
    if (p->stream == NULL) {
        return;
    }
    if (p->up.is_error && p->down.is_headed) {
        proxy_flow_end(p, END_STATUS); /* a heartbeat has promised a 200: it ends as cut off */
        return;
    }
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

static bool translate(struct proxy *p, struct span bytes)
{
    size_t tail_at = p->down.fresh.len;
    struct error err;

    standing_watch(p->service, p->stream);
    if (!translation_feed(p->translation, reactor_worker(p->reactor), bytes, &p->down.fresh, &err)) {
        end_answer(p, END_MALFORMED, tail_at);
        return false;
    }
    if (p->up.blocked_ns == 0 && translation_awaits_cost(p->translation)) {
        p->up.blocked_ns = instant_ns();
    }
    ask_or_close(p, tail_at);
    return true;
}

bool proxy_flow_take(struct proxy *p, struct span bytes)
{
    struct error err;

    p->up.received += bytes.len;
    p->up.received_ns = instant_ns();
    if (p->up.received > p->upstream->answer_max + p->up.head_bytes) {
        proxy_flow_end(p, END_LIMIT);
    }
    if (!p->is_over && p->stream == NULL && !buf_append(&p->down.fresh, bytes, &err)) {
        proxy_flow_end(p, END_LIMIT);
    }
    if (!p->is_over && (p->stream == NULL || translate(p, bytes)) && !p->is_over && !account(p)) {
        proxy_flow_end(p, END_LIMIT);
    }
    proxy_flow_advance(p);
    return !p->is_over || p->end == END_WHOLE;
}
