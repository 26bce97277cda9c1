#include "service/review/exceptions.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/uuid.h"
#include "decision_log/decision_line.h"
#include "service/review/exceptions_parts.h"
#include "state/live_exceptions.h"

enum { LINE_BYTES_MAX = 8192, MEMORY_MAX = 1024 * 1024 };

bool exceptions_refuse(struct exception_answer *out, unsigned status, const char *detail)
{
    out->status = status;
    (void)snprintf(out->detail, sizeof(out->detail), "%s", detail);
    return false;
}

bool exceptions_refuse_error(struct exception_answer *out, const struct error *err)
{
    unsigned status = err->kind == ERROR_NOT_FOUND   ? 404
                      : err->kind == ERROR_INVALID   ? 409
                      : err->kind == ERROR_DENIED    ? 403
                      : err->kind == ERROR_MALFORMED ? 422
                                                     : 503;

    return exceptions_refuse(out, status, err->text);
}

/* --- the line ----------------------------------------------------------------- */

static void put_scope(struct decision_line *l, const struct exception_scope *s)
{
    static const char *const names[EXCEPTION_WIDTHS] = {"", "value_tok", "app", "matches"};

    line_text(l, "tenant", span_str(s->tenant));
    line_text(l, "rule", span_str(s->rule));
    line_text(l, "scope", span_str(exception_width_name(s->width)));
    line_text(l, names[s->width], span_str(s->text));
    line_time(l, "until", s->until_ms * 1000000);
    line_number(l, "item", s->item);
    line_open(l, "preview", '{');
    line_number(l, "findings", s->preview.findings);
    line_number(l, "confirmed", s->preview.confirmed);
    line_flag(l, "cut", s->preview.is_cut);
    line_close(l, '}');
}

/* Each line has the tenant and the rule, so that a reader of one line knows what it is about. */
static bool format(const struct exception_row *row, const struct exception_event *e, struct span why, const struct caller *c,
                   int64_t now_ns, struct buf *out, struct error *err)
{
    const struct exception_scope *scope = &row->exception.scope;
    struct decision_line l = {.out = out, .err = err};

    line_open(&l, NULL, '{');
    line_number(&l, "v", DECISION_VERSION);
    line_text(&l, "type", span_str("exception"));
    line_time(&l, "ts", now_ns);
    line_text(&l, "id", span_str(row->id));
    line_text(&l, "step", span_str(exception_verb_name(e->verb)));
    if (e->verb == EXCEPTION_PROPOSE) {
        put_scope(&l, scope);
    } else {
        line_text(&l, "tenant", span_str(scope->tenant));
        line_text(&l, "rule", span_str(scope->rule));
    }
    line_text(&l, "why", why);
    line_text(&l, "by", e->by);
    line_text(&l, "role", span_str(caller_role(c, ROLE_ADMIN)));
    reviews_put_order(&l, c);
    line_close(&l, '}');
    return !l.has_failed;
}

/* With the lock held: tries the step, writes its line, and returns the new state. */
static bool take_step(struct service *s, const struct caller *c, enum exception_verb verb, struct exception_row *row,
                      const struct exception_scope *scope, struct span why, struct exception_answer *out)
{
    struct buf line CLEANUP(buf_deinit);
    int64_t now_ns = clock_utc_ns();
    const struct exception_event e = {.verb = verb, .ts_ms = now_ns / 1000000, .by = span_str(c->name),
                                      .is_admin = (c->roles & ROLE_ADMIN) != 0, .scope = scope};
    bool is_behind = false;
    struct error err;

    buf_init(&line, LINE_BYTES_MAX);
    if (!exception_step(&row->exception, &e, &row->exception, &err)) {
        return exceptions_refuse_error(out, &err);
    }
    if (!format(row, &e, why, c, now_ns, &line, &err) || !reviews_record(s, buf_span(&line), &is_behind, &err)) {
        return exceptions_refuse(out, 503, "the step could not be recorded");
    }
    row->changed_ms = e.ts_ms;
    out->row = *row;
    out->has_row = true;
    out->status = 200;
    return !is_behind || exceptions_refuse(out, 503, "the step is recorded; the list does not show it yet");
}

/* --- those in force ----------------------------------------------------------- */

struct gathering {
    struct span without;
    struct live_exception *items;
    struct exception_row *rows; /* that the items borrow from */
    size_t n;
};

static bool gather(void *context, const struct exception_row *found, struct error *err)
{
    struct gathering *g = context;

    if (g->n == LIVE_EXCEPTIONS_MAX) {
        return error_set(err, ERROR_LIMIT, "exceptions: at most %d in force expected", LIVE_EXCEPTIONS_MAX);
    }
    if (g->without.ptr != NULL && span_is(g->without, found->id)) {
        return true;
    }
    struct exception_row *row = &g->rows[g->n];
    *row = *found;
    const struct exception_scope *s = &row->exception.scope;
    struct live_exception *e = &g->items[g->n++];
    *e = (struct live_exception){.id = span_str(row->id), .rule = span_str(s->rule), .tenant = span_str(s->tenant),
                                 .until_s = s->until_ms / 1000, .by = span_str(row->exception.by),
                                 .approver = span_str(row->exception.decided_by)};
    struct span *text = s->width == EXCEPTION_VALUE ? &e->value_tok : s->width == EXCEPTION_APP ? &e->app : &e->matches;
    *text = span_str(s->text);
    return true;
}

/* Writes all that apply, except the id `without` (ptr NULL: none). *is_changed: the file's content changed. */
static bool exceptions_write_live(struct service *s, struct span without, bool *is_changed, struct error *err)
{
    const struct exceptions_query q = {.is_applying = true, .now_ms = clock_utc_ns() / 1000000, .limit = LIVE_EXCEPTIONS_MAX + 1};
    struct gathering g = {.without = without, .items = calloc(LIVE_EXCEPTIONS_MAX, sizeof(*g.items)),
                          .rows = calloc(LIVE_EXCEPTIONS_MAX, sizeof(*g.rows))};
    struct review_reader *r = reviews_open(s, err);
    uint64_t next = 0;

    *is_changed = false;
    bool is_written = g.items != NULL && g.rows != NULL ? r != NULL && exceptions_find(r, &q, gather, &g, &next, err)
                                                        : error_set(err, ERROR_NO_MEMORY, "exceptions: no memory");
    is_written = is_written && live_exceptions_save(s->options->state_directory, g.items, g.n, is_changed, err);
    review_reader_close(r);
    free(g.items);
    free(g.rows);
    return is_written;
}

/* The step is recorded. */
static void enforce(struct service *s, const struct caller *c, bool is_changed, struct exception_answer *out)
{
    struct snapshot *snapshot = service_snapshot(s);
    bool is_live = snapshot_takes_exceptions(snapshot);
    struct error err;

    snapshot_unref(snapshot);
    if (is_live && is_changed && !service_reload(s, c->name, &err)) {
        (void)exceptions_refuse(out, 503, "the step is recorded; it takes effect with the next successful reload");
    }
}

/* --- what people do ------------------------------------------------------------- */

static bool check_role(const struct caller *c, unsigned roles, struct exception_answer *out)
{
    return caller_has(c, roles) || exceptions_refuse(out, 403, "another role expected");
}

void exceptions_preview(struct service *s, const struct caller *c, const struct exception_proposal *p, struct exception_answer *out)
{
    struct arena memory CLEANUP(arena_deinit);
    struct span why;

    *out = (struct exception_answer){.status = 503};
    arena_init(&memory, 0, MEMORY_MAX);
    const struct exception_request r = {s, c, p, &memory, out};
    if (check_role(c, ROLE_REVIEWER | ROLE_APPROVER, out) && exceptions_scope(&r, &out->row.exception.scope, &why)) {
        out->has_row = true;
        out->status = 200;
    }
}

static void propose(const struct exception_request *r)
{
    struct exception_answer *out = r->out;
    struct exception_row row = {.seq = 0};
    struct exception_scope scope;
    uint8_t uuid[UUID_BYTES];
    struct error err;
    struct span why;

    if (!check_role(r->caller, ROLE_REVIEWER, out) || !exceptions_scope(r, &scope, &why)) {
        return;
    }
    if (why.len == 0 || why.len > EXCEPTION_TEXT) {
        (void)exceptions_refuse(out, 422, "why: a reason of 1 to 128 bytes expected");
        return;
    }
    if (!uuid_make(clock_utc_ns(), uuid, &err)) {
        (void)exceptions_refuse_error(out, &err);
        return;
    }
    uuid_format(uuid, row.id);
    (void)snprintf(row.why, sizeof(row.why), SPAN_FMT, SPAN_ARG(why));
    row.proposed_ms = clock_utc_ns() / 1000000;
    (void)take_step(r->service, r->caller, EXCEPTION_PROPOSE, &row, &scope, why, out);
}

void exceptions_propose(struct service *s, const struct caller *c, const struct exception_proposal *p, struct exception_answer *out)
{
    struct arena memory CLEANUP(arena_deinit);

    *out = (struct exception_answer){.status = 503};
    arena_init(&memory, 0, MEMORY_MAX);
    reviews_lock(s);
    propose(&(struct exception_request){s, c, p, &memory, out});
    reviews_unlock(s);
}

static bool find(struct service *s, const struct caller *c, struct span id, struct exception_row *row, struct exception_answer *out)
{
    struct span tenant = c->tenant[0] == '\0' ? span_of(NULL, 0) : span_str(c->tenant);
    struct error err;
    struct review_reader *r = reviews_open(s, &err);

    bool is_found = r != NULL && exceptions_at(r, id, tenant, row, &err);
    review_reader_close(r);
    return is_found || exceptions_refuse_error(out, &err);
}

/* Checks that the step is possible before anything is changed. */
static bool may_withdraw(const struct caller *c, const struct exception_row *row, struct exception_answer *out)
{
    const struct exception_event e = {.verb = EXCEPTION_WITHDRAW, .ts_ms = clock_utc_ns() / 1000000, .by = span_str(c->name)};
    struct exception after;
    struct error err;

    return exception_step(&row->exception, &e, &after, &err) || exceptions_refuse_error(out, &err);
}

static void withdraw(struct service *s, const struct caller *c, struct exception_row *row, struct exception_answer *out)
{
    bool is_changed = false, was_put_back = false;
    struct error err;

    if (!may_withdraw(c, row, out)) {
        return;
    }
    if (s->options->state_directory != NULL && !exceptions_write_live(s, span_str(row->id), &is_changed, &err)) {
        (void)exceptions_refuse(out, 503, "the exception could not be removed from its file");
        return;
    }
    if (take_step(s, c, EXCEPTION_WITHDRAW, row, NULL, span_of(NULL, 0), out) || out->has_row) {
        enforce(s, c, is_changed, out);
    } else if (is_changed && !exceptions_write_live(s, span_of(NULL, 0), &was_put_back, &err)) {
        (void)exceptions_refuse(out, 503, "the step could not be recorded; the exception ends with the next reload");
    }
}

static void approve(struct service *s, const struct caller *c, struct exception_row *row, struct exception_answer *out)
{
    bool is_changed = false;
    struct error err;

    if (!take_step(s, c, EXCEPTION_APPROVE, row, NULL, span_of(NULL, 0), out) || s->options->state_directory == NULL) {
        return;
    }
    if (!exceptions_write_live(s, span_of(NULL, 0), &is_changed, &err)) {
        (void)exceptions_refuse(out, 503, "the step is recorded; the file of live exceptions could not be written");
        return;
    }
    enforce(s, c, is_changed, out);
}

void exceptions_change(struct service *s, const struct caller *c, enum exception_verb verb, struct span id,
                       struct exception_answer *out)
{
    static const unsigned roles[EXCEPTION_VERBS] = {[EXCEPTION_APPROVE] = ROLE_APPROVER, [EXCEPTION_REFUSE] = ROLE_APPROVER,
                                                    [EXCEPTION_WITHDRAW] = ROLE_REVIEWER | ROLE_APPROVER};
    struct exception_row row;

    *out = (struct exception_answer){.status = 503};
    reviews_lock(s);
    if (reviews_is_done(s, c, &out->line)) {
        out->status = 200;
    } else if (check_role(c, roles[verb], out) && find(s, c, id, &row, out)) {
        if (verb == EXCEPTION_WITHDRAW) {
            withdraw(s, c, &row, out);
        } else if (verb == EXCEPTION_APPROVE) {
            approve(s, c, &row, out);
        } else {
            (void)take_step(s, c, verb, &row, NULL, span_of(NULL, 0), out);
        }
        (void)reviews_is_done(s, c, &out->line);
    }
    reviews_unlock(s);
}

/* --- what to paste -------------------------------------------------------------- */

bool exceptions_policy_line(const struct exception_row *row, struct buf *out, struct error *err)
{
    static const char *const names[EXCEPTION_WIDTHS] = {"", "value_tok", "app", "matches"};
    const struct exception_scope *s = &row->exception.scope;
    time_t until = (time_t)(s->until_ms / 1000);
    char day[16] = "";
    struct tm t;

    if (gmtime_r(&until, &t) == NULL || strftime(day, sizeof(day), "%Y-%m-%d", &t) == 0) {
        return error_set(err, ERROR_INVALID, "exceptions: a day expected");
    }
    return buf_append_str(out, "- {rule: ", err) && json_append_string(out, span_str(s->rule), err) &&
           buf_append_str(out, ", tenant: ", err) && json_append_string(out, span_str(s->tenant), err) &&
           buf_appendf(out, err, ", %s: ", names[s->width]) && json_append_string(out, span_str(s->text), err) &&
           buf_appendf(out, err, ", until: %s, why: ", day) && json_append_string(out, span_str(row->why), err) &&
           buf_append_char(out, '}', err);
}
