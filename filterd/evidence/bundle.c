#include "evidence/bundle.h"

#include <fcntl.h>
#include <gnutls/crypto.h>
#include <inttypes.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "evidence/ustar.h"

enum { OUT_MAX = 1024 * 1024, SHA256 = 32 };

static bool write_all(int fd, struct span bytes, struct error *err)
{
    return file_write_all(fd, bytes) || error_errno(err, "bundle");
}

/* Before `len` more bytes are written to that disk. */
static bool may_write(const struct bundle *b, int fd, uint64_t len, struct error *err)
{
    struct statvfs disk;

    if (b->limits.is_stopped != NULL && atomic_load(b->limits.is_stopped)) {
        return error_set(err, ERROR_DENIED, "bundle: it was stopped");
    }
    if (b->limits.free_min == 0) {
        return true;
    }
    if (fstatvfs(fd, &disk) != 0) {
        return error_errno(err, "bundle");
    }
    uint64_t available = (uint64_t)disk.f_bavail * disk.f_frsize;
    return (available >= len && available - len >= b->limits.free_min) ||
           error_set(err, ERROR_LIMIT, "bundle: %" PRIu64 " free bytes expected on the disk beside it", b->limits.free_min);
}

static bool write_spool(struct bundle *b, struct span bytes, struct error *err)
{
    return may_write(b, b->spool, bytes.len, err) && write_all(b->spool, bytes, err);
}

bool bundle_open(struct bundle *b, const struct bundle_limits *limits, struct error *err)
{
    const char *folder = limits->folder;

    *b = (struct bundle){.spool = -1, .limits = *limits, .overhead = 2 * (uint64_t)USTAR_BLOCK};
    buf_init(&b->out, OUT_MAX);
    folder = folder != NULL ? folder : getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe): no thread */
    folder = folder != NULL ? folder : "/tmp";
    b->spool = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return b->spool >= 0 || error_errno(err, "%s: a file for what is gathered", folder);
}

void bundle_close(struct bundle *b)
{
    unsigned char digest[SHA256];

    if (b->hash != NULL) {
        gnutls_hash_deinit(b->hash, digest);
    }
    if (b->spool >= 0) {
        (void)close(b->spool);
    }
    buf_deinit(&b->out);
    free(b->files);
}

static bool make_room(struct bundle *b, struct error *err)
{
    if (b->n == BUNDLE_FILES_MAX) {
        return error_set(err, ERROR_LIMIT, "bundle: at most %d files expected", BUNDLE_FILES_MAX);
    }
    if (b->n < b->room) {
        return true;
    }
    size_t room = b->room == 0 ? 64 : 2 * b->room;
    struct bundle_file *files = reallocarray(b->files, room, sizeof(*files));
    if (files == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "bundle: no memory");
    }
    b->files = files;
    b->room = room;
    return true;
}

bool bundle_begin(struct bundle *b, const char *name, struct error *err)
{
    gnutls_hash_hd_t hash;

    if (!make_room(b, err)) {
        return false;
    }
    if (gnutls_hash_init(&hash, GNUTLS_DIG_SHA256) != 0) {
        return error_set(err, ERROR_INTERNAL, "bundle: SHA-256 cannot start");
    }
    b->hash = hash;
    b->overhead += 2 * (uint64_t)USTAR_BLOCK;
    struct bundle_file *f = &b->files[b->n++];
    *f = (struct bundle_file){.at = b->end};
    (void)snprintf(f->name, sizeof(f->name), "%s", name);
    return true;
}

static bool flush(struct bundle *b, struct error *err)
{
    bool is_written = write_spool(b, buf_span(&b->out), err);

    buf_clear(&b->out);
    return is_written;
}

bool bundle_add(struct bundle *b, struct span bytes, struct error *err)
{
    if (bytes.len == 0) {
        return true;
    }
    if (b->limits.bytes_max != 0 && (uint64_t)b->end + bytes.len + b->overhead > b->limits.bytes_max) {
        return error_set(err, ERROR_LIMIT, "bundle: at most %" PRIu64 " bytes expected", b->limits.bytes_max);
    }
    if (gnutls_hash(b->hash, bytes.ptr, bytes.len) != 0) {
        return error_set(err, ERROR_INTERNAL, "bundle: SHA-256 failed");
    }
    b->end += (off_t)bytes.len;
    b->files[b->n - 1].size += bytes.len;
    if (b->out.len + bytes.len > OUT_MAX && !flush(b, err)) {
        return false;
    }
    return bytes.len > OUT_MAX ? write_spool(b, bytes, err) : buf_append(&b->out, bytes, err);
}

void bundle_end(struct bundle *b)
{
    unsigned char digest[SHA256];
    struct bundle_file *f = &b->files[b->n - 1];

    gnutls_hash_deinit(b->hash, digest);
    b->hash = NULL;
    (void)sodium_bin2hex(f->sha256, sizeof(f->sha256), digest, sizeof(digest));
}

bool bundle_put(struct bundle *b, const char *name, struct span bytes, struct error *err)
{
    if (!bundle_begin(b, name, err) || !bundle_add(b, bytes, err)) {
        return false;
    }
    bundle_end(b);
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct bundle_file *one = a, *other = b;

    return strcmp(one->name, other->name);
}

void bundle_sort(struct bundle *b)
{
    qsort(b->files, b->n, sizeof(*b->files), compare);
}

static bool copy_file(struct bundle *b, const struct bundle_file *f, int to, struct error *err)
{
    static const char zeros[USTAR_BLOCK];
    char *bytes CLEANUP(cleanup_free) = malloc(OUT_MAX);
    uint64_t done = 0;

    if (bytes == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "bundle: no memory");
    }
    if (!ustar_header(f->name, f->size, bytes, err) || !write_all(to, span_of(bytes, USTAR_BLOCK), err)) {
        return false;
    }
    while (done < f->size) {
        uint64_t left = f->size - done;
        ssize_t n = pread(b->spool, bytes, left < OUT_MAX ? left : OUT_MAX, f->at + (off_t)done);
        if (n <= 0) {
            return error_errno(err, "bundle");
        }
        if (!may_write(b, to, (uint64_t)n, err) || !write_all(to, span_of(bytes, (size_t)n), err)) {
            return false;
        }
        done += (uint64_t)n;
    }
    return write_all(to, span_of(zeros, (USTAR_BLOCK - f->size % USTAR_BLOCK) % USTAR_BLOCK), err);
}

static bool write_archive(struct bundle *b, int to, struct error *err)
{
    static const char end[2 * USTAR_BLOCK];

    bundle_sort(b);
    for (size_t i = 0; i < b->n; i++) {
        if (!copy_file(b, &b->files[i], to, err)) {
            return false;
        }
    }
    return write_all(to, span_of(end, sizeof(end)), err) && (fsync(to) == 0 || error_errno(err, "bundle"));
}

bool bundle_write(struct bundle *b, const char *path, struct error *err)
{
    char beside[PATH_MAX];

    if (!flush(b, err)) {
        return false;
    }
    if ((size_t)snprintf(beside, sizeof(beside), "%s.part", path) >= sizeof(beside)) {
        return error_set(err, ERROR_LIMIT, "%s: a shorter path expected", path);
    }
    int to CLEANUP(cleanup_fd) = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0) {
        return error_errno(err, "%s", beside);
    }
    bool is_written = may_write(b, to, (uint64_t)b->end + b->overhead, err) && write_archive(b, to, err) &&
                      (rename(beside, path) == 0 || error_errno(err, "%s", path));
    if (!is_written) {
        (void)unlink(beside);
    }
    return is_written;
}
