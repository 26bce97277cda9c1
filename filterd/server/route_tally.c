/* route_tally.c - GET /v1/tally: how many lines with an action there are, by hour, tenant, rule, action. */
#include <inttypes.h>
#include <time.h>

#include "base/clock.h"
#include "http/parameters.h"
#include "http/writer.h"
#include "index/index_find.h"
#include "query/timestamp.h"
#include "server/record_job.h"
#include "service/access.h"

static const int64_t hour_ns = INT64_C(3600) * 1000000000;

static const struct {
    const char *name;
    unsigned bit;
} columns[] = {{"hour", INDEX_BY_HOUR}, {"tenant", INDEX_BY_TENANT}, {"rule", INDEX_BY_RULE}, {"action", INDEX_BY_ACTION}};

struct tally_request {
    struct caller caller;
    struct index_tally_query query;
    int64_t now_ns;
};

/* "hour,rule". */
static bool read_by(struct span list, unsigned *by)
{
    while (list.len > 0) {
        const char *comma = memchr(list.ptr, ',', list.len);
        size_t len = comma == NULL ? list.len : (size_t)(comma - list.ptr);
        unsigned bit = 0;
        for (size_t i = 0; i < COUNT(columns); i++) {
            bit |= span_is(span_of(list.ptr, len), columns[i].name) ? columns[i].bit : 0;
        }
        if (bit == 0 || (*by & bit) != 0) {
            return false;
        }
        *by |= bit;
        list = span_slice(list, len + (comma != NULL), list.len);
        if (comma != NULL && list.len == 0) {
            return false;
        }
    }
    return *by != 0;
}

static bool read_hour(struct span text, int64_t now_ns, bool is_end, int64_t *hour)
{
    int64_t ns = 0;

    if (!timestamp_parse(text, now_ns, &ns)) {
        return false;
    }
    *hour = (ns < 0 ? 0 : ns) / hour_ns + (is_end && ns % hour_ns != 0);
    return true;
}

static bool take_by(struct tally_request *t, struct span value)
{
    return read_by(value, &t->query.by);
}

static bool take_since(struct tally_request *t, struct span value)
{
    return read_hour(value, t->now_ns, false, &t->query.from_hour);
}

static bool take_until(struct tally_request *t, struct span value)
{
    return read_hour(value, t->now_ns, true, &t->query.end_hour);
}

static bool take_tenant(struct tally_request *t, struct span value)
{
    t->query.tenant = index_name_cut(value);
    return value.len <= INDEX_NAME_MAX;
}

static bool take_rule(struct tally_request *t, struct span value)
{
    t->query.rule = index_name_cut(value);
    return value.len <= INDEX_NAME_MAX;
}

static bool take_action(struct tally_request *t, struct span value)
{
    t->query.action = index_action_number(value);
    return t->query.action != INDEX_NO_ACTION;
}

static const struct {
    const char *name;
    bool (*take)(struct tally_request *t, struct span value);
} parameters[] = {{"by", take_by},         {"since", take_since}, {"until", take_until},
                  {"tenant", take_tenant}, {"rule", take_rule},   {"action", take_action}};

static bool take_parameter(void *into, struct span name, struct span value, unsigned *seen, struct filter_fault *fault)
{
    for (unsigned i = 0; i < COUNT(parameters); i++) {
        if (span_is(name, parameters[i].name) && (*seen >> i & 1U) == 0) {
            *seen |= 1U << i;
            return parameters[i].take(into, value) ||
                   fault_set(fault, 422, "", "by: of hour, tenant, rule, action, with commas between; since and until: a time; "
                                             "action: allow, redact or block expected");
        }
    }
    return fault_set(fault, 422, "", "the parameters by, since, until, tenant, rule and action expected, each once");
}

struct row_writer {
    struct writer *w;
    unsigned by;
    bool has_some;
};

static void put_hour(struct writer *w, int64_t hour)
{
    time_t seconds = (time_t)(hour * 3600);
    char text[32] = "";
    struct tm t;

    if (gmtime_r(&seconds, &t) != NULL) {
        (void)strftime(text, sizeof(text), "%Y-%m-%dT%H:00:00Z", &t);
    }
    put(w, "\"hour\":");
    put_string(w, span_str(text));
    put(w, ",");
}

/* null: lines that have none. */
static void put_name(struct writer *w, const char *member, struct span name)
{
    put(w, member);
    if (name.len == 0) {
        put(w, "null");
    } else {
        put_string(w, name);
    }
    put(w, ",");
}

static bool put_row(void *context, const struct index_tally_row *row, struct error *err)
{
    struct row_writer *rows = context;
    struct writer *w = rows->w;

    (void)err;
    put(w, rows->has_some ? ",\n{" : "{");
    rows->has_some = true;
    if ((rows->by & INDEX_BY_HOUR) != 0) {
        put_hour(w, row->hour);
    }
    if ((rows->by & INDEX_BY_TENANT) != 0) {
        put_name(w, "\"tenant\":", row->tenant);
    }
    if ((rows->by & INDEX_BY_RULE) != 0) {
        put_name(w, "\"rule\":", row->rule);
    }
    if ((rows->by & INDEX_BY_ACTION) != 0) {
        put_name(w, "\"action\":", span_str(index_action_name(row->action)));
    }
    put(w, "\"n\":");
    put_number(w, row->n);
    put(w, "}");
    return w->is_ok;
}

static bool write_rows(struct request *r, const struct tally_request *t, struct error *err)
{
    const struct following *f = &r->service->following;
    struct writer w = {.out = &r->answer, .err = err, .is_ok = true};
    struct row_writer rows = {.w = &w, .by = t->query.by};

    struct index_reader *reader = index_reader_open(f->path, f->place.folder, err);
    if (reader == NULL) {
        request_overload(r, "the index is being made");
        return false;
    }
    put(&w, "{\"rows\":[");
    bool is_read = index_tally_read(reader, &t->query, put_row, &rows, err) && w.is_ok;
    uint64_t seq = index_reader_seq(reader);
    index_reader_close(reader);
    if (!is_read && w.is_ok && err->kind == ERROR_LIMIT) {
        buf_clear(&r->answer);
        request_problem(r, 422, "more than 10000 rows: a shorter time or fewer columns expected", NULL);
        return false;
    }
    return is_read && buf_appendf(&r->answer, err, "],\"indexed\":{\"seq\":%" PRIu64 ",\"behind_ms\":%" PRIu64 "}}\n", seq,
                                  following_behind_ms(f));
}

/* A caller who is limited to a tenant counts that tenant's lines alone. */
static bool limit_tenant(struct request *r, struct tally_request *t)
{
    bool is_known = access_caller_of(r, &t->caller);
    bool is_named = t->query.tenant.ptr != NULL;

    if (!is_known || (is_named && !caller_sees(&t->caller, t->query.tenant))) {
        request_problem(r, 403, "these credentials are not valid for that tenant", NULL);
        return false;
    }
    if (t->caller.tenant[0] != '\0') {
        t->query.tenant = index_name_cut(span_str(t->caller.tenant));
    }
    return true;
}

static bool show_tally(struct request *r, struct error *err)
{
    struct tally_request t = {.now_ns = clock_utc_ns(), .query = {.action = INDEX_NO_ACTION}};
    struct filter_fault fault;

    t.query.from_hour = (t.now_ns - 24 * hour_ns) / hour_ns;
    t.query.end_hour = t.now_ns / hour_ns + 1;
    if (!parameters_read(r->connection, take_parameter, &t, &fault)) {
        request_problem(r, fault.status, fault.detail, NULL);
        return false;
    }
    if (!limit_tenant(r, &t)) {
        return false;
    }
    if (!r->service->following.is_on) {
        request_problem(r, 404, "the service has no index: index=on expected", NULL);
        return false;
    }
    return write_rows(r, &t, err);
}

static void tally_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_tally, "application/json", "no-store");
}

enum step route_tally_run(struct request *r)
{
    return record_job_queue(r, tally_job);
}
