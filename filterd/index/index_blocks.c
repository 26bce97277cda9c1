#include "index/index_blocks.h"

#include <stdlib.h>

#include "index/index_filter.h"

enum statement { FIND_CHUNK, PUT_CHUNK, FIND_BLOCK, PUT_BLOCK, PUT_FILTER, CHUNKS, PUT_AGENT, STATEMENTS };

static const char *const sql[STATEMENTS] = {
    [FIND_CHUNK] = "SELECT rows FROM chunk WHERE id=?1",
    [PUT_CHUNK] = "INSERT OR REPLACE INTO chunk VALUES(?1,?2)",
    [FIND_BLOCK] = "SELECT b.ts_min, b.ts_max, b.req_min, b.req_max, f.bits FROM block b JOIN filter f USING(id) WHERE b.id=?1",
    [PUT_BLOCK] = "INSERT OR REPLACE INTO block VALUES(?1,?2,?3,?4,?5)",
    [PUT_FILTER] = "INSERT OR REPLACE INTO filter VALUES(?1,?2)",
    [CHUNKS] = "SELECT id, rows FROM chunk WHERE id>=?1 AND id<?2",
    [PUT_AGENT] = "INSERT INTO agent_region VALUES(?1,?2,?3)",
};

/* An agent in a part of a region; sorted by both. */
struct seen {
    uint32_t agent, part;
};

struct index_blocks {
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENTS];
    uint64_t last; /* line */
    bool is_loaded; /* chunk and block, of the last line */
    uint64_t chunk, block;
    int64_t ts_min, ts_max, req_min, req_max; /* of the block */
    uint8_t rows[INDEX_CHUNK];
    uint8_t filter[INDEX_FILTER];
    struct seen seen[INDEX_REGION_LINES];
};

static bool run(struct index_blocks *b, enum statement which, struct error *err)
{
    return index_run(b->db, b->statements[which], err);
}

/* --- chunks --------------------------------------------------------------------- */

static bool load_chunk(struct index_blocks *b, uint64_t id, struct error *err)
{
    sqlite3_stmt *s = b->statements[FIND_CHUNK];

    b->chunk = id;
    memset(b->rows, 0, sizeof(b->rows));
    (void)sqlite3_bind_int64(s, 1, (sqlite3_int64)id);
    int code = sqlite3_step(s);
    if (code == SQLITE_ROW && sqlite3_column_bytes(s, 0) == INDEX_CHUNK) {
        memcpy(b->rows, sqlite3_column_blob(s, 0), INDEX_CHUNK);
    }
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || index_fail(b->db, err);
    (void)sqlite3_reset(s);
    return is_read;
}

static bool save_chunk(struct index_blocks *b, struct error *err)
{
    sqlite3_stmt *s = b->statements[PUT_CHUNK];

    (void)sqlite3_bind_int64(s, 1, (sqlite3_int64)b->chunk);
    (void)sqlite3_bind_blob(s, 2, b->rows, INDEX_CHUNK, SQLITE_STATIC);
    return run(b, PUT_CHUNK, err);
}

/* --- blocks --------------------------------------------------------------------- */

static bool load_block(struct index_blocks *b, uint64_t id, struct error *err)
{
    sqlite3_stmt *s = b->statements[FIND_BLOCK];

    b->block = id;
    b->ts_min = b->req_min = INT64_MAX;
    b->ts_max = b->req_max = INT64_MIN;
    memset(b->filter, 0, sizeof(b->filter));
    (void)sqlite3_bind_int64(s, 1, (sqlite3_int64)id);
    int code = sqlite3_step(s);
    if (code == SQLITE_ROW && sqlite3_column_bytes(s, 4) == INDEX_FILTER) {
        b->ts_min = sqlite3_column_int64(s, 0);
        b->ts_max = sqlite3_column_int64(s, 1);
        b->req_min = sqlite3_column_int64(s, 2);
        b->req_max = sqlite3_column_int64(s, 3);
        memcpy(b->filter, sqlite3_column_blob(s, 4), INDEX_FILTER);
    }
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || index_fail(b->db, err);
    (void)sqlite3_reset(s);
    return is_read;
}

static bool save_block(struct index_blocks *b, struct error *err)
{
    const int64_t bounds[] = {b->ts_min, b->ts_max, b->req_min, b->req_max};
    sqlite3_stmt *block = b->statements[PUT_BLOCK], *filter = b->statements[PUT_FILTER];

    (void)sqlite3_bind_int64(block, 1, (sqlite3_int64)b->block);
    for (int i = 0; i < (int)COUNT(bounds); i++) {
        (void)sqlite3_bind_int64(block, 2 + i, bounds[i]);
    }
    (void)sqlite3_bind_int64(filter, 1, (sqlite3_int64)b->block);
    (void)sqlite3_bind_blob(filter, 2, b->filter, INDEX_FILTER, SQLITE_STATIC);
    return run(b, PUT_BLOCK, err) && run(b, PUT_FILTER, err);
}

static void widen(int64_t *min, int64_t *max, int64_t value)
{
    *min = value < *min ? value : *min;
    *max = value > *max ? value : *max;
}

static void add_to_block(struct index_blocks *b, const struct index_line *line)
{
    if (line->has_time) {
        widen(&b->ts_min, &b->ts_max, line->ts_ms);
    }
    if (line->has_req) {
        widen(&b->req_min, &b->req_max, line->req);
    }
    for (size_t i = 0; i < line->n_keys; i++) {
        index_filter_add(b->filter, line->keys[i]);
    }
}

/* --- agents of a region ----------------------------------------------------------- */

static int compare_seen(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;

    if (x->agent != y->agent) {
        return x->agent < y->agent ? -1 : 1;
    }
    return x->part < y->part ? -1 : x->part > y->part;
}

/* A part has lines of few agents in succession as a rule: what the last row said is not said again. */
static void see_rows(struct index_blocks *b, const uint8_t *rows, uint32_t part, size_t *n)
{
    for (size_t i = 0; i < INDEX_CHUNK_LINES; i++) {
        const struct seen s = {(uint32_t)index_row_word(rows + i * INDEX_ROW, INDEX_AGENT), part};
        bool is_said = *n > 0 && b->seen[*n - 1].agent == s.agent && b->seen[*n - 1].part == part;
        if (s.agent != 0 && !is_said) {
            b->seen[(*n)++] = s;
        }
    }
}

static bool see_region(struct index_blocks *b, uint64_t region, size_t *n, struct error *err)
{
    const uint64_t chunks = INDEX_REGION_LINES / INDEX_CHUNK_LINES, first = region * chunks;
    sqlite3_stmt *s = b->statements[CHUNKS];
    int code;

    *n = 0;
    (void)sqlite3_bind_int64(s, 1, (sqlite3_int64)first);
    (void)sqlite3_bind_int64(s, 2, (sqlite3_int64)(first + chunks));
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        uint64_t chunk = (uint64_t)sqlite3_column_int64(s, 0) - first;
        if (sqlite3_column_bytes(s, 1) == INDEX_CHUNK) {
            see_rows(b, sqlite3_column_blob(s, 1), (uint32_t)(chunk * INDEX_CHUNK_LINES / INDEX_PART_LINES), n);
        }
    }
    bool is_read = code == SQLITE_DONE || index_fail(b->db, err);
    (void)sqlite3_reset(s);
    return is_read;
}

static bool put_agent(struct index_blocks *b, uint32_t agent, uint64_t region, uint64_t parts, struct error *err)
{
    sqlite3_stmt *s = b->statements[PUT_AGENT];

    (void)sqlite3_bind_int64(s, 1, agent);
    (void)sqlite3_bind_int64(s, 2, (sqlite3_int64)region);
    (void)sqlite3_bind_int64(s, 3, (sqlite3_int64)parts);
    return run(b, PUT_AGENT, err);
}

/* A region is complete once a line behind it comes: its rows are all in the table. */
static bool note_agents(struct index_blocks *b, uint64_t region, struct error *err)
{
    size_t n = 0;

    if (!see_region(b, region, &n, err)) {
        return false;
    }
    qsort(b->seen, n, sizeof(b->seen[0]), compare_seen);
    for (size_t i = 0; i < n;) {
        uint32_t agent = b->seen[i].agent;
        uint64_t parts = 0;
        for (; i < n && b->seen[i].agent == agent; i++) {
            parts |= UINT64_C(1) << b->seen[i].part;
        }
        if (!put_agent(b, agent, region, parts, err)) {
            return false;
        }
    }
    return true;
}

/* --- lines ---------------------------------------------------------------------- */

bool index_blocks_save(struct index_blocks *b, struct error *err)
{
    return !b->is_loaded || (save_chunk(b, err) && save_block(b, err));
}

/* Leaves the chunk, block and region of the last line where the next one is in another. */
static bool go_to(struct index_blocks *b, uint64_t seq, struct error *err)
{
    uint64_t chunk = seq / INDEX_CHUNK_LINES, block = seq / INDEX_BLOCK_LINES;

    if (b->is_loaded && b->chunk == chunk) {
        return true;
    }
    bool is_other_block = !b->is_loaded || b->block != block;
    bool is_other_region = b->last != 0 && b->last / INDEX_REGION_LINES != seq / INDEX_REGION_LINES;
    if ((b->is_loaded && !save_chunk(b, err)) || (b->is_loaded && is_other_block && !save_block(b, err)) ||
        (is_other_region && !note_agents(b, b->last / INDEX_REGION_LINES, err)) ||
        (is_other_block && !load_block(b, block, err)) || !load_chunk(b, chunk, err)) {
        return false;
    }
    b->is_loaded = true;
    return true;
}

bool index_blocks_add(struct index_blocks *b, const struct index_row *row, const struct index_line *line, struct error *err)
{
    if (!go_to(b, row->seq, err) ||
        !index_row_pack(row, line->keys, line->n_keys, b->rows + row->seq % INDEX_CHUNK_LINES * INDEX_ROW, err)) {
        return false;
    }
    add_to_block(b, line);
    b->last = row->seq;
    return true;
}

struct index_blocks *index_blocks_new(sqlite3 *db, uint64_t last, struct error *err)
{
    struct index_blocks *b = calloc(1, sizeof(*b));
    bool is_ready = b != NULL || error_set(err, ERROR_NO_MEMORY, "index: no memory");

    for (unsigned i = 0; is_ready && i < STATEMENTS; i++) {
        is_ready = index_prepare(db, sql[i], &b->statements[i], err);
    }
    if (!is_ready) {
        index_blocks_free(b);
        return NULL;
    }
    b->db = db;
    b->last = last;
    return b;
}

void index_blocks_free(struct index_blocks *b)
{
    if (b != NULL) {
        for (unsigned i = 0; i < STATEMENTS; i++) {
            (void)sqlite3_finalize(b->statements[i]);
        }
        free(b);
    }
}
