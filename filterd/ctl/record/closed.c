#include "ctl/record/closed.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "record/log_check.h"

enum { STEP = 256 * 1024, SHA256 = 32 };

static const char suffix[] = ".jsonl";

/* --- the log -------------------------------------------------------------------- */

static bool split_path(const char *path, char folder[PATH_MAX], char stem[NAME_MAX + 1], struct error *err)
{
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    size_t len = strlen(name), ending = sizeof(suffix) - 1;
    int before = slash == NULL ? 1 : (int)(slash - path) + (slash == path);

    if (strlen(path) >= PATH_MAX || len == 0 || len > NAME_MAX) {
        return error_set(err, ERROR_INVALID, "%s: the path of a decision log expected", path);
    }
    if (len > ending && strcmp(name + len - ending, suffix) == 0) {
        len -= ending;
    }
    (void)snprintf(folder, PATH_MAX, "%.*s", before, slash == NULL ? "." : path);
    (void)snprintf(stem, NAME_MAX + 1, "%.*s", (int)len, name);
    return true;
}

static bool lock_record(struct closed_log *c, const char *folder, struct error *err)
{
    char path[PATH_MAX + 8];

    (void)snprintf(path, sizeof(path), "%s/record", folder);
    c->lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c->lock < 0) {
        return error_errno(err, "%s", path);
    }
    return flock(c->lock, LOCK_EX | LOCK_NB) == 0 ||
           error_set(err, ERROR_DENIED, "%s: another command that compresses or removes files is running", path);
}

bool closed_log_open(struct closed_log *c, const char *path, struct error *err)
{
    char folder[PATH_MAX], *operand = folder;

    *c = (struct closed_log){.lock = -1};
    if (!split_path(path, folder, c->stem, err) || !lock_record(c, folder, err) ||
        !proven_log_open(&c->log, &operand, 1, NULL, err) || !log_keys_read(c->log.record, &c->log.files, NULL, &c->keys, err) ||
        !log_keys_verify(&c->keys, &c->log.newest, c->log.newest.size, err)) {
        return false;
    }
    c->n = c->log.files.n == 0 ? 0 : c->log.files.n - 1;
    return true;
}

void closed_log_close(struct closed_log *c)
{
    proven_log_close(&c->log);
    if (c->lock >= 0) {
        (void)close(c->lock);
        c->lock = -1;
    }
}

uint64_t closed_log_last(const struct closed_log *c, size_t file)
{
    return c->log.files.items[file + 1].first_seq - 1;
}

bool closed_log_check(const struct closed_log *c, struct error *err)
{
    const struct log_check check = {.files = &c->log.files, .record = c->log.record, .newest = &c->log.newest, .keys = &c->keys,
                                    .minimum = c->log.minimum};
    struct log_check_result result;

    if (!log_check(&check, &result, err)) {
        return false;
    }
    if (result.finding.is_there) {
        return error_set(err, ERROR_INVALID, "record: %s", result.finding.text);
    }
    return result.missing_tiles == 0 ||
           error_set(err, ERROR_INVALID, "record: %" PRIu64 " tiles are missing, without which removed lines could not be proven",
                     result.missing_tiles);
}

/* --- one file ------------------------------------------------------------------- */

static bool each_line(struct log_reader *r, closed_line_fn *take, void *context, struct error *err)
{
    struct log_line line;

    while (log_reader_next(r, &line, err)) {
        if (line.text.ptr == NULL) {
            return true;
        }
        if (line.fault != LOG_SOUND) {
            return error_set(err, ERROR_INVALID, "%s:%" PRIu64 ": line %" PRIu64 " %s", line.file->path, line.number, line.expected,
                             log_fault_text(line.fault));
        }
        if (!take(context, &line, err)) {
            return false;
        }
    }
    return false;
}

bool closed_each(const struct log_file *file, closed_line_fn *take, void *context, struct error *err)
{
    struct log_file one = *file;
    const struct log_files files = {.items = &one, .n = 1, .room = 1};
    struct log_reader *r = log_reader_new(&files, err);
    bool is_read = r != NULL && each_line(r, take, context, err);

    log_reader_free(r);
    return is_read;
}

bool closed_sha256(const char *path, char hex[DIGEST_SHA256_HEX + 1], struct error *err)
{
    int fd CLEANUP(cleanup_fd) = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char *bytes CLEANUP(cleanup_free) = malloc(STEP);
    unsigned char digest[SHA256];
    gnutls_hash_hd_t hash;
    ssize_t n = 1;

    if (fd < 0) {
        return error_errno(err, "%s", path);
    }
    if (bytes == NULL || gnutls_hash_init(&hash, GNUTLS_DIG_SHA256) != 0) {
        return error_set(err, ERROR_NO_MEMORY, "%s: no memory", path);
    }
    while (n > 0) {
        n = read(fd, bytes, STEP);
        if (n > 0) {
            (void)gnutls_hash(hash, bytes, (size_t)n);
        }
    }
    int saved = errno;
    gnutls_hash_deinit(hash, digest);
    (void)sodium_bin2hex(hex, DIGEST_SHA256_HEX + 1, digest, sizeof(digest));
    errno = saved;
    return n == 0 || error_errno(err, "%s", path);
}

bool closed_sync_folder(const char *folder, struct error *err)
{
    int fd CLEANUP(cleanup_fd) = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return (fd >= 0 && fsync(fd) == 0) || error_errno(err, "%s", folder);
}
