/* decision_file.c - the file of the record: opened, checked, locked, continued.
 *
 * A file is continued only when its last whole line is a record; a torn last line is cut off. Any other content means
 * that the path belongs to another program, and is refused rather than appended to. */
#include "decision_log/decision_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

/* Every line begins so. */
static const char line_start[] = "{\"seq\":";

enum { STEP = 16 * 1024, START_LEN = sizeof(line_start) - 1 };

/* Behind the last newline before `end`; 0 when there is none. */
static bool find_line_start(int fd, off_t end, off_t *start, struct error *err)
{
    char bytes[STEP];

    while (end > 0) {
        off_t from = end > STEP ? end - STEP : 0;
        ssize_t n = pread(fd, bytes, (size_t)(end - from), from);
        if (n != end - from) {
            errno = n < 0 ? errno : EIO;
            return error_errno(err, "decision log: read");
        }
        const char *newline = memrchr(bytes, '\n', (size_t)n);
        if (newline != NULL) {
            *start = from + (newline - bytes) + 1;
            return true;
        }
        end = from;
    }
    *start = 0;
    return true;
}

/* The number of the line at `start`; false when no record is there. */
static bool read_seq(int fd, off_t start, uint64_t *seq)
{
    char bytes[START_LEN + 22];
    ssize_t n = pread(fd, bytes, sizeof(bytes), start);
    ssize_t i = START_LEN;

    if (n <= START_LEN || memcmp(bytes, line_start, START_LEN) != 0) {
        return false;
    }
    *seq = 0;
    while (i < n && bytes[i] >= '0' && bytes[i] <= '9') {
        *seq = *seq * 10 + (uint64_t)(bytes[i++] - '0');
    }
    return i > START_LEN && i < n && bytes[i] == ',';
}

/* Whether the only line, which is not whole, is the start of a record, or zeros that a power cut
 * left. Anything else is a file of another program. */
static bool is_torn_first_line(int fd, off_t size)
{
    char bytes[START_LEN] = {0};
    static const char zeros[START_LEN];
    size_t len = size < START_LEN ? (size_t)size : START_LEN;

    return pread(fd, bytes, len, 0) == (ssize_t)len &&
           (memcmp(bytes, line_start, len) == 0 || memcmp(bytes, zeros, len) == 0);
}

static bool recover(struct decision_file *f, off_t size, const char *path, struct error *err)
{
    off_t whole = 0, last = 0;

    if (!find_line_start(f->fd, size, &whole, err) ||
        (whole > 0 && !find_line_start(f->fd, whole - 1, &last, err))) {
        return error_wrap(err, "%s", path);
    }
    bool is_ours = whole > 0 ? read_seq(f->fd, last, &f->seq) : is_torn_first_line(f->fd, size);
    if (!is_ours) {
        return error_set(err, ERROR_INVALID, "%s: a file of decision records expected", path);
    }
    if (whole < size && ftruncate(f->fd, whole) != 0) {
        return error_errno(err, "%s", path);
    }
    f->dropped = size - whole;
    f->is_empty = whole == 0;
    f->kept = f->synced = whole;
    f->synced_seq = f->seq;
    return true;
}

/* A new file is only there after a crash when its directory is on disk, too. */
bool decision_file_sync_folder(const char *path, struct error *err)
{
    char directory[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    size_t len = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);

    if (len >= sizeof(directory)) {
        return error_set(err, ERROR_INVALID, "decision log: path too long");
    }
    if (len > 0) {
        memcpy(directory, path, len);
        directory[len] = '\0';
    }
    int fd CLEANUP(cleanup_fd) = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0) {
        return error_errno(err, "%s", directory);
    }
    return true;
}

static bool prepare(struct decision_file *f, const char *path, struct error *err)
{
    struct stat info;

    if (fstat(f->fd, &info) != 0) {
        return error_errno(err, "%s", path);
    }
    if (!S_ISREG(info.st_mode)) {
        return error_set(err, ERROR_INVALID, "%s: a regular file expected", path);
    }
    if (flock(f->fd, LOCK_EX | LOCK_NB) != 0) {
        return error_set(err, ERROR_DENIED, "%s: another process writes this log", path);
    }
    f->device = info.st_dev;
    f->inode = info.st_ino;
    f->is_empty = info.st_size == 0;
    return decision_file_sync_folder(path, err) && (f->is_empty || recover(f, info.st_size, path, err));
}

bool decision_file_open(struct decision_file *f, const char *path, struct error *err)
{
    struct decision_file file = {0};

    file.fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    if (file.fd < 0) {
        return error_errno(err, "%s", path);
    }
    if (!prepare(&file, path, err)) {
        decision_file_close(&file);
        return false;
    }
    *f = file;
    return true;
}

/* What is missing of a path is made at the start, in the nearest directory that is there. */
static bool check_directory(const char *path, struct error *err)
{
    char directory[PATH_MAX];

    if (snprintf(directory, sizeof(directory), "%s", path) >= (int)sizeof(directory)) {
        return error_set(err, ERROR_INVALID, "decision log: path too long");
    }
    for (;;) {
        char *slash = strrchr(directory, '/');
        const char *above = slash == NULL ? "." : slash == directory ? "/" : directory;
        if (slash != NULL) {
            *slash = '\0';
        }
        if (access(above, W_OK | X_OK) == 0) {
            return true;
        }
        if (errno != ENOENT || slash == NULL || slash == directory) {
            return error_errno(err, "%s: %s", path, above);
        }
    }
}

bool decision_file_check(const char *path, struct error *err)
{
    struct stat info;
    off_t whole = 0, last = 0;
    uint64_t seq = 0;
    int fd CLEANUP(cleanup_fd) = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (fd < 0) {
        return errno == ENOENT ? check_directory(path, err) : error_errno(err, "%s", path);
    }
    if (fstat(fd, &info) != 0) {
        return error_errno(err, "%s", path);
    }
    if (!S_ISREG(info.st_mode)) {
        return error_set(err, ERROR_INVALID, "%s: a regular file expected", path);
    }
    if (!find_line_start(fd, info.st_size, &whole, err) || (whole > 0 && !find_line_start(fd, whole - 1, &last, err))) {
        return error_wrap(err, "%s", path);
    }
    return info.st_size == 0 || (whole > 0 ? read_seq(fd, last, &seq) : is_torn_first_line(fd, info.st_size)) ||
           error_set(err, ERROR_INVALID, "%s: a file of decision records expected", path);
}

void decision_file_close(struct decision_file *f)
{
    if (f->fd >= 0) {
        close(f->fd);
        f->fd = -1;
    }
}

static void cut(struct decision_file *f)
{
    f->is_torn = ftruncate(f->fd, f->kept) != 0;
}

void decision_file_rollback(struct decision_file *f)
{
    cut(f);
}

bool decision_file_begin(struct decision_file *f, struct error *err)
{
    struct stat info;

    if (f->is_torn) {
        cut(f);
    }
    if (f->is_torn || fstat(f->fd, &info) != 0) {
        return error_errno(err, "decision log");
    }
    if (info.st_nlink == 0) {
        return error_set(err, ERROR_INVALID, "decision log: the file was removed, and its lines with it; rotate by moving it away and sending SIGHUP");
    }
    /* Rotated by copying and truncating, or written by somebody else: what was recorded is not there any more as it was. */
    return info.st_size == f->kept ||
           error_set(err, ERROR_INVALID,
                     "decision log: %lld bytes expected in the file, which has %lld: another program truncated or wrote it; "
                     "rotate by moving the file away and sending SIGHUP",
                     (long long)f->kept, (long long)info.st_size);
}

bool decision_file_append(struct decision_file *f, struct span bytes, struct error *err)
{
    return file_write_all(f->fd, bytes) || error_errno(err, "decision log: write");
}

bool decision_file_keep(struct decision_file *f, uint64_t seq, struct error *err)
{
    struct stat info;

    if (fstat(f->fd, &info) != 0) {
        return error_errno(err, "decision log");
    }
    f->kept = info.st_size;
    f->seq = seq;
    return true;
}

bool decision_file_sync(struct decision_file *f, struct error *err)
{
    if (fdatasync(f->fd) != 0) {
        error_errno(err, "decision log: sync");
        /* The kernel reports a page it could not write once, then takes it for clean: nothing since
         * the last sync can be trusted to be on disk, now or after another sync. */
        f->kept = f->synced;
        f->seq = f->synced_seq;
        f->is_empty = f->kept == 0;
        cut(f);
        return false;
    }
    f->synced = f->kept;
    f->synced_seq = f->seq;
    return true;
}
