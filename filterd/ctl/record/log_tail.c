#include "ctl/record/log_tail.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl/lines.h"

enum { READ_SIZE = 64 * 1024, LOOK_MS = 1000 };

static void watch(struct log_tail *t)
{
    char copy[PATH_MAX];

    (void)snprintf(copy, sizeof(copy), "%s", t->path);
    t->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (t->inotify >= 0 && inotify_add_watch(t->inotify, dirname(copy), IN_MODIFY | IN_CREATE | IN_MOVE) < 0) {
        (void)close(t->inotify);
        t->inotify = -1;
    }
}

static int open_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;

    if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))) {
        (void)close(fd);
        errno = EINVAL;
        return -1;
    }
    return fd;
}

bool log_tail_open(struct log_tail *t, const char *path, log_tail_fn *take, void *context, struct error *err)
{
    *t = (struct log_tail){.path = path, .inotify = -1, .take = take, .context = context};
    buf_init(&t->pending, LINE_MAX_BYTES + READ_SIZE);
    t->fd = open_file(path);
    if (t->fd < 0) {
        return error_errno(err, "%s", path);
    }
    watch(t);
    return true;
}

void log_tail_close(struct log_tail *t)
{
    if (t->fd >= 0) {
        (void)close(t->fd);
    }
    if (t->inotify >= 0) {
        (void)close(t->inotify);
    }
    buf_deinit(&t->pending);
}

static bool hand_over(struct log_tail *t, struct error *err)
{
    const char *newline;
    size_t from = 0;

    while (from < t->pending.len && (newline = memchr(t->pending.data + from, '\n', t->pending.len - from)) != NULL) {
        size_t end = (size_t)(newline - t->pending.data);
        if (!t->take(t->context, span_of(t->pending.data + from, end - from), err)) {
            return false;
        }
        from = end + 1;
    }
    if (from > 0) {
        memmove(t->pending.data, t->pending.data + from, t->pending.len - from);
        t->pending.len -= from;
    }
    return true;
}

/* To the end of the file that is open. */
static bool drain(struct log_tail *t, struct error *err)
{
    for (;;) {
        if (!buf_reserve(&t->pending, READ_SIZE, err)) {
            return error_set(err, ERROR_LIMIT, "%s: a line of at most %d bytes expected", t->path, LINE_MAX_BYTES);
        }
        ssize_t n = read(t->fd, t->pending.data + t->pending.len, READ_SIZE);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n == 0 || error_errno(err, "%s", t->path);
        }
        t->pending.len += (size_t)n;
        if (!hand_over(t, err)) {
            return false;
        }
    }
}

/* The file that has the name now, when it is another one; else -1. */
static int find_next(const struct log_tail *t)
{
    struct stat open_one, named;
    bool is_other = fstat(t->fd, &open_one) == 0 && stat(t->path, &named) == 0 &&
                    (open_one.st_ino != named.st_ino || open_one.st_dev != named.st_dev);

    return is_other ? open_file(t->path) : -1;
}

/* A file that was cut off is another one, from its beginning. */
static bool look_at_size(struct log_tail *t, struct error *err)
{
    off_t at = lseek(t->fd, 0, SEEK_CUR);
    struct stat info;

    if (at < 0 || fstat(t->fd, &info) != 0) {
        return error_errno(err, "%s", t->path);
    }
    if (info.st_size >= at) {
        return true;
    }
    return error_set(err, ERROR_INVALID, "%s: the file was cut off while it was read", t->path);
}

bool log_tail_read(struct log_tail *t, struct error *err)
{
    int next;

    if (!look_at_size(t, err) || !drain(t, err)) {
        return false;
    }
    while ((next = find_next(t)) >= 0) {
        /* What was written between the two looks at it. */
        bool is_read = drain(t, err);
        (void)close(t->fd);
        t->fd = next;
        buf_clear(&t->pending);
        if (!is_read || !drain(t, err)) {
            return false;
        }
    }
    return true;
}

bool log_tail_wait(struct log_tail *t, struct error *err)
{
    struct pollfd files[] = {{.fd = STDOUT_FILENO}, {.fd = t->inotify, .events = POLLIN}};
    char events[4096];

    if (poll(files, COUNT(files), LOOK_MS) < 0 && errno != EINTR) {
        return error_errno(err, "%s", t->path);
    }
    if ((files[0].revents & POLLERR) != 0) {
        errno = EPIPE;
        return error_errno(err, "standard output");
    }
    while (t->inotify >= 0 && read(t->inotify, events, sizeof(events)) > 0) {
        /* which file it was shows when it is read */
    }
    return true;
}

bool log_tail_has_torn_line(const struct log_tail *t)
{
    return t->pending.len > 0;
}
