#include "record/log_view.h"

#include <inttypes.h>
#include <stdlib.h>

#include "record/checkpoint_store.h"
#include "record/log_reader.h"
#include "record/proof.h"

/* A checkpoint and the bytes that it borrows from. */
struct head {
    struct buf note;
    struct checkpoint checkpoint;
};

static bool not_there(struct error *err, const char *what)
{
    return error_set(err, ERROR_NOT_FOUND, "record: %s", what);
}

/* --- checkpoints ------------------------------------------------------------ */

bool log_view_checkpoint(const struct log_view *view, bool is_cosigned, struct buf *out, struct error *err)
{
    return is_cosigned ? checkpoint_store_cosigned(view->record, out, err) : checkpoint_store_newest(view->record, out, err);
}

static void head_init(struct head *h)
{
    *h = (struct head){.note.data = NULL};
    buf_init(&h->note, NOTE_MAX);
}

static void head_deinit(struct head *h)
{
    buf_deinit(&h->note);
}

static bool head_read(const struct log_view *view, bool is_cosigned, struct head *h, struct error *err)
{
    buf_clear(&h->note);
    return log_view_checkpoint(view, is_cosigned, &h->note, err) &&
           checkpoint_parse(buf_span(&h->note), &h->checkpoint, err);
}

/* That of this origin and size, of all that were signed. */
static bool head_find(const struct log_view *view, struct span origin, uint64_t size, struct head *h, struct error *err)
{
    struct checkpoint_history history;
    bool is_found = false;

    if (!checkpoint_history_open(&history, view->record, err)) {
        return false;
    }
    for (bool is_read = true; is_read && !is_found;) {
        is_read = checkpoint_history_next(&history, &h->note, err) && h->note.len > 0 &&
                  checkpoint_parse(buf_span(&h->note), &h->checkpoint, err);
        is_found = is_read && h->checkpoint.size == size && span_equal(h->checkpoint.origin, origin);
    }
    checkpoint_history_close(&history);
    return is_found || not_there(err, "there is no checkpoint of that size");
}

/* The newest checkpoint, and the one that a proof of line `seq` is to be for. */
static bool choose_head(const struct log_view *view, uint64_t seq, uint64_t size, struct head *newest, struct head *chosen,
                        struct error *err)
{
    struct error ignored;

    if (!head_read(view, false, newest, err)) {
        return false;
    }
    if (seq == 0 || seq > newest->checkpoint.size || (size != 0 && seq > size)) {
        return not_there(err, "no checkpoint covers that line");
    }
    if (size != 0 && size != newest->checkpoint.size) {
        return head_find(view, newest->checkpoint.origin, size, chosen, err);
    }
    bool is_good = size == 0 && head_read(view, true, chosen, &ignored) &&
                   span_equal(chosen->checkpoint.origin, newest->checkpoint.origin) && chosen->checkpoint.size >= seq &&
                   chosen->checkpoint.size <= newest->checkpoint.size;
    return is_good || head_read(view, false, chosen, err);
}

/* --- lines ------------------------------------------------------------------ */

typedef bool take_line_fn(void *context, struct span line, struct error *err);

static bool take_lines(struct log_reader *r, uint64_t from, uint64_t to, take_line_fn *take, void *context, struct error *err)
{
    struct log_line line;

    if (!log_reader_seek(r, from, err)) {
        return false;
    }
    for (uint64_t seq = from; seq <= to; seq++) {
        if (!log_reader_next(r, &line, err)) {
            return false;
        }
        /* The first after a seek has nothing before it that says what to expect. */
        bool is_sound = line.fault == LOG_SOUND || (line.fault == LOG_OUT_OF_ORDER && seq == from);
        if (line.text.ptr == NULL || !is_sound || line.seq != seq) {
            return not_there(err, "the line is not in the log's files");
        }
        if (!take(context, line.text, err)) {
            return false;
        }
    }
    return true;
}

/* Lines `from` to `to`, of the log of that origin. */
static bool read_lines(const struct log_view *view, struct span origin, uint64_t from, uint64_t to, take_line_fn *take,
                       void *context, struct error *err)
{
    struct log_files files = {.items = NULL};
    struct log_reader *r = NULL;

    bool is_read = log_files_scan(&files, view->folder, err);
    if (is_read) {
        log_files_select(&files, origin);
        r = log_reader_new(&files, err);
        is_read = r != NULL && take_lines(r, from, to, take, context, err);
    }
    log_reader_free(r);
    log_files_deinit(&files);
    return is_read;
}

/* --- tiles ------------------------------------------------------------------ */

static bool append_entry(void *context, struct span line, struct error *err)
{
    const char length[2] = {(char)(line.len >> 8), (char)line.len};

    return buf_append(context, span_of(length, sizeof(length)), err) && buf_append(context, line, err);
}

bool log_view_tile(const struct log_view *view, const struct tile_name *name, struct buf *out, struct error *err)
{
    struct head h;

    head_init(&h);
    bool is_good = head_read(view, false, &h, err);
    uint64_t size = h.checkpoint.size;
    if (is_good && (name->width == 0 || name->width > tile_width(size, name->level, name->index))) {
        is_good = not_there(err, "no checkpoint covers that tile");
    }
    if (is_good) {
        uint64_t first = name->index * TILE_WIDTH + 1;
        is_good = name->is_entries ? read_lines(view, h.checkpoint.origin, first, first + name->width - 1, append_entry, out, err)
                                   : tile_read(view->record, name, out, err);
    }
    head_deinit(&h);
    return is_good;
}

/* --- proofs ----------------------------------------------------------------- */

static bool copy_line(void *context, struct span line, struct error *err)
{
    return buf_append(context, line, err);
}

static bool format_hashes(const struct tree_proof *proof, struct buf *out, struct error *err)
{
    char text[TREE_HASH_TEXT + 1];

    for (size_t i = 0; i < proof->n; i++) {
        tree_hash_format(&proof->hashes[i], text);
        if (!buf_appendf(out, err, "%s\n", text)) {
            return false;
        }
    }
    return true;
}

bool log_view_consistency(const struct log_view *view, uint64_t from, uint64_t to, struct buf *out, struct error *err)
{
    struct tree_proof proof;
    struct tile_reader *tiles = NULL;
    struct head h;

    head_init(&h);
    bool is_good = head_read(view, false, &h, err);
    if (is_good && (from > to || to > h.checkpoint.size)) {
        is_good = not_there(err, "two sizes up to the newest checkpoint's, the smaller one first, expected");
    }
    if (is_good) {
        tiles = tile_reader_open(view->record, h.checkpoint.size, err);
        is_good = tiles != NULL;
    }
    if (is_good) {
        struct tree_source source = tile_reader_source(tiles);
        is_good = tree_prove_consistency(&source, from, to, &proof, err) && format_hashes(&proof, out, err);
    }
    tile_reader_close(tiles);
    head_deinit(&h);
    return is_good;
}

static bool prove(const struct log_view *view, uint64_t seq, const struct head *newest, const struct head *chosen,
                  struct tree_proof *path, struct tree_hash *leaf, struct error *err)
{
    struct tile_reader *tiles = tile_reader_open(view->record, newest->checkpoint.size, err);
    if (tiles == NULL) {
        return false;
    }
    struct tree_source source = tile_reader_source(tiles);
    const struct checkpoint *c = &chosen->checkpoint;
    bool is_good = tree_prove_inclusion(&source, seq - 1, c->size, path, err) &&
                   source.node(source.state, 0, seq - 1, leaf, err) &&
                   /* What is wrong here must not leave as a proof. */
                   tree_verify_inclusion(leaf, seq - 1, c->size, &c->root, path, err);

    tile_reader_close(tiles);
    return is_good;
}

/* `wanted`: the leaf hash that the line must have; NULL: any, and the line goes with the proof. */
static bool prove_line(const struct log_view *view, uint64_t seq, uint64_t size, const struct tree_hash *wanted,
                       struct buf *out, struct error *err)
{
    struct head newest, chosen;
    struct tree_proof path;
    struct tree_hash leaf, read;
    struct buf line;

    head_init(&newest);
    head_init(&chosen);
    buf_init(&line, TREE_LEAF_MAX);
    bool is_good =
        choose_head(view, seq, size, &newest, &chosen, err) && prove(view, seq, &newest, &chosen, &path, &leaf, err);
    if (is_good && wanted != NULL && !tree_hash_equal(wanted, &leaf)) {
        is_good = not_there(err, "that line has another hash");
    }
    if (is_good && wanted == NULL) {
        is_good = read_lines(view, chosen.checkpoint.origin, seq, seq, copy_line, &line, err);
        tree_hash_leaf(buf_span(&line), &read);
        if (is_good && !tree_hash_equal(&read, &leaf)) {
            is_good = error_set(err, ERROR_INVALID, "record: line %" PRIu64 " is not what was signed", seq);
        }
    }
    is_good = is_good && proof_format(wanted == NULL ? buf_span(&line) : (struct span){NULL, 0}, seq - 1, &path,
                                      buf_span(&chosen.note), out, err);
    buf_deinit(&line);
    head_deinit(&chosen);
    head_deinit(&newest);
    return is_good;
}

bool log_view_proof(const struct log_view *view, uint64_t seq, uint64_t size, struct buf *out, struct error *err)
{
    return prove_line(view, seq, size, NULL, out, err);
}

bool log_view_receipt(const struct log_view *view, uint64_t seq, const struct tree_hash *leaf, struct buf *out,
                      struct error *err)
{
    return prove_line(view, seq, 0, leaf, out, err);
}
