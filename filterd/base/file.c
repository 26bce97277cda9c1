#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { READ_STEP = 8 * 1024, EXIT_UNWRITTEN = 2 };

/* Whether the buffer, which would not grow, was exactly full: nothing is left to read. */
static bool is_all_read(int fd, const struct error *err)
{
    char extra;

    return err->kind == ERROR_LIMIT && read(fd, &extra, 1) == 0;
}

bool file_read_fd(int fd, const char *name, struct buf *out, struct error *err)
{
    for (;;) {
        /* Only when it is full: a C library may copy all that a buffer has room for, used or not. */
        if (out->cap == out->len && !buf_reserve(out, out->max - out->len < READ_STEP ? 1 : READ_STEP, err)) {
            return is_all_read(fd, err) || error_wrap(err, "%s", name);
        }
        ssize_t n = read(fd, out->data + out->len, out->cap - out->len);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return error_errno(err, "%s", name);
        }
        if (n == 0) {
            return true;
        }
        out->len += (size_t)n;
    }
}

static bool read_opened(const char *path, int flags, bool must_be_regular, struct buf *out, struct error *err)
{
    int fd CLEANUP(cleanup_fd) = open(path, O_RDONLY | O_CLOEXEC | flags);
    if (fd < 0) {
        bool missing = errno == ENOENT;
        error_errno(err, "%s", path);
        err->kind = missing ? ERROR_NOT_FOUND : ERROR_SYSTEM;
        return false;
    }
    /* Room for all of it at once, where its size is known; files of /proc say 0. */
    struct stat info;
    bool is_known = fstat(fd, &info) == 0;
    if (must_be_regular && !(is_known && S_ISREG(info.st_mode))) {
        return error_set(err, ERROR_INVALID, "%s: a regular file expected", path);
    }
    if (is_known && info.st_size > 0 && (size_t)info.st_size < out->max - out->len &&
        !buf_reserve(out, (size_t)info.st_size + 1, err)) {
        return error_wrap(err, "%s", path);
    }
    return file_read_fd(fd, path, out, err);
}

bool file_read(const char *path, struct buf *out, struct error *err)
{
    return read_opened(path, 0, false, out, err);
}

bool file_read_regular(const char *path, struct buf *out, struct error *err)
{
    return read_opened(path, O_NONBLOCK | O_NOCTTY, true, out, err);
}

bool file_write_all(int fd, struct span bytes)
{
    while (bytes.len > 0) {
        ssize_t n = write(fd, bytes.ptr, bytes.len);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            errno = n == 0 ? ENOSPC : errno;
            return false;
        }
        bytes = span_slice(bytes, (size_t)n, bytes.len);
    }
    return true;
}

bool file_write_atomic(const char *path, struct span bytes, unsigned mode, struct error *err)
{
    char temporary[PATH_MAX];
    int len = snprintf(temporary, sizeof(temporary), "%s.%ld.new", path, (long)getpid());
    if (len < 0 || (size_t)len >= sizeof(temporary)) {
        return error_set(err, ERROR_INVALID, "%s: path too long", path);
    }
    int fd CLEANUP(cleanup_fd) =
        open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, (mode_t)mode);
    if (fd < 0) {
        return error_errno(err, "%s", temporary);
    }
    if (!file_write_all(fd, bytes) || fsync(fd) != 0 || rename(temporary, path) != 0) {
        error_errno(err, "%s", path);
        (void)unlink(temporary);
        return false;
    }
    return true;
}

bool file_make_directory(const char *path, struct error *err)
{
    char partial[PATH_MAX];
    size_t len = strlen(path);

    if (len == 0 || len >= sizeof(partial)) {
        return error_set(err, ERROR_INVALID, "directory: path of 1 to %d bytes expected", PATH_MAX - 1);
    }
    memcpy(partial, path, len + 1);
    for (size_t i = 1; i <= len; i++) {
        if (partial[i] != '/' && partial[i] != '\0') {
            continue;
        }
        char kept = partial[i];
        partial[i] = '\0';
        if (mkdir(partial, 0700) != 0 && errno != EEXIST) {
            return error_errno(err, "%s", partial);
        }
        partial[i] = kept;
    }
    return true;
}

int file_end_output(FILE *output, const char *program, int code)
{
    char line[sizeof(((struct error *)NULL)->text) + 1];
    struct error err;

    if (fflush(output) == 0 && ferror(output) == 0) {
        return code;
    }
    (void)error_errno(&err, "%s: standard output", program);
    int len = snprintf(line, sizeof(line), "%s\n", err.text);
    (void)!file_write_all(STDERR_FILENO, span_of(line, (size_t)len));
    return EXIT_UNWRITTEN;
}
