/* route_exceptions.c - exceptions of reviewers: GET and POST /v1/exceptions, POST /v1/exceptions/preview,
 * /v1/exceptions/{id}/approve, /refuse and /withdraw. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "server/feedback_json.h"
#include "service/review/exceptions.h"

static const char json[] = "application/json";
enum { POLICY_LINE_MAX = 4096 };

/* --- answers -------------------------------------------------------------------- */

static void put_scope(struct writer *w, const struct exception_scope *s)
{
    static const char *const names[EXCEPTION_WIDTHS] = {"", "value_tok", "app", "matches"};

    put_member(w, "tenant", s->tenant);
    put_member(w, "rule", s->rule);
    put_member(w, "scope", exception_width_name(s->width));
    put_member(w, names[s->width], s->text);
    put_ms(w, "until", s->until_ms);
    put_count(w, "item", s->item);
    put(w, ",\"preview\":{\"findings\":");
    put_number(w, s->preview.findings);
    put_count(w, "confirmed", s->preview.confirmed);
    put_flag(w, "cut", s->preview.is_cut);
    put_flag(w, "at_most", s->width == EXCEPTION_PATTERN); /* no texts are kept to match */
    put(w, "}");
    put_flag(w, "needs_admin", exception_needs_admin(s));
}

static bool put_policy_line(struct writer *w, const struct exception_row *row)
{
    struct buf line CLEANUP(buf_deinit);

    buf_init(&line, POLICY_LINE_MAX);
    w->is_ok = w->is_ok && exceptions_policy_line(row, &line, w->err);
    put(w, ",\"policy_line\":");
    put_string(w, buf_span(&line));
    return w->is_ok;
}

static bool put_row(struct writer *w, const struct exception_row *row, int64_t now_ms)
{
    const struct exception *x = &row->exception;
    bool is_expired = x->state == EXCEPTION_ACTIVE && !exception_applies(x, now_ms);

    put(w, "{\"id\":");
    put_string(w, span_str(row->id));
    put_member(w, "state", is_expired ? "expired" : exception_state_name(x->state));
    put_scope(w, &x->scope);
    put_member(w, "why", row->why);
    put_member(w, "by", x->by);
    put_member(w, "decided_by", x->decided_by);
    put_member(w, "withdrawn_by", x->withdrawn_by);
    put_ms(w, "proposed", row->proposed_ms);
    put_ms(w, "changed", row->changed_ms);
    (void)put_policy_line(w, row);
    put(w, "}");
    return w->is_ok;
}

/* False with an answer, or an error. */
static bool answer(struct request *r, const struct exception_answer *a, struct error *err)
{
    struct writer w = {.out = &r->answer, .err = err, .is_ok = true};

    if (a->status != 200) {
        request_problem(r, a->status, a->detail, NULL);
        return false;
    }
    bool is_put = put_row(&w, &a->row, clock_utc_ns() / 1000000);
    put(&w, "\n");
    return is_put && w.is_ok;
}

/* --- proposals -------------------------------------------------------------------- */

static bool read_width(struct member_reader *r, const struct member *m, struct json_value value)
{
    enum exception_width *width = member_of(r, m);
    struct span name = {NULL, 0};
    struct error err;

    if (value.kind == JSON_KIND_STRING && !json_unquote(r->arena, value, &name, &err)) {
        return fault_set_error(r->fault, &err);
    }
    *width = (enum exception_width)exception_width_of(name);
    return *width != EXCEPTION_NO_WIDTH || member_refuse(r, m, "value, app or pattern");
}

static const struct member_type width_type = {read_width, NULL};

#define AT(member) offsetof(struct exception_proposal, member), 0
static const struct member members[] = {
    {"item", &member_number, AT(item)},     {"scope", &width_type, AT(width)},           {"rule", &member_text, AT(rule)},
    {"matches", &member_text, AT(matches)}, {"value_tok", &member_text, AT(value_tok)}, {"until", &member_text, AT(until)},
    {"why", &member_text, AT(why)},
    {0},
};
#undef AT

typedef void propose_fn(struct service *s, const struct caller *c, const struct exception_proposal *p, struct exception_answer *out);

static bool propose(struct request *r, propose_fn *run, struct error *err)
{
    struct exception_proposal p = {.item = 0};
    struct exception_answer a;
    struct arena memory CLEANUP(arena_deinit);
    struct caller c;

    arena_init(&memory, 0, FEEDBACK_MEMORY);
    if (!feedback_caller(r, &c) || !feedback_body(r, &memory, members, &p)) {
        return false;
    }
    run(r->service, &c, &p, &a);
    return answer(r, &a, err);
}

static bool show_preview(struct request *r, struct error *err)
{
    return propose(r, exceptions_preview, err);
}

static bool show_proposed(struct request *r, struct error *err)
{
    return propose(r, exceptions_propose, err);
}

/* --- decisions -------------------------------------------------------------------- */

static bool change(struct request *r, enum exception_verb verb, struct error *err)
{
    struct exception_answer a;
    struct caller c;

    if (!feedback_caller(r, &c)) {
        return false;
    }
    exceptions_change(r->service, &c, verb, span_str(r->parameter), &a);
    return answer(r, &a, err);
}

static bool show_approved(struct request *r, struct error *err)
{
    return change(r, EXCEPTION_APPROVE, err);
}

static bool show_refused(struct request *r, struct error *err)
{
    return change(r, EXCEPTION_REFUSE, err);
}

static bool show_withdrawn(struct request *r, struct error *err)
{
    return change(r, EXCEPTION_WITHDRAW, err);
}

/* --- the list --------------------------------------------------------------------- */

static bool take_row(void *context, const struct exception_row *row, struct error *err)
{
    struct feedback_rows *rows = context;

    feedback_rows_next(rows, err);
    return put_row(&rows->w, row, rows->now_ms);
}

static bool read_state(struct request *r, struct span name, struct exceptions_query *q)
{
    for (unsigned i = 1; i < EXCEPTION_STATES; i++) {
        if (span_is(name, exception_state_name(i))) {
            q->state = (enum exception_state)i;
        }
    }
    q->is_applying = q->state == EXCEPTION_ACTIVE;
    if (name.len > 0 && q->state == EXCEPTION_NONE) {
        request_problem(r, 422, "state: proposed, active, refused or withdrawn expected", NULL);
        return false;
    }
    return true;
}

static bool show_list(struct request *r, struct error *err)
{
    struct feedback_rows rows;
    struct exceptions_query q = {.is_applying = false};
    struct feedback_list l;
    struct caller c;
    uint64_t next = 0;

    if (!feedback_rows_init(&rows, r, &c, &l, err) || !read_state(r, l.state, &q)) {
        return false;
    }
    q.now_ms = rows.now_ms;
    q.tenant = feedback_tenant(&c);
    q.before = l.before;
    q.limit = (unsigned)l.limit;
    struct review_reader *reader = reviews_open(r->service, err);
    put(&rows.w, "{\"exceptions\":[");
    bool is_read = reader != NULL && exceptions_find(reader, &q, take_row, &rows, &next, err);
    review_reader_close(reader);
    feedback_rows_end(&rows, next);
    return is_read && rows.w.is_ok;
}

/* --- routes ----------------------------------------------------------------------- */

FEEDBACK_ROUTE(exceptions, show_list, json)
FEEDBACK_ROUTE(exception_preview, show_preview, json)
FEEDBACK_ROUTE(exception_propose, show_proposed, json)
FEEDBACK_ROUTE(exception_approve, show_approved, json)
FEEDBACK_ROUTE(exception_refuse, show_refused, json)
FEEDBACK_ROUTE(exception_withdraw, show_withdrawn, json)
