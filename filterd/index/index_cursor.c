#include "index/index_cursor.h"

#include "index/index_filter.h"

#define COLUMNS "r.seq,r.ts,r.type,r.severity,r.action,r.tenant,r.app,r.agent,r.rule,r.policy,r.file,r.offset,r.len"
#define BOUNDS(table) " " table ".seq>=?2 AND " table ".seq<?3 ORDER BY " table ".seq DESC"

/* CROSS JOIN fixes the order: the other one would read all records between the bounds. */
static const char *const sql[INDEX_WAYS] = {
    [INDEX_WAY_ALL] = "SELECT " COLUMNS " FROM record r WHERE" BOUNDS("r"),
    [INDEX_WAY_REQ] = "SELECT " COLUMNS " FROM record r WHERE r.req=?1 AND" BOUNDS("r"),
    [INDEX_WAY_RULE] = "SELECT " COLUMNS " FROM finding f CROSS JOIN record r ON r.seq=f.seq WHERE f.rule=?1 AND" BOUNDS("f"),
    [INDEX_WAY_AGENT] = "SELECT " COLUMNS " FROM record r WHERE r.agent=?1 AND" BOUNDS("r"),
    [INDEX_WAY_HELD] = "SELECT " COLUMNS " FROM record r WHERE r.action=?1 AND r.action>0 AND" BOUNDS("r"),
    [INDEX_WAY_TOKEN] = "SELECT " COLUMNS " FROM finding f CROSS JOIN record r ON r.seq=f.seq"
                        " WHERE f.value_tok=?1 AND f.value_tok IS NOT NULL AND" BOUNDS("f"),
    [INDEX_WAY_FILTER] = "SELECT " COLUMNS " FROM record r WHERE" BOUNDS("r"),
};
static const char blocks[] = "SELECT id, bits FROM filter WHERE id>=?1 AND id<=?2 ORDER BY id DESC";

const char *index_way_sql(enum index_way way)
{
    return sql[way];
}

static void bind_bounds(sqlite3_stmt *s, uint64_t first, uint64_t end)
{
    (void)sqlite3_reset(s);
    (void)sqlite3_bind_int64(s, 2, (sqlite3_int64)first);
    (void)sqlite3_bind_int64(s, 3, (sqlite3_int64)(end > INT64_MAX ? INT64_MAX : end));
}

bool index_cursor_open(struct index_cursor *c, sqlite3 *db, enum index_way way, const struct index_key *key, uint64_t first,
                       uint64_t end, struct error *err)
{
    *c = (struct index_cursor){.db = db, .way = way, .key = *key, .first = first, .block_end = end};
    c->row.seq = end;
    if (!index_prepare(db, sql[way], &c->rows, err)) {
        return false;
    }
    if (way == INDEX_WAY_FILTER) {
        if (!index_prepare(db, blocks, &c->blocks, err)) {
            return false;
        }
        (void)sqlite3_bind_int64(c->blocks, 1, (sqlite3_int64)(first / INDEX_BLOCK_LINES));
        (void)sqlite3_bind_int64(c->blocks, 2, (sqlite3_int64)((end == 0 ? 0 : end - 1) / INDEX_BLOCK_LINES));
        bind_bounds(c->rows, 0, 0);
        return true;
    }
    if (way == INDEX_WAY_TOKEN) {
        (void)sqlite3_bind_blob(c->rows, 1, c->key.token, INDEX_TOKEN, SQLITE_TRANSIENT);
    } else if (way != INDEX_WAY_ALL) {
        (void)sqlite3_bind_int64(c->rows, 1, key->number);
    }
    bind_bounds(c->rows, first, end);
    return true;
}

void index_cursor_close(struct index_cursor *c)
{
    (void)sqlite3_finalize(c->rows);
    (void)sqlite3_finalize(c->blocks);
    *c = (struct index_cursor){.db = NULL};
}

static void read_row(struct index_cursor *c)
{
    sqlite3_stmt *s = c->rows;

    c->row = (struct index_row){
        .seq = (uint64_t)sqlite3_column_int64(s, 0),
        .ts_ms = sqlite3_column_int64(s, 1),
        .type = (unsigned)sqlite3_column_int(s, 2),
        .severity = (unsigned)sqlite3_column_int(s, 3),
        .action = sqlite3_column_int(s, 4),
        .file = sqlite3_column_int64(s, 10),
        .offset = (uint64_t)sqlite3_column_int64(s, 11),
        .len = (uint64_t)sqlite3_column_int64(s, 12),
    };
    for (int i = 0; i < INDEX_WORDS; i++) {
        c->row.words[i] = sqlite3_column_int64(s, 5 + i);
    }
}

/* The next block that may have the key; the rows are then those of it. */
static bool next_block(struct index_cursor *c, int64_t *cost, struct error *err)
{
    for (;;) {
        int code = sqlite3_step(c->blocks);
        if (code != SQLITE_ROW) {
            c->is_end = code == SQLITE_DONE;
            return c->is_end || index_fail(c->db, err);
        }
        uint64_t first = (uint64_t)sqlite3_column_int64(c->blocks, 0) * INDEX_BLOCK_LINES, end = first + INDEX_BLOCK_LINES;
        *cost -= INDEX_COST_BLOCK;
        bool is_whole = sqlite3_column_bytes(c->blocks, 1) == INDEX_FILTER;
        if (!is_whole || index_filter_may_have(sqlite3_column_blob(c->blocks, 1), (uint64_t)c->key.number)) {
            bind_bounds(c->rows, first > c->first ? first : c->first, end < c->block_end ? end : c->block_end);
            return true;
        }
        if (*cost <= 0) {
            c->row.seq = first > c->first ? first : c->first;
            c->is_paused = true;
            return true;
        }
    }
}

bool index_cursor_next(struct index_cursor *c, int64_t *cost, struct error *err)
{
    for (c->has_row = false; !c->is_end;) {
        int code = sqlite3_step(c->rows);
        *cost -= c->way == INDEX_WAY_ALL || c->way == INDEX_WAY_FILTER ? INDEX_COST_ROW : INDEX_COST_FAR_ROW;
        if (code == SQLITE_ROW) {
            read_row(c);
            c->has_row = true;
            return true;
        }
        if (code != SQLITE_DONE) {
            return index_fail(c->db, err);
        }
        c->is_end = c->way != INDEX_WAY_FILTER;
        if (!c->is_end && !next_block(c, cost, err)) {
            return false;
        }
        if (c->is_paused) {
            return true;
        }
    }
    return true;
}
