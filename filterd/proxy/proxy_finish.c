/* proxy_finish.c - ends an exchange: the last output, questions and records, phase by phase.
 *
 * Every end of an exchange goes through proxy_finish. From PROXY_CLOSING on, only text released by the
 * supervisor's last answer is appended to `fresh`, and only the part of `fresh` before `tail_at` is sent before the last
 * record is on disk. The last record is written once, when the phase becomes PROXY_RECORDING.
 *
 * A function that ends an exchange only moves it to another phase. proxy_drive then advances the phases until it must wait
 * for the supervisor, the log or the upstream. */
#include "base/clock.h"
#include "proxy/proxy.h"
#include "service/admission.h"
#include "pipeline/stream_inquiry.h"

/* Blocks as unjudged. */
static void proxy_block(struct proxy *p, const char *reason)
{
    stream_block(p->stream, span_str("filterd.unjudged"), reason);
}

static bool is_blocked(const struct proxy *p)
{
    return stream_action(p->stream) == ACTION_BLOCK || translation_is_blocked(p->translation);
}

/* --- errors of ours ------------------------------------------------------- */

const struct proxy_failure *proxy_failure_of(enum proxy_end how)
{
    static const struct proxy_failure failures[] = {
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

/* A heartbeat has promised an answer, but there is none. */
static bool is_empty(const struct proxy *p, enum proxy_end how)
{
    return proxy_is_headed(p) && proxy_failure_of(how)->end == how && how != END_LIMIT && !is_blocked(p) &&
           stream_taken(p->stream) == 0;
}

/* An error inside a stream, as its clients know it: they raise it. */
static bool write_error_event(struct proxy *p, enum proxy_end how, struct error *err)
{
    const struct proxy_failure *f = proxy_failure_of(how);
    bool has_events = strcmp(translation_type(p->translation), "text/event-stream") == 0;
    bool has_names = strcmp(p->upstream->protocol_name, "anthropic") == 0;
    const char *before = !has_events ? "" : has_names ? "event: error\ndata: " : "data: ";

    return buf_append_str(&p->down.fresh, before, err) &&
           protocol_error_body(protocol_of_route(p->route), f->status, f->message, &p->down.fresh, err) &&
           buf_append_str(&p->down.fresh, has_events ? "\n\n" : "\n", err);
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

/* --- the steps of the phases ------------------------------------------------ */

/* What proxy_drive does behind a step. */
enum next {
    NEXT_WAIT,   /* nothing: something outside is waited for */
    NEXT_STEP,   /* the step of the phase that was entered */
    NEXT_RESUME, /* what waited for an answer goes on, and then the step of the phase */
    NEXT_END,    /* the end of the answer is written, and then the step of the phase */
};

/* After an illegal move the exchange only waits for its record. */
static enum next enter(struct proxy *p, enum proxy_phase to)
{
    return proxy_enter(p, to) ? NEXT_STEP : NEXT_WAIT;
}

/* When a question cannot be sent, the stream has taken "not asked" as the answer. */
static enum next step_flowing(struct proxy *p)
{
    if (stream_asks(p->stream)) {
        return proxy_inquiry_begin(p) ? enter(p, PROXY_ASKING_PART) : NEXT_RESUME;
    }
    if (translation_is_over(p->translation)) {
        return enter(p, PROXY_CLOSING);
    }
    /* It may have ended while the supervisor was asked. */
    return p->ending != END_NONE ? enter(p, PROXY_ENDING) : NEXT_WAIT;
}

static void write_end(struct proxy *p)
{
    enum proxy_end how = p->ending;
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

static enum next step_ending(struct proxy *p)
{
    if (is_lost(p, p->ending)) {
        set_failure(p, proxy_failure_of(p->ending)->status, proxy_failure_of(p->ending)->message);
        return enter(p, PROXY_CLOSING);
    }
    return enter(p, PROXY_ENDED) == NEXT_STEP ? NEXT_END : NEXT_WAIT;
}

static enum next step_ended(struct proxy *p)
{
    if (!stream_asks(p->stream)) {
        return enter(p, PROXY_CLOSING);
    }
    return proxy_inquiry_begin(p) ? enter(p, PROXY_ASKING_TAIL) : NEXT_RESUME;
}

/* fresh[tail_at, …) waits for the record of it. */
static enum next step_closing(struct proxy *p)
{
    bool is_hard_style = p->upstream->block == BLOCK_HARD || p->up.is_error || p->use == ROUTE_PASSED;
    bool has_waited = stream_waits(p->stream);

    p->over_ns = clock_monotonic_ns();
    p->down.is_cut = p->down.is_cut || translation_is_broken_off(p->translation);
    p->end = p->ending != END_NONE ? p->ending : END_WHOLE;
    p->end = p->end == END_WHOLE && is_blocked(p) ? END_BLOCKED : p->end;
    p->down.is_hard =
        p->down.is_hard || (is_blocked(p) && !proxy_is_headed(p) && (is_hard_style || p->down.waits_whole));
    if (proxy_end_is_upstreams(p->end)) {
        (void)atomic_fetch_add(&p->service->metrics.proxy.errors[p->end - END_UPSTREAM], 1);
        (void)atomic_fetch_add(&p->traffic->failures[p->end - END_UPSTREAM], 1);
    }
    if (p->down.failure == NULL && proxy_inquiry_begin(p)) {
        return enter(p, PROXY_ASKING_LAST);
    }
    enum next next = enter(p, PROXY_CLOSED);
    return next == NEXT_STEP && has_waited ? NEXT_RESUME : next;
}

/* Of an answer that breaks off, the last record says how much left once the open one was there, so it waits for that. Of another
 * nothing leaves before it: once it is on disk, the open one is not missed. */
static enum next step_closed(struct proxy *p)
{
    if (p->opened == RECORD_WAITING && p->down.is_cut) {
        return enter(p, PROXY_OPENING);
    }
    p->down.tail_at = p->opened == RECORD_WAITING ? 0 : p->down.tail_at;
    return enter(p, PROXY_RECORDING);
}

void proxy_drive(struct proxy *p)
{
    /* A phase without a step waits always. */
    static enum next (*const steps[PROXY_PHASES])(struct proxy *p) = {
        [PROXY_FLOWING] = step_flowing, [PROXY_ENDING] = step_ending, [PROXY_ENDED] = step_ended,
        [PROXY_CLOSING] = step_closing, [PROXY_CLOSED] = step_closed,
    };
    enum next next = NEXT_STEP;

    while (next != NEXT_WAIT && steps[p->phase] != NULL) {
        next = steps[p->phase](p);
        if (next == NEXT_RESUME) {
            resume(p);
        } else if (next == NEXT_END) {
            write_end(p);
        }
    }
}

/* --- ends --------------------------------------------------------------------- */

void proxy_finish_failed(struct proxy *p, unsigned status, const char *message, enum proxy_end how)
{
    set_failure(p, status, message);
    p->ending = how;
    proxy_enter(p, PROXY_CLOSING);
}

void proxy_finish_blocked(struct proxy *p, const char *reason, enum proxy_end how)
{
    proxy_block(p, reason);
    p->down.is_hard = true;
    p->down.tail_at = 0;
    p->ending = how;
    proxy_enter(p, PROXY_CLOSING);
}

/* The client has left, so nothing more is written. The record does not wait for the open one: no byte depends on
 * either. */
static void finish_unread(struct proxy *p)
{
    p->end = END_CLIENT;
    if (proxy_is_asking(p)) {
        proxy_enter(p, PROXY_ASKING_LAST); /* the answer, which is on record, too, comes first */
    } else if (proxy_enter(p, PROXY_CLOSED)) {
        proxy_enter(p, PROXY_RECORDING);
    }
}

void proxy_finish_tail(struct proxy *p, enum proxy_end how)
{
    p->ending = how;
    proxy_enter(p, PROXY_ENDING);
}

void proxy_finish(struct proxy *p, enum proxy_end how)
{
    if (proxy_is_over(p) || p->phase == PROXY_ENDING) {
        return;
    }
    if (how == END_CLIENT) {
        finish_unread(p);
    } else if (proxy_is_asking(p)) {
        p->ending = how; /* what it has sent so far comes first */
    } else {
        p->down.tail_at = p->down.fresh.len;
        proxy_finish_tail(p, how);
    }
}

/* --- what an exchange waited for ------------------------------------------ */

/* The record failed when everything was written: nothing of it was delivered, so an error replaces it. */
static void lose(struct proxy *p)
{
    p->end = END_RECORD;
    set_failure(p, proxy_failure_of(END_RECORD)->status, proxy_failure_of(END_RECORD)->message);
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
    proxy_enter(p, PROXY_RECORDING);
}

/* The phase that waited for the supervisor is left. */
static void leave_asking(struct proxy *p)
{
    static const enum proxy_phase next[PROXY_PHASES] = {
        [PROXY_ASKING_PART] = PROXY_FLOWING,
        [PROXY_ASKING_TAIL] = PROXY_ENDED,
        [PROXY_ASKING_LAST] = PROXY_CLOSED,
    };

    proxy_enter(p, next[p->phase]);
}

/* What waited for the answer goes on, unless there is no use for it any more. */
static void go_on(struct proxy *p)
{
    if (proxy_is_over(p) && p->opened == RECORD_FAILED) {
        lose(p);
    } else if (p->end == END_CLIENT || p->down.phase == DOWN_LEFT) {
        p->end = END_CLIENT;
    } else {
        resume(p);
    }
}

/* The upstream's turn, unless its answer is of no use any more or the supervisor is asked again. */
static void fetch_judged(struct proxy *p, bool was_over)
{
    bool is_failed = !was_over && proxy_is_over(p) && p->end != END_WHOLE;

    bool is_gone = p->up.transfer.easy == NULL && p->moved == NULL;

    if (is_failed || (!proxy_is_asking(p) && is_gone)) {
        proxy_fetch_stop(p);
    } else if (!proxy_is_asking(p)) {
        proxy_fetch_resume(p);
    }
}

void proxy_finish_judged(struct proxy *p)
{
    bool was_over = proxy_is_over(p);

    if (!proxy_is_asking(p)) {
        return; /* it was given up */
    }
    admission_watch(p->service, p->stream);
    proxy_inquiry_end(p);
    leave_asking(p);
    if (!was_over) {
        p->down.tail_at = p->down.fresh.len;
        p->up.received_ns = clock_monotonic_ns();
    }
    if (!was_over && p->ending == END_RECORD) {
        proxy_enter(p, PROXY_ENDING);
    } else {
        go_on(p);
    }
    proxy_drive(p);
    fetch_judged(p, was_over);
}

void proxy_finish_unjudged(struct proxy *p)
{
    proxy_inquiry_give_up(p);
    leave_asking(p);
    go_on(p);
}
