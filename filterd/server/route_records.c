/* route_records.c - the lines of the record as operators look for them: GET /v1/records, /v1/records/{seq},
 * /v1/records/by-request/{req_id}. Who looks is on record, on disk, before they see. */
#include <inttypes.h>

#include "base/clock.h"
#include "decision_log/access_record.h"
#include "http/identities.h"
#include "http/parameters.h"
#include "http/writer.h"
#include "index/index_find.h"
#include "record/note_text.h"
#include "server/record_job.h"
#include "service/access.h"

enum { LIMIT_DEFAULT = 50, QUERY_MEMORY = 4096, PAGE_MEMORY = INDEX_PAGE_BYTES + 2 * INDEX_FETCH_BYTES };

static const char json[] = "application/json", no_store[] = "no-store";
static const char stays[] = "private, max-age=31536000, immutable";

/* What somebody typed is judged, as a reason is: a secret that is looked for is not in the record either. */
static bool show_query(struct request *r, struct arena *memory, struct span *query)
{
    struct filter_fault fault;

    r->snapshot = service_snapshot(r->service);
    if (query->len == 0 || identity_show_text(r->service->identities, r->snapshot, memory, query, &fault)) {
        return true;
    }
    request_problem(r, fault.status, fault.detail, NULL);
    return false;
}

/* False with an answer. */
static bool record_access(struct request *r, const char *what, uint64_t item, struct span query)
{
    char name[ACCESS_NAME];
    struct error err;

    access_name(r, name);
    const struct access_event e = {.by = name, .role = access_role(r), .what = what, .item = item, .query = query,
                                   .now_ns = clock_utc_ns()};
    if (!access_record_write(r->service->log, &e, &err)) {
        buf_clear(&r->answer);
        request_overload(r, "the access could not be recorded");
        return false;
    }
    return true;
}

static bool record_list(struct request *r, struct span query)
{
    struct arena memory;

    arena_init(&memory, 0, QUERY_MEMORY);
    bool is_written = show_query(r, &memory, &query) && record_access(r, "list", 0, query);
    arena_deinit(&memory);
    return is_written;
}

/* NULL with an error, or with an answer. */
static struct index_reader *open_reader(struct request *r, struct error *err)
{
    const struct following *f = &r->service->following;

    if (!f->is_on) {
        request_problem(r, 404, "the service has no index: index=on expected", NULL);
        return NULL;
    }
    if (!service_hold(r->service, PAGE_MEMORY)) {
        request_overload(r, "out of memory");
        return NULL;
    }
    r->held += PAGE_MEMORY; /* given back with the request */
    struct index_reader *reader = index_reader_open(f->path, f->place.folder, err);
    if (reader == NULL && (err->kind == ERROR_NOT_FOUND || err->kind == ERROR_DENIED)) {
        request_overload(r, "the index is being made");
    }
    return reader;
}

/* --- pages -------------------------------------------------------------------- */

struct list {
    struct span query;
    uint64_t before, limit;
};

static bool take_parameter(void *into, struct span name, struct span value, unsigned *seen, struct filter_fault *fault)
{
    struct list *l = into;
    bool is_known = span_is(name, "query") || span_is(name, "before") || span_is(name, "limit");
    unsigned bit = span_is(name, "query") ? 1 : span_is(name, "before") ? 2 : 4;

    if (!is_known || (*seen & bit) != 0) {
        return fault_set(fault, 422, "", "the parameters query, before and limit expected, each once");
    }
    *seen |= bit;
    if (bit == 1) {
        l->query = value;
        return true;
    }
    return note_read_number(value, bit == 2 ? &l->before : &l->limit) ||
           fault_set(fault, 422, "", "before and limit: a number expected");
}

static bool read_list(struct request *r, struct list *l)
{
    struct filter_fault fault;

    *l = (struct list){.limit = LIMIT_DEFAULT, .query = {"", 0}};
    if (!parameters_read(r->connection, take_parameter, l, &fault)) {
        request_problem(r, fault.status, fault.detail, NULL);
        return false;
    }
    if (l->limit == 0 || l->limit > INDEX_PAGE_MAX) {
        request_problem(r, 422, "limit: 1 to 500 expected", NULL);
        return false;
    }
    return true;
}

struct page_writer {
    struct buf *out;
    bool has_some;
};

static bool put_line(void *context, uint64_t seq, struct span line, struct error *err)
{
    struct page_writer *w = context;

    (void)seq;
    bool is_put = (!w->has_some || buf_append_str(w->out, ",\n", err)) && buf_append(w->out, line, err);
    w->has_some = true;
    return is_put;
}

/* Behind the lines. A page that was cut may have none, and more may follow. */
static bool put_end(struct request *r, uint64_t next, uint64_t indexed, struct error *err)
{
    char text[64] = "null";

    if (next != 0) {
        (void)snprintf(text, sizeof(text), "\"before=%" PRIu64 "\"", next);
    }
    return buf_appendf(&r->answer, err, "],\"next\":%s,\"indexed\":{\"seq\":%" PRIu64 ",\"behind_ms\":%" PRIu64 "}}\n", text, indexed,
                       following_behind_ms(&r->service->following));
}

static bool write_page(struct request *r, const struct list *l, const struct query *query, struct error *err)
{
    struct page_writer w = {.out = &r->answer};
    const struct index_page page = {.query = query, .before = l->before, .limit = (unsigned)l->limit, .take = put_line, .context = &w};
    uint64_t next = 0;

    struct index_reader *reader = open_reader(r, err);
    if (reader == NULL) {
        return false;
    }
    bool is_written = buf_append_str(&r->answer, "{\"records\":[", err) && index_find(reader, &page, &next, err) &&
                      put_end(r, next, index_reader_seq(reader), err);
    index_reader_close(reader);
    return is_written && record_list(r, query_canonical(query));
}

static bool show_list(struct request *r, const struct list *l, struct error *err)
{
    struct caller caller;

    (void)access_caller_of(r, &caller); /* nobody may not ask */
    struct query *query = access_query(&caller, l->query, clock_utc_ns(), err);
    if (query == NULL) {
        request_problem(r, 422, err->text, NULL);
        return false;
    }
    bool is_written = write_page(r, l, query, err);
    query_free(query);
    return is_written;
}

static bool show_records(struct request *r, struct error *err)
{
    struct list l;

    return read_list(r, &l) && show_list(r, &l, err);
}

static void records_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_records, json, no_store);
}

enum step route_records_run(struct request *r)
{
    return record_job_queue(r, records_job);
}

static bool show_records_of(struct request *r, struct error *err)
{
    char text[REQUEST_PARAMETER_MAX + sizeof("req:")];
    struct list l;

    if (strlen(r->parameter) != 36 || strspn(r->parameter, "0123456789abcdef-") != 36) {
        request_problem(r, 404, "the id of a request expected", NULL);
        return false;
    }
    (void)snprintf(text, sizeof(text), "req:%s", r->parameter);
    if (!read_list(r, &l)) {
        return false;
    }
    l.query = span_str(text);
    return show_list(r, &l, err);
}

static void records_of_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_records_of, json, no_store);
}

enum step route_records_of_run(struct request *r)
{
    return record_job_queue(r, records_of_job);
}

/* --- one line ------------------------------------------------------------------- */

/* As for a line that is not there: what others have cannot be distinguished from what nobody has. */
static bool check_tenant(const struct request *r, struct error *err)
{
    struct caller caller;

    (void)access_caller_of(r, &caller);
    struct query *query = access_query(&caller, span_of("", 0), clock_utc_ns(), err);
    bool is_theirs = query != NULL && query_matches(query, buf_span(&r->answer));
    query_free(query);
    return is_theirs || error_set(err, ERROR_NOT_FOUND, "the line is not of this tenant");
}

static bool write_line(struct request *r, uint64_t seq, struct error *err)
{
    char hash[TREE_HASH_TEXT + 1];
    struct tree_hash leaf;

    struct index_reader *reader = open_reader(r, err);
    bool is_read = reader != NULL && index_line_at(reader, seq, &r->answer, err) && check_tenant(r, err);
    index_reader_close(reader);
    if (!is_read || !record_access(r, "record", seq, span_of(NULL, 0))) {
        return false;
    }
    tree_hash_leaf(buf_span(&r->answer), &leaf);
    tree_hash_format(&leaf, hash);
    (void)snprintf(r->etag, sizeof(r->etag), "\"%s\"", hash);
    return true;
}

static bool show_line(struct request *r, struct error *err)
{
    uint64_t seq;

    if (!note_read_number(span_str(r->parameter), &seq) || seq == 0) {
        request_problem(r, 404, "the number of a record expected", NULL);
        return false;
    }
    return write_line(r, seq, err);
}

static void line_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_line, json, stays);
}

enum step route_record_line_run(struct request *r)
{
    return record_job_queue(r, line_job);
}
