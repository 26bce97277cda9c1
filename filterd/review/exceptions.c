#include "review/exceptions.h"

#include <stdio.h>

#include "record/log_files.h"
#include "review/line_members.h"
#include "review/review_pages.h"
#include "review/row_columns.h"

const char exceptions_tables[] =
    "CREATE TABLE exception(seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, state INTEGER NOT NULL, tenant TEXT NOT NULL,"
    " rule TEXT NOT NULL, width INTEGER NOT NULL, text TEXT NOT NULL, until INTEGER NOT NULL, item INTEGER NOT NULL,"
    " findings INTEGER NOT NULL, confirmed INTEGER NOT NULL, is_cut INTEGER NOT NULL, who TEXT NOT NULL, decided TEXT NOT NULL,"
    " withdrawn TEXT NOT NULL, why TEXT NOT NULL, proposed INTEGER NOT NULL, changed INTEGER NOT NULL);"
    "CREATE INDEX exception_state ON exception(state, seq);"
    "CREATE INDEX exception_tenant ON exception(tenant, seq);";

/* --- rows --------------------------------------------------------------------- */

#define AT(member) offsetof(struct exception_row, member), sizeof(((struct exception_row *)NULL)->member)
static const struct row_column columns[] = {
    {"seq", COLUMN_NUMBER, AT(seq)},
    {"id", COLUMN_TEXT, AT(id)},
    {"state", COLUMN_WORD, AT(exception.state)},
    {"tenant", COLUMN_TEXT, AT(exception.scope.tenant)},
    {"rule", COLUMN_TEXT, AT(exception.scope.rule)},
    {"width", COLUMN_WORD, AT(exception.scope.width)},
    {"text", COLUMN_TEXT, AT(exception.scope.text)},
    {"until", COLUMN_NUMBER, AT(exception.scope.until_ms)},
    {"item", COLUMN_NUMBER, AT(exception.scope.item)},
    {"findings", COLUMN_NUMBER, AT(exception.scope.preview.findings)},
    {"confirmed", COLUMN_NUMBER, AT(exception.scope.preview.confirmed)},
    {"is_cut", COLUMN_FLAG, AT(exception.scope.preview.is_cut)},
    {"who", COLUMN_TEXT, AT(exception.by)},
    {"decided", COLUMN_TEXT, AT(exception.decided_by)},
    {"withdrawn", COLUMN_TEXT, AT(exception.withdrawn_by)},
    {"why", COLUMN_TEXT, AT(why)},
    {"proposed", COLUMN_NUMBER, AT(proposed_ms)},
    {"changed", COLUMN_NUMBER, AT(changed_ms)},
    {0},
};
#undef AT

static void take_row(sqlite3_stmt *s, void *row)
{
    row_columns_take(s, columns, row);
}

static bool put_row(sqlite3 *db, const struct exception_row *row, struct error *err)
{
    static const char sql[] =
        "INSERT OR REPLACE INTO exception VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18)";
    sqlite3_stmt *s = NULL;

    if (!index_prepare(db, sql, &s, err)) {
        return false;
    }
    row_columns_bind(s, columns, row);
    bool is_put = index_run(db, s, err);
    (void)sqlite3_finalize(s);
    return is_put;
}

/* *is_found false: there is none, and the row is empty. */
static bool find_row(sqlite3 *db, struct span id, struct exception_row *row, bool *is_found, struct error *err)
{
    *row = (struct exception_row){.seq = 0};
    return review_row_find(db, "SELECT * FROM exception WHERE id=?1", id, take_row, row, is_found, err);
}

/* --- lines -------------------------------------------------------------------- */

struct line {
    int64_t ts_ms;
    char id[EXCEPTION_ID + 1], step[16], width[16], role[32];
    char by[PERSON_NAME + 1], why[EXCEPTION_TEXT + 1];
    struct exception_scope scope;
};

#define AT(member) offsetof(struct line, member), sizeof(((struct line *)NULL)->member)
static const struct line_member preview_members[] = {
    {"findings", LINE_NUMBER, AT(scope.preview.findings), NULL},
    {"confirmed", LINE_NUMBER, AT(scope.preview.confirmed), NULL},
    {"cut", LINE_FLAG, AT(scope.preview.is_cut), NULL},
    {0},
};
static const struct line_member members[] = {
    {"ts", LINE_TIME, AT(ts_ms), NULL},
    {"id", LINE_TEXT, AT(id), NULL},
    {"step", LINE_TEXT, AT(step), NULL},
    {"tenant", LINE_TEXT, AT(scope.tenant), NULL},
    {"rule", LINE_TEXT, AT(scope.rule), NULL},
    {"scope", LINE_TEXT, AT(width), NULL},
    {"value_tok", LINE_TEXT, AT(scope.text), NULL},
    {"app", LINE_TEXT, AT(scope.text), NULL},
    {"matches", LINE_TEXT, AT(scope.text), NULL},
    {"until", LINE_TIME, AT(scope.until_ms), NULL},
    {"item", LINE_NUMBER, AT(scope.item), NULL},
    {"preview", LINE_OBJECT, 0, 0, preview_members},
    {"why", LINE_TEXT, AT(why), NULL},
    {"by", LINE_TEXT, AT(by), NULL},
    {"role", LINE_TEXT, AT(role), NULL},
    {0},
};
#undef AT

static bool fold(sqlite3 *db, struct span text, struct arena *memory, struct error *err)
{
    struct line l = {.id = ""};
    struct exception_row row;
    struct error ignored;
    bool is_found;
    uint64_t seq;

    if (!line_members_read(text, members, memory, &l, &ignored) || !log_line_seq(text, &seq) || l.id[0] == '\0') {
        return true;
    }
    if (!find_row(db, span_str(l.id), &row, &is_found, err)) {
        return false;
    }
    l.scope.width = (enum exception_width)exception_width_of(span_str(l.width));
    const struct exception_event e = {.verb = (enum exception_verb)exception_verb_of(span_str(l.step)), .ts_ms = l.ts_ms,
                                      .by = span_str(l.by), .is_admin = strcmp(l.role, "admin") == 0, .scope = &l.scope};
    if (!exception_step(&row.exception, &e, &row.exception, &ignored)) {
        return true;
    }
    if (e.verb == EXCEPTION_PROPOSE) {
        row.seq = seq;
        row.proposed_ms = l.ts_ms;
        (void)snprintf(row.id, sizeof(row.id), "%s", l.id);
        (void)snprintf(row.why, sizeof(row.why), "%s", l.why);
    }
    row.changed_ms = l.ts_ms;
    return put_row(db, &row, err);
}

const struct review_fold_part exceptions_part = {"exception", fold};

/* --- readers ------------------------------------------------------------------ */

static const char find_sql[] =
    "SELECT * FROM exception WHERE seq<?1 AND (?2 IS NULL OR tenant=?2) AND (?3 IS NULL OR rule=?3)"
    " AND (?4=0 OR state=?4) AND (?5=0 OR until>?5) ORDER BY seq DESC LIMIT ?6";

struct taking {
    exception_fn *take;
    void *context;
    struct exception_row row;
};

static bool take_one(void *context, sqlite3_stmt *s, uint64_t *seq, struct error *err)
{
    struct taking *t = context;

    take_row(s, &t->row);
    *seq = t->row.seq;
    return t->take(t->context, &t->row, err);
}

bool exceptions_find(struct review_reader *r, const struct exceptions_query *q, exception_fn *take, void *context, uint64_t *next,
                     struct error *err)
{
    const struct review_page page = {.tenant = q->tenant, .name = q->rule, .before = q->before, .limit = q->limit};
    struct taking taking = {.take = take, .context = context};
    sqlite3_stmt *s = NULL;

    if (!index_prepare(review_reader_db(r), find_sql, &s, err)) {
        return false;
    }
    (void)sqlite3_bind_int(s, 4, (int)(q->is_applying ? EXCEPTION_ACTIVE : q->state));
    (void)sqlite3_bind_int64(s, 5, q->is_applying ? q->now_ms : 0);
    return review_page_read(review_reader_db(r), s, &page, take_one, &taking, next, err);
}

bool exceptions_at(struct review_reader *r, struct span id, struct span tenant, struct exception_row *out, struct error *err)
{
    bool is_found;

    if (!find_row(review_reader_db(r), id, out, &is_found, err)) {
        return false;
    }
    bool is_visible = is_found && (tenant.ptr == NULL || span_is(tenant, out->exception.scope.tenant));
    return is_visible || error_set(err, ERROR_NOT_FOUND, "no exception of that id");
}
