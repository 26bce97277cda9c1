/* proxy_finish.c - how an exchange ends: what is still written, asked about and recorded, phase by phase.
 *
 * Whatever ends an exchange calls proxy_finish. From PROXY_CLOSING on nothing is appended to `fresh` but what the
 * supervisor's last answer releases, and of `fresh` only what is before `tail_at` leaves before the last record is on
 * disk. The last record is written once, when the phase becomes PROXY_RECORDING. */
#include "http/instant.h"
#include "http/proxy.h"
#include "http/standing.h"
#include "pipeline/stream_inquiry.h"

void proxy_block(struct proxy *p, const char *reason)
{
    stream_block(p->stream, span_str("filterd.unjudged"), reason);
}

static bool is_blocked(const struct proxy *p)
{
    return stream_action(p->stream) == ACTION_BLOCK || translation_is_blocked(p->translation);
}

/* --- errors of ours ------------------------------------------------------- */

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

static void set_failure(struct proxy *p, unsigned status, const char *message)
{
    p->down.failure = message;
    p->down.status = status;
    p->down.tail_at = 0;
    buf_clear(&p->down.fresh);
}

/* An answer of which the client has nothing, and whose beginning is of no use to it. */
static bool is_lost(const struct proxy *p, enum proxy_end how)
{
    bool is_ours = how == END_LIMIT || how == END_MALFORMED;

    if (how == END_WHOLE || proxy_is_headed(p)) {
        return false;
    }
    return how == END_RECORD || !proxy_has_head(p) ||
           (!is_ours && (!p->down.is_streaming || stream_taken(p->stream) == 0));
}

/* A heartbeat has promised an answer, and nothing came of it. */
static bool is_empty(const struct proxy *p, enum proxy_end how)
{
    return proxy_is_headed(p) && failure_of(how)->end == how && how != END_LIMIT && !is_blocked(p) &&
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

/* --- CLOSING: what is written is all -------------------------------------- */

/* The last record says how the open one fared, too, so it waits for that. */
static void record_last(struct proxy *p)
{
    if (p->opened == RECORD_WAITING) {
        proxy_enter(p, PROXY_OPENING);
        return;
    }
    if (proxy_enter(p, PROXY_RECORDING)) {
        proxy_record_write(p, true);
    }
}

/* What waited for an answer goes on, or the end of a blocked one in its place: the 400 of a hard block, whatever the
 * style, when the client has nothing yet. */
static void resume(struct proxy *p)
{
    struct error err;

    /* A call that was left out is no reason: its notice is in what waited. */
    if (stream_action(p->stream) == ACTION_BLOCK) {
        p->down.is_hard = p->down.is_hard || (!proxy_is_headed(p) && p->down.failure == NULL);
    }
    p->end = p->end == END_WHOLE && is_blocked(p) ? END_BLOCKED : p->end;
    if (!translation_resume(p->translation, reactor_worker(p->reactor), &p->down.fresh, &err) &&
        !translation_is_over(p->translation)) {
        proxy_block(p, "the answer could not be written");
        p->down.is_cut = true;
    }
}

/* fresh[tail_at, …) waits for the record of it. */
static void close_answer(struct proxy *p, enum proxy_end how)
{
    bool is_hard_style = p->upstream->block == BLOCK_HARD || p->up.is_error || p->use == ROUTE_PASSED;
    bool has_waited = stream_waits(p->stream);

    proxy_enter(p, PROXY_CLOSING);
    p->over_ns = instant_ns();
    p->end = how;
    p->down.is_hard =
        p->down.is_hard || (is_blocked(p) && !proxy_is_headed(p) && (is_hard_style || p->down.waits_whole));
    if (how >= END_RESOLVE && how <= END_STATUS) {
        (void)atomic_fetch_add(&p->service->metrics.proxy.errors[how - END_RESOLVE], 1);
    }
    if (p->down.failure == NULL && proxy_inquiry_begin(p)) {
        proxy_enter(p, PROXY_ASKING_LAST);
        return;
    }
    if (has_waited) {
        resume(p);
    }
    record_last(p);
}

void proxy_finish_failed(struct proxy *p, unsigned status, const char *message, enum proxy_end how)
{
    set_failure(p, status, message);
    close_answer(p, how);
}

void proxy_finish_blocked(struct proxy *p, const char *reason, enum proxy_end how)
{
    proxy_block(p, reason);
    p->down.is_hard = true;
    p->down.tail_at = 0;
    close_answer(p, how);
}

/* Nobody reads any more, so nothing more is written. The record does not wait for the open one: no byte depends on
 * either. */
static void close_unread(struct proxy *p)
{
    bool is_asking = proxy_is_asking(p); /* the answer, which is on record, too, comes first */

    proxy_enter(p, is_asking ? PROXY_ASKING_LAST : PROXY_CLOSING);
    p->end = END_CLIENT;
    if (!is_asking && proxy_enter(p, PROXY_RECORDING)) {
        proxy_record_write(p, true);
    }
}

/* --- ENDING: the end of the answer is written ------------------------------ */

void proxy_settle(struct proxy *p)
{
    bool is_ending = p->phase == PROXY_ENDING;

    while (stream_asks(p->stream)) {
        if (proxy_inquiry_begin(p)) {
            proxy_enter(p, is_ending ? PROXY_ASKING_TAIL : PROXY_ASKING_PART);
            return;
        }
        resume(p);
    }
    if (translation_is_over(p->translation) || is_ending) {
        enum proxy_end how = p->ending != END_NONE ? p->ending : END_WHOLE;
        close_answer(p, how == END_WHOLE && is_blocked(p) ? END_BLOCKED : how);
    }
}

static void write_end(struct proxy *p, enum proxy_end how)
{
    struct error err;

    if (how == END_LIMIT) {
        proxy_block(p, "limit reached");
    }
    if (how == END_RECORD) {
        proxy_block(p, "the record could not be written");
    }
    bool is_ended = is_empty(p, how) ? write_error_event(p, how, &err)
                                     : translation_end(p->translation, reactor_worker(p->reactor), how == END_WHOLE,
                                                       &p->down.fresh, &err);
    /* Even an answer that cannot be read may have got its end. */
    if (!is_ended && !translation_is_over(p->translation)) {
        proxy_block(p, "the upstream's answer could not be read");
        p->down.is_hard = !proxy_is_headed(p);
        p->down.is_cut = proxy_is_headed(p);
    }
}

void proxy_finish_tail(struct proxy *p, enum proxy_end how)
{
    p->ending = how;
    if (is_lost(p, how)) {
        proxy_finish_failed(p, failure_of(how)->status, failure_of(how)->message, how);
        return;
    }
    if (p->phase != PROXY_ENDING) { /* one that the supervisor held up may end for another reason meanwhile */
        proxy_enter(p, PROXY_ENDING);
    }
    write_end(p, how);
    proxy_settle(p);
}

void proxy_finish(struct proxy *p, enum proxy_end how)
{
    if (proxy_is_over(p)) {
        return;
    }
    if (how == END_CLIENT) {
        close_unread(p);
    } else if (proxy_is_asking(p)) {
        p->ending = how; /* what it has sent so far comes first: proxy_finish_judged */
    } else {
        p->down.tail_at = p->down.fresh.len;
        proxy_finish_tail(p, how);
    }
}

/* --- what an exchange waited for ------------------------------------------ */

/* Everything was written when the record failed, and nobody has got any of it. */
static void lose(struct proxy *p)
{
    p->end = END_RECORD;
    set_failure(p, failure_of(END_RECORD)->status, failure_of(END_RECORD)->message);
}

void proxy_finish_opened(struct proxy *p, bool is_durable)
{
    p->opened = is_durable ? RECORD_DURABLE : RECORD_FAILED;
    if (p->phase != PROXY_OPENING) {
        if (!is_durable) {
            proxy_finish(p, END_RECORD);
        }
        return;
    }
    if (!is_durable) {
        lose(p);
    }
    record_last(p);
}

/* The phase that waited for the supervisor is left. */
static void leave_asking(struct proxy *p)
{
    static const enum proxy_phase next[PROXY_PHASES] = {
        [PROXY_ASKING_PART] = PROXY_FLOWING,
        [PROXY_ASKING_TAIL] = PROXY_ENDING,
        [PROXY_ASKING_LAST] = PROXY_CLOSING,
    };

    proxy_enter(p, next[p->phase]);
}

/* All of the answer had been there. Nothing came meanwhile that would have shown that the agent was stopped. */
static void close_judged(struct proxy *p)
{
    if (p->opened == RECORD_FAILED) {
        lose(p);
    } else if (p->end != END_CLIENT && p->down.phase != DOWN_LEFT) {
        resume(p);
    } else {
        p->end = END_CLIENT;
    }
    record_last(p);
}

/* What came before the question goes on; then what the upstream has said of its end meanwhile. */
static void go_on_judged(struct proxy *p)
{
    p->down.tail_at = p->down.fresh.len;
    p->up.received_ns = instant_ns();
    if (p->ending != END_RECORD) {
        resume(p);
        proxy_settle(p);
    }
    if (!proxy_is_asking(p) && !proxy_is_over(p) && p->ending != END_NONE) {
        proxy_finish_tail(p, p->ending);
    }
}

void proxy_finish_judged(struct proxy *p)
{
    if (!proxy_is_asking(p)) {
        return; /* it was given up */
    }
    standing_watch(p->service, p->stream);
    proxy_inquiry_end(p);
    leave_asking(p);
    bool was_over = proxy_is_over(p);
    if (was_over) {
        close_judged(p);
    } else {
        go_on_judged(p);
    }
    bool is_failed = !was_over && proxy_is_over(p) && p->end != END_WHOLE;
    if (is_failed || (!proxy_is_asking(p) && p->up.transfer.easy == NULL)) {
        proxy_fetch_stop(p);
    } else if (!proxy_is_asking(p)) {
        proxy_fetch_resume(p);
    }
}

void proxy_finish_unjudged(struct proxy *p)
{
    proxy_inquiry_give_up(p);
    leave_asking(p);
    if (proxy_is_over(p)) {
        close_judged(p);
    } else {
        resume(p);
    }
}
