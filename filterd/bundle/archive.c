#include "bundle/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "evidence/ustar.h"

enum { ZSTD_LEVEL = 9 };

static void close_tree(FTS **tree)
{
    if (*tree != NULL) {
        (void)fts_close(*tree);
    }
}

static FTS *open_tree(const char *folder, struct error *err)
{
    char *const paths[] = {(char *)(uintptr_t)folder, NULL};
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);

    if (tree == NULL) {
        (void)error_errno(err, "%s", folder);
    }
    return tree;
}

/* --- packing -------------------------------------------------------------------- */

struct names {
    char *items[POLICY_BUNDLE_FILES_MAX]; /* below the folder */
    size_t n;
};

static void names_free(struct names *names)
{
    while (names->n > 0) {
        free(names->items[--names->n]);
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool collect_entry(struct names *names, FTS *tree, FTSENT *entry, size_t prefix, struct error *err)
{
    if (entry->fts_level > 0 && entry->fts_name[0] == '.') {
        (void)fts_set(tree, entry, FTS_SKIP);
        return true;
    }
    if (entry->fts_info == FTS_D || entry->fts_info == FTS_DP) {
        return true;
    }
    if (entry->fts_info != FTS_F) {
        bool is_unread = entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS;
        return error_set(err, is_unread ? ERROR_SYSTEM : ERROR_INVALID, "%s: %s", entry->fts_path,
                         is_unread ? strerror(entry->fts_errno) : "a regular file or a folder expected");
    }
    if (names->n == POLICY_BUNDLE_FILES_MAX) {
        return error_set(err, ERROR_LIMIT, "at most %d files expected", POLICY_BUNDLE_FILES_MAX);
    }
    const char *below = entry->fts_path + prefix; /* with a slash, unless the folder has one at its end */
    char *name = strdup(below + strspn(below, "/"));
    if (name == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "no memory for the names of the files");
    }
    names->items[names->n++] = name;
    return true;
}

static bool collect(const char *folder, struct names *names, struct error *err)
{
    FTS *tree CLEANUP(close_tree) = open_tree(folder, err);

    if (tree == NULL) {
        return false;
    }
    for (FTSENT *entry; errno = 0, (entry = fts_read(tree)) != NULL;) {
        if (!collect_entry(names, tree, entry, strlen(folder), err)) {
            return error_wrap(err, "%s", folder);
        }
    }
    qsort(names->items, names->n, sizeof(*names->items), compare_names);
    return (errno == 0 || error_errno(err, "%s", folder)) &&
           (names->n > 0 || error_set(err, ERROR_INVALID, "%s: a folder with files expected", folder));
}

static bool append_padding(struct buf *tar, size_t n, struct error *err)
{
    static const char zeros[2 * USTAR_BLOCK];

    return buf_append(tar, span_of(zeros, n), err);
}

static bool append_file(const char *folder, const char *name, struct buf *tar, struct error *err)
{
    char path[PATH_MAX];
    size_t header = tar->len;

    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path)) {
        return error_set(err, ERROR_INVALID, "%s: a shorter name expected", name);
    }
    if (!append_padding(tar, USTAR_BLOCK, err) || !file_read(path, tar, err)) {
        return false;
    }
    size_t size = tar->len - header - USTAR_BLOCK;
    return ustar_header(name, size, tar->data + header, err) &&
           append_padding(tar, (USTAR_BLOCK - size % USTAR_BLOCK) % USTAR_BLOCK, err);
}

static bool compress(struct span tar, struct buf *out, struct error *err)
{
    size_t room = ZSTD_compressBound(tar.len);

    if (!buf_reserve(out, room, err)) {
        return false;
    }
    size_t n = ZSTD_compress(out->data + out->len, room, tar.ptr, tar.len, ZSTD_LEVEL);
    if (ZSTD_isError(n) != 0) {
        return error_set(err, ERROR_INTERNAL, "zstd: %s", ZSTD_getErrorName(n));
    }
    out->len += n;
    return true;
}

bool policy_bundle_pack(const char *folder, struct buf *out, struct error *err)
{
    struct names names CLEANUP(names_free) = {.n = 0};
    struct buf tar CLEANUP(buf_deinit);

    buf_init(&tar, POLICY_BUNDLE_BYTES_MAX);
    if (!collect(folder, &names, err)) {
        return false;
    }
    for (size_t i = 0; i < names.n; i++) {
        if (!append_file(folder, names.items[i], &tar, err)) {
            return false;
        }
    }
    return append_padding(&tar, 2 * USTAR_BLOCK, err) && compress(buf_span(&tar), out, err);
}

/* --- unpacking -------------------------------------------------------------------- */

static bool expand(struct span archive, struct buf *tar, struct error *err)
{
    unsigned long long size = ZSTD_getFrameContentSize(archive.ptr, archive.len);

    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > POLICY_BUNDLE_BYTES_MAX) {
        return error_set(err, ERROR_MALFORMED, "a zstd archive that states a size of at most %d MiB expected",
                         POLICY_BUNDLE_BYTES_MAX >> 20);
    }
    if (!buf_reserve(tar, (size_t)size + 1, err)) {
        return false;
    }
    size_t n = ZSTD_decompress(tar->data, (size_t)size, archive.ptr, archive.len);
    if (ZSTD_isError(n) != 0 || n != size) {
        return error_set(err, ERROR_MALFORMED, "one whole zstd frame expected");
    }
    tar->len = n;
    return true;
}

static bool write_entry(const struct ustar_entry *entry, const char *folder, struct error *err)
{
    char path[PATH_MAX];

    int len = snprintf(path, sizeof(path), "%s/" SPAN_FMT, folder, SPAN_ARG(entry->name));
    if (len < 0 || (size_t)len >= sizeof(path)) {
        return error_set(err, ERROR_INVALID, SPAN_FMT ": a shorter name expected", SPAN_ARG(entry->name));
    }
    char *slash = strrchr(path, '/');
    *slash = '\0';
    if (!file_make_directory(path, err)) {
        return false;
    }
    *slash = '/';
    return file_write_atomic(path, entry->content, 0600, err);
}

bool policy_bundle_unpack(struct span archive, const char *folder, struct error *err)
{
    struct buf tar CLEANUP(buf_deinit);
    struct ustar_entry entry;
    unsigned n = 0;

    buf_init(&tar, POLICY_BUNDLE_BYTES_MAX + 1);
    if (!expand(archive, &tar, err)) {
        return false;
    }
    if (mkdir(folder, 0700) != 0) {
        bool is_there = errno == EEXIST;
        (void)error_errno(err, "%s", folder);
        err->kind = is_there ? ERROR_DENIED : ERROR_SYSTEM;
        return false;
    }
    struct ustar_reader reader = {.rest = buf_span(&tar)};
    while (ustar_next(&reader, &entry, err)) {
        if (entry.name.len == 0) {
            return true;
        }
        if (n++ == POLICY_BUNDLE_FILES_MAX) {
            return error_set(err, ERROR_LIMIT, "at most %d files expected", POLICY_BUNDLE_FILES_MAX);
        }
        if (!write_entry(&entry, folder, err)) {
            return false;
        }
    }
    return false;
}

bool policy_bundle_remove(const char *folder, struct error *err)
{
    struct stat info;

    if (lstat(folder, &info) != 0) {
        return errno == ENOENT || error_errno(err, "%s", folder);
    }
    FTS *tree CLEANUP(close_tree) = open_tree(folder, err);
    if (tree == NULL) {
        return false;
    }
    for (FTSENT *entry; errno = 0, (entry = fts_read(tree)) != NULL;) {
        if (entry->fts_info != FTS_D && unlinkat(AT_FDCWD, entry->fts_path, entry->fts_info == FTS_DP ? AT_REMOVEDIR : 0) != 0) {
            return error_errno(err, "%s", entry->fts_path);
        }
    }
    return errno == 0 || error_errno(err, "%s", folder);
}
