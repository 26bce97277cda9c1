/* send_file.c - batches appended to a file, synced. It may be moved away: the next batch begins a new one. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "ship/send.h"

enum { STEP = 64 * 1024 };

struct file {
    const struct ship_sink *sink;
    int fd;
};

static void *file_open(const struct ship_sink *sink, const char *media_type, const atomic_bool *stop, struct error *err)
{
    struct file *f = calloc(1, sizeof(*f));

    (void)media_type, (void)stop;
    if (f == NULL) {
        error_set(err, ERROR_NO_MEMORY, "sink " SPAN_FMT ": no memory", SPAN_ARG(sink->name));
        return NULL;
    }
    *f = (struct file){.sink = sink, .fd = -1};
    return f;
}

static void close_fd(struct file *f)
{
    if (f->fd >= 0) {
        (void)close(f->fd);
    }
    f->fd = -1;
}

static void file_close(void *state)
{
    close_fd(state);
    free(state);
}

/* A part of a line that a crash left at the end is cut off: its batch comes again. */
static bool cut_torn_line(int fd, off_t size)
{
    char bytes[STEP];

    for (off_t end = size; end > 0;) {
        size_t n = end < STEP ? (size_t)end : STEP;
        if (pread(fd, bytes, n, end - (off_t)n) != (ssize_t)n) {
            return false;
        }
        const char *newline = memrchr(bytes, '\n', n);
        if (newline != NULL) {
            end += newline - bytes + 1 - (off_t)n;
            return end == size || ftruncate(fd, end) == 0;
        }
        end -= (off_t)n;
    }
    return size == 0 || ftruncate(fd, 0) == 0;
}

static bool is_same_file(const struct file *f)
{
    struct stat own, named;

    return f->fd >= 0 && fstat(f->fd, &own) == 0 && stat(f->sink->file, &named) == 0 && own.st_dev == named.st_dev &&
           own.st_ino == named.st_ino;
}

static bool reopen(struct file *f, struct stat *info)
{
    if (!is_same_file(f)) {
        close_fd(f);
        f->fd = open(f->sink->file, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (f->fd < 0 || fstat(f->fd, info) != 0 || !S_ISREG(info->st_mode) || !cut_torn_line(f->fd, info->st_size)) {
            return false;
        }
    }
    return fstat(f->fd, info) == 0;
}

static enum ship_result file_send(void *state, struct span body, struct ship_answer *answer, struct error *err)
{
    struct file *f = state;
    struct stat info;

    (void)answer;
    errno = EINVAL; /* where no call has failed: it is no regular file */
    if (!reopen(f, &info)) {
        error_errno(err, "%s", f->sink->file);
        close_fd(f);
        return SHIP_FAILED;
    }
    if (!file_write_all(f->fd, body) || fdatasync(f->fd) != 0) {
        error_errno(err, "%s", f->sink->file);
        (void)!ftruncate(f->fd, info.st_size);
        close_fd(f);
        return SHIP_FAILED;
    }
    return SHIP_SENT;
}

const struct ship_transport ship_file = {file_open, file_send, file_close};
