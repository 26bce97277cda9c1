#include "record/tiles.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/file.h"

/* More files than these, a hundred thousand lines, are synced at once, with whatever else the file system holds. */
enum { UNSYNCED_MAX = 512, FOLDERS_MAX = 64 };

/* A level's last tile. */
struct growing {
    uint64_t index;
    unsigned n;                  /* hashes; TILE_WIDTH: full, and not written yet */
    unsigned committed, before;  /* widths of the partial files of the last commit and the one before; 0: none */
    struct tree_hash hashes[TILE_WIDTH];
};

struct tile_writer {
    char folder[PATH_MAX];
    struct tree_edge edge;
    struct growing levels[TILE_LEVELS];
    struct tile_name unsynced[UNSYNCED_MAX];
    size_t n_unsynced; /* above UNSYNCED_MAX: the list is not all of them */
};

static bool tile_path(const struct tile_writer *w, const struct tile_name *name, char path[PATH_MAX], struct error *err)
{
    char relative[TILE_PATH_MAX];

    tile_path_format(name, relative);
    int len = snprintf(path, PATH_MAX, "%s/%s", w->folder, relative);
    return (len > 0 && len < PATH_MAX) || error_set(err, ERROR_INVALID, "%s: path too long", w->folder);
}

/* --- files ------------------------------------------------------------------ */

static int create(char *path, struct error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0 && errno == ENOENT) {
        char *slash = strrchr(path, '/');
        *slash = '\0';
        bool is_made = file_make_directory(path, err);
        *slash = '/';
        if (!is_made) {
            return -1;
        }
        fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    }
    if (fd < 0) {
        error_errno(err, "%s", path);
    }
    return fd;
}

static bool write_tile(struct tile_writer *w, unsigned level, unsigned width, struct error *err)
{
    const struct growing *g = &w->levels[level];
    struct tile_name name = {.level = level, .index = g->index, .width = width};
    char path[PATH_MAX], temporary[PATH_MAX + 8];

    if (!tile_path(w, &name, path, err)) {
        return false;
    }
    (void)snprintf(temporary, sizeof(temporary), "%s.new", path);
    int fd CLEANUP(cleanup_fd) = create(temporary, err);
    if (fd < 0) {
        return false;
    }
    if (!file_write_all(fd, span_of((const char *)g->hashes, (size_t)width * TREE_HASH))) {
        return error_errno(err, "%s", temporary);
    }
    if (rename(temporary, path) != 0) {
        return error_errno(err, "%s", path);
    }
    if (w->n_unsynced < UNSYNCED_MAX) {
        w->unsynced[w->n_unsynced] = name;
    }
    w->n_unsynced += w->n_unsynced <= UNSYNCED_MAX;
    return true;
}

/* The partial files of a tile, once the full one is there; those of an interrupted run, too. */
static void remove_partials(const struct tile_writer *w, unsigned level, uint64_t index)
{
    struct tile_name name = {.level = level, .index = index, .width = 1};
    char path[PATH_MAX], file[PATH_MAX + NAME_MAX + 2];
    struct error ignored;

    if (!tile_path(w, &name, path, &ignored)) {
        return;
    }
    *strrchr(path, '/') = '\0';
    DIR *entries = opendir(path);
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): a stream of its own */
    for (const struct dirent *e; entries != NULL && (e = readdir(entries)) != NULL;) {
        if (e->d_name[0] != '.') {
            (void)snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
            (void)unlink(file);
        }
    }
    if (entries != NULL) {
        (void)closedir(entries);
        (void)unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
    }
}

static void remove_partial(const struct tile_writer *w, unsigned level, unsigned width)
{
    struct tile_name name = {.level = level, .index = w->levels[level].index, .width = width};
    char path[PATH_MAX];
    struct error ignored;

    if (width != 0 && tile_path(w, &name, path, &ignored)) {
        (void)unlink(path);
    }
}

/* --- growing ---------------------------------------------------------------- */

static void tile_hash(const struct growing *g, struct tree_hash *out)
{
    struct tree_edge edge = {.size = 0};

    for (unsigned i = 0; i < TILE_WIDTH; i++) {
        tree_edge_add(&edge, &g->hashes[i]);
    }
    tree_edge_root(&edge, out);
}

/* Writes full tiles from this level up; each is one hash of the level above. */
static bool flush_from(struct tile_writer *w, unsigned level, struct error *err)
{
    for (; level < TILE_LEVELS && w->levels[level].n == TILE_WIDTH; level++) {
        struct growing *g = &w->levels[level];
        if (!write_tile(w, level, TILE_WIDTH, err)) {
            return false;
        }
        if (level + 1 < TILE_LEVELS) {
            struct growing *above = g + 1;
            tile_hash(g, &above->hashes[above->n++]);
        }
        remove_partials(w, level, g->index);
        g->index++;
        g->n = g->committed = g->before = 0;
    }
    return true;
}

/* Left over from a call that failed may be any level: the upper ones first, as a lower one needs room there. */
static bool flush_full(struct tile_writer *w, struct error *err)
{
    for (unsigned level = TILE_LEVELS; level-- > 0;) {
        if (!flush_from(w, level, err)) {
            return false;
        }
    }
    return true;
}

bool tile_writer_add(struct tile_writer *w, const struct tree_hash *leaf, struct error *err)
{
    struct growing *g = &w->levels[0];

    if (!flush_full(w, err)) {
        return false;
    }
    tree_edge_add(&w->edge, leaf);
    g->hashes[g->n++] = *leaf;
    return flush_from(w, 0, err);
}

uint64_t tile_writer_size(const struct tile_writer *w)
{
    return w->edge.size;
}

void tile_writer_root(const struct tile_writer *w, struct tree_hash *out)
{
    tree_edge_root(&w->edge, out);
}

/* --- commit ----------------------------------------------------------------- */

static bool write_partial(struct tile_writer *w, unsigned level, struct error *err)
{
    struct growing *g = &w->levels[level];

    if (g->n == 0 || g->n == g->committed) {
        return true;
    }
    if (!write_tile(w, level, g->n, err)) {
        return false;
    }
    remove_partial(w, level, g->before);
    g->before = g->committed;
    g->committed = g->n;
    return true;
}

static bool sync_path(const char *path, struct error *err)
{
    int fd CLEANUP(cleanup_fd) = open(path, O_RDONLY | O_CLOEXEC);

    /* What is no more there was replaced by a full tile, which is on the list, too. */
    return (fd < 0 && errno == ENOENT) || (fd >= 0 && fsync(fd) == 0) || error_errno(err, "%s", path);
}

static bool sync_all(const struct tile_writer *w, struct error *err)
{
    int fd CLEANUP(cleanup_fd) = open(w->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return (fd >= 0 && syncfs(fd) == 0) || error_errno(err, "%s", w->folder);
}

/* Has the kernel write what each holds, without waiting: the first sync behind it waits for most of it at once. */
static bool start_writing(const struct tile_writer *w, struct error *err)
{
    char path[PATH_MAX];

    for (size_t i = 0; i < w->n_unsynced; i++) {
        if (!tile_path(w, &w->unsynced[i], path, err)) {
            return false;
        }
        int fd CLEANUP(cleanup_fd) = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0) {
            (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE); /* only a hint */
        }
    }
    return true;
}

/* Folders, each once. */
struct folders {
    char paths[FOLDERS_MAX][TILE_PATH_MAX];
    size_t n;
    bool is_full;
};

static void add_folder(struct folders *f, char path[TILE_PATH_MAX])
{
    char *slash = strrchr(path, '/');

    *(slash == NULL ? path : slash) = '\0';
    for (size_t i = f->n; i > 0; i--) {
        if (strcmp(f->paths[i - 1], path) == 0) {
            return;
        }
    }
    f->is_full = f->is_full || f->n == FOLDERS_MAX;
    if (!f->is_full) {
        memcpy(f->paths[f->n++], path, TILE_PATH_MAX);
    }
}

/* Of each tile the folder with its name, and the one with that folder's. */
static bool sync_folders(const struct tile_writer *w, struct error *err)
{
    struct folders f = {.n = 0};
    char path[PATH_MAX + TILE_PATH_MAX];

    for (size_t i = 0; i < w->n_unsynced; i++) {
        char relative[TILE_PATH_MAX];
        tile_path_format(&w->unsynced[i], relative);
        add_folder(&f, relative);
        add_folder(&f, relative);
    }
    for (size_t i = 0; i < f.n; i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", w->folder, f.paths[i]);
        if (!sync_path(path, err)) {
            return false;
        }
    }
    return !f.is_full || sync_all(w, err);
}

/* Not syncfs, behind which every line of the log would wait for all that the file system holds. */
static bool sync_listed(const struct tile_writer *w, struct error *err)
{
    char path[PATH_MAX];

    if (!start_writing(w, err)) {
        return false;
    }
    for (size_t i = 0; i < w->n_unsynced; i++) {
        if (!tile_path(w, &w->unsynced[i], path, err) || !sync_path(path, err)) {
            return false;
        }
    }
    return sync_folders(w, err);
}

bool tile_writer_commit(struct tile_writer *w, struct error *err)
{
    if (!flush_full(w, err)) {
        return false;
    }
    for (unsigned level = 0; level < TILE_LEVELS; level++) {
        if (!write_partial(w, level, err)) {
            return false;
        }
    }
    if (!(w->n_unsynced > UNSYNCED_MAX ? sync_all(w, err) : sync_listed(w, err))) {
        return false;
    }
    w->n_unsynced = 0;
    return true;
}

/* --- opening ---------------------------------------------------------------- */

static bool load_level(struct tile_writer *w, unsigned level, struct error *err)
{
    struct growing *g = &w->levels[level];
    struct buf bytes;

    g->index = (w->edge.size >> (8 * level)) / TILE_WIDTH;
    g->n = tile_width(w->edge.size, level, g->index);
    if (g->n == 0) {
        return true;
    }
    struct tile_name name = {.level = level, .index = g->index, .width = g->n};
    buf_init(&bytes, sizeof(g->hashes));
    bool is_read = tile_read(w->folder, &name, &bytes, err);
    if (is_read) {
        memcpy(g->hashes, bytes.data, bytes.len);
        g->committed = g->n;
    }
    buf_deinit(&bytes);
    return is_read;
}

static bool load(struct tile_writer *w, uint64_t size, struct error *err)
{
    struct tile_reader *r = tile_reader_open(w->folder, size, err);
    if (r == NULL) {
        return false;
    }
    struct tree_source source = tile_reader_source(r);
    bool is_read = tree_edge_read(&source, size, &w->edge, err);

    tile_reader_close(r);
    for (unsigned level = 0; is_read && level < TILE_LEVELS; level++) {
        is_read = load_level(w, level, err);
    }
    return is_read;
}

struct tile_writer *tile_writer_open(const char *folder, uint64_t size, struct error *err)
{
    if (strlen(folder) >= PATH_MAX) {
        error_set(err, ERROR_INVALID, "%s: path too long", folder);
        return NULL;
    }
    struct tile_writer *w = calloc(1, sizeof(*w));
    if (w == NULL) {
        error_set(err, ERROR_NO_MEMORY, "tiles: no memory");
        return NULL;
    }
    memcpy(w->folder, folder, strlen(folder) + 1);
    if (size > 0 ? load(w, size, err) : file_make_directory(folder, err)) {
        return w;
    }
    tile_writer_close(w);
    return NULL;
}

void tile_writer_close(struct tile_writer *w)
{
    free(w);
}
