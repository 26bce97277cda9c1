/* route_reveals.c - requests for originals: GET and POST /v1/reveals, POST /v1/reveals/{id}/approve, /refuse and /close,
 * GET /v1/reveals/{id}/blob. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "http/parameters.h"
#include "server/feedback_json.h"
#include "service/review/reveals.h"

static const char json[] = "application/json", age[] = "application/age";

/* --- answers -------------------------------------------------------------------- */

static bool put_row(struct writer *w, const struct reveal_row *row, int64_t now_ms)
{
    const struct reveal *x = &row->reveal;
    bool has_grant = x->state == REVEAL_GRANTED || x->state == REVEAL_OPENED;

    put(w, "{\"id\":");
    put_string(w, span_str(row->id));
    put_member(w, "state", has_grant && !reveal_is_granted(x, now_ms) ? "expired" : reveal_state_name(x->state));
    put_member(w, "tenant", x->scope.tenant);
    put_count(w, "item", x->scope.item);
    put_member(w, "blob", x->scope.blob);
    put_member(w, "purpose", reveal_purpose_name(x->scope.purpose));
    put_member(w, "case", x->scope.matter);
    put_member(w, "why", row->why);
    put_member(w, "by", x->by);
    put_member(w, "decided_by", x->decided_by);
    put_ms(w, "until", x->until_ms);
    put_count(w, "opened", x->opened);
    put_ms(w, "asked", row->asked_ms);
    put_ms(w, "changed", row->changed_ms);
    put(w, "}");
    return w->is_ok;
}

/* False with an answer, or an error. */
static bool answer(struct request *r, const struct reveal_answer *a, struct error *err)
{
    struct writer w = {.out = &r->answer, .err = err, .is_ok = true};

    if (a->status != 200) {
        request_problem(r, a->status, a->detail, NULL);
        return false;
    }
    (void)put_row(&w, &a->row, clock_utc_ns() / 1000000);
    put(&w, "\n");
    return w.is_ok;
}

/* --- asking ----------------------------------------------------------------------- */

static bool read_purpose(struct member_reader *r, const struct member *m, struct json_value value)
{
    enum reveal_purpose *purpose = member_of(r, m);
    struct span name = {NULL, 0};
    struct error err;

    if (value.kind == JSON_KIND_STRING && !json_unquote(r->arena, value, &name, &err)) {
        return fault_set_error(r->fault, &err);
    }
    *purpose = (enum reveal_purpose)reveal_purpose_of(name);
    return *purpose != REVEAL_NO_PURPOSE || member_refuse(r, m, "incident, subject-request, quality or legal");
}

static const struct member_type purpose_type = {read_purpose, NULL};

#define AT(member) offsetof(struct reveal_question, member), 0
static const struct member members[] = {
    {"item", &member_number, AT(item)}, {"purpose", &purpose_type, AT(purpose)}, {"case", &member_text, AT(matter)},
    {"why", &member_text, AT(why)},     {0},
};
#undef AT

static bool show_asked(struct request *r, struct error *err)
{
    struct reveal_question q = {.item = 0};
    struct reveal_answer a;
    struct arena memory CLEANUP(arena_deinit);
    struct caller c;

    arena_init(&memory, 0, FEEDBACK_MEMORY);
    if (!feedback_caller(r, &c) || !feedback_body(r, &memory, members, &q)) {
        return false;
    }
    reveals_ask(r->service, &c, &q, &a);
    return answer(r, &a, err);
}

/* --- decisions -------------------------------------------------------------------- */

static bool change(struct request *r, enum reveal_verb verb, struct error *err)
{
    struct reveal_answer a;
    struct caller c;

    if (!feedback_caller(r, &c)) {
        return false;
    }
    reveals_change(r->service, &c, verb, span_str(r->parameter), &a);
    return answer(r, &a, err);
}

static bool show_approved(struct request *r, struct error *err)
{
    return change(r, REVEAL_APPROVE, err);
}

static bool show_refused(struct request *r, struct error *err)
{
    return change(r, REVEAL_REFUSE, err);
}

static bool show_closed(struct request *r, struct error *err)
{
    return change(r, REVEAL_CLOSE, err);
}

/* --- the file --------------------------------------------------------------------- */

static bool take_why(void *into, struct span name, struct span value, unsigned *seen, struct filter_fault *fault)
{
    if (!span_is(name, "why") || *seen != 0) {
        return fault_set(fault, 422, "", "the parameter why expected, once");
    }
    *seen = 1;
    *(struct span *)into = value;
    return true;
}

static bool show_file(struct request *r, struct error *err)
{
    struct span why = {"", 0};
    struct filter_fault fault;
    struct reveal_answer a;
    struct caller c;
    struct buf file CLEANUP(buf_deinit);

    buf_init(&file, REVEAL_FILE_MAX);
    if (!feedback_caller(r, &c)) {
        return false;
    }
    if (!parameters_read(r->connection, take_why, &why, &fault)) {
        request_problem(r, fault.status, fault.detail, NULL);
        return false;
    }
    reveals_open(r->service, &c, span_str(r->parameter), why, &file, &a);
    if (a.status != 200) {
        request_problem(r, a.status, a.detail, NULL);
        return false;
    }
    return buf_append(&r->answer, buf_span(&file), err);
}

/* --- the list --------------------------------------------------------------------- */

static bool take_row(void *context, const struct reveal_row *row, struct error *err)
{
    struct feedback_rows *rows = context;

    feedback_rows_next(rows, err);
    return put_row(&rows->w, row, rows->now_ms);
}

static bool read_state(struct request *r, struct span name, struct reveals_query *q)
{
    for (unsigned i = 1; i < REVEAL_STATES; i++) {
        if (span_is(name, reveal_state_name(i))) {
            q->state = (enum reveal_state)i;
        }
    }
    if (name.len > 0 && q->state == REVEAL_NONE) {
        request_problem(r, 422, "state: asked, granted, opened, refused or closed expected", NULL);
        return false;
    }
    return true;
}

static bool show_list(struct request *r, struct error *err)
{
    struct feedback_rows rows;
    struct reveals_query q = {.item = 0};
    struct feedback_list l;
    struct caller c;
    uint64_t next = 0;

    if (!feedback_rows_init(&rows, r, &c, &l, err) || !read_state(r, l.state, &q)) {
        return false;
    }
    q.tenant = feedback_tenant(&c);
    q.before = l.before;
    q.limit = (unsigned)l.limit;
    struct review_reader *reader = reviews_open(r->service, err);
    put(&rows.w, "{\"reveals\":[");
    bool is_read = reader != NULL && reveals_find(reader, &q, take_row, &rows, &next, err);
    review_reader_close(reader);
    feedback_rows_end(&rows, next);
    return is_read && rows.w.is_ok;
}

/* --- routes ----------------------------------------------------------------------- */

FEEDBACK_ROUTE(reveals, show_list, json)
FEEDBACK_ROUTE(reveal_ask, show_asked, json)
FEEDBACK_ROUTE(reveal_approve, show_approved, json)
FEEDBACK_ROUTE(reveal_refuse, show_refused, json)
FEEDBACK_ROUTE(reveal_close, show_closed, json)
FEEDBACK_ROUTE(reveal_blob, show_file, age)
