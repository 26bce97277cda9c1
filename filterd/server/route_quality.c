/* route_quality.c - the precision of a rule, from dispositions: GET /v1/rules/{id}/quality. */
#include <inttypes.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "http/parameters.h"
#include "index/index_find.h"
#include "query/timestamp.h"
#include "review/quality_find.h"
#include "server/feedback_json.h"
#include "service/reviews.h"

static const char json[] = "application/json", no_store[] = "no-store";
static const int64_t hour_ms = 3600 * 1000, day_ms = 24 * 3600 * 1000;
enum { SINCE_DAYS = 30, SHADOW_DAYS = 90, SUGGESTION_MAX = 1024 };

struct report {
    struct span rule, tenant; /* tenant ptr NULL: all */
    int64_t since_ms, now_ms;
    struct quality quality;
    uint64_t hits[INDEX_BLOCK + 1]; /* lines that the rule decided, by action */
    uint64_t allowed;               /* lines, of all rules */
};

/* --- reading -------------------------------------------------------------------- */

static bool take_since(void *into, struct span name, struct span value, unsigned *seen, struct filter_fault *fault)
{
    struct report *p = into;
    int64_t ns;

    if (!span_is(name, "since") || *seen != 0 || !timestamp_parse(value, p->now_ms * 1000000, &ns) || ns / 1000000 >= p->now_ms) {
        return fault_set(fault, 422, "", "the parameter since expected, once: a time in the past, or an age such as 7d");
    }
    *seen = 1;
    p->since_ms = ns / 1000000;
    return true;
}

static bool add_hits(void *context, const struct index_tally_row *row, struct error *err)
{
    struct report *p = context;

    (void)err;
    if (row->action >= 0 && row->action <= INDEX_BLOCK) {
        p->hits[row->action] += row->n;
    }
    return true;
}

static bool add_allowed(void *context, const struct index_tally_row *row, struct error *err)
{
    struct report *p = context;

    (void)err;
    p->allowed += row->n;
    return true;
}

static bool read_tallies(struct service *s, struct report *p, struct error *err)
{
    struct index_tally_query q = {.by = INDEX_BY_ACTION, .from_hour = p->since_ms / hour_ms, .end_hour = p->now_ms / hour_ms + 1,
                                  .tenant = p->tenant, .rule = p->rule, .action = INDEX_NO_ACTION};
    struct index_reader *index = index_reader_open(s->following.path, s->following.place.folder, err);

    bool is_read = index != NULL && index_tally_read(index, &q, add_hits, p, err);
    q.rule = span_of(NULL, 0);
    q.action = INDEX_ALLOW;
    is_read = is_read && index_tally_read(index, &q, add_allowed, p, err);
    index_reader_close(index);
    return is_read;
}

static bool read_report(struct service *s, struct report *p, struct error *err)
{
    struct review_reader *review = reviews_open(s, err);

    bool is_read = review != NULL && quality_find(review, p->rule, p->tenant, p->since_ms, &p->quality, err) && read_tallies(s, p, err);
    review_reader_close(review);
    return is_read;
}

/* --- writing -------------------------------------------------------------------- */

static void put_share(struct writer *w, const char *name, struct estimate e)
{
    put(w, ",\"");
    put(w, name);
    put(w, "\":{\"value\":");
    put_fraction(w, e.value);
    put(w, ",\"low\":");
    put_fraction(w, e.low);
    put(w, ",\"high\":");
    put_fraction(w, e.high);
    put(w, "}");
}

/* Without reviewed items there is no precision. */
static void put_row(struct writer *w, const struct quality_row *row)
{
    uint64_t right = row->n[ITEM_TRUE_POSITIVE], n = right + row->n[ITEM_FALSE_POSITIVE];

    put(w, "{\"digest\":");
    put_string(w, span_str(row->digest));
    for (unsigned i = ITEM_TRUE_POSITIVE; i < ITEM_DISPOSITIONS; i++) {
        put_count(w, item_disposition_name(i), row->n[i]);
    }
    if (n > 0) {
        put_share(w, "precision", quality_proportion(right, n));
    }
    put(w, "}");
}

static void put_misses(struct writer *w, const struct report *p)
{
    double days = (double)(p->now_ms - p->since_ms) / (double)day_ms;
    struct estimate e = quality_misses_per_week(p->quality.samples.missed, p->quality.samples.n, p->allowed, days);
    char text[128];

    put(w, ",\"misses\":{\"sampled\":");
    put_number(w, p->quality.samples.n);
    put_count(w, "missed", p->quality.samples.missed);
    put_count(w, "allowed", p->allowed);
    if (p->quality.samples.n > 0) {
        (void)snprintf(text, sizeof(text), ",\"per_week\":{\"value\":%.1f,\"low\":%.1f,\"high\":%.1f}", e.value, e.low, e.high);
        put(w, text);
    }
    put(w, "},\"rule_samples\":{\"sampled\":");
    put_number(w, p->quality.rule_samples.n);
    put_count(w, "missed", p->quality.rule_samples.missed);
    put(w, "}");
}

/* An entry of `exceptions`: findings that it covers are recorded and not acted on. */
static void put_suggestion(struct writer *w, const struct report *p)
{
    struct buf line CLEANUP(buf_deinit);
    time_t until = (time_t)((p->now_ms + SHADOW_DAYS * day_ms) / 1000);
    char day[16] = "";
    struct tm t;

    buf_init(&line, SUGGESTION_MAX);
    if (!quality_row_suggests_shadow(&p->quality)) {
        put(w, ",\"suggestion\":null");
        return;
    }
    (void)!(gmtime_r(&until, &t) != NULL && strftime(day, sizeof(day), "%Y-%m-%d", &t) > 0);
    w->is_ok = w->is_ok && buf_append_str(&line, "- {rule: ", w->err) && json_append_string(&line, p->rule, w->err) &&
               buf_appendf(&line, w->err, ", until: %s, why: more often wrong than right}", day);
    put(w, ",\"suggestion\":{\"text\":\"move to shadow?\",\"under\":\"exceptions\",\"policy_line\":");
    put_string(w, buf_span(&line));
    put(w, "}");
}

static bool put_report(struct request *r, const struct report *p, struct error *err)
{
    struct writer w = {.out = &r->answer, .err = err, .is_ok = true};

    put(&w, "{\"rule\":");
    put_string(&w, p->rule);
    put_ms(&w, "since", p->since_ms);
    put(&w, ",\"hits\":{\"block\":");
    put_number(&w, p->hits[INDEX_BLOCK]);
    put_count(&w, "redact", p->hits[INDEX_REDACT]);
    put(&w, "},\"all\":");
    put_row(&w, &p->quality.all);
    put(&w, ",\"policies\":[");
    for (size_t i = 0; i < p->quality.n_rows; i++) {
        put(&w, i == 0 ? "" : ",");
        put_row(&w, &p->quality.rows[i]);
    }
    put(&w, "]");
    put_misses(&w, p);
    put_suggestion(&w, p);
    put(&w, "}\n");
    return w.is_ok;
}

static bool show(struct request *r, struct error *err)
{
    struct report p = {.now_ms = clock_utc_ns() / 1000000, .rule = span_str(r->parameter)};
    struct filter_fault fault;
    struct caller c;

    p.since_ms = p.now_ms - SINCE_DAYS * day_ms;
    if (!feedback_caller(r, &c)) {
        return false;
    }
    if (!parameters_read(r->connection, take_since, &p, &fault)) {
        request_problem(r, fault.status, fault.detail, NULL);
        return false;
    }
    p.tenant = c.tenant[0] == '\0' ? span_of(NULL, 0) : span_str(c.tenant);
    return read_report(r->service, &p, err) && put_report(r, &p, err);
}

static void job(void *context, struct worker *w)
{
    record_job_run(context, w, show, json, no_store);
}

enum step route_quality_run(struct request *r)
{
    return record_job_queue(r, job);
}
