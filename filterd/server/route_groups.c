/* route_groups.c - groups of items, and reviewer agreement: GET /v1/groups, /v1/groups/{id}, /v1/review. These show no records, so
 * accesses are not recorded, as for tallies. */
#include <inttypes.h>

#include "base/clock.h"
#include "http/parameters.h"
#include "record/note_text.h"
#include "server/record_job.h"
#include "server/review_json.h"

enum { LIMIT_DEFAULT = 50 };

static const char json[] = "application/json", no_store[] = "no-store";

struct list {
    struct span tenant, rule, open, before, limit;
};

static bool take_parameter(void *into, struct span name, struct span value, unsigned *seen, struct filter_fault *fault)
{
    struct list *l = into;
    const struct {
        const char *name;
        struct span *value;
    } known[] = {{"tenant", &l->tenant}, {"rule", &l->rule}, {"open", &l->open}, {"before", &l->before}, {"limit", &l->limit}};

    for (unsigned i = 0; i < COUNT(known); i++) {
        if (span_is(name, known[i].name) && (*seen >> i & 1U) == 0) {
            *seen |= 1U << i;
            *known[i].value = value;
            return true;
        }
    }
    return fault_set(fault, 422, "", "the parameters tenant, rule, open, before and limit expected, each once");
}

static bool read_query(struct request *r, const struct list *l, struct review_groups_query *q)
{
    uint64_t limit = LIMIT_DEFAULT;
    struct caller caller;

    *q = (struct review_groups_query){.rule = l->rule, .is_open = span_is(l->open, "true")};
    bool is_good = (l->before.ptr == NULL || note_read_number(l->before, &q->before)) && (l->open.ptr == NULL || q->is_open) &&
                   (l->limit.ptr == NULL || note_read_number(l->limit, &limit)) && limit > 0 && limit <= REVIEW_PAGE_MAX;
    if (!is_good) {
        request_problem(r, 422, "open true, a number as before, and a limit of 1 to 500 expected", NULL);
        return false;
    }
    q->limit = (unsigned)limit;
    (void)access_caller_of(r, &caller);
    if (l->tenant.ptr != NULL && !caller_sees(&caller, l->tenant)) {
        request_problem(r, 403, "these credentials are not valid for that tenant", NULL);
        return false;
    }
    q->tenant = l->tenant;
    return true;
}

struct groups_writer {
    struct writer out;
    uint64_t n;
};

static bool put_one(void *context, const struct review_group *group, struct error *err)
{
    struct groups_writer *w = context;

    w->out.err = err;
    put(&w->out, w->n++ == 0 ? "" : ",\n");
    review_json_group(&w->out, group);
    return w->out.is_ok;
}

static bool write_groups(struct request *r, struct review_reader *reader, const struct review_groups_query *q, struct error *err)
{
    struct groups_writer w = {.out = {.out = &r->answer, .err = err, .is_ok = true}};
    char text[64] = "null";
    uint64_t next;

    put(&w.out, "{\"groups\":[");
    if (!review_groups(reader, q, put_one, &w, &next, err)) {
        return false;
    }
    if (next != 0) {
        (void)snprintf(text, sizeof(text), "\"before=%" PRIu64 "\"", next);
    }
    put(&w.out, "],\"next\":");
    put(&w.out, text);
    put(&w.out, "}\n");
    return w.out.is_ok;
}

static bool show_groups(struct request *r, struct error *err)
{
    struct list l = {.limit = {NULL, 0}};
    struct review_groups_query q;
    struct filter_fault fault;
    struct caller caller;

    if (!parameters_read(r->connection, take_parameter, &l, &fault)) {
        request_problem(r, fault.status, fault.detail, NULL);
        return false;
    }
    if (!read_query(r, &l, &q)) {
        return false;
    }
    (void)access_caller_of(r, &caller);
    q.tenant = q.tenant.ptr != NULL ? q.tenant : review_tenant(&caller);
    struct review_reader *reader = review_open_for(r, err);
    bool is_written = reader != NULL && write_groups(r, reader, &q, err);
    review_reader_close(reader);
    return is_written;
}

static void groups_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_groups, json, no_store);
}

enum step route_groups_run(struct request *r)
{
    return record_job_queue(r, groups_job);
}

/* --- one group ------------------------------------------------------------------ */

static bool write_group(struct request *r, struct review_reader *reader, const struct review_group *g, struct error *err)
{
    struct writer w = {.out = &r->answer, .err = err, .is_ok = true};
    uint64_t hits[REVIEW_DAYS];

    if (!review_group_trend(reader, g->row, clock_utc_ns() / 1000000, hits, err)) {
        return false;
    }
    put(&w, "{\"group\":");
    review_json_group(&w, g);
    put(&w, ",\"hits_by_day\":[");
    for (unsigned i = 0; i < REVIEW_DAYS; i++) {
        put(&w, i == 0 ? "" : ",");
        put_number(&w, hits[i]);
    }
    put(&w, "]}\n");
    return w.is_ok;
}

static bool show_group(struct request *r, struct error *err)
{
    uint8_t id[REVIEW_GROUP];
    struct review_group g;
    struct caller caller;

    if (!review_group_parse(span_str(r->parameter), id)) {
        request_problem(r, 404, "the id of a group expected", NULL);
        return false;
    }
    (void)access_caller_of(r, &caller);
    struct review_reader *reader = review_open_for(r, err);
    bool is_written = reader != NULL && review_group_at(reader, id, review_tenant(&caller), &g, err) && write_group(r, reader, &g, err);
    review_reader_close(reader);
    return is_written;
}

static void group_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_group, json, no_store);
}

enum step route_group_run(struct request *r)
{
    return record_job_queue(r, group_job);
}

/* --- counts --------------------------------------------------------------------- */

static bool put_pair(void *context, const struct review_agreement *pair, struct error *err)
{
    struct groups_writer *w = context;

    w->out.err = err;
    put(&w->out, w->n++ == 0 ? "{\"people\":[" : ",{\"people\":[");
    put_string(&w->out, span_str(pair->first));
    put(&w->out, ",");
    put_string(&w->out, span_str(pair->second));
    w->out.is_ok = w->out.is_ok && buf_appendf(w->out.out, err, "],\"items\":%" PRIu64 ",\"same\":%" PRIu64 ",\"kappa\":%.4f}", pair->n,
                                               pair->n_same, pair->kappa);
    return w->out.is_ok;
}

static bool write_counts(struct request *r, struct review_reader *reader, struct span tenant, struct error *err)
{
    struct groups_writer w = {.out = {.out = &r->answer, .err = err, .is_ok = true}};
    int64_t now_ms = clock_utc_ns() / 1000000;
    struct review_counts c;

    if (!review_counts(reader, tenant, now_ms, &c, err) ||
        !buf_appendf(&r->answer, err,
                     "{\"new\":%" PRIu64 ",\"claimed\":%" PRIu64 ",\"closed\":%" PRIu64 ",\"overdue\":%" PRIu64 "%s,\"oldest_s\":%" PRId64
                     ",\"agreement\":[",
                     c.n[ITEM_NEW], c.n[ITEM_CLAIMED], c.n[ITEM_CLOSED], c.n_overdue,
                     c.n_overdue == REVIEW_COUNT_MAX ? ",\"overdue_is_least\":true" : "",
                     c.oldest_ms == 0 || now_ms < c.oldest_ms ? 0 : (now_ms - c.oldest_ms) / 1000)) {
        return false;
    }
    return review_agreements(reader, tenant, put_pair, &w, err) && buf_append_str(&r->answer, "]}\n", err);
}

static bool show_counts(struct request *r, struct error *err)
{
    struct caller caller;

    (void)access_caller_of(r, &caller);
    struct review_reader *reader = review_open_for(r, err);
    bool is_written = reader != NULL && write_counts(r, reader, review_tenant(&caller), err);
    review_reader_close(reader);
    return is_written;
}

static void counts_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_counts, json, no_store);
}

enum step route_review_counts_run(struct request *r)
{
    return record_job_queue(r, counts_job);
}
