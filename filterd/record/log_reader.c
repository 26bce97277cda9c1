#include "record/log_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { ROOM = 1024 * 1024, START = 64, MOVES_MAX = 8 };

_Static_assert(ROOM > 2 * (TREE_LEAF_MAX + 1), "a whole line fits behind the rest of the one before");

struct log_reader {
    const struct log_files *files;
    size_t next_file;
    const struct log_file *file; /* of `in` */
    struct log_input *in;        /* NULL: between files */
    uint64_t expected;           /* 0: any */
    uint64_t number;             /* of the next line in its file; 0: not known */
    uint64_t offset;             /* of bytes[at] */
    size_t at, len;
    bool is_whole; /* the file was read to its end */
    char *bytes; /* of ROOM */
};

struct log_reader *log_reader_new(const struct log_files *files, struct error *err)
{
    struct log_reader *r = calloc(1, sizeof(*r));

    if (r == NULL || (r->bytes = malloc(ROOM)) == NULL) {
        free(r);
        error_set(err, ERROR_NO_MEMORY, "log: no memory");
        return NULL;
    }
    r->files = files;
    return r;
}

void log_reader_free(struct log_reader *r)
{
    if (r != NULL) {
        log_input_close(r->in);
        free(r->bytes);
        free(r);
    }
}

/* Moves what is left to the front and reads behind it. */
static bool fill(struct log_reader *r, struct error *err)
{
    size_t more = 0;

    memmove(r->bytes, r->bytes + r->at, r->len - r->at);
    r->len -= r->at;
    r->at = 0;
    if (!log_input_read(r->in, r->bytes + r->len, ROOM - r->len, &more, err)) {
        return error_wrap(err, "behind line %" PRIu64, r->expected == 0 ? 0 : r->expected - 1);
    }
    r->len += more;
    r->is_whole = more == 0;
    return true;
}

/* The newline of the line at r->at, with as much read as it takes; NULL: the file ends before it, or the line is too long. */
static bool find_newline(struct log_reader *r, const char **newline, struct error *err)
{
    size_t looked_at = 0;

    for (;;) {
        size_t left = r->len - r->at;
        *newline = left == looked_at ? NULL : memchr(r->bytes + r->at + looked_at, '\n', left - looked_at);
        if (*newline != NULL || r->is_whole || left > TREE_LEAF_MAX) {
            return true;
        }
        looked_at = left;
        if (!fill(r, err)) {
            return false;
        }
    }
}

/* The rest of a line that is too long. */
static bool skip_line(struct log_reader *r, struct error *err)
{
    for (;;) {
        const char *newline = memchr(r->bytes + r->at, '\n', r->len - r->at);
        size_t n = newline == NULL ? r->len - r->at : (size_t)(newline - (r->bytes + r->at)) + 1;
        r->at += n;
        r->offset += n;
        if (newline != NULL || r->is_whole) {
            return true;
        }
        if (!fill(r, err)) {
            return false;
        }
    }
}

static bool open_input(struct log_reader *r, const char *path, struct error *err)
{
    log_input_close(r->in);
    r->in = log_input_open(path, err);
    r->offset = 0;
    r->number = 1;
    r->at = r->len = 0;
    r->is_whole = false;
    return r->in != NULL;
}

/* Whether the file that is open begins with the line that it had when it was listed. */
static bool is_same_file(struct log_reader *r)
{
    const char *newline = NULL;
    struct error ignored;
    uint64_t first = 0;

    if (!find_newline(r, &newline, &ignored) || newline == NULL) {
        return r->len > 0; /* damaged, not moved */
    }
    struct span line = span_of(r->bytes + r->at, (size_t)(newline - (r->bytes + r->at)));
    return !log_line_seq(line, &first) || first == r->file->first_seq;
}

/* Where the file is now that was renamed or compressed since it was listed: NOT_FOUND when it was removed. */
static bool find_moved(const struct log_file *file, char path[PATH_MAX], struct error *err)
{
    struct log_files now CLEANUP(log_files_deinit) = {0};
    const char *slash = strrchr(file->path, '/');
    char folder[PATH_MAX];

    (void)snprintf(folder, sizeof(folder), "%.*s", slash == NULL ? 1 : (int)(slash - file->path) + 1, slash == NULL ? "." : file->path);
    if (!log_files_scan(&now, folder, err)) {
        return false;
    }
    log_files_select(&now, span_str(file->origin));
    for (size_t i = 0; i < now.n; i++) {
        if (now.items[i].first_seq == file->first_seq) {
            (void)snprintf(path, PATH_MAX, "%s", now.items[i].path);
            return true;
        }
    }
    return error_set(err, ERROR_NOT_FOUND, "%s: it was removed while it was to be read", file->path);
}

/* The file as it was listed; false with *err otherwise, and *is_moved when that is because another has its name, or none. */
static bool open_listed(struct log_reader *r, const char *path, bool *is_moved, struct error *err)
{
    bool is_open = open_input(r, path, err);

    /* One that is there now was not when it was to be opened. */
    *is_moved = is_open ? !is_same_file(r) : access(path, R_OK) == 0 || errno == ENOENT;
    return is_open && !*is_moved;
}

static bool open_next(struct log_reader *r, struct error *err)
{
    const struct log_file *file = r->file = &r->files->items[r->next_file++];
    char path[PATH_MAX];
    bool is_moved;

    (void)snprintf(path, sizeof(path), "%s", file->path);
    for (unsigned tries = 0; tries < MOVES_MAX; tries++) {
        if (open_listed(r, path, &is_moved, err)) {
            return true;
        }
        if (!is_moved || !find_moved(file, path, err)) {
            return false;
        }
    }
    return error_set(err, ERROR_NOT_FOUND, "%s: it is moved again and again", file->path);
}

static enum log_fault judge(struct log_line *line, bool is_torn)
{
    line->seq = line->expected;
    bool is_record = log_line_seq(line->text, &line->seq);

    if (line->text.len > TREE_LEAF_MAX) {
        line->text.len = TREE_LEAF_MAX;
        return LOG_TOO_LONG;
    }
    if (is_torn) {
        return LOG_TORN;
    }
    if (!is_record) {
        return LOG_NO_RECORD;
    }
    return line->expected != 0 && line->seq != line->expected ? LOG_OUT_OF_ORDER : LOG_SOUND;
}

static bool take_line(struct log_reader *r, const char *newline, struct log_line *out, struct error *err)
{
    const char *start = r->bytes + r->at;
    size_t len = newline == NULL ? r->len - r->at : (size_t)(newline - start);

    *out = (struct log_line){.text = span_of(start, len), .expected = r->expected, .file = r->file, .number = r->number,
                             .offset = r->offset};
    bool is_too_long = len > TREE_LEAF_MAX;
    out->fault = judge(out, newline == NULL);
    r->expected = out->seq + 1;
    r->number += r->number > 0;
    if (is_too_long && newline == NULL) {
        char kept[START]; /* of the text, which skipping overwrites: enough to see what it was */
        memcpy(kept, start, START);
        bool is_skipped = skip_line(r, err);
        out->text = span_of(r->bytes, r->at < START ? r->at : START);
        memcpy(r->bytes, kept, out->text.len);
        return is_skipped;
    }
    r->at += len + (newline != NULL);
    r->offset += len + (newline != NULL);
    return true;
}

bool log_reader_next(struct log_reader *r, struct log_line *out, struct error *err)
{
    const char *newline = NULL;

    for (;;) {
        if (r->in == NULL && r->next_file == r->files->n) {
            *out = (struct log_line){.expected = r->expected};
            return true;
        }
        if ((r->in == NULL && !open_next(r, err)) || !find_newline(r, &newline, err)) {
            return false;
        }
        if (r->at < r->len) {
            return take_line(r, newline, out, err);
        }
        log_input_close(r->in);
        r->in = NULL;
    }
}

/* --- going to a line ------------------------------------------------------------ */

/* The first line that begins at or behind `from`: where, and its number; *start is the size where there is none. */
static bool line_behind(int fd, off_t from, off_t size, off_t *start, uint64_t *seq, struct error *err)
{
    char bytes[4096];
    bool is_found = from == 0;

    *start = from;
    while (!is_found && *start < size) {
        ssize_t n = pread(fd, bytes, sizeof(bytes), *start - 1);
        if (n <= 0) {
            errno = n < 0 ? errno : EIO;
            return error_errno(err, "read");
        }
        const char *newline = memchr(bytes, '\n', (size_t)n);
        is_found = newline != NULL;
        *start += is_found ? newline - bytes : n;
    }
    if (*start >= size) {
        *start = size;
        return true;
    }
    ssize_t n = pread(fd, bytes, START, *start);
    return (n > 0 && log_line_seq(span_of(bytes, (size_t)n), seq)) ||
           error_set(err, ERROR_MALFORMED, "a record expected at byte %lld", (long long)*start);
}

/* Where the first line of a number of at least `seq` begins. */
static bool bisect(int fd, uint64_t seq, off_t *found, struct error *err)
{
    off_t size = lseek(fd, 0, SEEK_END), low = 0, high = size;

    /* Every line that begins before `low` is before the one wanted; none that begins at or behind `high` is the first. */
    while (low < high) {
        off_t middle = low + (high - low) / 2, start = 0;
        uint64_t here = UINT64_MAX;
        if (!line_behind(fd, middle, size, &start, &here, err)) {
            return false;
        }
        if (start < size && here < seq) {
            low = start + 1;
        } else {
            high = middle;
        }
    }
    uint64_t here = 0;
    return line_behind(fd, low, size, found, &here, err);
}

/* In a compressed file, which has to be read. */
static bool skip_to(struct log_reader *r, uint64_t seq, struct error *err)
{
    for (;;) {
        const char *newline = NULL;
        uint64_t here = 0;
        if (!find_newline(r, &newline, err)) {
            return false;
        }
        size_t left = r->len - r->at;
        size_t len = newline == NULL ? left : (size_t)(newline - (r->bytes + r->at)) + 1;
        if (left == 0 || !log_line_seq(span_of(r->bytes + r->at, len), &here) || here >= seq) {
            return true;
        }
        r->at += len;
        r->offset += len;
        r->number++;
    }
}

bool log_reader_seek(struct log_reader *r, uint64_t seq, struct error *err)
{
    off_t found = 0;

    r->next_file = 0;
    while (r->next_file + 1 < r->files->n && r->files->items[r->next_file + 1].first_seq <= seq) {
        r->next_file++;
    }
    log_input_close(r->in);
    r->in = NULL;
    r->expected = 0;
    if (r->next_file == r->files->n) {
        return true;
    }
    if (!open_next(r, err)) {
        return false;
    }
    if (log_input_fd(r->in) < 0) {
        return skip_to(r, seq, err);
    }
    if (!bisect(log_input_fd(r->in), seq, &found, err)) {
        return error_wrap(err, "%s", r->file->path);
    }
    if (lseek(log_input_fd(r->in), found, SEEK_SET) < 0) {
        return error_errno(err, "%s", r->file->path);
    }
    r->at = r->len = 0;
    r->is_whole = false;
    r->offset = (uint64_t)found;
    r->number = found == 0;
    return true;
}

const char *log_fault_text(enum log_fault fault)
{
    static const char *const texts[] = {
        [LOG_SOUND] = "",
        [LOG_NO_RECORD] = "is no record",
        [LOG_OUT_OF_ORDER] = "has another number than the one before it demands",
        [LOG_TORN] = "lacks its newline",
        [LOG_TOO_LONG] = "is longer than 65,535 bytes",
    };

    return texts[fault];
}
