/* node_lines.c - lines of a copy, each with what proves it. */
#include <unistd.h>

#include "base/cleanup.h"
#include "replica/replica_parts.h"
#include "record/log_reader.h"
#include "record/proof.h"

/* The line at `seq`, and a reader behind it. NULL with err; NOT_FOUND: there is none. */
static struct log_reader *open_at(const struct replica_place *place, struct log_files *files, uint64_t seq, struct log_line *line,
                                  struct error *err)
{
    struct log_reader *r = NULL;

    if (access(place->log, F_OK) != 0) {
        error_set(err, ERROR_NOT_FOUND, "copies: there is no such log yet");
        return NULL;
    }
    r = log_files_add(files, place->log, err) ? log_reader_new(files, err) : NULL;
    if (r == NULL || !log_reader_seek(r, seq, err) || !log_reader_next(r, line, err)) {
        log_reader_free(r);
        return NULL;
    }
    /* The first behind a seek has nothing before it that says what to expect. */
    bool is_sound = line->fault == LOG_SOUND || line->fault == LOG_OUT_OF_ORDER;
    if (line->text.ptr == NULL || !is_sound || line->seq != seq) {
        log_reader_free(r);
        error_set(err, ERROR_NOT_FOUND, "copies: there is no such line");
        return NULL;
    }
    return r;
}

static bool is_in_tree(const struct replica_place *place, const struct checkpoint *c, uint64_t seq, struct span line, struct tree_proof *path)
{
    struct tile_reader *tiles = NULL;
    struct tree_hash leaf;
    struct error ignored;

    tree_hash_leaf(line, &leaf);
    if (seq <= c->size) {
        tiles = tile_reader_open(place->record, c->size, &ignored);
    }
    if (tiles == NULL) {
        return false;
    }
    const struct tree_source source = tile_reader_source(tiles);
    bool is_proven = tree_prove_inclusion(&source, seq - 1, c->size, path, &ignored) &&
                     tree_verify_inclusion(&leaf, seq - 1, c->size, &c->root, path, &ignored);
    tile_reader_close(tiles);
    return is_proven;
}

static enum replica_proof behind(const struct replica_state *state, uint64_t seq)
{
    return seq > state->proven && seq > state->broken ? REPLICA_UNSIGNED : REPLICA_BROKEN;
}

static bool prove(const struct replica_place *place, const struct replica_state *state, uint64_t seq, struct span line,
                  enum replica_proof *how, struct buf *proof, struct error *err)
{
    struct buf note CLEANUP(buf_deinit);
    struct checkpoint c;
    struct tree_proof path;
    struct error ignored;

    buf_init(&note, NOTE_MAX);
    *how = behind(state, seq);
    if (seq > state->proven || !replica_read_proven(place->record, &note, &c, &ignored) || !is_in_tree(place, &c, seq, line, &path)) {
        return true;
    }
    *how = REPLICA_PROVEN;
    return proof == NULL || proof_format(line, seq - 1, &path, buf_span(&note), proof, err);
}

bool replica_line(const struct replica_place *place, const struct replica_state *state, uint64_t seq, struct buf *line,
                    enum replica_proof *how, struct buf *proof, struct error *err)
{
    struct log_files files = {.items = NULL};
    struct log_line found;

    struct log_reader *r = open_at(place, &files, seq, &found, err);
    bool is_read = r != NULL && buf_append(line, found.text, err);
    log_reader_free(r);
    log_files_deinit(&files);
    return is_read && prove(place, state, seq, buf_span(line), how, proof, err);
}

bool replica_rest(const struct replica_place *place, const struct replica_state *state, unsigned max, replica_line_fn *take,
                    void *context, struct error *err)
{
    struct log_files files = {.items = NULL};
    uint64_t seq = state->proven + 1;
    struct log_line line;

    struct log_reader *r = open_at(place, &files, seq, &line, err);
    bool is_read = r != NULL, is_there = r != NULL;
    for (unsigned n = 0; is_read && is_there && n < max; n++, seq++) {
        is_read = take(context, seq, line.text, behind(state, seq), err) && log_reader_next(r, &line, err);
        is_there = is_read && line.text.ptr != NULL && line.fault == LOG_SOUND;
    }
    log_reader_free(r);
    log_files_deinit(&files);
    return is_read || (r == NULL && err->kind == ERROR_NOT_FOUND);
}
