#include "scan/database_cache.h"

#include <sodium.h>

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/trusted_file.h"

/* Of BLAKE2b, which is faster for megabytes than SHA-256. */
enum { DIGEST_SIZE = 32, HEAD_SIZE = sizeof(database_cache_magic) + DATABASE_CACHE_KEY + DIGEST_SIZE };

const char database_cache_magic[8] = "fdHS\3\0\0\0";

static const char ending[] = ".hsdb";

static bool make_path(const char *directory, const uint8_t key[DATABASE_CACHE_KEY], char path[PATH_MAX])
{
    char name[2 * DATABASE_CACHE_KEY + 1];

    (void)sodium_bin2hex(name, sizeof(name), key, DATABASE_CACHE_KEY);
    int len = snprintf(path, PATH_MAX, "%s/%.32s%s", directory, name, ending);
    return len > 0 && len < PATH_MAX;
}

static void make_digest(struct span body, uint8_t digest[DIGEST_SIZE])
{
    (void)crypto_generichash(digest, DIGEST_SIZE, (const uint8_t *)body.ptr, body.len, NULL, 0);
}

/* magic | key | digest of the body | body. */
bool database_cache_read(const char *directory, const uint8_t key[DATABASE_CACHE_KEY], struct buf *file,
                         struct span *body)
{
    const size_t magic = sizeof(database_cache_magic);
    uint8_t digest[DIGEST_SIZE];
    char path[PATH_MAX];
    struct error ignored;

    if (!make_path(directory, key, path) || !trusted_file_read_alone(path, file, &ignored) || file->len <= HEAD_SIZE ||
        memcmp(file->data, database_cache_magic, magic) != 0 ||
        memcmp(file->data + magic, key, DATABASE_CACHE_KEY) != 0) {
        return false;
    }
    *body = span_slice(buf_span(file), HEAD_SIZE, file->len);
    make_digest(*body, digest);
    return memcmp(file->data + magic + DATABASE_CACHE_KEY, digest, DIGEST_SIZE) == 0;
}

/* --- old ones go -------------------------------------------------------------- */

static int is_database(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return len >= sizeof(ending) && strcmp(entry->d_name + len - (sizeof(ending) - 1), ending) == 0;
}

struct kept {
    char name[NAME_MAX + 1];
    struct timespec written;
};

static bool is_newer(const struct kept *a, const struct kept *b)
{
    return a->written.tv_sec != b->written.tv_sec ? a->written.tv_sec > b->written.tv_sec
                                                  : a->written.tv_nsec > b->written.tv_nsec;
}

/* Takes `new` into the row of the newest; what falls out of it is deleted. */
static void keep(int folder, struct kept row[DATABASE_CACHE_FILES_MAX], size_t *n, const struct kept *new)
{
    struct kept last = *new;

    for (size_t i = 0; i < *n; i++) {
        if (is_newer(&last, &row[i])) {
            struct kept older = row[i];
            row[i] = last;
            last = older;
        }
    }
    if (*n < DATABASE_CACHE_FILES_MAX) {
        row[(*n)++] = last;
    } else {
        (void)unlinkat(folder, last.name, 0);
    }
}

static void delete_old(const char *directory)
{
    struct kept *row CLEANUP(cleanup_free) = calloc(DATABASE_CACHE_FILES_MAX, sizeof(*row));
    struct dirent **entries = NULL;
    size_t n_kept = 0;
    int n = row != NULL ? scandir(directory, &entries, is_database, NULL) : 0;
    int folder CLEANUP(cleanup_fd) = n > 0 ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    for (int i = 0; i < n; i++) {
        struct kept new;
        struct stat info;
        if (folder >= 0 && fstatat(folder, entries[i]->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
            (void)snprintf(new.name, sizeof(new.name), "%s", entries[i]->d_name);
            new.written = info.st_mtim;
            keep(folder, row, &n_kept, &new);
        }
        free(entries[i]);
    }
    free(entries);
}

void database_cache_write(const char *directory, const uint8_t key[DATABASE_CACHE_KEY], struct span body)
{
    uint8_t digest[DIGEST_SIZE];
    struct buf file CLEANUP(buf_deinit);
    struct error ignored;
    char path[PATH_MAX];

    make_digest(body, digest);
    buf_init(&file, DATABASE_CACHE_FILE_MAX);
    if (make_path(directory, key, path) &&
        buf_append(&file, span_of(database_cache_magic, sizeof(database_cache_magic)), &ignored) &&
        buf_append(&file, span_of((const char *)key, DATABASE_CACHE_KEY), &ignored) &&
        buf_append(&file, span_of((const char *)digest, DIGEST_SIZE), &ignored) && buf_append(&file, body, &ignored) &&
        file_make_directory(directory, &ignored) && file_write_atomic(path, buf_span(&file), 0600, &ignored)) {
        delete_old(directory);
    }
}
