#include "index/index_fold.h"

#include <sodium.h>

#include "base/cleanup.h"
#include "index/index_filter.h"
#include "index/index_tally.h"

enum {
    WORDS_KNOWN = 64 * 1024, /* names whose numbers are remembered; a power of two */
    NO_FINDING = INDEX_FINDINGS_MAX, /* n of the row of a rule that decided without a finding */
};

enum statement {
    PUT_RECORD,
    PUT_FINDING,
    FIND_WORD,
    PUT_WORD,
    FIND_FILE,
    PUT_FILE,
    MOVE_FILE,
    GROW_FILE,
    FIND_BLOCK,
    PUT_BLOCK,
    PUT_FILTER,
    STATEMENTS
};

static const char *const sql[STATEMENTS] = {
    [PUT_RECORD] = "INSERT INTO record VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)",
    [PUT_FINDING] = "INSERT INTO finding VALUES(?1,?2,?3,?4,?5,?6)",
    [FIND_WORD] = "SELECT id FROM word WHERE kind=?1 AND text=?2",
    [PUT_WORD] = "INSERT INTO word(kind, text) VALUES(?1,?2)",
    [FIND_FILE] = "SELECT id, path FROM file WHERE first_seq=?1",
    [PUT_FILE] = "INSERT INTO file(path, first_seq, last_seq, offset, sha256) VALUES(?1,?2,0,0,?3)",
    [MOVE_FILE] = "UPDATE file SET path=?2 WHERE id=?1",
    [GROW_FILE] = "UPDATE file SET last_seq=?2, offset=?3 WHERE id=?1",
    [FIND_BLOCK] = "SELECT b.ts_min, b.ts_max, f.bits FROM block b JOIN filter f USING(id) WHERE b.id=?1",
    [PUT_BLOCK] = "INSERT OR REPLACE INTO block VALUES(?1,?2,?3)",
    [PUT_FILTER] = "INSERT OR REPLACE INTO filter VALUES(?1,?2)",
};

/* A name by its keyed hash: who chooses names cannot make two of one number. */
struct known_word {
    uint64_t hash; /* 0: none */
    int64_t id;
};

struct index_fold {
    struct index_store *store;
    sqlite3_stmt *statements[STATEMENTS];
    struct index_position position, committed;
    bool is_open; /* a transaction */
    struct arena memory;
    struct index_line line;
    struct index_tally *tally;
    uint8_t secret[crypto_shorthash_KEYBYTES];
    struct known_word words[WORDS_KNOWN];
    /* Of the last line. */
    int64_t block, ts_min, ts_max;
    bool has_block;
    uint8_t filter[INDEX_FILTER];
    size_t last_len;
    char last[TREE_LEAF_MAX];
};

static bool run(struct index_fold *f, enum statement which, struct error *err)
{
    return index_run(f->store->db, f->statements[which], err);
}

/* --- blocks --------------------------------------------------------------------- */

static bool load_block(struct index_fold *f, int64_t id, struct error *err)
{
    sqlite3_stmt *s = f->statements[FIND_BLOCK];

    f->block = id;
    f->has_block = true;
    f->ts_min = INT64_MAX;
    f->ts_max = INT64_MIN;
    memset(f->filter, 0, sizeof(f->filter));
    (void)sqlite3_bind_int64(s, 1, id);
    int code = sqlite3_step(s);
    if (code == SQLITE_ROW && sqlite3_column_bytes(s, 2) == INDEX_FILTER) {
        f->ts_min = sqlite3_column_int64(s, 0);
        f->ts_max = sqlite3_column_int64(s, 1);
        memcpy(f->filter, sqlite3_column_blob(s, 2), INDEX_FILTER);
    }
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || index_fail(f->store->db, err);
    (void)sqlite3_reset(s);
    return is_read;
}

static bool save_block(struct index_fold *f, struct error *err)
{
    if (!f->has_block) {
        return true;
    }
    sqlite3_stmt *block = f->statements[PUT_BLOCK], *filter = f->statements[PUT_FILTER];
    (void)sqlite3_bind_int64(block, 1, f->block);
    (void)sqlite3_bind_int64(block, 2, f->ts_min);
    (void)sqlite3_bind_int64(block, 3, f->ts_max);
    (void)sqlite3_bind_int64(filter, 1, f->block);
    (void)sqlite3_bind_blob(filter, 2, f->filter, INDEX_FILTER, SQLITE_STATIC);
    return run(f, PUT_BLOCK, err) && run(f, PUT_FILTER, err);
}

static bool put_block(struct index_fold *f, const struct index_line *line, struct error *err)
{
    int64_t id = (int64_t)(line->seq / INDEX_BLOCK_LINES);

    if ((!f->has_block || f->block != id) && !(save_block(f, err) && load_block(f, id, err))) {
        return false;
    }
    if (line->has_time) {
        f->ts_min = line->ts_ms < f->ts_min ? line->ts_ms : f->ts_min;
        f->ts_max = line->ts_ms > f->ts_max ? line->ts_ms : f->ts_max;
    }
    for (size_t i = 0; i < line->n_keys; i++) {
        index_filter_add(f->filter, line->keys[i]);
    }
    return true;
}

/* --- names ---------------------------------------------------------------------- */

static bool find_word(struct index_fold *f, enum index_word kind, struct span text, int64_t *id, struct error *err)
{
    sqlite3_stmt *s = f->statements[FIND_WORD], *put = f->statements[PUT_WORD];

    (void)sqlite3_bind_int(s, 1, (int)kind);
    (void)sqlite3_bind_text(s, 2, text.ptr, (int)text.len, SQLITE_STATIC);
    int code = sqlite3_step(s);
    *id = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    (void)sqlite3_reset(s);
    if (code == SQLITE_ROW) {
        return true;
    }
    if (code != SQLITE_DONE) {
        return index_fail(f->store->db, err);
    }
    (void)sqlite3_bind_int(put, 1, (int)kind);
    (void)sqlite3_bind_text(put, 2, text.ptr, (int)text.len, SQLITE_STATIC);
    if (!run(f, PUT_WORD, err)) {
        return false;
    }
    *id = sqlite3_last_insert_rowid(f->store->db);
    return true;
}

/* 0 for no text. */
static bool word_id(struct index_fold *f, enum index_word kind, struct span text, int64_t *id, struct error *err)
{
    uint64_t hash = 0;

    *id = 0;
    if (text.len == 0) {
        return true;
    }
    (void)crypto_shorthash((uint8_t *)&hash, (const uint8_t *)text.ptr, text.len, f->secret);
    hash = (hash ^ (uint64_t)kind * UINT64_C(0x9e3779b97f4a7c15)) | 1;
    struct known_word *known = &f->words[hash >> 1 & (WORDS_KNOWN - 1)];
    if (known->hash != hash) {
        if (!find_word(f, kind, text, &known->id, err)) {
            known->hash = 0;
            return false;
        }
        known->hash = hash;
    }
    *id = known->id;
    return true;
}

/* --- rows ----------------------------------------------------------------------- */

static void bind_number(sqlite3_stmt *s, int at, int64_t number, bool is_there)
{
    if (is_there) {
        (void)sqlite3_bind_int64(s, at, number);
    } else {
        (void)sqlite3_bind_null(s, at);
    }
}

static bool put_record(struct index_fold *f, const struct index_line *line, const int64_t words[INDEX_WORDS], int64_t file,
                       uint64_t offset, size_t len, struct error *err)
{
    sqlite3_stmt *s = f->statements[PUT_RECORD];

    (void)sqlite3_bind_int64(s, 1, (sqlite3_int64)line->seq);
    (void)sqlite3_bind_int64(s, 2, line->ts_ms);
    (void)sqlite3_bind_int(s, 3, (int)line->type);
    (void)sqlite3_bind_int(s, 4, line->action);
    (void)sqlite3_bind_int(s, 5, (int)line->severity);
    for (int i = 0; i < INDEX_WORDS; i++) {
        bind_number(s, 6 + i, words[i], words[i] != 0);
    }
    bind_number(s, 11, line->req, line->has_req);
    (void)sqlite3_bind_int64(s, 12, file);
    (void)sqlite3_bind_int64(s, 13, (sqlite3_int64)offset);
    (void)sqlite3_bind_int64(s, 14, (sqlite3_int64)len);
    return run(f, PUT_RECORD, err);
}

static bool put_finding(struct index_fold *f, uint64_t seq, int64_t rule, unsigned n, const struct index_finding *finding,
                        struct error *err)
{
    sqlite3_stmt *s = f->statements[PUT_FINDING];

    (void)sqlite3_bind_int64(s, 1, rule);
    (void)sqlite3_bind_int64(s, 2, (sqlite3_int64)seq);
    (void)sqlite3_bind_int(s, 3, (int)n);
    (void)sqlite3_bind_int(s, 4, finding->action);
    (void)sqlite3_bind_int(s, 5, (int)finding->score);
    if (finding->has_token) {
        (void)sqlite3_bind_blob(s, 6, finding->token, INDEX_TOKEN, SQLITE_STATIC);
    } else {
        (void)sqlite3_bind_null(s, 6);
    }
    return run(f, PUT_FINDING, err);
}

/* Every rule of the line has a row, the one that decided also when it has no finding. */
static bool put_findings(struct index_fold *f, const struct index_line *line, int64_t decided_by, struct error *err)
{
    bool is_among_them = decided_by == 0;

    for (unsigned i = 0; i < line->n_findings; i++) {
        int64_t rule = 0;
        if (!word_id(f, INDEX_RULE, line->findings[i].rule, &rule, err) ||
            !put_finding(f, line->seq, rule, i, &line->findings[i], err)) {
            return false;
        }
        is_among_them |= rule == decided_by;
    }
    const struct index_finding none = {.action = line->action};
    return is_among_them || put_finding(f, line->seq, decided_by, NO_FINDING, &none, err);
}

static bool put_line(struct index_fold *f, int64_t file, uint64_t offset, size_t len, struct error *err)
{
    const struct index_line *line = &f->line;
    int64_t words[INDEX_WORDS];

    for (unsigned i = 0; i < INDEX_WORDS; i++) {
        if (!word_id(f, (enum index_word)i, line->words[i], &words[i], err)) {
            return false;
        }
    }
    const struct index_count count = {.hour = line->ts_ms / 3600000, .tenant = words[INDEX_TENANT], .rule = words[INDEX_RULE],
                                      .action = line->action};
    return put_record(f, line, words, file, offset, len, err) && put_findings(f, line, words[INDEX_RULE], err) &&
           put_block(f, line, err) && (line->action == INDEX_NO_ACTION || index_tally_add(f->tally, &count, err));
}

/* --- transactions ----------------------------------------------------------------- */

static bool begin(struct index_fold *f, struct error *err)
{
    f->is_open = f->is_open || index_execute(f->store->db, "BEGIN IMMEDIATE", err);
    return f->is_open;
}

bool index_fold_file(struct index_fold *f, const char *path, uint64_t first_seq, const struct tree_hash *first, int64_t *id,
                     struct error *err)
{
    sqlite3_stmt *find = f->statements[FIND_FILE], *put = f->statements[PUT_FILE], *move = f->statements[MOVE_FILE];

    (void)sqlite3_bind_int64(find, 1, (sqlite3_int64)first_seq);
    int code = sqlite3_step(find);
    bool is_known = code == SQLITE_ROW;
    *id = is_known ? sqlite3_column_int64(find, 0) : 0;
    bool is_there = is_known && strcmp((const char *)sqlite3_column_text(find, 1), path) == 0;
    (void)sqlite3_reset(find);
    if ((!is_known && code != SQLITE_DONE && !index_fail(f->store->db, err)) || (!is_there && (is_known || first != NULL) && !begin(f, err))) {
        return false;
    }
    if (is_known) {
        (void)sqlite3_bind_int64(move, 1, *id);
        (void)sqlite3_bind_text(move, 2, path, -1, SQLITE_TRANSIENT);
        return is_there || run(f, MOVE_FILE, err);
    }
    if (first == NULL) {
        return true;
    }
    (void)sqlite3_bind_text(put, 1, path, -1, SQLITE_TRANSIENT);
    (void)sqlite3_bind_int64(put, 2, (sqlite3_int64)first_seq);
    (void)sqlite3_bind_blob(put, 3, first->bytes, TREE_HASH, SQLITE_TRANSIENT);
    bool is_put = run(f, PUT_FILE, err);
    *id = sqlite3_last_insert_rowid(f->store->db);
    return is_put;
}

/* How far the file of the position is indexed. */
static bool grow_file(struct index_fold *f, struct error *err)
{
    sqlite3_stmt *s = f->statements[GROW_FILE];

    (void)sqlite3_bind_int64(s, 1, f->position.file);
    (void)sqlite3_bind_int64(s, 2, (sqlite3_int64)f->position.seq);
    (void)sqlite3_bind_int64(s, 3, (sqlite3_int64)f->position.offset);
    return run(f, GROW_FILE, err);
}

bool index_fold_add(struct index_fold *f, struct span text, int64_t file, uint64_t offset, struct error *err)
{
    arena_reset(&f->memory);
    if (text.len > TREE_LEAF_MAX) {
        return error_set(err, ERROR_LIMIT, "index: a line of at most %d bytes expected", TREE_LEAF_MAX);
    }
    if (!index_line_read(text, &f->memory, &f->line, err)) {
        return false;
    }
    uint64_t seq = f->line.seq;
    if (seq <= f->position.seq) {
        return true;
    }
    if (f->position.seq != 0 && seq != f->position.seq + 1) {
        return error_set(err, ERROR_INVALID, "index: line %llu expected, not %llu", (unsigned long long)f->position.seq + 1,
                         (unsigned long long)seq);
    }
    bool is_other = f->position.file != file && f->position.seq != 0;
    if (!begin(f, err) || (is_other && !grow_file(f, err)) || !put_line(f, file, offset, text.len, err)) {
        return false;
    }
    memcpy(f->last, text.ptr, text.len);
    f->last_len = text.len;
    f->position.seq = seq;
    f->position.file = file;
    f->position.offset = offset + text.len + 1;
    return true;
}

/* The hash is made of the last line of a transaction alone. */
bool index_fold_commit(struct index_fold *f, const char *origin, struct error *err)
{
    if (!f->is_open) {
        return true;
    }
    tree_hash_leaf(span_of(f->last, f->last_len), &f->position.leaf);
    (void)snprintf(f->position.origin, sizeof(f->position.origin), "%s", origin);
    if (f->position.seq != f->committed.seq &&
        !(save_block(f, err) && grow_file(f, err) && index_position_write(f->store->db, &f->position, err))) {
        return false;
    }
    if (!index_tally_save(f->tally, err) || !index_execute(f->store->db, "COMMIT", err)) {
        return false;
    }
    f->is_open = false;
    f->committed = f->position;
    return true;
}

const struct index_position *index_fold_position(const struct index_fold *f)
{
    return &f->position;
}

struct index_fold *index_fold_new(struct index_store *store, struct error *err)
{
    struct index_fold *f = calloc(1, sizeof(*f));

    if (f == NULL) {
        error_set(err, ERROR_NO_MEMORY, "index: no memory");
        return NULL;
    }
    f->store = store;
    arena_init(&f->memory, INDEX_LINE_MEMORY, INDEX_LINE_MEMORY);
    crypto_shorthash_keygen(f->secret);
    bool is_ready = index_position_read(store->db, &f->position, err);
    for (unsigned i = 0; is_ready && i < STATEMENTS; i++) {
        is_ready = index_prepare(store->db, sql[i], &f->statements[i], err);
    }
    f->committed = f->position;
    f->tally = is_ready ? index_tally_new(store->db, err) : NULL;
    if (f->tally == NULL) {
        index_fold_free(f);
        return NULL;
    }
    return f;
}

void index_fold_free(struct index_fold *f)
{
    if (f == NULL) {
        return;
    }
    for (unsigned i = 0; i < STATEMENTS; i++) {
        (void)sqlite3_finalize(f->statements[i]);
    }
    index_tally_free(f->tally);
    if (f->is_open) {
        (void)sqlite3_exec(f->store->db, "ROLLBACK", NULL, NULL, NULL);
    }
    arena_deinit(&f->memory);
    free(f);
}
