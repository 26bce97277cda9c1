#include "review/reveals.h"

#include <stdio.h>

#include "record/log_files.h"
#include "review/line_members.h"
#include "review/review_pages.h"

const char reveals_tables[] =
    "CREATE TABLE reveal(seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, state INTEGER NOT NULL, tenant TEXT NOT NULL,"
    " item INTEGER NOT NULL, blob TEXT NOT NULL, purpose INTEGER NOT NULL, matter TEXT NOT NULL, who TEXT NOT NULL,"
    " decided TEXT NOT NULL, until INTEGER NOT NULL, opened INTEGER NOT NULL, why TEXT NOT NULL, asked INTEGER NOT NULL,"
    " changed INTEGER NOT NULL);"
    "CREATE INDEX reveal_state ON reveal(state, seq);"
    "CREATE INDEX reveal_tenant ON reveal(tenant, seq);"
    "CREATE INDEX reveal_item ON reveal(item, seq);";

#define COLUMNS "seq, id, state, tenant, item, blob, purpose, matter, who, decided, until, opened, why, asked, changed"

/* --- rows --------------------------------------------------------------------- */

static void take_text(sqlite3_stmt *s, int column, char *out, size_t size)
{
    const unsigned char *text = sqlite3_column_text(s, column);

    (void)snprintf(out, size, "%s", text == NULL ? "" : (const char *)text);
}

#define TAKE(column, member) take_text(s, column, member, sizeof(member))

static void take_row(sqlite3_stmt *s, void *into)
{
    struct reveal_row *row = into;
    struct reveal *r = &row->reveal;

    *row = (struct reveal_row){.seq = (uint64_t)sqlite3_column_int64(s, 0), .asked_ms = sqlite3_column_int64(s, 13),
                               .changed_ms = sqlite3_column_int64(s, 14)};
    TAKE(1, row->id);
    r->state = (enum reveal_state)sqlite3_column_int(s, 2);
    TAKE(3, r->scope.tenant);
    r->scope.item = (uint64_t)sqlite3_column_int64(s, 4);
    TAKE(5, r->scope.blob);
    r->scope.purpose = (enum reveal_purpose)sqlite3_column_int(s, 6);
    TAKE(7, r->scope.matter);
    TAKE(8, r->by);
    TAKE(9, r->decided_by);
    r->until_ms = sqlite3_column_int64(s, 10);
    r->opened = (unsigned)sqlite3_column_int(s, 11);
    TAKE(12, row->why);
}

static void bind_text(sqlite3_stmt *s, int at, const char *text)
{
    (void)sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
}

static bool put_row(sqlite3 *db, const struct reveal_row *row, struct error *err)
{
    const struct reveal *r = &row->reveal;
    sqlite3_stmt *s = NULL;

    if (!index_prepare(db, "INSERT OR REPLACE INTO reveal(" COLUMNS ") VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)", &s,
                       err)) {
        return false;
    }
    (void)sqlite3_bind_int64(s, 1, (sqlite3_int64)row->seq);
    bind_text(s, 2, row->id);
    (void)sqlite3_bind_int(s, 3, (int)r->state);
    bind_text(s, 4, r->scope.tenant);
    (void)sqlite3_bind_int64(s, 5, (sqlite3_int64)r->scope.item);
    bind_text(s, 6, r->scope.blob);
    (void)sqlite3_bind_int(s, 7, (int)r->scope.purpose);
    bind_text(s, 8, r->scope.matter);
    bind_text(s, 9, r->by);
    bind_text(s, 10, r->decided_by);
    (void)sqlite3_bind_int64(s, 11, r->until_ms);
    (void)sqlite3_bind_int(s, 12, (int)r->opened);
    bind_text(s, 13, row->why);
    (void)sqlite3_bind_int64(s, 14, row->asked_ms);
    (void)sqlite3_bind_int64(s, 15, row->changed_ms);
    bool is_put = index_run(db, s, err);
    (void)sqlite3_finalize(s);
    return is_put;
}

/* *is_found false: there is none, and the row is empty. */
static bool find_row(sqlite3 *db, struct span id, struct reveal_row *row, bool *is_found, struct error *err)
{
    *row = (struct reveal_row){.seq = 0};
    return review_row_find(db, "SELECT " COLUMNS " FROM reveal WHERE id=?1", id, take_row, row, is_found, err);
}

/* --- lines -------------------------------------------------------------------- */

struct line {
    int64_t ts_ms, until_ms;
    char id[REVEAL_ID + 1], step[16], purpose[32];
    char by[PERSON_NAME + 1], why[REVEAL_TEXT + 1];
    struct reveal_scope scope;
};

#define AT(member) offsetof(struct line, member), sizeof(((struct line *)NULL)->member)
static const struct line_member members[] = {
    {"ts", LINE_TIME, AT(ts_ms), NULL},
    {"request", LINE_TEXT, AT(id), NULL},
    {"step", LINE_TEXT, AT(step), NULL},
    {"tenant", LINE_TEXT, AT(scope.tenant), NULL},
    {"item", LINE_NUMBER, AT(scope.item), NULL},
    {"blob", LINE_TEXT, AT(scope.blob), NULL},
    {"purpose", LINE_TEXT, AT(purpose), NULL},
    {"case", LINE_TEXT, AT(scope.matter), NULL},
    {"until", LINE_TIME, AT(until_ms), NULL},
    {"why", LINE_TEXT, AT(why), NULL},
    {"by", LINE_TEXT, AT(by), NULL},
    {0},
};
#undef AT

static bool fold(sqlite3 *db, struct span text, struct arena *memory, struct error *err)
{
    struct line l = {.id = ""};
    struct reveal_row row;
    struct error ignored;
    bool is_found;
    uint64_t seq;

    if (!line_members_read(text, members, memory, &l, &ignored) || !log_line_seq(text, &seq) || l.id[0] == '\0') {
        return true;
    }
    if (!find_row(db, span_str(l.id), &row, &is_found, err)) {
        return false;
    }
    l.scope.purpose = (enum reveal_purpose)reveal_purpose_of(span_str(l.purpose));
    const struct reveal_event e = {.verb = (enum reveal_verb)reveal_verb_of(span_str(l.step)), .ts_ms = l.ts_ms, .by = span_str(l.by),
                                   .why = span_str(l.why), .until_ms = l.until_ms, .scope = &l.scope};
    if (!reveal_step(&row.reveal, &e, &row.reveal, &ignored)) {
        return true;
    }
    if (e.verb == REVEAL_ASK) {
        row.seq = seq;
        row.asked_ms = l.ts_ms;
        (void)snprintf(row.id, sizeof(row.id), "%s", l.id);
        (void)snprintf(row.why, sizeof(row.why), "%s", l.why);
    }
    row.changed_ms = l.ts_ms;
    return put_row(db, &row, err);
}

const struct review_fold_part reveals_part = {"reveal", fold};

/* --- readers ------------------------------------------------------------------ */

static const char find_sql[] = "SELECT " COLUMNS " FROM reveal WHERE seq<?1 AND (?2 IS NULL OR tenant=?2) AND (?3 IS NULL OR who=?3)"
                               " AND (?4=0 OR state=?4) AND (?5=0 OR item=?5) ORDER BY seq DESC LIMIT ?6";

struct taking {
    reveal_fn *take;
    void *context;
    struct reveal_row row;
};

static bool take_one(void *context, sqlite3_stmt *s, uint64_t *seq, struct error *err)
{
    struct taking *t = context;

    take_row(s, &t->row);
    *seq = t->row.seq;
    return t->take(t->context, &t->row, err);
}

bool reveals_find(struct review_reader *r, const struct reveals_query *q, reveal_fn *take, void *context, uint64_t *next,
                  struct error *err)
{
    const struct review_page page = {.tenant = q->tenant, .name = q->by, .before = q->before, .limit = q->limit};
    struct taking taking = {.take = take, .context = context};
    sqlite3_stmt *s = NULL;

    if (!index_prepare(review_reader_db(r), find_sql, &s, err)) {
        return false;
    }
    (void)sqlite3_bind_int(s, 4, (int)q->state);
    (void)sqlite3_bind_int64(s, 5, (sqlite3_int64)q->item);
    return review_page_read(review_reader_db(r), s, &page, take_one, &taking, next, err);
}

bool reveals_at(struct review_reader *r, struct span id, struct span tenant, struct reveal_row *out, struct error *err)
{
    bool is_found;

    if (!find_row(review_reader_db(r), id, out, &is_found, err)) {
        return false;
    }
    bool is_visible = is_found && (tenant.ptr == NULL || span_is(tenant, out->reveal.scope.tenant));
    return is_visible || error_set(err, ERROR_NOT_FOUND, "no reveal of that id");
}
