#include "upstream/upstream.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "upstream/upstream_read.h"

enum { FILE_MAX = 1024 * 1024, MEMORY_MAX = 8 * 1024 * 1024, CREDENTIAL_MAX = 4096 };

static bool read_all(struct upstreams *u, const char *file, struct span yaml, struct error *err)
{
    const struct field_reader r = {.arena = &u->memory};
    const struct yaml_node *root = NULL;

    if (!fields_parse(&u->memory, file, yaml, &root, err) || !fields_read(&r, upstreams_fields, root, u, err)) {
        return false;
    }
    u->file = root->file;
    return true;
}

struct upstreams *upstreams_parse(const char *file, struct span yaml, struct error *err)
{
    struct upstreams *u = calloc(1, sizeof(*u));

    if (u == NULL) {
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", file);
        return NULL;
    }
    atomic_init(&u->references, 1);
    arena_init(&u->memory, 0, MEMORY_MAX);
    if (!read_all(u, file, yaml, err)) {
        upstreams_unref(u);
        return NULL;
    }
    return u;
}

/* White space around is taken off: editors end a file with a newline. */
static bool take_credential(struct upstreams *u, struct upstream *x, struct buf *text,
                            struct error *err)
{
    size_t from = 0, to = text->len;

    while (to > 0 && strchr(" \t\r\n", text->data[to - 1]) != NULL) {
        to--;
    }
    while (from < to && strchr(" \t\r\n", text->data[from]) != NULL) {
        from++;
    }
    for (size_t i = from; i < to; i++) {
        if (text->data[i] <= ' ' || text->data[i] >= 0x7f) {
            to = from;
        }
    }
    char *copy = from == to ? NULL : arena_alloc(&u->memory, to - from + 1, err);
    if (copy == NULL) {
        return error_set(err, ERROR_INVALID, "%s: one line of printable characters expected",
                         x->credential_file);
    }
    memcpy(copy, text->data + from, to - from);
    copy[to - from] = '\0';
    x->credential = copy;
    return true;
}

static bool load_files(struct upstreams *u, struct upstream *x, struct error *err)
{
    struct buf text;

    if (x->ca != NULL && access(x->ca, R_OK) != 0) {
        return error_errno(err, "%s", x->ca);
    }
    if (x->credential_file == NULL) {
        return true;
    }
    buf_init(&text, CREDENTIAL_MAX);
    bool is_read = file_read(x->credential_file, &text, err) && take_credential(u, x, &text, err);
    if (text.cap > 0) {
        explicit_bzero(text.data, text.cap);
    }
    buf_deinit(&text);
    return is_read;
}

struct upstreams *upstreams_load(const char *path, struct error *err)
{
    struct upstreams *u = NULL;
    struct buf text;

    buf_init(&text, FILE_MAX);
    if (file_read(path, &text, err)) {
        u = upstreams_parse(path, buf_span(&text), err);
    }
    buf_deinit(&text);
    for (size_t i = 0; u != NULL && i < u->n; i++) {
        if (!load_files(u, &u->items[i], err)) {
            error_wrap(err, "%s: upstream " SPAN_FMT, path, SPAN_ARG(u->items[i].name));
            upstreams_unref(u);
            return NULL;
        }
    }
    return u;
}

struct upstreams *upstreams_ref(struct upstreams *u)
{
    if (u != NULL) {
        (void)atomic_fetch_add(&u->references, 1);
    }
    return u;
}

void upstreams_unref(struct upstreams *u)
{
    if (u == NULL || atomic_fetch_sub(&u->references, 1) != 1) {
        return;
    }
    for (size_t i = 0; i < u->n; i++) {
        char *credential = (char *)(intptr_t)u->items[i].credential;
        if (credential != NULL) {
            explicit_bzero(credential, strlen(credential));
        }
    }
    arena_deinit(&u->memory);
    free(u);
}

const struct upstream *upstreams_find(const struct upstreams *u, struct span name)
{
    for (size_t i = 0; u != NULL && i < u->n; i++) {
        if (span_equal(u->items[i].name, name)) {
            return &u->items[i];
        }
    }
    return NULL;
}

bool upstreams_has_port(const struct upstreams *u, unsigned port)
{
    for (size_t i = 0; u != NULL && i < u->n; i++) {
        if (u->items[i].port == port) {
            return true;
        }
    }
    return false;
}

enum route_rule upstream_route_rule(const struct upstream *u, struct span path)
{
    for (size_t i = 0; i < u->n_routes; i++) {
        struct span pattern = u->routes[i].path;
        struct span bare = span_slice(pattern, version_length(pattern), pattern.len);
        if (route_path_fits(pattern, path) || (bare.len > 0 && route_path_fits(bare, path))) {
            return u->routes[i].rule;
        }
    }
    return ROUTE_RULE_NONE;
}

size_t upstream_base_length(const struct upstream *u, struct span path)
{
    size_t len = strlen(u->url);
    const char *host = strstr(u->url, "://"), *last = strrchr(u->url, '/');
    bool has_path = host != NULL && last > host + 2;

    return has_path && version_length(path) > 0 && version_length(span_str(last)) > 0 ? (size_t)(last - u->url) : len;
}

bool upstreams_check_policies(const struct upstreams *u, const struct snapshot *snapshot,
                              struct error *err)
{
    for (size_t i = 0; u != NULL && i < u->n; i++) {
        const struct upstream *x = &u->items[i];
        if (snapshot_policy(snapshot, x->policy, x->tenant) == NULL) {
            return error_set(err, ERROR_INVALID, "%s:%u:%u: there is no policy '" SPAN_FMT "'",
                             u->file, x->policy_line, x->policy_column, SPAN_ARG(x->policy));
        }
    }
    return true;
}
