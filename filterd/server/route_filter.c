/* route_filter.c - POST /v1/filter: one exchange, one verdict.
 *
 * A request whose text needs the supervisor is suspended, without a worker; its text is then
 * judged again. An allow is answered when its record is queued, a block or redact when it is on disk. If a record
 * cannot be written, the answer is a block. */
#include "base/clock.h"
#include "service/access.h"
#include "service/filter_judge.h"
#include "service/inquiry.h"
#include "server/routes.h"
#include "service/work.h"

static void judge(struct request *r, struct worker *w)
{
    struct filter_job job = {
        .service = r->service,
        .snapshot = r->snapshot,
        .body = buf_span(&r->body),
        .is_plain_in = r->is_plain_in,
        .is_plain_out = r->is_plain_out,
        .parameters = r->connection,
        .started_ns = r->received_ns,
        .caller = r->caller,
        .trace = r->trace,
        .head_ns = r->started_ns,
        .inquiry = &r->inquiry,
    };
    struct filter_fault fault;

    request_limit_answer(r);
    access_conversation_owner(r, &job.owner);
    if (!filter_judge(&job, w, &r->outcome, &r->answer, &r->record, &fault)) {
        request_problem(r, fault.status, fault.detail, fault.pointer);
        r->reply.retry_s = fault.status == 429 ? fault.retry_s : 0;
        return;
    }
    if (inquiry_is_due(r->inquiry)) {
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

enum step route_filter_run(struct request *r)
{
    static const struct work work = {.record = WORK_BY_VERDICT, .receipt = RECEIPT_MEMBER, .judge = judge, .fail = fail};

    r->snapshot = service_snapshot(r->service);
    return work_run(r, &work);
}
