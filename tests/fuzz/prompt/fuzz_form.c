/* fuzz_form.c - forms and files in requests: whatever the body is, its texts stand in it in order, and a body in which nothing changed is
 * written byte for byte. The first byte chooses the type. */
#include <stdlib.h>

#include "prompt/prompt_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void texts_stand_in_the_body(const struct prompt_texts *t)
{
    const struct document *d = &t->document;
    size_t at = 0;

    for (size_t i = 0; i < d->n; i++) {
        must(d->tokens[i].from >= at && d->tokens[i].to >= d->tokens[i].from && d->tokens[i].to <= d->json.len);
        must(!d->tokens[i].is_raw || d->channels[i].text.len == d->tokens[i].to - d->tokens[i].from);
        must(d->channels[i].role < TEXT_ROLES);
        at = d->tokens[i].from; /* a text that is unread, too, stands there twice */
    }
}

static void written_unchanged_it_is_the_same(struct document *d, size_t size)
{
    struct error err;
    struct buf out;

    buf_init(&out, size + 1);
    for (size_t i = 0; i < d->n; i++) {
        d->channels[i].output = d->channels[i].text;
    }
    must(document_write(d, &out, &err) && span_equal(buf_span(&out), d->json));
    buf_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {"multipart/form-data; boundary=b", "multipart/form-data; boundary=\"b c\"", "text/plain"};
    struct prompt_texts texts;
    struct error err;
    struct arena arena;

    if (size == 0) {
        return 0;
    }
    struct span type = span_str(types[data[0] % COUNT(types)]), body = span_of((const char *)data + 1, size - 1);
    arena_init(&arena, 0, (size_t)1024 * 1024 + 1024 * size);
    if (prompt_file_read(&arena, "openai-audio-text", type, body, &texts, &err)) {
        texts_stand_in_the_body(&texts);
        written_unchanged_it_is_the_same(&texts.document, size);
        must(prompt_form_is_same(&arena, type, body, body, &err));
    }
    arena_deinit(&arena);
    return 0;
}
