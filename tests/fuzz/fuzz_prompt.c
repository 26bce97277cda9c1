/* fuzz_prompt.c - the texts of a request: whatever the body is, each channel belongs to one unit, and a body in which nothing
 * changed is written byte for byte. The first byte chooses the route. */
#include <stdlib.h>

#include "prompt/prompt_texts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void units_are_in_order(const struct prompt_texts *t)
{
    size_t at = 0;

    for (size_t i = 0; i < t->n_units; i++) {
        const struct prompt_unit *u = &t->units[i];
        must(u->from == at && u->to >= u->from && u->role < TEXT_ROLES);
        must(u->json.ptr >= t->document.json.ptr &&
             u->json.ptr + u->json.len <= t->document.json.ptr + t->document.json.len);
        at = u->to;
    }
    must(at == t->document.n);
}

static void written_unchanged_it_is_the_same(struct document *d, size_t size)
{
    struct error err;
    struct buf out;

    buf_init(&out, size + 1);
    for (size_t i = 0; i < d->n; i++) {
        must(d->channels[i].role < TEXT_ROLES);
        d->channels[i].output = d->channels[i].text;
    }
    must(document_write(d, &out, &err) && span_equal(buf_span(&out), d->json));
    buf_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const routes[] = {
        "openai-chat",        "openai-completions", "openai-embeddings", "openai-responses",
        "anthropic-messages", "gemini-generate",    "ollama-chat",       "cohere-chat",
    };
    struct prompt_texts texts;
    struct error err;
    struct arena arena;

    if (size == 0) {
        return 0;
    }
    arena_init(&arena, 0, (size_t)1024 * 1024 + 1024 * size);
    if (prompt_texts_read(&arena, routes[data[0] % COUNT(routes)], span_of((const char *)data + 1, size - 1), &texts, &err)) {
        units_are_in_order(&texts);
        written_unchanged_it_is_the_same(&texts.document, size);
    } else {
        must(err.kind == ERROR_LIMIT || err.kind == ERROR_INVALID || err.kind == ERROR_MALFORMED);
    }
    arena_deinit(&arena);
    return 0;
}
