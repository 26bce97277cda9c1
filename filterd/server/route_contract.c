/* route_contract.c - the guardrail APIs of other products (contracts/contract.h): judged, recorded and counted like
 * /v1/filter, answered in the product's shape.
 *
 * The headers Filterd-Policy, Filterd-Tenant and Filterd-Agent, which an operator sets in the product's configuration, win over
 * names in the body. Filterd-Redact: block makes a redaction a block, for products that drop redactions. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/uuid.h"
#include "contracts/contract.h"
#include "http/fault.h"
#include "http/identities.h"
#include "pipeline/pipeline.h"
#include "server/routes.h"
#include "service/inquiry.h"
#include "service/sealing.h"
#include "service/second_look.h"
#include "service/admission.h"
#include "service/work.h"

struct judging {
    const struct contract *contract;
    struct contract_call call;
    struct contract_exchange c;
    struct exchange x;
};

static struct span header_of(const void *context, const char *name)
{
    return request_header(context, name);
}

static struct judging judging_of(const struct request *r, struct arena *a)
{
    return (struct judging){.contract = contract_find(r->route->path),
                            .call = {.arena = a,
                                     .body = buf_span(&r->body),
                                     .parameter = span_str(r->parameter),
                                     .text_max = r->service->options->text_max,
                                     .names = r->service->names,
                                     .header = header_of,
                                     .context = r}};
}

/* An error in the product's shape. */
static void refuse(struct request *r, const struct contract *contract, const struct filter_fault *fault)
{
    struct error err;
    struct writer w = {.out = &r->answer, .err = &err, .is_ok = true};

    buf_clear(&r->answer);
    contract->refuse(&w, fault);
    if (!w.is_ok) {
        buf_clear(&r->answer);
    }
    r->reply = (struct reply){.status = fault->status, .type = "application/json", .retry_s = fault->retry_s};
}

static bool read_name(const struct request *r, const char *header, struct span *name, struct filter_fault *fault)
{
    struct span value = request_header(r, header);

    if (value.len > (size_t)FILTER_NAME_MAX || name->len > (size_t)FILTER_NAME_MAX) {
        return fault_set(fault, 422, "", "at most %d bytes in names and in %s expected", FILTER_NAME_MAX, header);
    }
    *name = value.len > 0 ? value : *name;
    return true;
}

/* "block" is the only value, as a misspelt one would redact where nothing is redacted. */
static bool read_redact(const struct request *r, bool *takes_no_change, struct filter_fault *fault)
{
    struct span value = request_header(r, "Filterd-Redact");

    *takes_no_change = *takes_no_change || span_is(value, "block");
    return value.len == 0 || span_is(value, "block") || fault_set(fault, 422, "", "'block' expected in Filterd-Redact");
}

/* A policy that the contract's own path names need not exist: its names are not filterd's. */
static const struct policy *find_policy(const struct request *r, const struct judging *j)
{
    struct span header = request_header(r, "Filterd-Policy"), tenant = identity_tenant(&j->c.who);
    const struct policy *named = header.len > 0 || j->c.policy.len == 0 ? NULL : snapshot_policy(r->snapshot, j->c.policy, tenant);

    return named != NULL ? named : snapshot_policy(r->snapshot, header, tenant);
}

static bool prepare(const struct request *r, struct judging *j, struct filter_fault *fault)
{
    struct error err;

    if (!j->contract->read(&j->call, &j->c, fault)) {
        return false;
    }
    j->c.who.route = span_str(r->route->path);
    if (!read_name(r, "Filterd-Tenant", &j->c.who.tenant, fault) || !read_name(r, "Filterd-Agent", &j->c.who.agent, fault) ||
        !read_name(r, "Filterd-Session", &j->c.who.session, fault) ||
        !read_name(r, "Filterd-User", &j->c.who.user, fault) || !read_redact(r, &j->c.takes_no_change, fault) ||
        !identity_show(r->service->identities, r->snapshot, j->call.arena, &j->c.who, fault)) {
        fault->pointer[0] = '\0'; /* the names have others in the contract */
        return false;
    }
    j->c.who.caller = r->caller;
    j->c.who.trace = r->trace;
    j->x = (struct exchange){.snapshot = r->snapshot,
                             .policy = find_policy(r, j),
                             .who = j->c.who,
                             .now_ns = clock_utc_ns(),
                             .channels = j->c.channels,
                             .n_channels = j->c.n_channels};
    if (j->x.policy == NULL) {
        return fault_set(fault, 422, "", "the name of a policy expected in Filterd-Policy");
    }
    if (!uuid_make(j->x.now_ns, j->x.id.bytes, &err)) {
        return fault_set(fault, 503, "", "no random bytes at the moment");
    }
    inquiry_apply(r->inquiry, r->service, &j->x);
    return true;
}

/* Whether the answer has no place for what is redacted there. */
static bool stays(const struct judging *j, const struct finding *f)
{
    return f->action == ACTION_REDACT && !f->is_shadow && f->channel >= j->c.n_channels - j->c.n_rest;
}

static void block_redaction(struct judging *j)
{
    bool is_blocked = j->c.takes_no_change;

    for (size_t i = 0; i < j->x.n_findings && j->c.n_rest > 0; i++) {
        is_blocked |= stays(j, &j->x.findings[i]);
    }
    if (is_blocked && j->x.action == ACTION_REDACT) {
        j->x.action = ACTION_BLOCK;
        j->x.notice = j->x.policy->notice;
    }
}

/* False: the answer is the product's error. */
static bool write_answer(struct request *r, struct judging *j, const struct exchange *x, struct error *err)
{
    struct writer w = {.out = &r->answer, .err = err, .is_ok = true};

    buf_clear(&r->answer);
    request_limit_answer(r);
    unsigned status = j->contract->write(&w, &j->call, &j->c, x);
    r->reply = (struct reply){.status = status, .type = "application/json"};
    return w.is_ok;
}

static void refuse_unwritten(struct request *r, const struct judging *j, const struct error *err)
{
    struct filter_fault fault;

    if (err->kind == ERROR_LIMIT) {
        (void)fault_set(&fault, 413, "", "fewer texts or results expected: the answer would have more than %zu bytes", r->answer.max);
    } else {
        (void)fault_set(&fault, 500, "", "the answer could not be written");
    }
    refuse(r, j->contract, &fault);
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
    if (!write_answer(r, j, &j->x, &err)) {
        exchange_fail(&j->x, "the answer could not be written");
        refuse_unwritten(r, j, &err);
    }
    r->outcome.action = j->x.action;
    if (!decision_format(&j->x, token_keys_at(r->service->token_keys, j->x.now_ns), elapsed_ns, &r->record, &err)) {
        buf_clear(&r->record);
    }
    metrics_count_exchange(&r->service->metrics, &j->x, elapsed_ns);
}

static void judge(struct request *r, struct worker *w)
{
    struct arena memory CLEANUP(arena_deinit); /* the pipeline uses the worker's */
    struct filter_fault fault = {0};

    arena_init(&memory, 0, worker_limits_default().memory_max);
    struct judging j = judging_of(r, &memory);
    if (!prepare(r, &j, &fault)) {
        refuse(r, j.contract, &fault);
        return;
    }
    enum admission admission = admission_check(r->service, &j.x, &fault.retry_s);
    if (admission == ADMISSION_WAIT && r->inquiry == NULL) {
        (void)fault_set(&fault, 429, "", "%s", admission_throttled);
        refuse(r, j.contract, &fault);
        return;
    }
    bool is_asking = false;
    if (admission != ADMISSION_BLOCKED) {
        (void)worker_begin(w);
        is_asking = inquiry_judge(&r->inquiry, w, &j.x, r->received_ns);
    }
    if (!is_asking && admission != ADMISSION_BLOCKED) {
        block_redaction(&j);
        admission_count(r->service, &j.x);
    }
    if (!is_asking) {
        answer(r, &j);
        second_look_begin(r->service, w, &j.x);
    }
}

/* The record could not be written: no answer, in the product's shape, at which clients that fail closed stop. */
static void fail(struct request *r)
{
    (void)atomic_fetch_add(&r->service->metrics.unrecorded, 1);
    refuse(r, contract_find(r->route->path),
           &(struct filter_fault){.status = 500, .detail = "the decision could not be recorded"});
}

enum step route_contract_run(struct request *r)
{
    static const struct work work = {.record = WORK_BY_VERDICT, .receipt = RECEIPT_HEADER, .judge = judge, .fail = fail};

    r->snapshot = service_snapshot(r->service);
    return work_run(r, &work);
}
