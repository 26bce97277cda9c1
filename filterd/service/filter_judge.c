#include "service/filter_judge.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/uuid.h"
#include "http/identities.h"
#include "policy/request_policy.h"
#include "service/access.h"
#include "service/inquiry.h"
#include "http/parameters.h"
#include "service/sealing.h"
#include "service/second_look.h"
#include "service/admission.h"
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
    q->who.trace = job->trace;
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

/* The masking of the conversation, which the caller gives back: of the handle, or for a request of its session. */
static bool find_masking(const struct filter_job *job, struct filter_request *q, struct exchange *x, struct filter_fault *fault)
{
    struct conversations *all = job->service->conversations;
    char id[CONVERSATION_ID_MAX];
    struct error err;

    if (q->restore.ptr != NULL) {
        x->masking = conversations_find(all, &job->owner, q->restore, job->started_ns);
        if (x->masking == NULL) {
            return refuse(fault, 422, "/restore", "the handle of a conversation of this caller expected");
        }
        (void)snprintf(q->handle, sizeof(q->handle), SPAN_FMT, q->is_request ? (int)q->restore.len : 0, q->restore.ptr);
        return true;
    }
    if (q->is_request) {
        x->masking = conversations_open(all, &job->owner, access_conversation_id(&q->who, id), job->started_ns, q->handle, &err);
        return x->masking != NULL || refuse(fault, 503, "", "no room for a conversation at the moment");
    }
    return true;
}

/* A request is judged by the policy's entries for requests; no pseudonym occurs in it. */
static bool set_request(struct arena *a, struct exchange *x)
{
    struct error err;
    struct span *texts = arena_array(a, x->n_channels + 1, sizeof(*texts), &err);

    for (size_t i = 0; texts != NULL && i < x->n_channels; i++) {
        texts[i] = x->channels[i].text;
    }
    x->is_request = true;
    x->policy = &x->policy->request->as;
    x->texts = texts;
    x->n_texts = x->n_channels;
    return texts != NULL;
}

/* What was judged as the model wrote it is delivered with values in place of pseudonyms. */
static void restore(struct arena *a, const struct filter_request *q, struct exchange *x)
{
    struct error err;

    for (size_t i = 0; i < x->n_channels && x->masking != NULL && !q->is_request && x->action != ACTION_BLOCK; i++) {
        struct channel *c = &x->channels[i];
        struct buf out CLEANUP(buf_deinit);
        uint64_t before = x->restored.restored;
        buf_init(&out, a->max);
        if (c->is_member_name || c->is_parts) {
            continue;
        }
        bool is_done = restore_whole(x->masking, RESTORE_GUESS, x->policy->withheld, c->output, &x->restored, &out, &err);
        if (!is_done || (x->restored.restored > before && !arena_copy(a, buf_span(&out), &c->output, &err))) {
            exchange_fail(x, "the answer could not be restored");
        }
    }
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
    enum admission admission = admission_check(job->service, x, &fault->retry_s);

    if (admission == ADMISSION_WAIT && is_first) {
        return refuse(fault, 429, "", admission_throttled);
    }
    if (admission == ADMISSION_BLOCKED) {
        return true;
    }
    *is_asking = inquiry_judge(job->inquiry, w, x, job->started_ns);
    if (!*is_asking) {
        admission_count(job->service, x);
    }
    return true;
}

/* Answer and record of a verdict. */
static void conclude(const struct filter_job *job, struct arena *a, struct filter_request *q, struct exchange *x,
                     struct filter_outcome *outcome, struct buf *answer, struct buf *record)
{
    struct sealed_note note;
    struct error err;

    sealing_apply(job->service, x, &note);
    restore(a, q, x);
    uint64_t now_ns = clock_monotonic_ns(), elapsed_ns = now_ns - job->started_ns;
    uint64_t head_ns = job->head_ns > 0 ? job->head_ns : job->started_ns;
    const struct exchange_times times = {.started_utc_ns = clock_utc_ns() - (int64_t)(now_ns - head_ns),
                                         .started_ns = head_ns, .received_ns = job->started_ns, .ended_ns = now_ns};
    x->times = &times;
    filter_outcome_set(outcome, q, x, elapsed_ns);
    if (!write_answer(job, q, x, elapsed_ns, a, answer)) {
        exchange_fail(x, "the answer could not be written");
        filter_outcome_fail(outcome);
        write_failed(outcome, job->is_plain_out, x->unjudged_reason, answer);
    }
    if (!decision_format(x, token_keys_at(job->service->token_keys, x->now_ns), elapsed_ns, record, &err)) {
        buf_clear(record);
    }
    x->times = NULL;
    metrics_count_exchange(&job->service->metrics, x, elapsed_ns);
}

bool filter_judge(const struct filter_job *job, struct worker *w, struct filter_outcome *outcome,
                  struct buf *answer, struct buf *record, struct filter_fault *fault)
{
    struct arena *a = worker_begin(w);
    struct system_prompt *prompt CLEANUP(system_prompt_drop) = NULL;
    struct filter_request q;
    struct exchange x;

    if (!read_request(job, a, &q, fault) || !prepare(job, a, &q, &x, fault) ||
        !context_system_prompt(&q.context, x.policy, &prompt, fault) || !find_masking(job, &q, &x, fault)) {
        return false;
    }
    x.system_prompt = prompt;
    struct masking *masking = x.masking;
    if (q.is_request && !set_request(a, &x)) {
        masking_unref(masking);
        return refuse(fault, 503, "", "no room for the request at the moment");
    }
    bool is_asking = false, is_judged = judge(job, w, &x, &is_asking, fault);
    if (is_judged && !is_asking) {
        conclude(job, a, &q, &x, outcome, answer, record);
        x.masking = NULL; /* the second look has none */
        second_look_begin(job->service, w, &x);
    }
    masking_unref(masking);
    return is_judged;
}

void filter_judge_unrecorded(struct service *s, struct filter_outcome *outcome, bool is_plain,
                             struct buf *answer)
{
    (void)atomic_fetch_add(&s->metrics.unrecorded, 1);
    filter_outcome_fail(outcome);
    write_failed(outcome, is_plain, no_record, answer);
}
