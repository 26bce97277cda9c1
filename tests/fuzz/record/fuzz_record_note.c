/* fuzz_record_note.c - signed notes and checkpoints of any bytes: the parts make up the whole, a text is written as it was
 * read, and no key has signed. */
#include <assert.h>
#include <sodium.h>
#include <stdint.h>

#include "record/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_note(const struct note *note, struct span bytes)
{
    uint8_t public[NOTE_PUBLIC] = {1};
    struct note_key key;
    struct error err;
    size_t len = 0;

    assert(note->text.len + 1 + note->signatures.len == bytes.len && note->n > 0);
    for (size_t i = 0; i < note->n; i++) {
        len += note->list[i].line.len;
        assert(note_key_make(note->list[i].name, NOTE_COSIGNATURE, public, &key, &err));
        memcpy(key.id, note->list[i].id, NOTE_KEY_ID);
        assert(note_verify(note, &key, NULL) == NOTE_BAD);
    }
    assert(len == note->signatures.len);
}

static void check_checkpoint(const struct checkpoint *c)
{
    struct error err;
    struct buf again;

    buf_init(&again, NOTE_MAX);
    if (checkpoint_format(c->origin, c->size, &c->root, &again, &err)) {
        assert(span_starts_with(c->note.text, buf_span(&again)));
        assert(again.len + c->extensions.len == c->note.text.len);
    }
    buf_deinit(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span bytes = span_of((const char *)data, size);
    struct checkpoint checkpoint;
    struct note_key key;
    struct note note;
    struct error err;
    char vkey[NOTE_VKEY_MAX + 1];

    if (sodium_init() < 0) {
        return 0;
    }
    if (note_parse(bytes, &note, &err)) {
        check_note(&note, bytes);
    }
    if (checkpoint_parse(bytes, &checkpoint, &err)) {
        check_checkpoint(&checkpoint);
    }
    (void)!note_parse_signatures(bytes, &note, &err);
    if (note_key_parse(bytes, &key, &err)) {
        note_key_format(&key, vkey);
        assert(strlen(vkey) == size);
    }
    return 0;
}
