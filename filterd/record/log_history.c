#include "record/log_history.h"

#include <inttypes.h>
#include <stdio.h>

bool log_history_open(struct log_history *h, const char *record, const struct log_keys *keys, struct error *err)
{
    h->record = record;
    h->keys = *keys;
    buf_init(&h->note, NOTE_MAX);
    return checkpoint_history_open(&h->file, record, err);
}

void log_history_close(struct log_history *h)
{
    checkpoint_history_close(&h->file);
    buf_deinit(&h->note);
}

static void refuse(struct log_history *h, uint64_t behind, const struct error *why)
{
    h->awaited.size = 0;
    (void)snprintf(h->finding, sizeof(h->finding), "a checkpoint in %s/checkpoints, behind the one of size %" PRIu64 ", does not hold: %s",
                   h->record, behind, why->text);
}

/* With the keys that are known so far. */
static void verify_awaited(struct log_history *h)
{
    struct error why;

    if (!log_keys_verify(&h->keys, &h->awaited, h->behind, &why)) {
        refuse(h, h->behind, &why);
    }
}

bool log_history_next(struct log_history *h, struct error *err)
{
    struct error why;

    h->awaited.size = 0;
    if (!checkpoint_history_next(&h->file, &h->note, err)) {
        (void)snprintf(h->finding, sizeof(h->finding), "%s", err->text);
        return err->kind != ERROR_SYSTEM;
    }
    if (h->note.len == 0) {
        return true;
    }
    if (!checkpoint_parse(buf_span(&h->note), &h->awaited, &why)) {
        refuse(h, h->verified, &why);
        return true;
    }
    h->behind = h->verified;
    h->verified = h->awaited.size;
    verify_awaited(h);
    return true;
}

bool log_history_line(struct log_history *h, struct span line, uint64_t seq, struct span origin, struct error *err)
{
    struct note_key key;

    if (!log_keys_announcement(line, origin, &key)) {
        return true;
    }
    if (!log_keys_announce(&h->keys, &key, seq, err)) {
        return false;
    }
    if (h->awaited.size != 0) {
        verify_awaited(h);
    }
    return true;
}

void log_history_end(struct log_history *h, const struct checkpoint *newest, uint64_t base, uint64_t last)
{
    struct error why;

    if (!log_keys_verify(&h->keys, newest, newest->size, &why)) {
        (void)snprintf(h->finding, sizeof(h->finding), "%s/checkpoint: %s", h->record, why.text);
    }
    for (size_t i = 1; i < h->keys.n; i++) {
        uint64_t from = h->keys.list[i].from;
        if (!h->keys.list[i].is_read && from > base && from <= last) {
            (void)snprintf(h->finding, sizeof(h->finding), "%s/keys has a key that line %" PRIu64 " does not announce", h->record, from);
        }
    }
}
