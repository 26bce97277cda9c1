#include "decision_log/decision_start.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "record/checkpoint_store.h"
#include "record/log_reader.h"

struct start {
    const struct decision_place *place;
    uint64_t last;   /* line of the log */
    bool is_rotated; /* the open file is empty: the lines before may be in files elsewhere */
    struct log_files files;
    struct buf note;
    struct checkpoint checkpoint; /* size 0: there is none */
    char signed_at[32];
    struct tile_writer *tiles;
};

static void start_deinit(struct start *s)
{
    tile_writer_close(s->tiles);
    log_files_deinit(&s->files);
    buf_deinit(&s->note);
}

/* The checkpoint has no time; its file does. */
static void tell_when(struct start *s)
{
    char path[PATH_MAX + 16];
    struct stat info;
    struct tm utc;

    (void)snprintf(path, sizeof(path), "%s/checkpoint", s->place->record);
    bool is_known = stat(path, &info) == 0 && gmtime_r(&info.st_mtime, &utc) != NULL;
    if (!is_known || strftime(s->signed_at, sizeof(s->signed_at), "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) {
        (void)snprintf(s->signed_at, sizeof(s->signed_at), "an unknown time");
    }
}

static bool read_checkpoint(struct start *s, const struct note_key *key, struct error *err)
{
    struct error why;

    buf_init(&s->note, NOTE_MAX);
    if (!checkpoint_store_newest(s->place->record, &s->note, &why)) {
        if (why.kind != ERROR_NOT_FOUND) {
            *err = why;
        }
        return why.kind == ERROR_NOT_FOUND;
    }
    if (!checkpoint_parse(buf_span(&s->note), &s->checkpoint, err) || !checkpoint_verify(&s->checkpoint, key, err)) {
        return error_wrap(err, "record: %s/checkpoint", s->place->record);
    }
    tell_when(s);
    return true;
}

static bool open_tiles(struct start *s, uint64_t size, struct error *err)
{
    tile_writer_close(s->tiles);
    s->tiles = tile_writer_open(s->place->record, size, err);
    return s->tiles != NULL;
}

static bool is_signed_root(const struct start *s, const struct tree_hash *root)
{
    return tree_hash_equal(root, &s->checkpoint.root);
}

static bool refuse_line(const struct start *s, uint64_t seq, struct error *err)
{
    return error_set(err, ERROR_INVALID, "record: line %" PRIu64 " is not what was signed at %s", seq, s->signed_at);
}

static bool refuse_gap(uint64_t first, uint64_t last, const struct start *s, struct error *err)
{
    return error_set(err, ERROR_INVALID,
                     "record: lines %" PRIu64 " to %" PRIu64 " are missing in %s: put back the file that has them, or begin a "
                     "new log (--new-record)",
                     first, last, s->place->folder);
}

/* Gives the hash of each line from `first` to `last`, which has to be there, to `take`. */
typedef bool take_fn(struct start *s, uint64_t seq, const struct tree_hash *leaf, void *context, struct error *err);
static bool each_line(struct start *s, struct log_reader *r, uint64_t first, uint64_t last, take_fn *take, void *context,
                      struct error *err)
{
    struct tree_hash leaf;
    struct log_line line;

    if (first > last) {
        return true;
    }
    if (!log_reader_seek(r, first, err)) {
        return error_wrap(err, "record");
    }
    for (uint64_t seq = first; seq <= last; seq++) {
        if (!log_reader_next(r, &line, err)) {
            return error_wrap(err, "record");
        }
        if (line.text.ptr == NULL) {
            return (s->is_rotated && seq <= s->checkpoint.size) || refuse_gap(seq, last, s, err);
        }
        if (line.fault != LOG_SOUND || line.seq != seq) {
            return seq <= s->checkpoint.size
                       ? refuse_line(s, seq, err)
                       : error_set(err, ERROR_INVALID, "record: line %" PRIu64 " %s (%s)", seq,
                                   line.fault == LOG_SOUND ? "is missing" : log_fault_text(line.fault), line.file->path);
        }
        tree_hash_leaf(line.text, &leaf);
        if (!take(s, seq, &leaf, context, err)) {
            return false;
        }
    }
    return true;
}

/* --- the last tile of the checkpoint --------------------------------------------- */

static bool compare_leaf(struct start *s, uint64_t seq, const struct tree_hash *leaf, void *context, struct error *err)
{
    const struct buf *tile = context;
    size_t at = (size_t)((seq - 1) % TILE_WIDTH) * TREE_HASH;

    return memcmp(tile->data + at, leaf->bytes, TREE_HASH) == 0 || refuse_line(s, seq, err);
}

/* Those in the newest file: of lines that were moved elsewhere only the hashes are here. */
static bool compare_last_tile(struct start *s, struct log_reader *r, struct error *err)
{
    uint64_t size = s->checkpoint.size, index = (size - 1) / TILE_WIDTH, first = index * TILE_WIDTH + 1;
    const struct tile_name name = {.index = index, .width = tile_width(size, 0, index)};
    struct buf tile CLEANUP(buf_deinit);

    buf_init(&tile, (size_t)TILE_WIDTH * TREE_HASH);
    if (s->files.n == 0) {
        return true;
    }
    if (s->last < size) {
        return refuse_line(s, s->last + 1, err);
    }
    uint64_t newest = s->files.items[s->files.n - 1].first_seq;
    first = first < newest ? newest : first;
    return tile_read(s->place->record, &name, &tile, err) && each_line(s, r, first, size, compare_leaf, &tile, err);
}

/* --- tiles from lines ------------------------------------------------------------ */

static bool add_to_edge(struct start *s, uint64_t seq, const struct tree_hash *leaf, void *context, struct error *err)
{
    (void)s;
    (void)seq;
    (void)err;
    tree_edge_add(context, leaf);
    return true;
}

static bool add_to_tiles(struct start *s, uint64_t seq, const struct tree_hash *leaf, void *context, struct error *err)
{
    (void)seq;
    (void)context;
    return tile_writer_add(s->tiles, leaf, err);
}

/* The tiles are not those of the checkpoint. Nothing of them is replaced before the lines are known to be what was signed. */
static bool remake_tiles(struct start *s, struct log_reader *r, struct error *err)
{
    struct tree_edge edge = {.size = 0};
    struct tree_hash root;

    if (!each_line(s, r, 1, s->checkpoint.size, add_to_edge, &edge, err)) {
        return error_wrap(err, "record: tiles are missing or damaged, and cannot be made again from the lines");
    }
    tree_edge_root(&edge, &root);
    if (!is_signed_root(s, &root)) {
        return error_set(err, ERROR_INVALID,
                         "record: lines 1 to %" PRIu64 " are not what was signed at %s (filterctl record verify says which)",
                         s->checkpoint.size, s->signed_at);
    }
    return open_tiles(s, 0, err) && each_line(s, r, 1, s->checkpoint.size, add_to_tiles, NULL, err);
}

static bool read_tiles(struct start *s, struct log_reader *r, struct error *err)
{
    struct tree_hash root;
    struct error why;

    bool is_right = open_tiles(s, s->checkpoint.size, &why);
    if (is_right) {
        tile_writer_root(s->tiles, &root);
        is_right = is_signed_root(s, &root);
    }
    if (s->checkpoint.size == 0) {
        return s->tiles != NULL || error_set(err, why.kind, "record: %s", why.text);
    }
    return is_right ? compare_last_tile(s, r, err) : remake_tiles(s, r, err);
}

static bool start(struct start *s, struct error *err)
{
    struct log_reader *r = log_reader_new(&s->files, err);

    bool is_right = r != NULL && read_tiles(s, r, err) &&
                    each_line(s, r, s->checkpoint.size + 1, s->last, add_to_tiles, NULL, err);
    log_reader_free(r);
    return is_right;
}

bool decision_start(const struct decision_place *place, const struct note_key *key, const struct decision_file *f,
                    const char *origin, struct decision_start *out, struct error *err)
{
    struct start s CLEANUP(start_deinit) = {.place = place, .last = f->seq, .is_rotated = f->is_empty};

    if (!read_checkpoint(&s, key, err) || !log_files_scan(&s.files, place->folder, err)) {
        return false;
    }
    log_files_select(&s.files, span_str(origin));
    if (!start(&s, err)) {
        return false;
    }
    out->signed_size = s.checkpoint.size;
    out->tiles = TAKE(s.tiles);
    return true;
}
