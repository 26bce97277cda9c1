/* fuzz_dataset.c - a dataset file of any bytes, authenticated all the same: what is loaded never leads out of the file.
 *
 * Two bytes are the length of a text to search, then the text, then the file; magic, check and authentication are set. */
#include <sodium.h>
#include <stdlib.h>

#include "dataset/cells_find.h"
#include "dataset/copies_find.h"
#include "dataset/table_parts.h"
#include "text/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool on_cell(void *context, const struct cell_hit *hit, struct error *err)
{
    const struct table *t = context;
    const struct cells_wanted wanted = {.alone = UINT64_MAX, .columns = 2, .within = 100};
    bool is_found;

    (void)err;
    if (hit->from >= hit->to || hit->range.first + (uint64_t)hit->range.n > t->header->entries) {
        abort();
    }
    cells_match(t, &wanted, hit, 1, &is_found);
    return true;
}

static bool on_copy(void *context, size_t from, size_t to, struct error *err)
{
    (void)context, (void)err;
    if (from >= to) {
        abort();
    }
    return true;
}

static void search(struct table *t, struct span text)
{
    struct copies_wanted wanted = {0};
    struct error err;
    size_t open;
    bool is_done;

    if (utf8_valid_prefix(text) != text.len) {
        return;
    }
    if (!copies_want(t, 100, (unsigned)(text.len % 101), &wanted, &err) && (t->header->kind == TABLE_DOCUMENTS || !copies_want(t, 100, 0, &wanted, &err))) {
        abort();
    }
    for (int is_open = 0; is_open < 2; is_open++) {
        is_done = t->header->kind == TABLE_CELLS ? cells_find(t, text, is_open != 0, on_cell, t, &open, &err)
                                                 : copies_find(t, &wanted, text, is_open != 0, on_copy, NULL, &open, &err);
        if (!is_done || open > text.len) {
            abort();
        }
        if (t->header->kind != TABLE_CELLS && !copies_find(t, &wanted, text, is_open != 0, on_copy, NULL, NULL, &err)) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t secret[DATASET_KEY] = "any key will do for this purpose";
    size_t n_text = size < 2 ? 0 : (size_t)data[0] << 8 | data[1];
    struct error err;

    if (size < 2 + n_text + sizeof(struct table_header)) {
        return 0;
    }
    size_t n = size - 2 - n_text;
    struct table_header *file = malloc(n);
    struct table t = {.header = file, .size = n};
    if (file == NULL) {
        return 0;
    }
    memcpy(file, data + 2 + n_text, n);
    dataset_key_derive(secret, &t.key);
    memcpy(file->magic, TABLE_MAGIC, sizeof(file->magic));
    memcpy(file->check, t.key.check, sizeof(file->check));
    table_authenticate(&t.key, (const uint8_t *)file, n, file->mac);
    if (table_adopt("f", &t, file->kind == TABLE_CELLS ? TABLE_CELLS : TABLE_DOCUMENTS, &err)) {
        search(&t, span_of((const char *)data + 2, n_text));
    }
    free(t.first);
    free(file);
    return 0;
}
