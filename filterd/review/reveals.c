#include "review/reveals.h"

#include <stdio.h>

#include "record/log_files.h"
#include "review/line_members.h"
#include "review/review_pages.h"
#include "review/row_columns.h"

const char reveals_tables[] =
    "CREATE TABLE reveal(seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, state INTEGER NOT NULL, tenant TEXT NOT NULL,"
    " item INTEGER NOT NULL, blob TEXT NOT NULL, purpose INTEGER NOT NULL, matter TEXT NOT NULL, who TEXT NOT NULL,"
    " decided TEXT NOT NULL, until INTEGER NOT NULL, opened INTEGER NOT NULL, why TEXT NOT NULL, asked INTEGER NOT NULL,"
    " changed INTEGER NOT NULL);"
    "CREATE INDEX reveal_state ON reveal(state, seq);"
    "CREATE INDEX reveal_tenant ON reveal(tenant, seq);"
    "CREATE INDEX reveal_item ON reveal(item, seq);";

/* --- rows --------------------------------------------------------------------- */

#define AT(member) offsetof(struct reveal_row, member), sizeof(((struct reveal_row *)NULL)->member)
static const struct row_column columns[] = {
    {"seq", COLUMN_NUMBER, AT(seq)},
    {"id", COLUMN_TEXT, AT(id)},
    {"state", COLUMN_WORD, AT(reveal.state)},
    {"tenant", COLUMN_TEXT, AT(reveal.scope.tenant)},
    {"item", COLUMN_NUMBER, AT(reveal.scope.item)},
    {"blob", COLUMN_TEXT, AT(reveal.scope.blob)},
    {"purpose", COLUMN_WORD, AT(reveal.scope.purpose)},
    {"matter", COLUMN_TEXT, AT(reveal.scope.matter)},
    {"who", COLUMN_TEXT, AT(reveal.by)},
    {"decided", COLUMN_TEXT, AT(reveal.decided_by)},
    {"until", COLUMN_NUMBER, AT(reveal.until_ms)},
    {"opened", COLUMN_WORD, AT(reveal.opened)},
    {"why", COLUMN_TEXT, AT(why)},
    {"asked", COLUMN_NUMBER, AT(asked_ms)},
    {"changed", COLUMN_NUMBER, AT(changed_ms)},
    {0},
};
#undef AT

static void take_row(sqlite3_stmt *s, void *row)
{
    row_columns_take(s, columns, row);
}

static bool put_row(sqlite3 *db, const struct reveal_row *row, struct error *err)
{
    sqlite3_stmt *s = NULL;

    if (!index_prepare(db, "INSERT OR REPLACE INTO reveal VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)", &s, err)) {
        return false;
    }
    row_columns_bind(s, columns, row);
    bool is_put = index_run(db, s, err);
    (void)sqlite3_finalize(s);
    return is_put;
}

/* *is_found false: there is none, and the row is empty. */
static bool find_row(sqlite3 *db, struct span id, struct reveal_row *row, bool *is_found, struct error *err)
{
    *row = (struct reveal_row){.seq = 0};
    return review_row_find(db, "SELECT * FROM reveal WHERE id=?1", id, take_row, row, is_found, err);
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

static const char find_sql[] = "SELECT * FROM reveal WHERE seq<?1 AND (?2 IS NULL OR tenant=?2) AND (?3 IS NULL OR who=?3)"
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
