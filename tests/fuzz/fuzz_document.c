/* fuzz_document.c - a document read and written unchanged is the same bytes; with a label in place
 * of every value channel it is valid JSON of the same shape. */
#include <stdlib.h>

#include "base/json.h"
#include "pipeline/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void written_unchanged_it_is_the_same(struct document *d, struct buf *out)
{
    struct error err;

    for (size_t i = 0; i < d->n; i++) {
        d->channels[i].output = d->channels[i].text;
    }
    must(document_write(d, out, &err) && span_equal(buf_span(out), d->json));
}

/* The same tokens but for channels, which are the label. */
static void has_the_same_shape(struct span before, struct span after, const char *label)
{
    struct json_walk old_walk = json_walk(before), new_walk = json_walk(after);
    struct json_token old_token, new_token;

    while (json_walk_next(&old_walk, &old_token)) {
        must(json_walk_next(&new_walk, &new_token) && old_token.kind == new_token.kind);
        bool is_kept = span_equal(old_token.value.raw, new_token.value.raw);
        must(is_kept ||
             (old_token.kind == JSON_TOKEN_VALUE && span_is(new_token.value.raw, label)));
        must(old_token.value.kind != JSON_KIND_STRING || old_token.kind == JSON_TOKEN_NAME ||
             span_is(new_token.value.raw, label));
    }
    must(!json_walk_next(&new_walk, &new_token));
}

static void labelled_it_keeps_its_shape(struct document *d, struct buf *out)
{
    struct error err;

    for (size_t i = 0; i < d->n; i++) {
        /* An array that is judged joined, too, becomes one string where it is redacted as one. */
        if (!d->channels[i].is_member_name && !d->channels[i].is_parts) {
            d->channels[i].output = span_str("[a \"label\"]");
        }
    }
    buf_clear(out);
    must(document_write(d, out, &err) && json_validate(buf_span(out), &err));
    has_the_same_shape(d->json, buf_span(out), "\"[a \\\"label\\\"]\"");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span json = span_of((const char *)data, size);
    struct document document;
    struct error err;
    struct arena arena;
    struct buf out;

    if (!json_validate(json, &err)) {
        return 0;
    }
    /* Linear in the text: channels, paths, decoded strings. */
    arena_init(&arena, 0, (size_t)256 * 1024 + 256 * size);
    buf_init(&out, 32 * size + 64);
    if (document_read(&arena, json, span_str("/x"), &document, &err)) {
        written_unchanged_it_is_the_same(&document, &out);
        labelled_it_keeps_its_shape(&document, &out);
    } else {
        must(err.kind == ERROR_LIMIT);
    }
    buf_deinit(&out);
    arena_deinit(&arena);
    return 0;
}
