/* proxy_request.c - judges the body of a request before a byte of it goes to the upstream.
 *
 * A body of which little is new is judged at once, another behind the queue of the pool. What was redacted is another body, which
 * alone goes on.
 * A request that has a line in the record waits until the line is on disk. */
#include "base/clock.h"
#include "base/uuid.h"
#include "policy/request_policy.h"
#include "prompt/prompt_judge.h"
#include "protocol/protocol.h"
#include "proxy/proxy.h"
#include "service/receipts.h"
#include "service/admission.h"

/* A longer body is queued before it is read. What is known of an ordinary conversation takes less time than a queue. */
enum { READ_AT_ONCE_MAX = 1024 * 1024 };

static const char unreadable[] = "a body expected that every reader reads alike";

bool proxy_request_is_due(const struct proxy *p, const struct request *r)
{
    return p->policy->request->is_judged && r->body.len > 0;
}

/* --- the verdict -------------------------------------------------------------- */

/* In the protocol's form, which no client sends again. */
static void refuse(struct request *r, const struct exchange *x, const struct prompt_outcome *outcome)
{
    struct error err;

    if (outcome->is_unreadable) {
        request_problem(r, 400, unreadable, NULL);
    } else {
        r->reply = (struct reply){.status = 400, .type = "application/json", .closes = r->reply.closes};
        buf_clear(&r->answer);
        if (!protocol_blocked_body(r->protocol, x->notice, &r->answer, &err)) {
            buf_clear(&r->answer);
        }
    }
    r->reply.forbids_retry = true;
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

static void write_line(struct proxy *p, const struct request *r, const struct exchange *x)
{
    struct exchange traced = *x;
    const struct exchange_times times = request_times(r);
    struct error err;

    traced.times = &times;
    if (!decision_format(&traced, token_keys_at(p->service->token_keys, x->now_ns), clock_monotonic_ns() - p->started_ns,
                         &p->judged.line, &err)) {
        buf_clear(&p->judged.line); /* which cannot be written, then */
    }
}

/* The judged body takes the place of the one that came. */
static void replace_body(struct request *r)
{
    struct buf judged = r->answer;

    r->answer = r->body;
    r->body = judged;
    if (r->answer.is_locked) {
        buf_wipe(&r->answer);
    }
    buf_clear(&r->answer);
}

static bool set_exchange(struct proxy *p, const struct request *r, struct exchange *x, struct error *err)
{
    *x = (struct exchange){
        .snapshot = r->snapshot,
        .policy = p->policy,
        .who = p->who,
        .answer = p->id,
        .now_ns = clock_utc_ns(),
        .masking = p->masking,
    };
    return uuid_make(x->now_ns, x->id.bytes, err);
}

/* False: it was put off, as more than `new_max` bytes of it are new; never for 0. */
static bool judge(struct request *r, struct worker *w, size_t new_max)
{
    struct proxy *p = r->proxy;
    const struct prompt_input q = {
        .route = protocol_route_name(p->route),
        .type = p->type,
        .body = buf_span(&r->body),
        .is_valid = p->is_json,
        .survey = &p->survey,
        .new_max = new_max,
        .history = p->type.len > 0 ? NULL : p->service->history,
    };
    struct prompt_outcome outcome;
    struct exchange x;
    struct error err;

    if (!set_exchange(p, r, &x, &err)) {
        request_overload(r, "no room at the moment");
        return true;
    }
    prompt_judge(w, &q, &x, &r->answer, &outcome);
    if (outcome.is_put_off) {
        return false;
    }
    if (p->policy->request->is_counted) {
        admission_count(p->service, &x);
    }
    p->judged.has_line = outcome.has_line || x.action == ACTION_BLOCK;
    p->judged.is_blocked = x.action == ACTION_BLOCK;
    if (p->judged.is_blocked) { /* there will be no answer: the line has the id that the client is shown */
        x.id = p->id;
        x.answer = (struct exchange_id){0};
    }
    if (p->judged.has_line) {
        write_line(p, r, &x);
    }
    count(p->service, &x, &outcome);
    if (p->judged.is_blocked) {
        refuse(r, &x, &outcome);
    } else if (outcome.is_changed) {
        p->judged.is_changed = true;
        p->survey = (struct prompt_survey){0}; /* it is of the body that came */
        replace_body(r);
    }
    return true;
}

/* --- the record ----------------------------------------------------------------- */

static void unrecorded(struct request *r)
{
    (void)atomic_fetch_add(&r->service->metrics.unrecorded, 1);
    request_problem(r, 503, "the decision could not be recorded", NULL);
}

static void block_recorded(void *context, bool is_durable)
{
    struct request *r = context;

    if (!is_durable) {
        unrecorded(r);
    } else {
        request_show_receipt(r);
    }
    request_resume(r);
}

/* Or there is nothing to record. */
static void recorded(void *context, bool is_durable)
{
    struct proxy *p = context;

    p->judged.is_unrecorded = !is_durable;
    proxy_notify(p, PROXY_EVENT_START);
    proxy_unref(p);
}

/* Once a request is launched it may end at any time, and only the proxy's own memory may be touched. */
static bool append(struct proxy *p, struct decision_receipt *receipt, decision_done_fn *done, void *context)
{
    struct error err;

    return p->service->log != NULL && p->judged.line.len > 0 &&
           decision_log_append_receipt(p->service->log, buf_span(&p->judged.line), receipt, done, context, &err);
}

/* --- where it goes ----------------------------------------------------------------- */

static enum step answer(struct request *r)
{
    if (r->is_suspended) {
        request_resume(r);
        return STEP_SUSPENDED;
    }
    return STEP_ANSWERED;
}

static enum step answer_block(struct request *r)
{
    if (!r->is_suspended) {
        request_suspend(r);
    }
    struct decision_receipt *receipt = receipts_of(r->service) == RECEIPTS_OFF ? NULL : &r->receipt;
    if (!append(r->proxy, receipt, block_recorded, r)) {
        unrecorded(r);
        request_resume(r);
    }
    return STEP_SUSPENDED;
}

static enum step settle(struct request *r)
{
    struct proxy *p = r->proxy;

    if (p->judged.is_blocked) {
        return answer_block(r);
    }
    if (r->reply.status != 0 || !proxy_prepare(p, r)) {
        return answer(r);
    }
    bool has_line = p->judged.has_line;
    (void)atomic_fetch_add(&p->references, 1); /* until `recorded` has run */
    proxy_launch(p, r);
    if (!has_line) {
        recorded(p, true);
        return STEP_SUSPENDED;
    }
    if (!append(p, NULL, recorded, p)) {
        recorded(p, false);
    }
    return STEP_SUSPENDED;
}

static void run_queued(void *context, struct worker *w)
{
    struct request *r = context;

    if (w == NULL) {
        request_overload(r, "the service is stopping");
    } else {
        (void)judge(r, w, 0);
    }
    (void)settle(r);
}

static enum step queue(struct request *r)
{
    r->job = (struct job){.run = run_queued, .context = r};
    request_suspend(r);
    if (!worker_pool_submit(r->service->pool, &r->job)) {
        request_overload(r, "too many long texts are waiting");
        request_resume(r);
    }
    return STEP_SUSPENDED;
}

/* On this thread, unless there is more to judge than it should. */
static bool judge_at_once(struct request *r)
{
    size_t new_max = r->service->options->inline_max;
    bool is_short = r->body.len <= new_max;
    struct worker *w = is_short || (new_max > 0 && r->body.len <= READ_AT_ONCE_MAX) ? worker_pool_borrow(r->service->pool) : NULL;

    if (w == NULL) {
        return false;
    }
    bool is_judged = judge(r, w, is_short ? 0 : new_max);
    worker_pool_give_back(r->service->pool, w);
    return is_judged;
}

enum step proxy_request_judge(struct request *r)
{
    if (!proxy_open_masking(r->proxy, r)) {
        request_overload(r, "no room at the moment");
        return STEP_ANSWERED;
    }
    return judge_at_once(r) ? settle(r) : queue(r);
}
