#include "record/log_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "record/log_history.h"

/* The tile of a level that the lines are filling. */
struct level {
    uint64_t index;
    unsigned n;
    struct tree_hash hashes[TILE_WIDTH];
};

struct run {
    const struct log_check *check;
    struct log_check_result *out;
    struct log_reader *lines;
    struct tile_reader *tiles;
    uint64_t size; /* that is signed */
    uint64_t next; /* leaf: how many there are */
    struct tree_edge edge;
    struct tree_hash root; /* of the signed lines */
    struct level levels[TILE_LEVELS];
    struct log_line fault; /* the first line that is not sound; fault LOG_SOUND: none; its text is gone */
    struct log_finding tile; /* the first of a tile */


    uint64_t first_read; /* lines before the first one that is read */

    uint64_t missing; /* lines before the first one that is there, when all behind are read */
    uint64_t removed; /* up to here, by what lines of type prune say */

    struct log_history history;
    uint64_t last_good;        /* size of the last one that held */
    uint64_t first_bad;        /* of the first one that did not; 0: all do */
};

static void find(struct log_finding *finding, uint64_t first, uint64_t last, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void find(struct log_finding *finding, uint64_t first, uint64_t last, const char *format, ...)
{
    va_list args;

    if (finding->is_there) {
        return;
    }
    finding->is_there = true;
    finding->first = first;
    finding->last = last;
    va_start(args, format);
    (void)vsnprintf(finding->text, sizeof(finding->text), format, args);
    va_end(args);
}

static bool has_finding(const struct run *r)
{
    return r->out->finding.is_there;
}

/* --- the history ------------------------------------------------------------------ */

/* The awaited one is of as many lines as were read. */
static void compare_checkpoint(struct run *r)
{
    struct tree_hash root;

    tree_edge_root(&r->edge, &root);
    bool is_same = tree_hash_equal(&root, &r->history.awaited.root);
    r->out->checkpoints += is_same;
    if (r->first_bad == 0 && is_same) {
        r->last_good = r->history.awaited.size;
    } else if (r->first_bad == 0) {
        r->first_bad = r->history.awaited.size;
    }
}

static void take_history_finding(struct run *r)
{
    if (r->history.finding[0] != '\0') {
        find(&r->out->finding, 0, 0, "%s", r->history.finding);
    }
}

/* The next checkpoint that is at or behind the lines read so far. */
static bool next_checkpoint(struct run *r, struct error *err)
{
    struct log_history *h = &r->history;
    bool is_past = true;

    while (is_past) {
        if (!log_history_next(h, err)) {
            return false;
        }
        is_past = h->note.len > 0 && h->finding[0] == '\0' && h->awaited.size <= r->next;
        if (is_past && h->awaited.size == r->next) {
            compare_checkpoint(r);
        }
    }
    take_history_finding(r);
    return true;
}

static bool meet_checkpoints(struct run *r, struct error *err)
{
    if (r->history.awaited.size == 0 || r->history.awaited.size > r->next) {
        return true;
    }
    compare_checkpoint(r);
    return next_checkpoint(r, err);
}

/* --- lines and tiles --------------------------------------------------------------- */

/* Whether that hash is the one of the leaf in the signed tree. */
static bool is_included(struct run *r, uint64_t index, const struct tree_hash *leaf)
{
    const struct tree_source source = tile_reader_source(r->tiles);
    struct tree_proof proof;
    struct error ignored;

    return tree_prove_inclusion(&source, index, r->size, &proof, &ignored) &&
           tree_verify_inclusion(leaf, index, r->size, &r->check->newest->root, &proof, &ignored);
}

/* The stored hash of a leaf; false when there is none. */
static bool stored_leaf(struct run *r, uint64_t index, struct tree_hash *out)
{
    const struct tree_source source = tile_reader_source(r->tiles);
    struct error ignored;

    return index < r->size && source.node(source.state, 0, index, out, &ignored);
}

/* The hash of the line that now is at that place: of the current tile, or the one behind it. */
static bool line_at(struct run *r, const struct level *tile, unsigned at, struct tree_hash *out)
{
    struct log_line line;
    struct error ignored;

    if (at < tile->n) {
        *out = tile->hashes[at];
        return true;
    }
    if (!log_reader_next(r->lines, &line, &ignored) || line.text.ptr == NULL) {
        return false;
    }
    tree_hash_leaf(line.text, out);
    return true;
}

/* The line at `at` of the tile is not what was signed. */
static void name_line(struct run *r, const struct level *tile, unsigned at, const struct tree_hash *stored)
{
    uint64_t index = tile->index * TILE_WIDTH + at, seq = index + 1;
    struct tree_hash behind, stored_behind;
    bool has_behind = line_at(r, tile, at + 1, &behind), has_stored = stored_leaf(r, index + 1, &stored_behind);
    bool is_next = has_stored && tree_hash_equal(&tile->hashes[at], &stored_behind);
    bool is_late = has_behind && tree_hash_equal(&behind, stored);
    struct log_finding *finding = &r->out->finding;

    if (is_next && is_late) {
        find(finding, seq, seq + 1, "lines %" PRIu64 " and %" PRIu64 " were swapped", seq, seq + 1);
    } else if (is_next) {
        find(finding, seq, seq, "line %" PRIu64 " was removed", seq);
    } else if (is_late) {
        find(finding, seq, seq, "line %" PRIu64 " was inserted: the one signed under this number follows it", seq);
    } else {
        find(finding, seq, seq, "line %" PRIu64 " was changed: it is not what was signed", seq);
    }
}

static void name_tile(struct run *r, unsigned level, uint64_t index, unsigned width)
{
    const struct tile_name name = {.level = level, .index = index, .width = width};
    char path[TILE_PATH_MAX];

    tile_path_format(&name, path);
    find(&r->tile, 0, 0, "%s/%s was changed: it does not have the hashes of what was signed", r->check->record, path);
}

/* The first `tile->n` hashes with those on disk, of `width`. */
static bool compare_tile(struct run *r, unsigned level, const struct level *tile, unsigned width, struct error *err)
{
    const struct tile_name name = {.level = level, .index = tile->index, .width = width};
    struct buf stored CLEANUP(buf_deinit);

    buf_init(&stored, (size_t)TILE_WIDTH * TREE_HASH);
    if (!tile_read(r->check->record, &name, &stored, err)) {
        r->out->missing_tiles += err->kind == ERROR_NOT_FOUND;
        if (err->kind == ERROR_MALFORMED) {
            name_tile(r, level, tile->index, width);
        }
        if (level == 0 && r->fault.fault != LOG_SOUND) {
            find(&r->out->finding, r->fault.expected, r->fault.expected, "line %" PRIu64 " %s", r->fault.expected,
                 log_fault_text(r->fault.fault));
        }
        return err->kind == ERROR_NOT_FOUND || err->kind == ERROR_MALFORMED;
    }
    const struct tree_hash *hashes = (const struct tree_hash *)stored.data;
    for (unsigned at = 0; at < tile->n && !has_finding(r); at++) {
        if (tree_hash_equal(&hashes[at], &tile->hashes[at])) {
            continue;
        }
        if (level == 0 && is_included(r, tile->index * TILE_WIDTH + at, &hashes[at])) {
            name_line(r, tile, at, &hashes[at]);
        } else {
            name_tile(r, level, tile->index, width);
            break;
        }
    }
    return true;
}

static bool push(struct run *r, unsigned level, const struct tree_hash *hash, struct error *err)
{
    struct level *tile = &r->levels[level];
    struct tree_edge edge = {.size = 0};
    struct tree_hash root;

    tile->hashes[tile->n++] = *hash;
    if (tile->n < TILE_WIDTH) {
        return true;
    }
    if (!compare_tile(r, level, tile, TILE_WIDTH, err)) {
        return false;
    }
    for (unsigned i = 0; i < TILE_WIDTH; i++) {
        tree_edge_add(&edge, &tile->hashes[i]);
    }
    tree_edge_root(&edge, &root);
    tile->index++;
    tile->n = 0;
    return level + 1 == TILE_LEVELS || push(r, level + 1, &root, err);
}

/* What is left when the signed lines, or all there are, have been read. */
static bool compare_partial(struct run *r, struct error *err)
{
    for (unsigned level = 0; level < TILE_LEVELS && !has_finding(r); level++) {
        const struct level *tile = &r->levels[level];
        if (tile->n > 0 && !compare_tile(r, level, tile, tile_width(r->size, level, tile->index), err)) {
            return false;
        }
    }
    return true;
}

/* --- the run ----------------------------------------------------------------------- */

/* By the tiles of these lines alone: a copy that was gathered has no others. */
static bool read_edge(struct run *r, uint64_t base, struct error *err)
{
    struct tile_reader *tiles = tile_reader_open(r->check->record, base, err);

    if (tiles == NULL) {
        return false;
    }
    const struct tree_source source = tile_reader_source(tiles);
    bool is_read = tree_edge_read(&source, base, &r->edge, err);
    tile_reader_close(tiles);
    return is_read;
}

/* Lines that are not read have their hashes in the tiles. */
static bool begin_behind(struct run *r, uint64_t base, struct error *err)
{
    r->next = base;
    if (base == 0) {
        return true;
    }
    r->root = r->check->newest->root; /* where nothing is left to be read */
    if (!read_edge(r, base, err)) {
        return false;
    }
    for (unsigned level = 0; level < TILE_LEVELS; level++) {
        struct level *tile = &r->levels[level];
        uint64_t hashes = base >> (8 * level);
        tile->index = hashes / TILE_WIDTH;
        tile->n = (unsigned)(hashes % TILE_WIDTH);
        const struct tile_name name = {.level = level, .index = tile->index, .width = tile->n};
        struct buf stored CLEANUP(buf_deinit);
        buf_init(&stored, (size_t)TILE_WIDTH * TREE_HASH);
        if (tile->n > 0 && !tile_read(r->check->record, &name, &stored, err)) {
            return false;
        }
        memcpy(tile->hashes, stored.len == 0 ? "" : stored.data, stored.len);
    }
    return true;
}

static bool begin(struct run *r, struct error *err)
{
    const struct log_files *files = r->check->files;
    uint64_t first = files->n == 0 ? 0 : files->items[0].first_seq - 1;
    uint64_t base = r->check->from == NULL ? 0 : r->check->from->size;
    struct tree_hash root;

    if (files->n == 0) {
        find(&r->out->finding, 1, r->size, "lines 1 to %" PRIu64 " are missing: there is no file of this log", r->size);
        return true;
    }
    if (first > base && first > r->check->minimum) {
        uint64_t missing = base > r->check->minimum ? base : r->check->minimum;
        find(&r->out->finding, missing + 1, first, "lines %" PRIu64 " to %" PRIu64 " are missing: the first file begins with line %" PRIu64,
             missing + 1, first, first + 1);
        return true;
    }
    r->missing = first >= base ? first : 0;
    base = base > first ? base : first;
    r->first_read = base;
    if (!begin_behind(r, base < r->size ? base : r->size, err)) {
        return error_wrap(err, "the lines before %" PRIu64 " have no tiles", base + 1);
    }
    if (r->check->from != NULL && base == r->check->from->size) {
        tree_edge_root(&r->edge, &root);
        if (!tree_hash_equal(&root, &r->check->from->root)) {
            find(&r->out->finding, 0, 0, "the checkpoint of %" PRIu64 " lines that was verified before is not of this log: it was forked, or its tiles were "
                 "changed", base);
            return true;
        }
    }
    return next_checkpoint(r, err) && (base == 0 || log_reader_seek(r->lines, base + 1, err));
}

/* Its files are gone, or about to be. */
static void note_removal(struct run *r, struct span line)
{
    uint64_t last = r->missing == 0 ? 0 : log_line_removed(line);

    r->removed = last > r->removed ? last : r->removed;
}

static bool take_line(struct run *r, const struct log_line *line, struct error *err)
{
    struct tree_hash leaf;
    bool is_signed = r->next < r->size;

    note_removal(r, line->text);
    if (!log_history_line(&r->history, line->text, line->seq, r->check->newest->origin, err)) {
        return false;
    }
    take_history_finding(r);
    if (line->fault != LOG_SOUND && r->fault.fault == LOG_SOUND) {
        r->fault = *line;
        r->fault.expected = r->next + 1;
    }
    r->out->lines++;
    r->out->last = line->seq;
    r->next++;
    tree_hash_leaf(line->text, &leaf);
    tree_edge_add(&r->edge, &leaf);
    if (!meet_checkpoints(r, err) || (is_signed && !push(r, 0, &leaf, err))) {
        return false;
    }
    if (r->next == r->size) {
        tree_edge_root(&r->edge, &r->root);
    }
    return r->next != r->size || compare_partial(r, err);
}

static bool read_lines(struct run *r, struct error *err)
{
    struct log_line line;

    while (!has_finding(r)) {
        if (!log_reader_next(r->lines, &line, err)) {
            if (err->kind != ERROR_MALFORMED) {
                return false;
            }
            find(&r->out->finding, r->next + 1, r->next + 1, "line %" PRIu64 " cannot be read: %s", r->next + 1, err->text);
            return true;
        }
        if (line.text.ptr == NULL) {
            return r->next >= r->size || compare_partial(r, err);
        }
        if (!take_line(r, &line, err)) {
            return false;
        }
    }
    return true;
}

/* Lines or tiles: the roots say which. */
static void judge_roots(struct run *r)
{
    struct log_finding *finding = &r->out->finding;

    if (!tree_hash_equal(&r->root, &r->check->newest->root)) {
        uint64_t last = r->first_bad != 0 ? r->first_bad : r->size;
        find(finding, r->last_good + 1, last, "a line from %" PRIu64 " to %" PRIu64 " is not what was signed, and the tiles do not say which",
             r->last_good + 1, last);
    } else if (r->first_bad != 0) {
        find(finding, 0, 0, "the checkpoint of size %" PRIu64 " in %s/checkpoints is of another tree: the log was forked", r->first_bad,
             r->check->record);
    } else if (r->tile.is_there) {
        *finding = r->tile;
    }
}

static void find_fault(struct run *r)
{
    /* The last line may be in progress, or torn by a crash: no answer has waited for it. */
    bool is_torn_end = r->fault.fault == LOG_TORN && r->fault.expected == r->next && r->next > r->size;

    if (r->fault.fault != LOG_SOUND && !is_torn_end) {
        find(&r->out->finding, r->fault.expected, r->fault.expected, "line %" PRIu64 " %s", r->fault.expected,
             log_fault_text(r->fault.fault));
    }
}

static void judge(struct run *r)
{
    struct log_finding *finding = &r->out->finding;

    if (r->next < r->size) {
        find_fault(r);
        find(finding, r->next + 1, r->size, "line %" PRIu64 " is missing: the log ends before it, and %" PRIu64 " lines were signed",
             r->next + 1, r->size);
        return;
    }
    judge_roots(r);
    log_history_end(&r->history, r->check->newest, r->first_read, r->next);
    take_history_finding(r);
    if (r->removed < r->missing) {
        find(finding, r->removed + 1, r->missing,
             "lines %" PRIu64 " to %" PRIu64 " are missing: %s/minimum says that they were removed, and no line of type prune does",
             r->removed + 1, r->missing, r->check->record);
    }
    if (r->history.awaited.size > r->next) {
        find(finding, r->next + 1, r->history.awaited.size,
             "line %" PRIu64 " is missing: the log ends before it, and a checkpoint in %s/checkpoints is of %" PRIu64 " lines",
             r->next + 1, r->check->record, r->history.awaited.size);
    }
    find_fault(r);
}

static void run_deinit(struct run *r)
{
    log_reader_free(r->lines);
    tile_reader_close(r->tiles);
    log_history_close(&r->history);
}

static bool run(struct run *r, struct error *err)
{
    r->lines = log_reader_new(r->check->files, err);
    r->tiles = r->lines == NULL ? NULL : tile_reader_open(r->check->record, r->size, err);
    if (r->tiles == NULL || !log_history_open(&r->history, r->check->record, r->check->keys, err) || !begin(r, err) ||
        !read_lines(r, err)) {
        return false;
    }
    if (!has_finding(r)) {
        judge(r);
    }
    return true;
}

bool log_check(const struct log_check *check, struct log_check_result *out, struct error *err)
{
    struct run *r = calloc(1, sizeof(*r));

    if (r == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "record: no memory");
    }
    *out = (struct log_check_result){.lines = 0};
    r->check = check;
    r->out = out;
    r->size = check->newest->size;
    bool is_checked = run(r, err);
    run_deinit(r);
    free(r);
    return is_checked;
}
