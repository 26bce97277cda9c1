/* route_litellm.c - POST /beta/litellm_basic_guardrail_api: LiteLLM's generic guardrail.
 *
 * The answer has the texts to deliver. LiteLLM does not accept rewritten arguments of tool calls, so a
 * redaction in them blocks. A block has only the policy's notice, because LiteLLM forwards
 * the reason to the caller of the model. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/uuid.h"
#include "http/fault.h"
#include "http/identities.h"
#include "service/inquiry.h"
#include "http/litellm_stream.h"
#include "server/routes.h"
#include "service/sealing.h"
#include "service/second_look.h"
#include "service/admission.h"
#include "service/work.h"
#include "http/writer.h"
#include "pipeline/pipeline.h"

struct judging {
    struct litellm_request q;
    struct exchange x;
    struct litellm_stream stream;
    bool takes_nothing; /* no text can be rewritten */
};

/* A name that LiteLLM's configuration may set: its callers cannot. An absent header is no name. */
static bool read_name(const struct request *r, const char *header, struct span *name, struct filter_fault *fault)
{
    struct span value = request_header(r, header);

    if (value.len > (size_t)FILTER_NAME_MAX) {
        return fault_set(fault, 422, "", "at most %d bytes in %s expected", FILTER_NAME_MAX, header);
    }
    *name = value.len > 0 ? value : *name;
    return true;
}

/* "block" is the only value, as a misspelt one would redact where nothing is redacted. */
static bool read_redact(const struct request *r, bool *takes_nothing, struct filter_fault *fault)
{
    struct span value = request_header(r, "Filterd-Redact");

    *takes_nothing = span_is(value, "block");
    return *takes_nothing || value.len == 0 || fault_set(fault, 422, "", "'block' expected in Filterd-Redact");
}

static bool prepare(const struct request *r, struct arena *a, struct judging *j, struct filter_fault *fault)
{
    struct error err;

    j->q.who.route = span_str(r->route->path);
    if (!read_name(r, "Filterd-Tenant", &j->q.who.tenant, fault) ||
        !read_name(r, "Filterd-Agent", &j->q.who.agent, fault) || !read_redact(r, &j->takes_nothing, fault) ||
        !identity_show(r->service->identities, r->snapshot, a, &j->q.who, fault)) {
        fault->pointer[0] = '\0'; /* the names have others there */
        return false;
    }
    j->q.who.caller = r->caller;
    j->q.who.trace = r->trace;
    j->x = (struct exchange){
        .snapshot = r->snapshot,
        .policy =
            snapshot_policy(r->snapshot, request_header(r, "Filterd-Policy"), identity_tenant(&j->q.who)),
        .who = j->q.who,
        .now_ns = clock_utc_ns(),
        .channels = j->q.channels,
        .n_channels = j->q.n_channels,
    };
    if (j->x.policy == NULL) {
        return fault_set(fault, 422, "", "the name of a policy expected in Filterd-Policy");
    }
    if (!uuid_make(j->x.now_ns, j->x.id.bytes, &err)) {
        return fault_set(fault, 503, "", "no random bytes at the moment");
    }
    inquiry_apply(r->inquiry, r->service, &j->x);
    return true;
}

/* What was asked of a model is posted once, whole; what it writes, perhaps in parts. */
static void feed_stream(const struct request *r, struct judging *j, struct worker *w)
{
    const struct stream_options options = {
        .snapshot = r->snapshot,
        .policy = j->x.policy,
        .who = j->x.who,
        .id = j->x.id,
        .now_ns = j->x.now_ns,
        .text_max = r->service->options->text_max,
        .hold_max = r->service->options->text_max, /* the text is in memory already */
        .is_asked_elsewhere = true, /* it only counts what is held */
    };

    if (j->q.is_response) {
        litellm_stream_feed(&j->stream, &j->q, &options, w);
    }
}

/* Redacted would have to be what LiteLLM does not take back: so it blocks. Of some routes' streams it takes nothing back. */
static void block_what_stays(struct judging *j)
{
    struct exchange *x = &j->x;

    for (size_t i = 0; i < x->n_findings && x->action == ACTION_REDACT; i++) {
        const struct finding *f = &x->findings[i];
        bool stays = j->takes_nothing || f->channel >= j->q.n_texts;
        if (stays && f->action == ACTION_REDACT && !f->is_shadow) {
            x->action = ACTION_BLOCK;
            x->rule = f->rule->id;
            x->notice = x->policy->notice;
        }
    }
}

static void write_blocked(struct writer *w, const struct policy *policy)
{
    put(w, "{\"action\":\"BLOCKED\",\"blocked_reason\":");
    put_string(w, policy->notice);
    put(w, "}");
}

static void write_texts(struct writer *w, const struct judging *j)
{
    put(w, ",\"texts\":[");
    for (size_t i = 0; i < j->q.n_texts; i++) {
        put(w, i == 0 ? "" : ",");
        put_string(w, j->q.channels[i].output);
    }
    put(w, "],\"stream_holdback_chars\":[");
    for (size_t i = 0; i < j->q.n_texts; i++) {
        struct span output = j->q.channels[i].output;
        put(w, i == 0 ? "" : ",");
        put_number(w, j->q.is_response ? litellm_stream_held(&j->stream, i, output) : 0);
    }
    put(w, "]");
}

static bool write_answer(const struct judging *j, struct buf *out)
{
    struct error err;
    struct writer w = {.out = out, .err = &err, .is_ok = true};

    if (j->x.action == ACTION_BLOCK) {
        write_blocked(&w, j->x.policy);
        return w.is_ok;
    }
    put(&w, j->x.action == ACTION_ALLOW ? "{\"action\":\"NONE\""
                                        : "{\"action\":\"GUARDRAIL_INTERVENED\"");
    if (j->q.n_texts > 0) {
        write_texts(&w, j);
    }
    put(&w, "}");
    return w.is_ok;
}

/* An answer that stays empty is no JSON, which LiteLLM takes for a failure and so for a block. */
static void answer_blocked(struct request *r)
{
    struct error err;
    struct writer w = {.out = &r->answer, .err = &err, .is_ok = true};

    buf_clear(&r->answer);
    write_blocked(&w, r->outcome.policy);
    if (!w.is_ok) {
        buf_clear(&r->answer);
    }
}

static void answer(struct request *r, struct judging *j)
{
    struct sealed_note note;
    sealing_apply(r->service, &j->x, &note);
    const struct exchange_times times = request_times(r);
    uint64_t elapsed_ns = times.ended_ns - r->received_ns;
    struct error err;

    j->x.times = &times;
    r->outcome = (struct filter_outcome){.id = j->x.id, .policy = j->x.policy};
    request_limit_answer(r);
    if (!write_answer(j, &r->answer)) {
        exchange_fail(&j->x, "the answer could not be written");
        answer_blocked(r);
    }
    r->outcome.action = j->x.action;
    if (!decision_format(&j->x, token_keys_at(r->service->token_keys, j->x.now_ns), elapsed_ns, &r->record, &err)) {
        buf_clear(&r->record);
    }
    metrics_count_exchange(&r->service->metrics, &j->x, elapsed_ns);
    r->reply = (struct reply){.status = 200, .type = "application/json"};
}

static void judge(struct request *r, struct worker *w)
{
    struct arena memory CLEANUP(arena_deinit); /* the stream uses the worker's */
    struct filter_fault fault;
    struct judging j = {0};
    unsigned wait_s = 0;

    arena_init(&memory, 0, worker_limits_default().memory_max);
    if (!litellm_request_read(&memory, buf_span(&r->body), r->service->options->text_max, &j.q,
                              &fault) ||
        !prepare(r, &memory, &j, &fault)) {
        request_problem(r, fault.status, fault.detail, fault.pointer);
        return;
    }
    enum admission admission = admission_check(r->service, &j.x, &wait_s);
    if (admission == ADMISSION_WAIT && r->inquiry == NULL) {
        request_problem(r, 429, admission_throttled, NULL);
        r->reply.retry_s = wait_s;
        return;
    }
    j.x.budgets = j.q.is_response ? j.x.budgets : NULL; /* what users write discloses nothing to them */
    bool is_asking = false;
    if (admission != ADMISSION_BLOCKED) {
        feed_stream(r, &j, w);
        (void)worker_begin(w);
        is_asking = inquiry_judge(&r->inquiry, w, &j.x, r->received_ns);
    }
    if (!is_asking && admission != ADMISSION_BLOCKED) {
        block_what_stays(&j);
        admission_count(r->service, &j.x);
    }
    if (!is_asking) {
        answer(r, &j);
        second_look_begin(r->service, w, &j.x);
    }
    litellm_stream_deinit(&j.stream);
}

static void fail(struct request *r)
{
    (void)atomic_fetch_add(&r->service->metrics.unrecorded, 1);
    answer_blocked(r);
}

enum step route_litellm_run(struct request *r)
{
    static const struct work work = {.record = WORK_BY_VERDICT, .receipt = RECEIPT_HEADER, .judge = judge, .fail = fail};

    r->snapshot = service_snapshot(r->service);
    return work_run(r, &work);
}
