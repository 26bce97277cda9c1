/* route_record.c - the record as a log that others verify (C2SP tlog-tiles): GET /v1/record/checkpoint, /cosigned,
 * /tile/..., /policy, /consistency, POST /v1/record/checkpoint, GET /v1/records/{seq}/proof and
 * GET /v1/receipts/{seq.hash}.
 *
 * All of it reads files, so a worker does it: the operators' thread has kills to order. */
#include <sodium.h>

#include "http/parameters.h"
#include "record/note_text.h"
#include "record/receipt.h"
#include "server/record_job.h"

enum { RECEIPT_RETRY = 1 }; /* seconds: checkpoints are made as often */

static const char plain[] = "text/plain; charset=utf-8", octets[] = "application/octet-stream";
static const char changes[] = "no-cache", stays[] = "private, max-age=31536000, immutable";

static const struct log_view *view_of(const struct request *r)
{
    return &r->service->witnessed.view;
}

/* --- checkpoints and policy --------------------------------------------------- */

static bool show_checkpoint(struct request *r, struct error *err)
{
    return log_view_checkpoint(view_of(r), false, &r->answer, err);
}

static void checkpoint_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_checkpoint, plain, changes);
}

enum step route_checkpoint_run(struct request *r)
{
    return record_job_queue(r, checkpoint_job);
}

static bool show_cosigned(struct request *r, struct error *err)
{
    return log_view_checkpoint(view_of(r), true, &r->answer, err);
}

static void cosigned_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_cosigned, plain, changes);
}

enum step route_cosigned_run(struct request *r)
{
    return record_job_queue(r, cosigned_job);
}

/* Signs what is on disk first. */
static bool make_checkpoint(struct request *r, struct error *err)
{
    return decision_log_checkpoint(r->service->log, err) && show_checkpoint(r, err);
}

static void make_checkpoint_job(void *context, struct worker *w)
{
    record_job_run(context, w, make_checkpoint, plain, changes);
}

enum step route_make_checkpoint_run(struct request *r)
{
    return record_job_queue(r, make_checkpoint_job);
}

static bool show_policy(struct request *r, struct error *err)
{
    return witnessed_policy(&r->service->witnessed, &r->service->signer, &r->answer, err);
}

static void policy_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_policy, plain, changes);
}

enum step route_record_policy_run(struct request *r)
{
    return record_job_queue(r, policy_job);
}

/* --- tiles -------------------------------------------------------------------- */

static bool show_tile(struct request *r, struct error *err)
{
    struct tile_name name;
    char path[sizeof("tile/") + REQUEST_PARAMETER_MAX];

    (void)snprintf(path, sizeof(path), "tile/%s", r->parameter);
    if (!tile_path_parse(span_str(path), &name, err)) {
        request_problem(r, 404, "a path such as tile/0/x001/234.p/7 expected", NULL);
        return false;
    }
    if (name.is_entries && !service_hold(r->service, LOG_VIEW_BUNDLE_MAX)) {
        request_overload(r, "out of memory");
        return false;
    }
    r->held += name.is_entries ? LOG_VIEW_BUNDLE_MAX : 0; /* given back with the request */
    return log_view_tile(view_of(r), &name, &r->answer, err);
}

static void tile_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_tile, octets, stays);
}

enum step route_tile_run(struct request *r)
{
    return record_job_queue(r, tile_job);
}

/* --- proofs ------------------------------------------------------------------- */

struct sizes {
    uint64_t from, to, size;
};

static bool take_size(void *into, struct span name, struct span value, unsigned *seen, struct filter_fault *fault)
{
    struct sizes *s = into;
    const struct {
        const char *name;
        uint64_t *value;
    } known[] = {{"from", &s->from}, {"to", &s->to}, {"size", &s->size}};

    for (unsigned i = 0; i < COUNT(known); i++) {
        if (span_is(name, known[i].name) && (*seen >> i & 1U) == 0 && note_read_number(value, known[i].value)) {
            *seen |= 1U << i;
            return true;
        }
    }
    return fault_set(fault, 422, "", "the parameters from, to and size expected, each once, a number");
}

static bool read_sizes(struct request *r, struct sizes *s)
{
    struct filter_fault fault;

    *s = (struct sizes){0};
    if (parameters_read(r->connection, take_size, s, &fault)) {
        return true;
    }
    request_problem(r, fault.status, fault.detail, NULL);
    return false;
}

static bool show_consistency(struct request *r, struct error *err)
{
    struct sizes s;

    return read_sizes(r, &s) && log_view_consistency(view_of(r), s.from, s.to, &r->answer, err);
}

static void consistency_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_consistency, plain, stays);
}

enum step route_consistency_run(struct request *r)
{
    return record_job_queue(r, consistency_job);
}

static bool show_proof(struct request *r, struct error *err)
{
    struct sizes s;
    uint64_t seq;

    if (!note_read_number(span_str(r->parameter), &seq)) {
        request_problem(r, 404, "the number of a record expected", NULL);
        return false;
    }
    return read_sizes(r, &s) && log_view_proof(view_of(r), seq, s.size, &r->answer, err);
}

static void proof_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_proof, plain, changes);
}

enum step route_proof_run(struct request *r)
{
    return record_job_queue(r, proof_job);
}

/* One answer for a line that is not signed yet and for a receipt of no line: nothing can be listed. */
static void show_no_receipt(struct request *r)
{
    request_problem(r, 404, "no checkpoint covers a line with this receipt; a line that was just written is covered within seconds",
                    NULL);
    r->reply.retry_s = RECEIPT_RETRY;
}

static bool show_receipt(struct request *r, struct error *err)
{
    struct tree_hash leaf;
    uint64_t seq;

    if (!receipt_parse(span_str(r->parameter), &seq, &leaf, err)) {
        request_problem(r, 404, err->text, NULL);
        return false;
    }
    bool is_shown = log_view_receipt(view_of(r), seq, &leaf, &r->answer, err);
    if (!is_shown && err->kind == ERROR_NOT_FOUND) {
        buf_clear(&r->answer);
        show_no_receipt(r);
    }
    return is_shown;
}

static void receipt_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_receipt, plain, changes);
}

enum step route_receipt_run(struct request *r)
{
    return record_job_queue(r, receipt_job);
}
