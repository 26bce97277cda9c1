#include "ship/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "ship/line.h"
#include "ship/log_order.h"

enum { STEP = 256 * 1024, SKIP = 64 * 1024, BYTES_MAX = 1024 * 1024, LINE_MAX_BYTES = 128 * 1024 };

bool ship_follow_init(struct ship_follow *f, const char *log, const struct ship_position *from, struct error *err)
{
    const char *slash = strrchr(log, '/');
    const char *name = slash == NULL ? log : slash + 1;
    int len = slash == NULL ? 1 : (int)(slash - log) + (slash == log);

    *f = (struct ship_follow){.fd = -1, .settle_ms = SHIP_SETTLE_MS};
    buf_init(&f->bytes, BYTES_MAX);
    if (strlen(log) >= PATH_MAX || strlen(name) > NAME_MAX || name[0] == '\0') {
        return error_set(err, ERROR_INVALID, "log: the path of a file expected");
    }
    (void)snprintf(f->path, sizeof(f->path), "%s", log);
    (void)snprintf(f->directory, sizeof(f->directory), "%.*s", len, slash == NULL ? "." : log);
    (void)snprintf(f->name, sizeof(f->name), "%s", name);
    memcpy(f->digest, from->file, sizeof(f->digest));
    f->file_ns = from->file_ns;
    f->seq = from->seq;
    f->offset = from->offset;
    f->as_of_ns = from->as_of_ns;
    return true;
}

static void close_file(struct ship_follow *f)
{
    log_input_close(f->in);
    f->in = NULL;
    f->fd = -1;
    buf_clear(&f->bytes);
    f->taken = 0;
    f->limit = 0;
    f->sample_ms = 0;
}

void ship_follow_deinit(struct ship_follow *f)
{
    close_file(f);
    buf_deinit(&f->bytes);
}

/* --- which file ----------------------------------------------------------------- */

/* What was read of a compressed file before. */
static bool skip(struct ship_follow *f, uint64_t n, struct error *err)
{
    char dropped[SKIP];
    size_t len = 1;

    while (n > 0 && len > 0) {
        if (!log_input_read(f->in, dropped, n < SKIP ? (size_t)n : SKIP, &len, err)) {
            return false;
        }
        n -= len;
    }
    return n == 0 || error_set(err, ERROR_MALFORMED, "%s: it is shorter than what was read of it before", f->path);
}

static bool open_file(struct ship_follow *f, const struct ordered_file *file, uint64_t offset, struct error *err)
{
    close_file(f);
    f->in = log_input_open(file->path, err);
    if (f->in == NULL) {
        return false;
    }
    f->fd = log_input_fd(f->in);
    if (f->fd < 0 && !skip(f, offset, err)) {
        close_file(f);
        return false;
    }
    memcpy(f->digest, file->digest, sizeof(f->digest));
    f->file_ns = file->time_ns;
    f->offset = offset;
    f->limit = f->fd < 0 ? UINT64_MAX : offset;
    return true;
}

/* The file of the position; where that is gone, the next one. True without a file: there is none yet. */
static bool open_first(struct ship_follow *f, struct error *err)
{
    struct ordered_file file = {.path = ""};

    if (f->digest[0] != '\0' && !log_order_find(f->directory, f->name, f->digest, &file, err)) {
        return false;
    }
    if (file.path[0] != '\0') {
        return open_file(f, &file, f->offset, err);
    }
    if (!log_order_after(f->directory, f->name, f->file_ns, f->seq, &file, err)) {
        return false;
    }
    return file.path[0] == '\0' || open_file(f, &file, 0, err);
}

static bool is_current(const struct ship_follow *f)
{
    struct stat own, named;

    return fstat(f->fd, &own) == 0 && stat(f->path, &named) == 0 && own.st_dev == named.st_dev &&
           own.st_ino == named.st_ino;
}

/* --- how far it may be read -------------------------------------------------------- */

/* The writer cut off lines that it could not sync. Of those that were returned the numbers come again. */
static void step_back(struct ship_follow *f, uint64_t size)
{
    buf_clear(&f->bytes);
    f->taken = 0;
    f->limit = size;
    if (size < f->offset) {
        f->offset = size;
        f->seq = 0;
    }
}

static bool move_limit(struct ship_follow *f, struct error *err)
{
    struct stat info;
    int64_t now = clock_monotonic_ms();

    if (f->fd < 0) {
        return true;
    }
    if (fstat(f->fd, &info) != 0) {
        return error_errno(err, "%s", f->path);
    }
    uint64_t size = (uint64_t)info.st_size;
    if (size < f->limit) {
        step_back(f, size);
    }
    if (f->sample_ms != 0 && now - f->sample_ms < f->settle_ms) {
        return true;
    }
    if (f->sample_ms != 0 && f->sample <= size) {
        f->limit = f->sample > f->limit ? f->sample : f->limit;
        f->as_of_ns = f->sample_ns;
    }
    f->sample = size;
    f->sample_ms = now;
    f->sample_ns = clock_utc_ns();
    return true;
}

/* --- lines ---------------------------------------------------------------------------- */

/* More bytes behind those that are there; *n is 0 at the limit. */
static bool read_more(struct ship_follow *f, size_t *n, struct error *err)
{
    if (f->taken > 0) {
        memmove(f->bytes.data, f->bytes.data + f->taken, f->bytes.len - f->taken);
        f->bytes.len -= f->taken;
        f->taken = 0;
    }
    uint64_t at = f->offset + f->bytes.len;
    uint64_t left = f->limit > at ? f->limit - at : 0;
    size_t room = left < STEP ? (size_t)left : STEP;
    if (!buf_reserve(&f->bytes, room, err)) {
        return false;
    }
    char *to = f->bytes.data + f->bytes.len;
    if (f->fd < 0) {
        if (!log_input_read(f->in, to, room, n, err)) {
            return false;
        }
        f->bytes.len += *n;
        return true;
    }
    ssize_t got = room == 0 ? 0 : pread(f->fd, to, room, (off_t)at);
    if (got < 0) {
        return error_errno(err, "%s", f->path);
    }
    f->bytes.len += (size_t)got;
    *n = (size_t)got;
    return true;
}

/* The next whole line up to the limit; false with no error filled (*is_end) when there is none. */
static bool take_line(struct ship_follow *f, struct span *line, bool *is_end, struct error *err)
{
    *is_end = false;
    for (;;) {
        const char *from = f->bytes.data == NULL ? NULL : f->bytes.data + f->taken;
        size_t len = f->bytes.len - f->taken, n = 0;
        const char *newline = len == 0 ? NULL : memchr(from, '\n', len);
        if (newline != NULL) {
            *line = span_of(from, (size_t)(newline - from));
            f->taken += line->len + 1;
            f->offset += line->len + 1;
            return true;
        }
        if (len >= LINE_MAX_BYTES) {
            return error_set(err, ERROR_MALFORMED, "%s: lines of at most %d bytes expected", f->path, LINE_MAX_BYTES);
        }
        if (!read_more(f, &n, err)) {
            return false;
        }
        if (n == 0) {
            *is_end = true;
            return false;
        }
    }
}

/* {"seq":12, as the writer begins every line. */
static uint64_t seq_of(struct span line)
{
    static const char head[] = "{\"seq\":";
    uint64_t seq = 0;

    if (!span_starts_with(line, span_str(head))) {
        return 0;
    }
    for (size_t i = sizeof(head) - 1; i < line.len && line.ptr[i] >= '0' && line.ptr[i] <= '9'; i++) {
        seq = seq * 10 + (uint64_t)(line.ptr[i] - '0');
    }
    return seq;
}

/* A number of 1 begins another log. */
static void count_numbers(struct ship_follow *f, struct span line)
{
    uint64_t seq = seq_of(line);

    if (seq == 0) {
        f->unreadable++;
        return;
    }
    if (seq > f->seq + 1 && f->seq != 0) {
        f->missing += seq - f->seq - 1;
    }
    f->seq = seq;
}

/* At the end of a file that is not written any more: the next one. False with *is_end: there is none. */
static bool open_next(struct ship_follow *f, bool *is_end, struct error *err)
{
    struct ordered_file file;
    struct stat info;

    *is_end = f->fd >= 0 && is_current(f);
    if (*is_end || !log_order_after(f->directory, f->name, f->file_ns, f->seq, &file, err)) {
        return false;
    }
    if (file.path[0] == '\0' || strcmp(file.digest, f->digest) == 0) {
        f->as_of_ns = f->fd < 0 ? clock_utc_ns() : f->as_of_ns;
        *is_end = true;
        return false;
    }
    /* The next one has a line, so this one is complete. */
    if (f->fd >= 0) {
        if (fstat(f->fd, &info) != 0) {
            return error_errno(err, "%s", f->path);
        }
        if ((uint64_t)info.st_size > f->limit) {
            f->limit = (uint64_t)info.st_size;
            return true;
        }
    }
    return open_file(f, &file, 0, err);
}

enum ship_follow_result ship_follow_next(struct ship_follow *f, struct span *line, struct error *err)
{
    bool is_end = false;

    for (;;) {
        if (f->in == NULL && !open_first(f, err)) {
            return SHIP_FOLLOW_FAILED;
        }
        if (f->in == NULL) {
            f->as_of_ns = clock_utc_ns();
            return SHIP_FOLLOW_NONE;
        }
        if (take_line(f, line, &is_end, err)) {
            count_numbers(f, *line);
            return SHIP_FOLLOW_LINE;
        }
        uint64_t limit = f->limit;
        if (!is_end || !move_limit(f, err)) {
            return SHIP_FOLLOW_FAILED;
        }
        if (f->limit > limit) {
            continue;
        }
        if (!open_next(f, &is_end, err)) {
            return is_end ? SHIP_FOLLOW_NONE : SHIP_FOLLOW_FAILED;
        }
    }
}

void ship_follow_position(const struct ship_follow *f, struct ship_position *p)
{
    memcpy(p->file, f->digest, sizeof(p->file));
    p->file_ns = f->file_ns;
    p->seq = f->seq;
    p->offset = f->offset;
}
