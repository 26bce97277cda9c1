#include "index/index_fold.h"

#include <sodium.h>

#include "base/cleanup.h"
#include "index/index_blocks.h"
#include "index/index_tally.h"

enum {
    WORDS_KNOWN = 64 * 1024, /* names whose numbers are remembered; a power of two */
    NO_FINDING = INDEX_FINDINGS_MAX, /* n of the row of a rule that decided without a finding */
};

enum statement {
    PUT_FINDING,
    PUT_HELD,
    PUT_AGENT_HELD,
    FIND_WORD,
    PUT_WORD,
    FIND_FILE,
    PUT_FILE,
    MOVE_FILE,
    GROW_FILE,
    STATEMENTS
};

static const char *const sql[STATEMENTS] = {
    [PUT_FINDING] = "INSERT INTO finding VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9)",
    [PUT_HELD] = "INSERT INTO held VALUES(?1,?2)",
    [PUT_AGENT_HELD] = "INSERT INTO agent_held VALUES(?1,?2,?3)",
    [FIND_WORD] = "SELECT id FROM word WHERE kind=?1 AND text=?2",
    [PUT_WORD] = "INSERT INTO word(kind, text) VALUES(?1,?2)",
    [FIND_FILE] = "SELECT id, path FROM file WHERE first_seq=?1",
    [PUT_FILE] = "INSERT INTO file(path, first_seq, last_seq, offset, sha256) VALUES(?1,?2,0,0,?3)",
    [MOVE_FILE] = "UPDATE file SET path=?2 WHERE id=?1",
    [GROW_FILE] = "UPDATE file SET last_seq=?2, offset=?3 WHERE id=?1",
};

/* A name by its keyed hash: who chooses names cannot make two of one number. */
struct known_word {
    uint64_t hash; /* 0: none */
    int64_t id;
};

/* The last name of a kind: that of the next line, as a rule. */
struct last_word {
    int64_t id;
    size_t len; /* 0: none yet */
    char text[INDEX_NAME_MAX];
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
    struct last_word last_words[INDEX_WORDS];
    struct index_blocks *blocks;
    size_t last_len;
    char last[TREE_LEAF_MAX];
};

static bool run(struct index_fold *f, enum statement which, struct error *err)
{
    return index_run(f->store->db, f->statements[which], err);
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

static bool known_id(struct index_fold *f, enum index_word kind, struct span text, int64_t *id, struct error *err)
{
    uint64_t hash = 0;

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

/* 0 for no text. */
static bool word_id(struct index_fold *f, enum index_word kind, struct span text, int64_t *id, struct error *err)
{
    struct last_word *last = &f->last_words[kind];

    *id = 0;
    if (text.len == 0) {
        return true;
    }
    if (text.len == last->len && memcmp(text.ptr, last->text, text.len) == 0) {
        *id = last->id;
        return true;
    }
    if (!known_id(f, kind, text, id, err)) {
        return false;
    }
    memcpy(last->text, text.ptr, text.len);
    last->len = text.len;
    last->id = *id;
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

static bool put_finding(struct index_fold *f, const struct index_row *row, int64_t rule, unsigned n, const struct index_finding *finding,
                        struct error *err)
{
    sqlite3_stmt *s = f->statements[PUT_FINDING];

    (void)sqlite3_bind_int64(s, 1, rule);
    (void)sqlite3_bind_int64(s, 2, (sqlite3_int64)row->seq);
    (void)sqlite3_bind_int(s, 3, (int)n);
    (void)sqlite3_bind_int(s, 4, finding->action);
    (void)sqlite3_bind_int(s, 5, (int)finding->score);
    if (finding->has_token) {
        (void)sqlite3_bind_blob(s, 6, finding->token, INDEX_TOKEN, SQLITE_STATIC);
    } else {
        (void)sqlite3_bind_null(s, 6);
    }
    (void)sqlite3_bind_int64(s, 7, row->ts_ms);
    bind_number(s, 8, row->words[INDEX_TENANT], row->words[INDEX_TENANT] != 0);
    bind_number(s, 9, row->words[INDEX_APP], row->words[INDEX_APP] != 0);
    return run(f, PUT_FINDING, err);
}

/* Every rule of the line has a row, the one that decided also when it has no finding. */
static bool put_findings(struct index_fold *f, const struct index_row *row, struct error *err)
{
    const struct index_line *line = &f->line;
    int64_t decided_by = row->words[INDEX_RULE];
    bool is_among_them = decided_by == 0;

    for (unsigned i = 0; i < line->n_findings; i++) {
        int64_t rule = 0;
        if (!word_id(f, INDEX_RULE, line->findings[i].rule, &rule, err) ||
            !put_finding(f, row, rule, i, &line->findings[i], err)) {
            return false;
        }
        is_among_them |= rule == decided_by;
    }
    const struct index_finding none = {.action = line->action};
    return is_among_them || put_finding(f, row, decided_by, NO_FINDING, &none, err);
}

/* Of what was held back. */
static bool put_held(struct index_fold *f, const struct index_row *row, struct error *err)
{
    sqlite3_stmt *held = f->statements[PUT_HELD], *by_agent = f->statements[PUT_AGENT_HELD];

    (void)sqlite3_bind_int(held, 1, row->action);
    (void)sqlite3_bind_int64(held, 2, (sqlite3_int64)row->seq);
    (void)sqlite3_bind_int64(by_agent, 1, row->words[INDEX_AGENT]);
    (void)sqlite3_bind_int(by_agent, 2, row->action);
    (void)sqlite3_bind_int64(by_agent, 3, (sqlite3_int64)row->seq);
    return run(f, PUT_HELD, err) && (row->words[INDEX_AGENT] == 0 || run(f, PUT_AGENT_HELD, err));
}

static bool put_line(struct index_fold *f, int64_t file, uint64_t offset, size_t len, struct error *err)
{
    const struct index_line *line = &f->line;
    struct index_row row = {.seq = line->seq, .ts_ms = line->ts_ms, .type = line->type, .severity = line->severity,
                            .action = line->action, .has_req = line->has_req, .req = line->req, .file = file, .offset = offset,
                            .len = len};

    for (unsigned i = 0; i < INDEX_WORDS; i++) {
        if (!word_id(f, (enum index_word)i, line->words[i], &row.words[i], err)) {
            return false;
        }
    }
    const struct index_count count = {.hour = row.ts_ms / 3600000, .tenant = row.words[INDEX_TENANT], .rule = row.words[INDEX_RULE],
                                      .action = row.action};
    return index_blocks_add(f->blocks, &row, line, err) && put_findings(f, &row, err) &&
           (row.action <= INDEX_ALLOW || put_held(f, &row, err)) &&
           (row.action == INDEX_NO_ACTION || index_tally_add(f->tally, &count, err));
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
        !(index_blocks_save(f->blocks, err) && grow_file(f, err) && index_position_write(f->store->db, &f->position, err))) {
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
    f->blocks = f->tally == NULL ? NULL : index_blocks_new(store->db, f->position.seq, err);
    if (f->blocks == NULL) {
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
    index_blocks_free(f->blocks);
    if (f->is_open) {
        (void)sqlite3_exec(f->store->db, "ROLLBACK", NULL, NULL, NULL);
    }
    arena_deinit(&f->memory);
    free(f);
}
