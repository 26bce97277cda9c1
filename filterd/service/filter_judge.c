#include "service/filter_judge.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/uuid.h"
#include "http/identities.h"
#include "service/inquiry.h"
#include "http/parameters.h"
#include "service/sealing.h"
#include "service/second_look.h"
#include "service/standing.h"
#include "pipeline/pipeline.h"

static const char no_record[] = "the record could not be written";

static bool take_parameter(void *request, struct span name, struct span value, unsigned *seen,
                           struct filter_fault *fault)
{
    return filter_request_set(request, name, value, seen, fault);
}

static bool read_request(const struct filter_job *job, struct arena *a, struct filter_request *q,
                         struct filter_fault *fault)
{
    size_t text_max = job->service->options->text_max;

    if (!job->is_plain_in) {
        return filter_request_read(a, job->body, text_max, q, fault);
    }
    return filter_request_plain(job->body, text_max, q, fault) &&
           parameters_read(job->parameters, take_parameter, q, fault);
}

static bool refuse(struct filter_fault *fault, unsigned status, const char *pointer,
                   const char *detail)
{
    fault->status = status;
    (void)snprintf(fault->pointer, sizeof(fault->pointer), "%s", pointer);
    (void)snprintf(fault->detail, sizeof(fault->detail), "%s", detail);
    return false;
}

static bool prepare(const struct filter_job *job, struct arena *a, struct filter_request *q, struct exchange *x,
                    struct filter_fault *fault)
{
    struct error err;

    if (!identity_show(job->service->identities, job->snapshot, a, &q->who, fault)) {
        return false;
    }
    q->who.route = span_str("/v1/filter");
    q->who.caller = job->caller;
    *x = (struct exchange){
        .snapshot = job->snapshot,
        .policy = snapshot_policy(job->snapshot, q->policy, identity_tenant(&q->who)),
        .who = q->who,
        .now_ns = clock_utc_ns(),
        .channels = q->channels,
        .n_channels = q->n_channels,
    };
    if (x->policy == NULL) {
        return refuse(fault, 422, "/policy", "the name of a policy expected");
    }
    if (!uuid_make(x->now_ns, x->id.bytes, &err)) {
        return refuse(fault, 503, "", "no random bytes at the moment");
    }
    inquiry_apply(*job->inquiry, job->service, x);
    return true;
}

static bool write_answer(const struct filter_job *job, const struct filter_request *q,
                         const struct exchange *x, uint64_t elapsed_ns, struct arena *a,
                         struct buf *out)
{
    struct error err;

    if (job->is_plain_out && q->kind == FILTER_TEXT) {
        return filter_answer_plain(x, out, &err);
    }
    return filter_answer_write(q, x, elapsed_ns, a, out, &err);
}

static void write_failed(const struct filter_outcome *o, bool is_plain, const char *reason,
                         struct buf *out)
{
    struct error err;

    buf_clear(out);
    bool is_written = is_plain && o->kind == FILTER_TEXT
                          ? filter_answer_failed_plain(o, out, &err)
                          : filter_answer_failed(o, reason, out, &err);
    if (!is_written) {
        buf_clear(out); /* nothing is delivered: that is a block, too */
    }
}

/* A request that waited for the supervisor has been admitted already, but its agent may have been stopped meanwhile. */
static bool judge(const struct filter_job *job, struct worker *w, struct exchange *x, bool *is_asking,
                  struct filter_fault *fault)
{
    bool is_first = *job->inquiry == NULL;
    enum standing standing = standing_admit(job->service, x, &fault->retry_s);

    if (standing == STANDING_WAIT && is_first) {
        return refuse(fault, 429, "", standing_throttled);
    }
    if (standing == STANDING_BLOCKED) {
        return true;
    }
    *is_asking = inquiry_judge(job->inquiry, w, x, job->started_ns);
    if (!*is_asking) {
        standing_count(job->service, x);
    }
    return true;
}

bool filter_judge(const struct filter_job *job, struct worker *w, struct filter_outcome *outcome,
                  struct buf *answer, struct buf *record, struct filter_fault *fault)
{
    struct arena *a = worker_begin(w);
    struct filter_request q;
    struct exchange x;
    struct error err;

    if (!read_request(job, a, &q, fault) || !prepare(job, a, &q, &x, fault)) {
        return false;
    }
    bool is_asking = false;
    if (!judge(job, w, &x, &is_asking, fault)) {
        return false;
    }
    if (is_asking) {
        return true;
    }
    struct sealed_note note;
    sealing_apply(job->service, &x, &note);
    uint64_t elapsed_ns = clock_monotonic_ns() - job->started_ns;
    filter_outcome_set(outcome, &q, &x, elapsed_ns);
    if (!write_answer(job, &q, &x, elapsed_ns, a, answer)) {
        exchange_fail(&x, "the answer could not be written");
        filter_outcome_fail(outcome);
        write_failed(outcome, job->is_plain_out, x.unjudged_reason, answer);
    }
    if (!decision_format(&x, token_keys_at(job->service->token_keys, x.now_ns), elapsed_ns, record, &err)) {
        buf_clear(record);
    }
    metrics_count_exchange(&job->service->metrics, &x, elapsed_ns);
    second_look_begin(job->service, w, &x);
    return true;
}

void filter_judge_unrecorded(struct service *s, struct filter_outcome *outcome, bool is_plain,
                             struct buf *answer)
{
    (void)atomic_fetch_add(&s->metrics.unrecorded, 1);
    filter_outcome_fail(outcome);
    write_failed(outcome, is_plain, no_record, answer);
}
