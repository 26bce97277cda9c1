#include "classifiers/train/corpus.h"

#include <jansson.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"

enum { LIST_MAX = 1024 * 1024 };

static const size_t memory_max = (size_t)1 << 30;

static uint32_t hash_of(struct span text)
{
    uint32_t h = 2166136261U;

    for (size_t i = 0; i < text.len; i++) {
        h = (h ^ (unsigned char)text.ptr[i]) * 16777619U;
    }
    return h ^ h >> 15;
}

bool corpus_add(struct corpus *c, struct span text, const struct recipe *recipe, struct error *err)
{
    struct document d = {.recipe = recipe, .hash = hash_of(text)};

    if (c->n == c->cap) {
        size_t cap = c->cap == 0 ? 4096 : c->cap * 2;
        struct document *items = realloc(c->items, cap * sizeof(*items));
        if (items == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "corpus: no memory");
        }
        c->items = items;
        c->cap = cap;
    }
    if (!arena_copy(&c->memory, text, &d.text, err)) {
        return false;
    }
    c->items[c->n++] = d;
    return true;
}

/* What of a field is compared: the text, or the number as text. */
static bool field_begins(const json_t *row, const char *field, const char *value)
{
    const char *found = field == NULL ? "" : json_string_value(json_object_get(row, field));

    return field == NULL || (found != NULL && strncmp(found, value, strlen(value)) == 0);
}

static const struct recipe *recipe_for(const char *file, const json_t *row)
{
    for (unsigned i = 0; i < n_recipes; i++) {
        if (strcmp(recipes[i].file, file) == 0 && field_begins(row, recipes[i].field, recipes[i].value)) {
            return &recipes[i];
        }
    }
    return NULL;
}

static void free_json(json_t **value)
{
    json_decref(*value);
}

static bool add_row(struct corpus *c, const char *file, uint32_t number, const char *line, struct error *err)
{
    CLEANUP(free_json) json_t *row = json_loads(line, JSON_ALLOW_NUL, NULL);
    const json_t *text = json_object_get(row, "text");

    if (!json_is_string(text)) {
        return error_set(err, ERROR_MALFORMED, "%s: rows with a text expected", file);
    }
    const struct recipe *recipe = recipe_for(file, row);
    struct span span = span_of(json_string_value(text), json_string_length(text));
    if (recipe == NULL || recipe->positive + recipe->negative == 0) {
        return true;
    }
    if (!corpus_add(c, span, recipe, err)) {
        return false;
    }
    c->items[c->n - 1].row = number;
    return true;
}

static bool read_file(struct corpus *c, const char *folder, const char *file, struct error *err)
{
    char path[1024];
    CLEANUP(cleanup_file) FILE *in = NULL;
    CLEANUP(cleanup_free) char *line = NULL;
    size_t cap = 0;
    bool is_read = true;
    uint32_t number = 0;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, file);
    in = fopen(path, "re");
    if (in == NULL) {
        return error_errno(err, "%s", path);
    }
    while (is_read && getline(&line, &cap, in) > 0) {
        is_read = add_row(c, file, ++number, line, err);
    }
    return is_read;
}

bool corpus_init(struct corpus *c, const char *folder, struct error *err)
{
    *c = (struct corpus){0};
    arena_init(&c->memory, 0, memory_max);
    for (unsigned i = 0; folder != NULL && i < n_recipes; i++) {
        bool is_new = recipes[i].file[0] != '\0' && (i == 0 || strcmp(recipes[i].file, recipes[i - 1].file) != 0);
        if (is_new && !read_file(c, folder, recipes[i].file, err)) {
            return false;
        }
    }
    return true;
}

static void mark(struct corpus *c, struct span text)
{
    uint32_t hash = hash_of(text);

    for (size_t i = 0; i < c->n; i++) {
        c->items[i].is_found = c->items[i].is_found || (c->items[i].hash == hash && span_equal(c->items[i].text, text));
    }
}

bool corpus_mark_found(struct corpus *c, const char *path, struct error *err)
{
    CLEANUP(cleanup_file) FILE *in = fopen(path, "re");
    CLEANUP(cleanup_free) char *line = NULL;
    size_t cap = 0;

    if (in == NULL) {
        return error_errno(err, "%s", path);
    }
    while (getline(&line, &cap, in) > 0) {
        CLEANUP(free_json) json_t *row = json_loads(line, JSON_ALLOW_NUL, NULL);
        const json_t *text = json_object_get(row, "text");
        if (!json_is_string(text)) {
            return error_set(err, ERROR_MALFORMED, "%s: rows with a text expected", path);
        }
        mark(c, span_of(json_string_value(text), json_string_length(text)));
    }
    return true;
}

bool corpus_lists(struct span list, const struct document *d)
{
    char line[256];
    int len = snprintf(line, sizeof(line), "\n%s\t%u\t", d->recipe->file, d->row);

    return d->row > 0 && len > 0 && (size_t)len < sizeof(line) && memmem(list.ptr, list.len, line, (size_t)len) != NULL;
}

bool corpus_silence(struct corpus *c, const char *list, unsigned heads, struct error *err)
{
    CLEANUP(buf_deinit) struct buf file;

    buf_init(&file, LIST_MAX);
    if (!file_read(list, &file, err)) {
        return false;
    }
    for (size_t i = 0; i < c->n; i++) {
        c->items[i].silent |= corpus_lists(buf_span(&file), &c->items[i]) ? heads : 0;
    }
    return true;
}

void corpus_deinit(struct corpus *c)
{
    free(c->items);
    arena_deinit(&c->memory);
}
