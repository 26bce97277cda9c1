#include "seal/blobs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sodium.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { PENDING_MAX = 64, PREFIX = 2 };

struct pending {
    int file, folder;
};

struct blobs {
    char folder[PATH_MAX - 2 * BLOB_ID];
    pthread_mutex_t lock; /* guards what follows */
    struct pending pending[PENDING_MAX];
    size_t n_pending;
    pthread_mutex_t syncing; /* one at a time: a caller that returns has synced all files before its own */
};

struct blobs *blobs_new(const char *folder, struct error *err)
{
    struct blobs *b = calloc(1, sizeof(*b));

    if (b == NULL) {
        error_set(err, ERROR_NO_MEMORY, "seal: no memory");
        return NULL;
    }
    int len = snprintf(b->folder, sizeof(b->folder), "%s", folder);
    if (len < 0 || (size_t)len >= sizeof(b->folder)) {
        free(b);
        error_set(err, ERROR_INVALID, "%s: path too long", folder);
        return NULL;
    }
    (void)pthread_mutex_init(&b->lock, NULL);
    (void)pthread_mutex_init(&b->syncing, NULL);
    return b;
}

static void close_pending(const struct pending *p)
{
    (void)close(p->file);
    (void)close(p->folder);
}

void blobs_free(struct blobs *b)
{
    if (b == NULL) {
        return;
    }
    for (size_t i = 0; i < b->n_pending; i++) {
        close_pending(&b->pending[i]);
    }
    (void)pthread_mutex_destroy(&b->lock);
    (void)pthread_mutex_destroy(&b->syncing);
    free(b);
}

bool blobs_path(const char *folder, struct span id, char path[PATH_MAX])
{
    if (id.len != BLOB_ID) {
        return false;
    }
    for (size_t i = 0; i < id.len; i++) {
        if (strchr("0123456789abcdef", id.ptr[i]) == NULL || id.ptr[i] == '\0') {
            return false;
        }
    }
    int len = snprintf(path, PATH_MAX, "%s/%.*s/" SPAN_FMT ".age", folder, PREFIX, id.ptr, SPAN_ARG(id));
    return len > 0 && len < PATH_MAX;
}

/* A folder that was just made is itself an entry of one that must be synced. */
static bool sync_folder(const char *path, struct error *err)
{
    int fd CLEANUP(cleanup_fd) = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return (fd >= 0 && fsync(fd) == 0) || error_errno(err, "%s", path);
}

static int open_folder(const struct blobs *b, const char *id, struct error *err)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/%.*s", b->folder, PREFIX, id);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT) {
        char above[PATH_MAX];
        (void)snprintf(above, sizeof(above), "%s/..", b->folder);
        if (!file_make_directory(path, err) || !sync_folder(b->folder, err) || !sync_folder(above, err)) {
            return -1;
        }
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    }
    if (fd < 0) {
        error_errno(err, "%s", path);
    }
    return fd;
}

static bool sync_one(const struct pending *p, struct error *err)
{
    bool is_synced = fdatasync(p->file) == 0 && fsync(p->folder) == 0;

    return is_synced || error_errno(err, "seal: syncing an original");
}

/* The caller's thread syncs what no longer fits among those that wait. */
static bool wait_for_sync(struct blobs *b, const struct pending *p, struct error *err)
{
    (void)pthread_mutex_lock(&b->lock);
    bool has_room = b->n_pending < PENDING_MAX;
    if (has_room) {
        b->pending[b->n_pending++] = *p;
    }
    (void)pthread_mutex_unlock(&b->lock);
    if (has_room) {
        return true;
    }
    bool is_synced = sync_one(p, err);
    close_pending(p);
    return is_synced;
}

bool blobs_add(struct blobs *b, struct span content, char id[BLOB_ID + 1], struct error *err)
{
    uint8_t bytes[BLOB_ID / 2];
    char name[BLOB_ID + sizeof(".age")], text[BLOB_ID + 1];

    randombytes_buf(bytes, sizeof(bytes));
    (void)sodium_bin2hex(text, sizeof(text), bytes, sizeof(bytes));
    (void)snprintf(name, sizeof(name), "%s.age", text);
    struct pending p = {.file = -1, .folder = open_folder(b, text, err)};
    if (p.folder < 0) {
        return false;
    }
    p.file = openat(p.folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (p.file < 0) {
        (void)close(p.folder);
        return error_errno(err, "%s: a new original", b->folder);
    }
    if (!file_write_all(p.file, content)) {
        error_errno(err, "seal: writing an original");
        (void)unlinkat(p.folder, name, 0);
        close_pending(&p);
        return false;
    }
    if (!wait_for_sync(b, &p, err)) {
        return false;
    }
    memcpy(id, text, sizeof(text));
    return true;
}

bool blobs_sync(struct blobs *b, struct error *err)
{
    struct pending taken[PENDING_MAX];
    bool is_synced = true;

    (void)pthread_mutex_lock(&b->syncing);
    (void)pthread_mutex_lock(&b->lock);
    size_t n = b->n_pending;
    memcpy(taken, b->pending, n * sizeof(taken[0]));
    b->n_pending = 0;
    (void)pthread_mutex_unlock(&b->lock);
    for (size_t i = 0; i < n; i++) {
        is_synced = sync_one(&taken[i], err) && is_synced;
        close_pending(&taken[i]);
    }
    (void)pthread_mutex_unlock(&b->syncing);
    return is_synced;
}
