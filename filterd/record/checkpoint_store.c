#include "record/checkpoint_store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { TAIL_MAX = 2 * NOTE_MAX };

static bool path_in(const char *folder, const char *name, char path[PATH_MAX], struct error *err)
{
    int len = snprintf(path, PATH_MAX, "%s/%s", folder, name);

    return (len > 0 && len < PATH_MAX) || error_set(err, ERROR_INVALID, "%s: a shorter path expected", folder);
}

bool checkpoint_store_newest(const char *folder, struct buf *out, struct error *err)
{
    char path[PATH_MAX];

    return path_in(folder, "checkpoint", path, err) && file_read(path, out, err);
}

bool checkpoint_store_cosigned(const char *folder, struct buf *out, struct error *err)
{
    char path[PATH_MAX];

    return path_in(folder, "cosigned", path, err) && file_read(path, out, err);
}

bool checkpoint_store_set_cosigned(const char *folder, struct span note, struct error *err)
{
    char path[PATH_MAX];

    return path_in(folder, "cosigned", path, err) && file_write_atomic(path, note, 0600, err);
}

static bool append(const char *path, struct span note, struct error *err)
{
    struct buf bytes CLEANUP(buf_deinit);

    buf_init(&bytes, NOTE_MAX + 1);
    if (!buf_append(&bytes, note, err) || !buf_append_char(&bytes, '\n', err)) {
        return false;
    }
    int fd CLEANUP(cleanup_fd) = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    off_t end = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    ssize_t n = end < 0 ? -1 : write(fd, bytes.data, bytes.len);
    if (n == (ssize_t)bytes.len && fdatasync(fd) == 0) {
        return true;
    }
    errno = n < 0 || n == (ssize_t)bytes.len ? errno : ENOSPC;
    error_errno(err, "%s", path);
    if (n > 0 && ftruncate(fd, end) != 0) {
        return error_wrap(err, "a part of a checkpoint stays");
    }
    return false;
}

bool checkpoint_store_add(const char *folder, struct span note, struct error *err)
{
    char newest[PATH_MAX], all[PATH_MAX];

    return path_in(folder, "checkpoint", newest, err) && path_in(folder, "checkpoints", all, err) && append(all, note, err) &&
           file_write_atomic(newest, note, 0600, err);
}

bool checkpoint_history_open(struct checkpoint_history *h, const char *folder, struct error *err)
{
    char path[PATH_MAX];

    *h = (struct checkpoint_history){0};
    if (!path_in(folder, "checkpoints", path, err)) {
        return false;
    }
    h->path = strdup(path);
    h->file = h->path == NULL ? NULL : fopen(path, "re");
    if (h->path == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "%s: no memory", path);
    }
    return h->file != NULL || errno == ENOENT || error_errno(err, "%s", path);
}

void checkpoint_history_close(struct checkpoint_history *h)
{
    if (h->file != NULL) {
        (void)fclose(h->file);
    }
    free(h->path);
    free(h->line);
    *h = (struct checkpoint_history){0};
}

/* A note has one empty line within and one behind it. */
bool checkpoint_history_next(struct checkpoint_history *h, struct buf *note, struct error *err)
{
    unsigned n_empty = 0;

    buf_clear(note);
    while (h->file != NULL && n_empty < 2) {
        errno = 0;
        ssize_t len = getline(&h->line, &h->room, h->file);
        if (len < 0 && ferror(h->file) != 0) {
            return error_errno(err, "%s", h->path);
        }
        if (len < 0) {
            return note->len == 0 || error_set(err, ERROR_MALFORMED, "%s: a whole checkpoint expected at its end", h->path);
        }
        n_empty += len == 1;
        if (n_empty < 2 && !buf_append(note, span_of(h->line, (size_t)len), err)) {
            return error_wrap(err, "%s", h->path);
        }
    }
    return true;
}

/* How much of the bytes is whole notes: they end with an empty line behind a paragraph of signatures. */
static size_t whole_notes(struct span bytes)
{
    static const char dash[] = "\xE2\x80\x94 ";
    size_t whole = 0, at = 0;

    while (at < bytes.len) {
        const char *end = memmem(bytes.ptr + at, bytes.len - at, "\n\n", 2);
        if (end == NULL) {
            break;
        }
        size_t next = (size_t)(end - bytes.ptr) + 2;
        if (span_starts_with(span_slice(bytes, at, next), span_str(dash))) {
            whole = next;
        }
        at = next;
    }
    return whole;
}

/* Only the end is looked at: the history may be long. */
bool checkpoint_store_repair(const char *folder, struct error *err)
{
    char path[PATH_MAX];
    char *bytes CLEANUP(cleanup_free) = malloc(TAIL_MAX);

    if (bytes == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "%s: no memory", folder);
    }
    if (!path_in(folder, "checkpoints", path, err)) {
        return false;
    }
    int fd CLEANUP(cleanup_fd) = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return errno == ENOENT || error_errno(err, "%s", path);
    }
    off_t size = lseek(fd, 0, SEEK_END), from = size > TAIL_MAX ? size - TAIL_MAX : 0;
    ssize_t n = pread(fd, bytes, TAIL_MAX, from);
    if (n < 0) {
        return error_errno(err, "%s", path);
    }
    off_t whole = from + (off_t)whole_notes(span_of(bytes, (size_t)n));
    if (whole == from && from > 0) {
        return error_set(err, ERROR_MALFORMED, "%s: checkpoints expected at its end", path);
    }
    return whole == size || ftruncate(fd, whole) == 0 || error_errno(err, "%s", path);
}
