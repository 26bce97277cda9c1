#include "server/record_job.h"

#include "base/log.h"

/* What was appended to the answer, or why it could not be. */
static void answer(struct request *r, bool is_done, const char *type, const char *cache, const struct error *err)
{
    if (is_done) {
        r->reply = (struct reply){.status = 200, .type = type, .cache = cache};
        return;
    }
    buf_clear(&r->answer);
    switch (err->kind) {
    case ERROR_NOT_FOUND:
        request_problem(r, 404, "not there, or not under a checkpoint yet", NULL);
        return;
    case ERROR_NO_MEMORY:
    case ERROR_LIMIT:
        request_overload(r, "out of memory");
        return;
    case ERROR_INTERNAL:
    case ERROR_MALFORMED:
    case ERROR_INVALID:
    case ERROR_DENIED:
    case ERROR_SYSTEM:
    default:
        log_error("record: %s", err->text);
        request_problem(r, 500, "the record could not be read; see the log of the service", NULL);
    }
}

void record_job_run(struct request *r, const struct worker *w, record_show_fn *show, const char *type, const char *cache)
{
    struct error err;

    if (w == NULL) {
        request_overload(r, "the service is stopping");
    } else {
        bool is_done = show(r, &err);
        if (r->reply.status == 0) {
            answer(r, is_done, type, cache, &err);
        }
    }
    request_resume(r);
}

enum step record_job_queue(struct request *r, void (*job)(void *context, struct worker *w))
{
    r->job = (struct job){.run = job, .context = r};
    request_suspend(r);
    if (!worker_pool_submit(r->service->pool, &r->job)) {
        request_overload(r, "too many long texts are waiting");
        request_resume(r);
    }
    return STEP_SUSPENDED;
}
