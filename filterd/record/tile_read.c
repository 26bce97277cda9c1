#include "record/tiles.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { TILE_BYTES = TILE_WIDTH * TREE_HASH };

struct cached_tile {
    uint64_t index;
    unsigned width; /* 0: none */
    struct tree_hash hashes[TILE_WIDTH];
};

struct tile_reader {
    char folder[PATH_MAX];
    uint64_t size;
    struct cached_tile tiles[TILE_LEVELS];
};

static bool full_path(const char *folder, const struct tile_name *name, char path[PATH_MAX], struct error *err)
{
    char relative[TILE_PATH_MAX];

    tile_path_format(name, relative);
    int len = snprintf(path, PATH_MAX, "%s/%s", folder, relative);
    return (len > 0 && len < PATH_MAX) || error_set(err, ERROR_INVALID, "%s: path too long", folder);
}

/* The first `width` hashes of the file, which has exactly `has` of them. */
static bool read_file(const char *folder, struct tile_name name, unsigned has, struct buf *out, struct error *err)
{
    char path[PATH_MAX];
    struct buf bytes;
    unsigned width = name.width;

    name.width = has;
    if (!full_path(folder, &name, path, err)) {
        return false;
    }
    buf_init(&bytes, TILE_BYTES);
    bool is_read = file_read(path, &bytes, err);
    if (is_read && bytes.len != (size_t)has * TREE_HASH) {
        is_read = error_set(err, ERROR_MALFORMED, "%s: %u bytes expected", path, has * TREE_HASH);
    } else if (!is_read && err->kind == ERROR_LIMIT) {
        err->kind = ERROR_MALFORMED;
    }
    is_read = is_read && buf_append(out, span_of(bytes.data, (size_t)width * TREE_HASH), err);
    buf_deinit(&bytes);
    return is_read;
}

static void close_folder(DIR **folder)
{
    if (*folder != NULL) {
        (void)closedir(*folder);
    }
}

/* The narrowest partial tile that has as many; 0: none. */
static unsigned find_wider(const char *folder, struct tile_name name)
{
    char path[PATH_MAX];
    struct error ignored;
    unsigned best = 0;

    if (!full_path(folder, &name, path, &ignored)) {
        return 0;
    }
    *strrchr(path, '/') = '\0';
    DIR *entries CLEANUP(close_folder) = opendir(path);
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): a stream of its own */
    for (const struct dirent *e; entries != NULL && (e = readdir(entries)) != NULL;) {
        char *end;
        unsigned long width = strtoul(e->d_name, &end, 10);
        if (*end == '\0' && width > name.width && width < TILE_WIDTH && (best == 0 || width < best)) {
            best = (unsigned)width;
        }
    }
    return best;
}

bool tile_read(const char *folder, const struct tile_name *name, struct buf *out, struct error *err)
{
    if (read_file(folder, *name, name->width, out, err)) {
        return true;
    }
    if (name->width == TILE_WIDTH || err->kind != ERROR_NOT_FOUND) {
        return false;
    }
    unsigned wider = find_wider(folder, *name);
    if (wider != 0 && read_file(folder, *name, wider, out, err)) {
        return true;
    }
    return (wider == 0 || err->kind == ERROR_NOT_FOUND) && read_file(folder, *name, TILE_WIDTH, out, err);
}

/* --- nodes ------------------------------------------------------------------ */

struct tile_reader *tile_reader_open(const char *folder, uint64_t size, struct error *err)
{
    if (strlen(folder) >= PATH_MAX) {
        error_set(err, ERROR_INVALID, "%s: path too long", folder);
        return NULL;
    }
    struct tile_reader *r = calloc(1, sizeof(*r));
    if (r == NULL) {
        error_set(err, ERROR_NO_MEMORY, "tiles: no memory");
        return NULL;
    }
    memcpy(r->folder, folder, strlen(folder) + 1);
    r->size = size;
    return r;
}

void tile_reader_close(struct tile_reader *r)
{
    free(r);
}

static bool fetch(struct tile_reader *r, unsigned level, uint64_t index, struct cached_tile **out, struct error *err)
{
    struct cached_tile *t = &r->tiles[level];
    struct buf bytes;

    *out = t;
    if (t->width != 0 && t->index == index) {
        return true;
    }
    struct tile_name name = {.level = level, .index = index, .width = tile_width(r->size, level, index)};
    if (name.width == 0) {
        return error_set(err, ERROR_INVALID, "tiles: a node of a tree of %" PRIu64 " leaves expected", r->size);
    }
    buf_init(&bytes, TILE_BYTES);
    bool is_read = tile_read(r->folder, &name, &bytes, err);
    if (is_read) {
        t->index = index;
        t->width = name.width;
        memcpy(t->hashes, bytes.data, bytes.len);
    }
    buf_deinit(&bytes);
    return is_read;
}

/* Tiles have each eighth level of the tree; the levels between are hashed from them. */
static bool read_node(void *state, unsigned level, uint64_t index, struct tree_hash *out, struct error *err)
{
    struct tile_reader *r = state;
    unsigned height = level % 8, n = 1U << height;
    struct tree_edge edge = {.size = 0};
    struct cached_tile *t;

    if (level >= TREE_HEIGHT_MAX) {
        return error_set(err, ERROR_INVALID, "tiles: a level below %d expected", TREE_HEIGHT_MAX);
    }
    uint64_t first = index << height;
    if (!fetch(r, level / 8, first / TILE_WIDTH, &t, err)) {
        return false;
    }
    unsigned at = (unsigned)(first % TILE_WIDTH);
    if (at + n > t->width) {
        return error_set(err, ERROR_INVALID, "tiles: a node of a tree of %" PRIu64 " leaves expected", r->size);
    }
    for (unsigned i = 0; i < n; i++) {
        tree_edge_add(&edge, &t->hashes[at + i]);
    }
    tree_edge_root(&edge, out);
    return true;
}

struct tree_source tile_reader_source(struct tile_reader *r)
{
    return (struct tree_source){.node = read_node, .state = r};
}
