#include "index/index_cursor.h"

#include "index/index_filter.h"

/* Numbers of lines, or of blocks and regions: ?2 to ?3, both included. */
#define RANGE(column) " " column ">=?2 AND " column "<=?3 ORDER BY " column " DESC"

static const char *const sql[] = {
    [INDEX_WAY_ALL] = "SELECT id, rows FROM chunk WHERE" RANGE("id"),
    [INDEX_WAY_REQ] = "SELECT id, req_min, req_max FROM block WHERE" RANGE("id"),
    [INDEX_WAY_RULE] = "SELECT seq FROM finding WHERE rule=?1 AND" RANGE("seq"),
    [INDEX_WAY_AGENT] = "SELECT region, parts FROM agent_region WHERE agent=?1 AND" RANGE("region"),
    [INDEX_WAY_HELD] = "SELECT seq FROM held WHERE action=?1 AND" RANGE("seq"),
    [INDEX_WAY_AGENT_HELD] = "SELECT seq FROM agent_held WHERE agent=?1 AND action=?4 AND" RANGE("seq"),
    [INDEX_WAY_TOKEN] = "SELECT seq FROM finding WHERE value_tok=?1 AND value_tok IS NOT NULL AND" RANGE("seq"),
    [INDEX_WAY_FILTER] = "SELECT id, bits FROM filter WHERE" RANGE("id"),
    [INDEX_WAYS] = "SELECT id FROM chunk WHERE id>=?1 ORDER BY id DESC LIMIT 1",
};

const char *index_cursor_sql(size_t i)
{
    return i < COUNT(sql) ? sql[i] : NULL;
}

static void bind_range(sqlite3_stmt *s, uint64_t first, uint64_t last)
{
    (void)sqlite3_reset(s);
    (void)sqlite3_bind_int64(s, 2, (sqlite3_int64)first);
    (void)sqlite3_bind_int64(s, 3, (sqlite3_int64)(last > INT64_MAX ? INT64_MAX : last));
}

/* --- chunks ----------------------------------------------------------------------- */

static bool take_chunk(struct index_cursor *c, bool *is_there, struct error *err)
{
    int code = sqlite3_step(c->rows);

    *is_there = code == SQLITE_ROW && sqlite3_column_bytes(c->rows, 1) == INDEX_CHUNK;
    c->chunk = *is_there ? sqlite3_column_blob(c->rows, 1) : NULL;
    c->chunk_id = code == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(c->rows, 0) : 0;
    if (code == SQLITE_ROW && !*is_there) {
        return error_set(err, ERROR_INVALID, "index: %d bytes of rows expected", INDEX_CHUNK);
    }
    return *is_there || code == SQLITE_DONE || index_fail(c->db, err);
}

/* The row of a line that another table has. */
static bool find_row(struct index_cursor *c, uint64_t seq, int64_t *cost, struct error *err)
{
    uint64_t id = seq / INDEX_CHUNK_LINES;
    bool is_there = c->chunk != NULL && c->chunk_id == id;

    if (!is_there) {
        bind_range(c->rows, id, id);
        *cost -= INDEX_COST_CHUNK;
        if (!take_chunk(c, &is_there, err)) {
            return false;
        }
    }
    c->has_row = is_there && index_row_unpack(c->chunk + seq % INDEX_CHUNK_LINES * INDEX_ROW, seq, &c->row);
    return true;
}

/* --- ranges ------------------------------------------------------------------------ */

/* Lines [first, end) are the next to be looked through, within the cursor's bounds. */
static void begin_range(struct index_cursor *c, uint64_t first, uint64_t end)
{
    first = first > c->first ? first : c->first;
    end = end < c->end ? end : c->end;
    c->range = first;
    c->at = c->from = end; /* nothing of a chunk yet */
    c->has_range = first < end;
    if (c->has_range) {
        bind_range(c->rows, first / INDEX_CHUNK_LINES, (end - 1) / INDEX_CHUNK_LINES);
    }
}

/* One step through the table of ranges: begins one, or not; c->is_end behind the last. */
typedef bool range_fn(struct index_cursor *c, int64_t *cost, struct error *err);

static bool step_keys(struct index_cursor *c, struct error *err)
{
    int code = sqlite3_step(c->keys);

    c->is_end = code == SQLITE_DONE;
    return code == SQLITE_ROW || c->is_end || index_fail(c->db, err);
}

static bool no_range(struct index_cursor *c, int64_t *cost, struct error *err)
{
    (void)cost, (void)err;
    c->is_end = true;
    return true;
}

static void begin_block(struct index_cursor *c, bool may_have)
{
    uint64_t first = (uint64_t)sqlite3_column_int64(c->keys, 0) * INDEX_BLOCK_LINES;

    begin_range(c, first, may_have ? first + INDEX_BLOCK_LINES : first);
}

static bool range_by_req(struct index_cursor *c, int64_t *cost, struct error *err)
{
    if (!step_keys(c, err) || c->is_end) {
        return c->is_end;
    }
    *cost -= INDEX_COST_BLOCK;
    begin_block(c, sqlite3_column_int64(c->keys, 1) <= c->key.number && c->key.number <= sqlite3_column_int64(c->keys, 2));
    return true;
}

static bool range_by_filter(struct index_cursor *c, int64_t *cost, struct error *err)
{
    if (!step_keys(c, err) || c->is_end) {
        return c->is_end;
    }
    *cost -= INDEX_COST_FILTER;
    begin_block(c, sqlite3_column_bytes(c->keys, 1) != INDEX_FILTER ||
                       index_filter_may_have(sqlite3_column_blob(c->keys, 1), (uint64_t)c->key.number));
    return true;
}

/* A part of the region at hand, else the next region. */
static bool range_by_agent(struct index_cursor *c, int64_t *cost, struct error *err)
{
    if (c->parts != 0) {
        unsigned part = 63U - (unsigned)__builtin_clzll(c->parts);
        uint64_t first = c->region * INDEX_REGION_LINES + part * (uint64_t)INDEX_PART_LINES;
        c->parts &= ~(UINT64_C(1) << part);
        begin_range(c, first, first + INDEX_PART_LINES);
        return true;
    }
    if (!step_keys(c, err) || c->is_end) {
        return c->is_end;
    }
    *cost -= INDEX_COST_BLOCK;
    c->region = (uint64_t)sqlite3_column_int64(c->keys, 0);
    c->parts = (uint64_t)sqlite3_column_int64(c->keys, 1);
    return true;
}

/* --- ways --------------------------------------------------------------------------- */

static bool has_req(const struct index_cursor *c, const uint8_t *row)
{
    return index_row_has_req(row, c->key.number);
}

static bool has_agent(const struct index_cursor *c, const uint8_t *row)
{
    return index_row_has_word(row, INDEX_AGENT, c->key.number);
}

static bool may_have_key(const struct index_cursor *c, const uint8_t *row)
{
    return index_row_may_have_key(row, (uint64_t)c->key.number);
}

/* `lines` is what a number in the table of ranges stands for; 0: it is that of a line. */
static const struct {
    uint64_t lines;
    range_fn *next_range;
    bool (*has_key)(const struct index_cursor *c, const uint8_t *row); /* NULL: each row is given out */
} ways[INDEX_WAYS] = {
    [INDEX_WAY_ALL] = {INDEX_CHUNK_LINES, no_range, NULL},
    [INDEX_WAY_REQ] = {INDEX_BLOCK_LINES, range_by_req, has_req},
    [INDEX_WAY_AGENT] = {INDEX_REGION_LINES, range_by_agent, has_agent},
    [INDEX_WAY_FILTER] = {INDEX_BLOCK_LINES, range_by_filter, may_have_key},
};

/* Rows of the chunk at hand. */
static bool next_in_chunk(struct index_cursor *c)
{
    while (c->at > c->from) {
        c->at--;
        const uint8_t *row = c->chunk + c->at % INDEX_CHUNK_LINES * INDEX_ROW;
        if ((ways[c->way].has_key == NULL || ways[c->way].has_key(c, row)) && index_row_unpack(row, c->at, &c->row)) {
            return true;
        }
    }
    return false;
}

static bool next_chunk(struct index_cursor *c, int64_t *cost, struct error *err)
{
    if (!take_chunk(c, &c->has_range, err)) {
        return false;
    }
    if (c->has_range) {
        uint64_t first = c->chunk_id * INDEX_CHUNK_LINES, end = first + INDEX_CHUNK_LINES;
        c->from = first > c->range ? first : c->range;
        c->at = end < c->at ? end : c->at;
        *cost -= ways[c->way].has_key == NULL ? INDEX_COST_CHUNK + INDEX_COST_ROWS : INDEX_COST_CHUNK;
    }
    return true;
}

static bool next_of_ranges(struct index_cursor *c, int64_t *cost, struct error *err)
{
    for (;;) {
        c->has_row = next_in_chunk(c);
        c->is_paused = !c->has_row && *cost <= 0 && c->at < c->end;
        if (c->has_row || c->is_paused) {
            c->row.seq = c->at;
            return true;
        }
        if (!(c->has_range ? next_chunk(c, cost, err) : ways[c->way].next_range(c, cost, err))) {
            return false;
        }
        if (c->is_end) {
            return true;
        }
    }
}

static bool next_of_lines(struct index_cursor *c, int64_t *cost, struct error *err)
{
    while (!c->has_row && step_keys(c, err)) {
        *cost -= 1;
        if (c->is_end) {
            return true;
        }
        if (!find_row(c, (uint64_t)sqlite3_column_int64(c->keys, 0), cost, err)) {
            return false;
        }
    }
    return c->has_row;
}

bool index_cursor_next(struct index_cursor *c, int64_t *cost, struct error *err)
{
    c->has_row = false;
    return c->is_end || (ways[c->way].lines == 0 ? next_of_lines(c, cost, err) : next_of_ranges(c, cost, err));
}

/* --- opening ------------------------------------------------------------------------ */

/* Agents of the last region are not noted yet: all of it is looked through first. */
static bool begin_last_region(struct index_cursor *c, struct error *err)
{
    sqlite3_stmt *s = NULL;

    if (!index_prepare(c->db, sql[INDEX_WAYS], &s, err)) {
        return false;
    }
    (void)sqlite3_bind_int64(s, 1, 0);
    int code = sqlite3_step(s);
    uint64_t last = code == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(s, 0) * INDEX_CHUNK_LINES : 0;
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || index_fail(c->db, err);
    (void)sqlite3_finalize(s);
    begin_range(c, last - last % INDEX_REGION_LINES, UINT64_MAX);
    return is_read;
}

static bool bind_key(struct index_cursor *c, struct error *err)
{
    uint64_t lines = ways[c->way].lines == 0 ? 1 : ways[c->way].lines;

    if (!index_prepare(c->db, sql[c->way], &c->keys, err)) {
        return false;
    }
    if (c->way == INDEX_WAY_TOKEN) {
        (void)sqlite3_bind_blob(c->keys, 1, c->key.token, INDEX_TOKEN, SQLITE_TRANSIENT);
    } else {
        (void)sqlite3_bind_int64(c->keys, 1, c->key.number);
    }
    (void)sqlite3_bind_int(c->keys, 4, c->key.action);
    bind_range(c->keys, c->first / lines, c->end == 0 ? 0 : (c->end - 1) / lines);
    return true;
}

bool index_cursor_open(struct index_cursor *c, sqlite3 *db, enum index_way way, const struct index_key *key, uint64_t first,
                       uint64_t end, struct error *err)
{
    *c = (struct index_cursor){.db = db, .way = way, .key = *key, .first = first, .end = end, .row = {.seq = end}};
    if (!index_prepare(db, sql[INDEX_WAY_ALL], &c->rows, err) || (way != INDEX_WAY_ALL && !bind_key(c, err))) {
        return false;
    }
    if (way == INDEX_WAY_AGENT) {
        return begin_last_region(c, err);
    }
    begin_range(c, way == INDEX_WAY_ALL ? first : end, end);
    return true;
}

void index_cursor_close(struct index_cursor *c)
{
    (void)sqlite3_finalize(c->rows);
    (void)sqlite3_finalize(c->keys);
    *c = (struct index_cursor){.db = NULL};
}
