/* proven_testing.h - a log with tiles and signed checkpoints, made by the library alone. */
#ifndef FILTERD_TESTS_PROVEN_TESTING_H
#define FILTERD_TESTS_PROVEN_TESTING_H

#include "unit/record/log_testing.h"

#include <sodium.h>

#include "record/checkpoint_store.h"
#include "record/log_check.h"

struct proven {
    uint8_t seed[NOTE_SEED];
    struct note_key key;
    struct tile_writer *tiles;
    struct buf text; /* all lines */
    uint64_t n;
};

static inline void proven_init(struct proven *p, uint8_t fill)
{
    uint8_t public[NOTE_PUBLIC];
    struct error err;

    *p = (struct proven){.n = 0};
    memset(p->seed, fill, sizeof(p->seed));
    note_public(p->seed, public);
    must(note_key_make(span_str(ORIGIN), NOTE_ED25519, public, &p->key, &err), &err);
    buf_init(&p->text, 64 * 1024 * 1024);
    p->tiles = tile_writer_open(in_folder("record"), 0, &err);
    must(p->tiles != NULL, &err);
}

static inline void proven_deinit(struct proven *p)
{
    tile_writer_close(p->tiles);
    buf_deinit(&p->text);
}

static inline void proven_add(struct proven *p, unsigned n)
{
    struct tree_hash leaf;
    struct error err;

    for (unsigned i = 0; i < n; i++) {
        size_t at = p->text.len;
        p->n++;
        append_line(&p->text, p->n, p->n == 1, (unsigned)(p->n * 7));
        tree_hash_leaf(span_of(p->text.data + at, p->text.len - at - 1), &leaf);
        must(tile_writer_add(p->tiles, &leaf, &err), &err);
    }
}

static inline void sign_checkpoint(const struct proven *p, uint64_t size, const struct tree_hash *root, struct buf *note)
{
    struct error err;

    buf_init(note, NOTE_MAX);
    must(checkpoint_format(span_str(ORIGIN), size, root, note, &err), &err);
    struct buf text = *note;
    char copy[CHECKPOINT_TEXT_MAX];
    memcpy(copy, text.data, text.len);
    must(buf_append_char(note, '\n', &err) && note_sign(&p->key, p->seed, span_of(copy, text.len), 0, note, &err), &err);
}

static inline void proven_checkpoint(struct proven *p)
{
    struct tree_hash root;
    struct error err;
    struct buf note;

    must(tile_writer_commit(p->tiles, &err), &err);
    tile_writer_root(p->tiles, &root);
    sign_checkpoint(p, p->n, &root, &note);
    must(checkpoint_store_add(in_folder("record"), buf_span(&note), &err), &err);
    buf_deinit(&note);
}

/* What verifying the folder says; false with `err` when the newest checkpoint itself does not hold. */
static inline bool proven_check(const struct proven *p, struct log_check_result *result, struct error *err)
{
    struct log_files files = {0};
    struct checkpoint newest;
    struct buf note;

    buf_init(&note, NOTE_MAX);
    bool is_checked = checkpoint_store_newest(in_folder("record"), &note, err) && checkpoint_parse(buf_span(&note), &newest, err) &&
                      checkpoint_verify(&newest, &p->key, err) && log_files_scan(&files, folder, err);
    if (is_checked) {
        struct log_keys keys;
        log_files_select(&files, span_str(ORIGIN));
        log_keys_set(&keys, &p->key);
        const struct log_check check = {.files = &files, .record = in_folder("record"), .newest = &newest, .keys = &keys};
        is_checked = log_check(&check, result, err);
    }
    log_files_deinit(&files);
    buf_deinit(&note);
    return is_checked;
}

#endif
