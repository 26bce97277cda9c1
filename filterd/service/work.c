#include "service/work.h"

#include "service/inquiry.h"
#include "service/receipts.h"

/* The object that the answer is gets one more member, at its end. Without room it stays as it is: the header has it. */
static void put_member(struct buf *answer, const char *receipt)
{
    char member[RECEIPT_TEXT + sizeof(",\"receipt\":\"\"}\n")];
    struct error err;
    size_t end = answer->len;

    while (end > 0 && answer->data[end - 1] == '\n') {
        end--;
    }
    int len = snprintf(member, sizeof(member), ",\"receipt\":\"%s\"}%s", receipt, end < answer->len ? "\n" : "");
    if (end < 2 || answer->data[end - 1] != '}' || !buf_reserve(answer, (size_t)len, &err)) {
        return;
    }
    answer->len = end - 1;
    (void)!buf_append(answer, span_of(member, (size_t)len), &err);
}

static void show_receipt(struct request *r)
{
    if (r->receipt.seq == 0 || r->work->receipt == RECEIPT_NONE) {
        return;
    }
    request_show_receipt(r);
    if (r->work->receipt == RECEIPT_MEMBER && strcmp(r->reply.type, "application/json") == 0) {
        put_member(&r->answer, r->receipt_text);
    }
}

/* From the record's thread: the line is on disk, or it is not. */
static void recorded(void *context, bool is_durable)
{
    struct request *r = context;

    if (!is_durable) {
        r->work->fail(r);
    } else {
        if (r->work->done != NULL) {
            r->work->done(r);
        }
        show_receipt(r);
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

static bool is_answered_when_queued(const struct request *r)
{
    return r->work->record == WORK_BY_VERDICT && r->outcome.action == ACTION_ALLOW &&
           receipts_of(r->service) != RECEIPTS_ALWAYS;
}

static enum step deliver(struct request *r)
{
    struct decision_log *log = r->service->log;
    struct error err;

    if ((r->reply.status != 200 && r->record.len == 0) || r->work->record == WORK_UNRECORDED) {
        return answer(r);
    }
    if (r->record.len == 0) {
        r->work->fail(r);
        return answer(r);
    }
    if (is_answered_when_queued(r)) {
        if (!decision_log_is_healthy(log) ||
            !decision_log_append(log, buf_span(&r->record), NULL, NULL, &err)) {
            r->work->fail(r);
        }
        return answer(r);
    }
    if (!r->is_suspended) {
        request_suspend(r);
    }
    struct decision_receipt *receipt = receipts_of(r->service) == RECEIPTS_OFF ? NULL : &r->receipt;
    if (!decision_log_append_receipt(log, buf_span(&r->record), receipt, recorded, r, &err)) {
        r->work->fail(r);
        request_resume(r);
    }
    return STEP_SUSPENDED;
}

static void answered(void *context);

/* Delivers, unless the supervisor is to be asked first. After STEP_SUSPENDED the request is another
 * thread's. */
static enum step settle(struct request *r)
{
    if (!inquiry_is_due(r->inquiry) || r->reply.status != 0) {
        return deliver(r);
    }
    if (!r->is_suspended) {
        request_suspend(r);
    }
    inquiry_ask(r->inquiry, r->service->supervisor, answered, r);
    return STEP_SUSPENDED;
}

static void run_queued(void *context, struct worker *w)
{
    struct request *r = context;

    if (w == NULL) {
        request_overload(r, "the service is stopping");
    } else {
        r->work->judge(r, w);
    }
    (void)settle(r);
}

/* From the supervisor's thread, which judges nothing itself: a long text would make it late. */
static void answered(void *context)
{
    struct request *r = context;

    r->job = (struct job){.run = run_queued, .context = r};
    if (!worker_pool_submit(r->service->pool, &r->job)) {
        request_overload(r, "too many texts are waiting");
        (void)deliver(r);
    }
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

enum step work_run(struct request *r, const struct work *work)
{
    r->work = work;
    if (r->body.len > r->service->options->inline_max) {
        return queue(r);
    }
    struct worker *w = worker_pool_borrow(r->service->pool);
    if (w == NULL) {
        return queue(r);
    }
    work->judge(r, w);
    worker_pool_give_back(r->service->pool, w);
    return settle(r);
}
