/* route_items.c - the review queue: GET /v1/items, GET /v1/items/{seq}, POST /v1/items/{seq}/STEP, POST /v1/items/bulk. Accesses and
 * steps are on disk before the answer. */
#include <inttypes.h>

#include "base/clock.h"
#include "http/parameters.h"
#include "http/review_body.h"
#include "query/query.h"
#include "record/note_text.h"
#include "server/record_job.h"
#include "server/review_json.h"
#include "decision_log/access_record.h"
#include "service/reviews.h"

enum { LIMIT_DEFAULT = 50, MEMORY_MAX = 256 * 1024, HISTORY_MAX = 200, QUERY_ROOM = 4 * 1024 };

static const char json[] = "application/json", no_store[] = "no-store";

/* False with an answer. */
static bool record_look(struct request *r, const struct caller *c, const char *what, uint64_t item, struct span query)
{
    const struct access_event e = {.by = c->name, .role = role_name(c->roles), .what = what, .item = item, .query = query,
                                   .now_ns = clock_utc_ns()};
    struct error err;

    if (access_record_write(r->service->log, &e, &err)) {
        return true;
    }
    buf_clear(&r->answer);
    request_overload(r, "the access could not be recorded");
    return false;
}

struct span review_tenant(const struct caller *c)
{
    return c->tenant[0] == '\0' ? span_of(NULL, 0) : span_str(c->tenant);
}

struct review_reader *review_open_for(struct request *r, struct error *err)
{
    struct review_reader *reader = reviews_open(r->service, err);

    if (reader == NULL && err->kind == ERROR_NOT_FOUND && !r->service->following.is_on) {
        request_problem(r, 404, "the service has no index: index=on expected", NULL);
    } else if (reader == NULL && (err->kind == ERROR_NOT_FOUND || err->kind == ERROR_DENIED)) {
        request_overload(r, "the queue is being built");
    }
    return reader;
}

/* --- the list ----------------------------------------------------------------- */

struct list {
    struct review_items_query query;
    struct span state, tenant, rule, assignee, why, overdue, group, after, limit;
};

static bool take_parameter(void *into, struct span name, struct span value, unsigned *seen, struct filter_fault *fault)
{
    struct list *l = into;
    const struct {
        const char *name;
        struct span *value;
    } known[] = {{"state", &l->state},     {"tenant", &l->tenant}, {"rule", &l->rule},   {"assignee", &l->assignee},
                 {"why", &l->why},
                 {"overdue", &l->overdue}, {"group", &l->group},   {"after", &l->after}, {"limit", &l->limit}};

    for (unsigned i = 0; i < COUNT(known); i++) {
        if (span_is(name, known[i].name) && (*seen >> i & 1U) == 0) {
            *seen |= 1U << i;
            *known[i].value = value;
            return true;
        }
    }
    return fault_set(fault, 422, "", "the parameters state, tenant, rule, assignee, why, overdue, group, after and limit expected, each once");
}

/* "-340.17": rank and number. */
static bool read_after(struct span text, struct review_items_query *q)
{
    const char *dot = text.len == 0 ? NULL : memchr(text.ptr, '.', text.len);
    bool is_below = text.len > 0 && text.ptr[0] == '-';
    uint64_t rank;

    if (dot == NULL || !note_read_number(span_of(text.ptr + is_below, (size_t)(dot - text.ptr) - is_below), &rank) || rank > INT32_MAX ||
        !note_read_number(span_of(dot + 1, text.len - (size_t)(dot + 1 - text.ptr)), &q->after.seq) || q->after.seq > INT64_MAX) {
        return false;
    }
    q->after.rank = is_below ? -(int64_t)rank : (int64_t)rank;
    q->has_after = true;
    return true;
}

static bool read_values(struct list *l, uint8_t group[REVIEW_GROUP], struct filter_fault *fault)
{
    struct review_items_query *q = &l->query;
    uint64_t limit = LIMIT_DEFAULT;

    q->rule = l->rule;
    q->assignee = l->assignee;
    q->is_overdue = span_is(l->overdue, "true");
    if (l->state.ptr != NULL && !review_states_of(l->state, &q->states)) {
        return fault_set(fault, 422, "", "state: open, new, claimed or closed expected");
    }
    q->why = (enum review_why)review_why_of(l->why);
    if (l->why.ptr != NULL && q->why == REVIEW_NOT) {
        return fault_set(fault, 422, "", "why: action, severity, band, event, sample or rule_sample expected");
    }
    if (l->overdue.ptr != NULL && !q->is_overdue) {
        return fault_set(fault, 422, "", "overdue: true expected");
    }
    if (l->group.ptr != NULL && !review_group_parse(l->group, group)) {
        return fault_set(fault, 422, "", "group: the id of a group expected");
    }
    q->group = l->group.ptr == NULL ? NULL : group;
    if (l->after.ptr != NULL && !read_after(l->after, q)) {
        return fault_set(fault, 422, "", "after: what `next` of the page before says expected");
    }
    if ((l->limit.ptr != NULL && !note_read_number(l->limit, &limit)) || limit == 0 || limit > REVIEW_PAGE_MAX) {
        return fault_set(fault, 422, "", "limit: 1 to %d expected", REVIEW_PAGE_MAX);
    }
    q->limit = (unsigned)limit;
    return true;
}

/* The parameters as a query, for the access line. */
static bool put_term(struct buf *out, const char *field, struct span value, struct error *err)
{
    bool is_put = value.ptr == NULL || buf_appendf(out, err, "%s%s:\"", out->len == 0 ? "" : " ", field);

    for (size_t i = 0; is_put && value.ptr != NULL && i < value.len; i++) {
        bool is_escaped = value.ptr[i] == '"' || value.ptr[i] == '\\';
        is_put = (!is_escaped || buf_append_char(out, '\\', err)) && buf_append_char(out, value.ptr[i], err);
    }
    return is_put && (value.ptr == NULL || buf_append_char(out, '"', err));
}

static bool record_list(struct request *r, const struct caller *c, const struct list *l)
{
    struct query *query = NULL;
    struct error err;
    struct buf text;

    buf_init(&text, QUERY_ROOM);
    bool is_made = put_term(&text, "tenant", l->query.tenant, &err) && put_term(&text, "rule", l->query.rule, &err) &&
                   put_term(&text, "who", l->query.assignee.len > 0 ? l->query.assignee : span_of(NULL, 0), &err) &&
                   put_term(&text, "state", l->state.ptr != NULL && !span_is(l->state, "open") ? l->state : span_of(NULL, 0), &err);
    query = is_made ? query_compile(text.len == 0 ? span_of("", 0) : buf_span(&text), clock_utc_ns(), &err) : NULL;
    buf_deinit(&text);
    if (query == NULL) {
        buf_clear(&r->answer);
        request_problem(r, 422, "parameters that are valid in a query expected", NULL);
        return false;
    }
    struct span shown = query_canonical(query);
    struct filter_fault fault;
    struct arena memory;
    arena_init(&memory, 0, MEMORY_MAX);
    bool is_recorded = reviews_show_text(r->service, &memory, &shown, &fault) && record_look(r, c, "list", 0, shown);
    arena_deinit(&memory);
    query_free(query);
    if (!is_recorded && r->reply.status == 0) {
        buf_clear(&r->answer);
        request_problem(r, fault.status, fault.detail, NULL);
    }
    return is_recorded;
}

static bool read_list(struct request *r, struct caller *c, struct list *l, uint8_t group[REVIEW_GROUP])
{
    struct filter_fault fault;

    *l = (struct list){.query = {.now_ms = clock_utc_ns() / 1000000}};
    if (!parameters_read(r->connection, take_parameter, l, &fault) || !read_values(l, group, &fault)) {
        request_problem(r, fault.status, fault.detail, NULL);
        return false;
    }
    (void)access_caller_of(r, c);
    if (l->tenant.ptr != NULL && !caller_sees(c, l->tenant)) {
        request_problem(r, 403, "these credentials are not valid for that tenant", NULL);
        return false;
    }
    l->query.tenant = l->tenant.ptr != NULL ? l->tenant : review_tenant(c);
    return true;
}

struct items_writer {
    struct writer out;
    uint64_t n;
    int64_t now_ms;
};

static bool put_one(void *context, const struct review_item *item, struct error *err)
{
    struct items_writer *w = context;

    w->out.err = err;
    put(&w->out, w->n++ == 0 ? "" : ",\n");
    review_json_item(&w->out, item, w->now_ms);
    return w->out.is_ok;
}

static bool write_list(struct request *r, struct review_reader *reader, const struct list *l, struct error *err)
{
    struct items_writer w = {.out = {.out = &r->answer, .err = err, .is_ok = true}, .now_ms = l->query.now_ms};
    struct review_items_key next;
    bool has_next;

    put(&w.out, "{\"items\":[");
    if (!review_items(reader, &l->query, put_one, &w, &has_next, &next, err)) {
        return false;
    }
    char key[64] = "null";
    if (has_next) {
        (void)snprintf(key, sizeof(key), "\"after=%" PRId64 ".%" PRIu64 "\"", next.rank, next.seq);
    }
    put(&w.out, "],\"next\":");
    put(&w.out, key);
    put(&w.out, ",\"seq\":");
    put_number(&w.out, review_reader_seq(reader));
    put(&w.out, "}\n");
    return w.out.is_ok;
}

static bool show_items(struct request *r, struct error *err)
{
    uint8_t group[REVIEW_GROUP];
    struct caller caller;
    struct list l;

    if (!read_list(r, &caller, &l, group)) {
        return false;
    }
    struct review_reader *reader = review_open_for(r, err);
    bool is_written = reader != NULL && write_list(r, reader, &l, err);
    review_reader_close(reader);
    return is_written && record_list(r, &caller, &l);
}

static void items_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_items, json, no_store);
}

enum step route_items_run(struct request *r)
{
    return record_job_queue(r, items_job);
}

/* --- one item ------------------------------------------------------------------- */

static bool write_item(struct request *r, struct review_reader *reader, const struct review_item *item, struct error *err)
{
    struct writer w = {.out = &r->answer, .err = err, .is_ok = true};
    uint64_t seqs[HISTORY_MAX];
    size_t n;

    if (!review_item_history(reader, item, seqs, HISTORY_MAX, &n, err)) {
        return false;
    }
    put(&w, "{\"item\":");
    review_json_item(&w, item, clock_utc_ns() / 1000000);
    put(&w, ",\"history\":[");
    for (size_t i = 0; i < n; i++) {
        put(&w, i == 0 ? "" : ",");
        put_number(&w, seqs[i]);
    }
    put(&w, "]}\n");
    (void)snprintf(r->etag, sizeof(r->etag), "\"%" PRIu64 "\"", item->item.version);
    return w.is_ok;
}

static bool show_item(struct request *r, struct error *err)
{
    struct review_item item;
    struct caller caller;
    uint64_t seq;

    if (!note_read_number(span_str(r->parameter), &seq)) {
        request_problem(r, 404, "the number of an item expected", NULL);
        return false;
    }
    (void)access_caller_of(r, &caller);
    struct review_reader *reader = review_open_for(r, err);
    bool is_written = reader != NULL && review_item_at(reader, seq, review_tenant(&caller), &item, err) &&
                      write_item(r, reader, &item, err);
    review_reader_close(reader);
    return is_written && record_look(r, &caller, "record", seq, span_of(NULL, 0));
}

static void item_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_item, json, no_store);
}

enum step route_item_run(struct request *r)
{
    return record_job_queue(r, item_job);
}

/* --- steps -------------------------------------------------------------------- */

/* "17/dispose", or "bulk". */
static bool read_target(struct request *r, uint64_t *item, enum item_verb *verb)
{
    const char *slash = strchr(r->parameter, '/');

    if (strcmp(r->parameter, "bulk") == 0) {
        *verb = ITEM_NO_VERB;
        return true;
    }
    *verb = slash == NULL ? ITEM_NO_VERB : (enum item_verb)item_verb_of(span_str(slash + 1));
    if (*verb != ITEM_NO_VERB && note_read_number(span_of(r->parameter, (size_t)(slash - r->parameter)), item) && *item > 0 && *item <= INT64_MAX) {
        return true;
    }
    request_problem(r, 404, "the number of an item and a step expected", NULL);
    return false;
}

/* `"3"`; none: any. */
static bool read_version(struct request *r, uint64_t *version)
{
    struct span header = request_header(r, "If-Match");

    *version = 0;
    if (header.len == 0 || span_is(header, "*")) {
        return true;
    }
    if (header.len > 2 && header.ptr[0] == '"' && header.ptr[header.len - 1] == '"' &&
        note_read_number(span_slice(header, 1, header.len - 1), version) && *version > 0) {
        return true;
    }
    request_problem(r, 400, "If-Match: the ETag of an item expected", NULL);
    return false;
}

static bool write_answer(struct request *r, const struct review_answer *a, struct error *err)
{
    struct writer w = {.out = &r->answer, .err = err, .is_ok = true};

    if (a->has_item) {
        (void)snprintf(r->etag, sizeof(r->etag), "\"%" PRIu64 "\"", a->item.item.version);
    }
    if (a->status != 200) {
        request_problem(r, a->status, a->detail, NULL);
        return false;
    }
    put(&w, "{\"line\":");
    put_number(&w, a->line);
    put(&w, ",\"changed\":");
    put_number(&w, a->n_changed);
    if (a->has_item) {
        put(&w, ",\"item\":");
        review_json_item(&w, &a->item, clock_utc_ns() / 1000000);
    }
    put(&w, "}\n");
    return w.is_ok;
}

static bool step(struct request *r, struct arena *memory, struct error *err)
{
    struct review_request q = {.key = request_header(r, "Idempotency-Key")};
    struct review_answer answer;
    struct filter_fault fault;
    struct review_body body;
    struct caller caller;
    uint64_t item = 0;

    if (!read_target(r, &item, &q.verb) || !read_version(r, &q.version)) {
        return false;
    }
    if (q.key.len > REVIEWS_KEY_MAX) {
        request_problem(r, 400, "Idempotency-Key: at most 128 bytes expected", NULL);
        return false;
    }
    if (!review_body_read(memory, buf_span(&r->body), item == 0, &body, &fault)) {
        request_problem(r, fault.status, fault.detail, fault.pointer[0] == '\0' ? NULL : fault.pointer);
        return false;
    }
    q.verb = item == 0 ? body.verb : q.verb;
    q.items = item == 0 ? body.items : &item;
    q.n_items = item == 0 ? body.n_items : 1;
    q.has_group = body.has_group;
    memcpy(q.group, body.group, sizeof(q.group));
    q.disposition = body.disposition;
    q.assignee = body.assignee;
    q.note = body.note;
    q.snooze = body.snooze;
    q.undo_of = body.undo_of;
    (void)access_caller_of(r, &caller);
    reviews_change(r->service, &caller, &q, &answer);
    return write_answer(r, &answer, err);
}

static bool show_step(struct request *r, struct error *err)
{
    struct arena memory;

    arena_init(&memory, 0, MEMORY_MAX);
    bool is_done = step(r, &memory, err);
    arena_deinit(&memory);
    return is_done;
}

static void step_job(void *context, struct worker *w)
{
    record_job_run(context, w, show_step, json, no_store);
}

enum step route_item_step_run(struct request *r)
{
    return record_job_queue(r, step_job);
}
