#include "supervisor-llm/endpoints.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "supervisor-llm/endpoint_read.h"

enum { FILE_MAX = 1024 * 1024, MEMORY_MAX = 8 * 1024 * 1024, KEY_MAX = 4096 };

static const char authorization[] = "Authorization: Bearer ";

static bool read_all(struct endpoints *e, const char *file, struct span yaml, struct error *err)
{
    const struct field_reader r = {.arena = &e->memory};
    const struct yaml_node *root = NULL;

    if (!fields_parse(&e->memory, file, yaml, &root, err) || !fields_read(&r, endpoints_fields, root, e, err)) {
        return false;
    }
    e->file = root->file;
    return true;
}

struct endpoints *endpoints_parse(const char *file, struct span yaml, struct error *err)
{
    struct endpoints *e = calloc(1, sizeof(*e));

    if (e == NULL) {
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", file);
        return NULL;
    }
    arena_init(&e->memory, 0, MEMORY_MAX);
    if (!read_all(e, file, yaml, err)) {
        endpoints_free(e);
        return NULL;
    }
    return e;
}

/* White space around is taken off: editors end a file with a newline. */
static struct span key_of(struct span text)
{
    size_t from = 0, to = text.len;

    while (to > 0 && strchr(" \t\r\n", text.ptr[to - 1]) != NULL) {
        to--;
    }
    while (from < to && strchr(" \t\r\n", text.ptr[from]) != NULL) {
        from++;
    }
    for (size_t i = from; i < to; i++) {
        if (text.ptr[i] <= ' ' || text.ptr[i] >= 0x7f) {
            return (struct span){.ptr = ""};
        }
    }
    return span_slice(text, from, to);
}

static bool load_key(struct endpoints *e, const char *path, const char **out, struct error *err)
{
    struct buf text;
    char *line = NULL;

    if (path == NULL) {
        return true;
    }
    buf_init(&text, KEY_MAX);
    bool is_read = file_read(path, &text, err);
    struct span key = is_read ? key_of(buf_span(&text)) : (struct span){.ptr = ""};
    if (key.len > 0) {
        line = arena_alloc(&e->memory, sizeof(authorization) + key.len, err);
    }
    if (line != NULL) {
        memcpy(line, authorization, sizeof(authorization) - 1);
        memcpy(line + sizeof(authorization) - 1, key.ptr, key.len);
        line[sizeof(authorization) - 1 + key.len] = '\0';
        *out = line;
    }
    if (text.cap > 0) {
        explicit_bzero(text.data, text.cap);
    }
    buf_deinit(&text);
    return line != NULL || (is_read && error_set(err, ERROR_INVALID,
                                                 "%s: one line of printable characters expected", path));
}

static bool load_files(struct endpoints *e, const char *key_file, const char *ca, const char **key,
                       struct error *err)
{
    if (ca != NULL && access(ca, R_OK) != 0) {
        return error_errno(err, "%s", ca);
    }
    return load_key(e, key_file, key, err);
}

struct endpoints *endpoints_load(const char *path, struct error *err)
{
    struct endpoints *e = NULL;
    struct buf text;

    buf_init(&text, FILE_MAX);
    if (file_read(path, &text, err)) {
        e = endpoints_parse(path, buf_span(&text), err);
    }
    buf_deinit(&text);
    bool is_loaded = e != NULL && load_files(e, e->webhook.key_file, e->webhook.ca, &e->webhook.key, err);
    for (size_t i = 0; is_loaded && i < e->n; i++) {
        struct endpoint *x = &e->items[i];
        is_loaded = load_files(e, x->key_file, x->ca, &x->key, err) || error_wrap(err, "supervisor %s", x->name);
    }
    if (!is_loaded) {
        endpoints_free(e);
        return NULL;
    }
    return e;
}

static void wipe(const char *key)
{
    if (key != NULL) {
        explicit_bzero((char *)(intptr_t)key, strlen(key));
    }
}

void endpoints_free(struct endpoints *e)
{
    if (e == NULL) {
        return;
    }
    for (size_t i = 0; i < e->n; i++) {
        wipe(e->items[i].key);
    }
    wipe(e->webhook.key);
    arena_deinit(&e->memory);
    free(e);
}
