#include "replica/replica.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "replica/replica_parts.h"
#include "record/checkpoint_store.h"
#include "record/log_reader.h"
#include "review/review_fold.h"

enum { LINES_AT_ONCE = 64 /* between two looks at the clock */, FILE_MODE = 0644, FOLDS = 2, MINIMUM_MAX = 32 };

struct replica {
    struct replica_place place;
    struct index_place places[FOLDS];
    struct index_follow *follows[FOLDS]; /* NULL: not open yet */
    struct tile_writer *tiles;           /* of the lines so far; NULL: not open yet */
    int file;                            /* that `tiles` are of, open so that its inode is not used again; -1: none */
    uint64_t begins, removed;            /* `tiles` began behind this line; up to here lines were removed, by what lines behind say */
    struct buf note;                     /* the newest checkpoint */
    struct buf done;                     /* the last one that was compared */
    struct replica_state state;
};

/* --- places ----------------------------------------------------------------------------- */

bool replica_place(struct replica_place *p, const char *copies, const char *node, struct error *err)
{
    static const char *const names[] = {"decisions.jsonl", "record", "record/review.db", "record/index.db"};
    char *const paths[] = {p->log, p->record, p->review, p->index};

    if (snprintf(p->folder, PATH_MAX, "%s/%s", copies, node) >= PATH_MAX - REPLICA_NAME) {
        return error_set(err, ERROR_INVALID, "copies: a shorter path expected");
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(paths[i], PATH_MAX, "%.*s/%s", PATH_MAX - REPLICA_NAME, p->folder, names[i]);
    }
    return true;
}

static void path_in(char path[PATH_MAX], const char *folder, const char *name)
{
    (void)snprintf(path, PATH_MAX, "%.*s/%s", PATH_MAX - REPLICA_NAME, folder, name);
}

bool replica_check_key(const char *folder, const struct note_key *key, bool *is_new, struct error *err)
{
    char path[PATH_MAX], vkey[NOTE_VKEY_MAX + 2];
    struct buf known CLEANUP(buf_deinit);

    buf_init(&known, NOTE_VKEY_MAX + 1);
    note_key_format(key, vkey);
    size_t len = strlen(vkey);
    memcpy(vkey + len, "\n", 2);
    path_in(path, folder, "key");
    *is_new = false;
    if (file_read(path, &known, err)) {
        return span_is(buf_span(&known), vkey) || error_set(err, ERROR_DENIED, "%s: another key than that of the log expected", path);
    }
    if (err->kind != ERROR_NOT_FOUND) {
        return false;
    }
    *is_new = true;
    return file_write_atomic(path, span_of(vkey, len + 1), FILE_MODE, err);
}

bool replica_read_proven(const char *record, struct buf *note, struct checkpoint *c, struct error *err)
{
    char path[PATH_MAX];

    path_in(path, record, "proven");
    return file_read(path, note, err) && checkpoint_parse(buf_span(note), c, err);
}

/* --- one attempt ------------------------------------------------------------------------ */

static void forget(struct replica *c)
{
    cleanup_fd(&c->file);
    c->file = -1;
    tile_writer_close(c->tiles);
    c->tiles = NULL;
    buf_clear(&c->done);
    c->state.proven = c->state.folded = c->state.broken = 0;
    for (size_t i = 0; i < FOLDS; i++) {
        index_follow_close(c->follows[i]);
        c->follows[i] = NULL;
    }
}

/* What retention left; 0: all lines. */
static uint64_t read_minimum(const struct replica *c)
{
    struct buf text CLEANUP(buf_deinit);
    char path[PATH_MAX];
    struct error ignored;

    buf_init(&text, MINIMUM_MAX);
    path_in(path, c->place.record, "minimum");
    return file_read(path, &text, &ignored) && buf_append_char(&text, '\0', &ignored) ? strtoull(text.data, NULL, 10) : 0;
}

/* A copy that was made anew, or lost its first lines, is another file. */
static bool look_at_file(struct replica *c, struct error *err)
{
    struct stat now, known;

    if (stat(c->place.log, &now) != 0) {
        forget(c);
        return error_errno(err, "%s", c->place.log);
    }
    if (c->file >= 0 && fstat(c->file, &known) == 0 && now.st_dev == known.st_dev && now.st_ino == known.st_ino) {
        return true;
    }
    forget(c);
    c->state.removed = read_minimum(c);
    c->file = open(c->place.log, O_RDONLY | O_CLOEXEC);
    return c->file >= 0 || error_errno(err, "%s", c->place.log);
}

static bool check_signature(struct replica *c, const struct log_files *files, const struct checkpoint *newest, struct error *err)
{
    struct log_keys keys;
    bool is_new;

    return log_keys_read(c->place.record, files, NULL, &keys, err) && replica_check_key(c->place.folder, &keys.list[0].key, &is_new, err) &&
           log_keys_verify(&keys, newest, newest->size, err);
}

/* Where the process before was, if what it left is what it says. */
static bool open_proven(struct replica *c, const struct log_files *files)
{
    struct buf note CLEANUP(buf_deinit);
    struct checkpoint proven;
    struct tree_hash root;
    struct error ignored;

    buf_init(&note, NOTE_MAX);
    if (!replica_read_proven(c->place.record, &note, &proven, &ignored) || proven.size < c->begins || !check_signature(c, files, &proven, &ignored)) {
        return false;
    }
    c->tiles = tile_writer_open(c->place.record, proven.size, &ignored);
    if (c->tiles == NULL) {
        return false;
    }
    tile_writer_root(c->tiles, &root);
    if (!tree_hash_equal(&root, &proven.root)) {
        tile_writer_close(c->tiles);
        c->tiles = NULL;
        return false;
    }
    c->state.proven = proven.size;
    c->begins = 0; /* was looked at then */
    return true;
}

/* Else at the first line, or behind those that were removed, which tiles stand for. */
static bool open_tiles(struct replica *c, const struct log_files *files, struct error *err)
{
    if (c->tiles != NULL) {
        return true;
    }
    c->begins = c->state.removed;
    c->removed = 0;
    if (open_proven(c, files)) {
        return true;
    }
    c->tiles = tile_writer_open(c->place.record, c->begins, err);
    return c->tiles != NULL;
}

/* *is_whole: all lines that the checkpoint covers are in the tree. */
static bool add_lines(struct replica *c, struct log_reader *r, uint64_t size, int64_t until_ms, bool *is_whole, struct error *err)
{
    struct tree_hash leaf;
    struct log_line line;

    for (uint64_t seq = tile_writer_size(c->tiles) + 1; seq <= size; seq++) {
        if (seq % LINES_AT_ONCE == 0 && clock_monotonic_ms() >= until_ms) {
            *is_whole = false;
            return true;
        }
        if (!log_reader_next(r, &line, err)) {
            return false;
        }
        if (line.text.ptr == NULL || line.fault == LOG_TORN) {
            return error_set(err, ERROR_NOT_FOUND, "the node has signed %" PRIu64 " lines; the copy has %" PRIu64, size, seq - 1);
        }
        if (line.seq != seq || line.fault == LOG_NO_RECORD || line.fault == LOG_TOO_LONG) {
            return error_set(err, ERROR_INVALID, "line %" PRIu64 " expected", seq);
        }
        uint64_t removed = c->begins == 0 ? 0 : log_line_removed(line.text);
        c->removed = removed > c->removed ? removed : c->removed;
        tree_hash_leaf(line.text, &leaf);
        if (!tile_writer_add(c->tiles, &leaf, err)) {
            return false;
        }
    }
    *is_whole = true;
    return true;
}

static bool read_lines(struct replica *c, const struct log_files *files, uint64_t size, int64_t until_ms, bool *is_whole, struct error *err)
{
    uint64_t seq = tile_writer_size(c->tiles) + 1;
    struct log_reader *r = log_reader_new(files, err);

    bool is_read = r != NULL && (seq == 1 || log_reader_seek(r, seq, err)) && add_lines(c, r, size, until_ms, is_whole, err);
    log_reader_free(r);
    return is_read;
}

/* The lines of the checkpoint are in the tree. */
static bool compare(struct replica *c, const struct checkpoint *newest, struct error *err)
{
    struct tree_hash root;
    char path[PATH_MAX];

    tile_writer_root(c->tiles, &root);
    if (!tree_hash_equal(&root, &newest->root)) {
        c->state.broken = newest->size;
        tile_writer_close(c->tiles);
        c->tiles = NULL;
        return newest->size > c->state.proven
                   ? error_set(err, ERROR_INVALID, "lines %" PRIu64 " to %" PRIu64 " are not what the node has signed", c->state.proven + 1,
                               newest->size)
                   : error_set(err, ERROR_INVALID, "the node has signed two logs of %" PRIu64 " lines", newest->size);
    }
    if (c->removed < c->begins) {
        return error_set(err, ERROR_INVALID, "lines 1 to %" PRIu64 " are missing, and no line that the node has signed says that they were removed", c->begins);
    }
    path_in(path, c->place.record, "proven");
    if (!tile_writer_commit(c->tiles, err) || !file_write_atomic(path, buf_span(&c->note), FILE_MODE, err)) {
        return false;
    }
    c->state.proven = newest->size;
    buf_clear(&c->done);
    return buf_append(&c->done, buf_span(&c->note), err);
}

/* An older one, as of a database that was restored, says nothing new. */
static bool verify_newest(struct replica *c, const struct log_files *files, int64_t until_ms, bool *more, struct error *err)
{
    struct checkpoint newest;
    bool is_whole;

    if (!checkpoint_parse(buf_span(&c->note), &newest, err) || !check_signature(c, files, &newest, err) || !open_tiles(c, files, err)) {
        return false;
    }
    if (newest.size < tile_writer_size(c->tiles) || newest.size < c->state.proven) {
        return true;
    }
    if (!read_lines(c, files, newest.size, until_ms, &is_whole, err)) {
        return false;
    }
    *more = !is_whole;
    return !is_whole || compare(c, &newest, err);
}

static bool verify(struct replica *c, int64_t until_ms, bool *more, struct error *err)
{
    struct log_files files = {.items = NULL};
    struct error none;

    buf_clear(&c->note);
    if (!checkpoint_store_newest(c->place.record, &c->note, &none)) {
        return none.kind == ERROR_NOT_FOUND || error_set(err, none.kind, "%s", none.text);
    }
    if (c->note.len == c->done.len && memcmp(c->note.data, c->done.data, c->note.len) == 0) {
        return true;
    }
    bool is_verified = log_files_add(&files, c->place.log, err) && verify_newest(c, &files, until_ms, more, err);
    log_files_deinit(&files);
    return is_verified;
}

/* --- queue and index -------------------------------------------------------------------- */

static bool fold(struct replica *c, size_t which, unsigned budget_ms, bool *more, struct error *err)
{
    struct index_follow **f = &c->follows[which];
    bool has_more = false;

    *f = *f != NULL ? *f : index_follow_open(&c->places[which], err);
    if (*f == NULL || (index_follow_seq(*f) < c->state.proven && !index_follow_step(*f, c->state.proven, budget_ms, &has_more, err))) {
        return false;
    }
    *more = *more || has_more;
    c->state.folded = index_follow_seq(*f) < c->state.folded ? index_follow_seq(*f) : c->state.folded;
    return true;
}

static bool fold_both(struct replica *c, unsigned budget_ms, bool *more, struct error *err)
{
    if (c->state.proven == 0) {
        return true;
    }
    c->state.folded = c->state.proven;
    return fold(c, 0, budget_ms, more, err) && fold(c, 1, budget_ms, more, err);
}

/* --- life --------------------------------------------------------------------------------- */

struct replica *replica_open(const char *copies, const char *node, struct error *err)
{
    struct replica *c = calloc(1, sizeof(*c));

    if (c == NULL || !replica_place(&c->place, copies, node, err)) {
        free(c);
        (void)(c != NULL || error_set(err, ERROR_NO_MEMORY, "copies: no memory"));
        return NULL;
    }
    c->places[0] = (struct index_place){.log = c->place.log, .folder = c->place.folder, .index = c->place.review, .maker = &review_maker};
    c->places[1] = (struct index_place){.log = c->place.log, .folder = c->place.folder, .index = c->place.index};
    c->file = -1;
    (void)snprintf(c->state.node, sizeof(c->state.node), "%s", node);
    buf_init(&c->note, NOTE_MAX);
    buf_init(&c->done, NOTE_MAX);
    return c;
}

void replica_close(struct replica *c)
{
    if (c != NULL) {
        forget(c);
        buf_deinit(&c->note);
        buf_deinit(&c->done);
        free(c);
    }
}

static void set_why(struct replica *c, bool is_good, const struct error *err)
{
    (void)snprintf(c->state.why, sizeof(c->state.why), "%s", is_good ? "" : err->text);
}

/* What is broken stays broken; queue and index still get all lines before. */
void replica_step(struct replica *c, unsigned budget_ms, bool *more)
{
    int64_t until_ms = clock_monotonic_ms() + budget_ms;
    struct error err = {.text = ""};

    *more = false;
    bool is_there = look_at_file(c, &err);
    if (!is_there || c->state.broken == 0) {
        set_why(c, is_there && verify(c, until_ms, more, &err), &err);
    }
    if (is_there && !fold_both(c, budget_ms, more, &err)) {
        set_why(c, false, &err);
    }
}

const struct replica_state *replica_state(const struct replica *c)
{
    return &c->state;
}
