/* sent.c - events of the client: judged by the policy's section `request`, then sent to the upstream.
 *
 * A response that is asked for over the Responses API is a request like any other, which its turn judges. Of the Realtime API each
 * event is judged by itself; the next one waits until its line is on disk, where it has one. */
#include "base/clock.h"
#include "base/uuid.h"
#include "state/token_keys.h"
#include "policy/request_policy.h"
#include "prompt/prompt_judge.h"
#include "service/receipts.h"
#include "service/admission.h"
#include "websocket/session.h"

static const char route[] = "openai-realtime";

/* --- the verdict ----------------------------------------------------------------------------- */

static bool make_exchange(struct websocket *w, struct snapshot *snapshot, struct exchange *x)
{
    const struct upstream *u = w->proxy->upstream;
    const struct policy *policy = snapshot_policy(snapshot, u->policy, u->tenant);
    struct error err;

    *x = (struct exchange){
        .snapshot = snapshot, .policy = policy, .who = w->proxy->who, .now_ns = clock_utc_ns(), .masking = w->proxy->masking};
    return policy != NULL && uuid_make(x->now_ns, x->id.bytes, &err);
}

static void count(struct service *s, const struct exchange *x, const struct prompt_outcome *outcome)
{
    struct request_metrics *m = &s->metrics.judged_requests;

    (void)atomic_fetch_add(&m->actions[x->action], 1);
    (void)atomic_fetch_add(&m->bytes, x->judged);
    (void)atomic_fetch_add(&m->known, x->known);
    (void)atomic_fetch_add(&m->unread, outcome->unread);
    (void)atomic_fetch_add(&m->withheld, outcome->n_withheld);
    (void)atomic_fetch_add(&m->labelled, outcome->n_labelled);
}

static void recorded(void *context, bool is_durable)
{
    struct websocket *w = context;

    atomic_store(&w->sent.outcome, is_durable ? RECORD_DURABLE : RECORD_FAILED);
    websocket_notify(w, SESSION_TOUCHED);
    websocket_unref(w);
}

/* Gives the line to the log. */
static void record(struct websocket *w, const struct exchange *x, uint64_t began_ns, void (*done)(void *, bool), void *context)
{
    struct buf line;
    struct error err;

    buf_init(&line, DECISION_RECORD_MAX);
    if (w->service->log == NULL ||
        !decision_format(x, token_keys_at(w->service->token_keys, x->now_ns), clock_monotonic_ns() - began_ns, &line, &err) ||
        !decision_log_append_receipt(w->service->log, buf_span(&line), NULL, done, context, &err)) {
        done(context, false);
    }
    buf_deinit(&line);
}

/* What goes to the upstream is in `sent.body`: empty when the event was refused, with an event for the client. */
static void judge(struct websocket *w, struct snapshot *snapshot, struct span message)
{
    const struct prompt_input q = {.route = route, .body = message};
    uint64_t began_ns = clock_monotonic_ns();
    struct prompt_outcome outcome;
    struct exchange x;
    struct error err;

    if (!make_exchange(w, snapshot, &x)) {
        websocket_error(w, 503, "not ready at the moment");
        return;
    }
    const struct policy_request *policy = x.policy->request;
    if (!policy->is_judged) {
        if (!buf_append(&w->sent.body, message, &err)) {
            websocket_error(w, 503, "no room at the moment");
        }
        return;
    }
    prompt_judge(reactor_worker(w->reactor), &q, &x, &w->sent.body, &outcome);
    if (policy->is_counted) {
        admission_count(w->service, &x);
    }
    count(w->service, &x, &outcome);
    bool is_blocked = x.action == ACTION_BLOCK;
    if (is_blocked || !outcome.is_changed) {
        buf_clear(&w->sent.body);
    }
    if (is_blocked) {
        w->sent.is_refused = true;
        w->sent.is_unreadable = outcome.is_unreadable;
    } else if (!outcome.is_changed && !buf_append(&w->sent.body, message, &err)) {
        websocket_error(w, 503, "no room at the moment");
        return;
    }
    if (is_blocked || outcome.has_line) {
        w->sent.is_waiting = true;
        atomic_store(&w->sent.outcome, RECORD_WAITING);
        (void)atomic_fetch_add(&w->references, 1); /* until `recorded` */
        record(w, &x, began_ns, recorded, w);
    }
}

/* --- what was dropped ----------------------------------------------------------------------------- */

static void ignore(void *context, bool is_durable)
{
    (void)context;
    (void)is_durable;
}

void sent_record_left_out(struct websocket *w)
{
    struct snapshot *snapshot = w->left_out > 0 ? service_snapshot(w->service) : NULL;
    struct exchange x;

    if (snapshot != NULL && make_exchange(w, snapshot, &x)) {
        x.action = ACTION_ALLOW;
        x.left_out = w->left_out;
        record(w, &x, clock_monotonic_ns(), ignore, NULL);
    }
    snapshot_unref(snapshot);
}

/* --- events ------------------------------------------------------------------------------------- */

static void refuse(struct websocket *w)
{
    struct snapshot *snapshot = service_snapshot(w->service);
    struct exchange x;

    if (w->sent.is_unreadable || !make_exchange(w, snapshot, &x)) {
        websocket_error(w, 400, "an event of JSON expected that every reader reads alike");
    } else {
        websocket_blocked(w, x.policy->request->as.notice);
    }
    snapshot_unref(snapshot);
}

static void send_on(struct websocket *w)
{
    if (w->sent.is_refused) {
        refuse(w);
    } else if (w->sent.body.len > 0 && !frames_text(w->upstream.frames, buf_span(&w->sent.body))) {
        websocket_close(w, FRAMES_INTERNAL, "");
    }
    w->sent.is_refused = w->sent.is_unreadable = w->sent.is_waiting = false;
    buf_deinit(&w->sent.body);
}

void sent_pump(struct websocket *w)
{
    if (!w->sent.is_waiting || atomic_load(&w->sent.outcome) == RECORD_WAITING) {
        return;
    }
    if (atomic_load(&w->sent.outcome) == RECORD_FAILED) {
        (void)atomic_fetch_add(&w->service->metrics.unrecorded, 1);
        w->sent.is_refused = false;
        buf_clear(&w->sent.body);
        websocket_error(w, 503, "the decision could not be recorded");
    }
    send_on(w);
}

static bool take_of_realtime(struct websocket *w, struct span message)
{
    if (w->sent.is_waiting) {
        return false;
    }
    struct snapshot *snapshot = service_snapshot(w->service);
    judge(w, snapshot, message);
    snapshot_unref(snapshot);
    if (!w->sent.is_waiting) {
        send_on(w);
    }
    return true;
}

bool sent_take(struct websocket *w, struct span message)
{
    struct span type;
    struct error err;

    if (!event_type(message, &type, &err)) {
        websocket_error(w, 400, "an event of JSON with one type expected");
        return true;
    }
    if (w->api == EVENT_REALTIME) {
        return take_of_realtime(w, message);
    }
    if (!span_is(type, "response.create")) {
        websocket_error(w, 400, "another type of event expected: response.create");
        return true;
    }
    return answers_ask(w, message);
}
