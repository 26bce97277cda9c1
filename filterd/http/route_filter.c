/* route_filter.c - POST /v1/filter: one exchange, one verdict.
 *
 * Allow is answered when its record is queued, block and redact when it is on disk. A record that
 * cannot be written turns the answer into a block. */
#include "http/filter_judge.h"
#include "http/instant.h"
#include "http/routes.h"

static void judge(struct request *r, struct worker *w)
{
    const struct filter_job job = {
        .service = r->service,
        .snapshot = r->snapshot,
        .body = buf_span(&r->body),
        .is_plain_in = r->is_plain_in,
        .is_plain_out = r->is_plain_out,
        .parameters = r->connection,
        .started_ns = r->received_ns,
    };
    struct filter_fault fault;

    if (!filter_judge(&job, w, &r->outcome, &r->answer, &r->record, &fault)) {
        request_problem(r, fault.status, fault.detail, fault.pointer);
        return;
    }
    bool is_plain = r->is_plain_out && r->outcome.kind == FILTER_TEXT;
    r->reply = (struct reply){
        .status = 200,
        .type = is_plain ? "text/plain; charset=utf-8" : "application/json",
        .has_verdict = is_plain,
    };
}

static void fail(struct request *r)
{
    filter_judge_unrecorded(r->service, &r->outcome, r->is_plain_out, &r->answer);
}

/* From the record's thread: the line is on disk, or it is not. */
static void recorded(void *context, bool is_durable)
{
    struct request *r = context;

    if (!is_durable) {
        fail(r);
    }
    request_resume(r);
}

static enum step answer(struct request *r)
{
    if (r->is_suspended) {
        request_resume(r);
        return STEP_SUSPENDED;
    }
    return STEP_ANSWERED;
}

static enum step deliver(struct request *r)
{
    struct decision_log *log = r->service->log;
    struct error err;

    if (r->reply.status != 200) {
        return answer(r);
    }
    if (r->record.len == 0) {
        fail(r);
        return answer(r);
    }
    if (r->outcome.action == ACTION_ALLOW) {
        if (!decision_log_is_healthy(log) ||
            !decision_log_append(log, buf_span(&r->record), NULL, NULL, &err)) {
            fail(r);
        }
        return answer(r);
    }
    if (!r->is_suspended) {
        request_suspend(r);
    }
    if (!decision_log_append(log, buf_span(&r->record), recorded, r, &err)) {
        fail(r);
        request_resume(r);
    }
    return STEP_SUSPENDED;
}

static void run_queued(void *context, struct worker *w)
{
    struct request *r = context;

    if (w == NULL) {
        request_overload(r, "the service is stopping");
    } else {
        judge(r, w);
    }
    (void)deliver(r);
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

enum step route_filter_run(struct request *r)
{
    r->snapshot = service_snapshot(r->service);
    if (r->body.len > r->service->options->inline_max) {
        return queue(r);
    }
    struct worker *w = worker_pool_borrow(r->service->pool);
    if (w == NULL) {
        return queue(r);
    }
    judge(r, w);
    worker_pool_give_back(r->service->pool, w);
    return deliver(r);
}
