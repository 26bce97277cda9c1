#include "ctl/lines.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>
#include <zlib.h>

bool lines_open(struct lines *l, const char *path, struct error *err)
{
    *l = (struct lines){.name = path, .line = 1};
    buf_init(&l->pending, LINE_MAX_BYTES + 2 * LINES_BATCH);
    if (strcmp(path, "-") == 0) {
        l->name = "<stdin>";
        return true;
    }
    errno = 0;
    l->gz = gzopen(path, "rbe");
    if (l->gz == NULL) {
        return error_errno(err, "%s", path);
    }
    return true;
}

void lines_close(struct lines *l)
{
    if (l->gz != NULL) {
        (void)gzclose_r(l->gz);
        l->gz = NULL;
    }
    buf_deinit(&l->pending);
}

/* gzread says nothing when the data ends in the middle, as a file that was cut short does. */
static bool is_cut_short(const struct lines *l, ssize_t n)
{
    int status = Z_OK;

    if (l->gz != NULL && n == 0) {
        (void)gzerror(l->gz, &status);
    }
    return status == Z_BUF_ERROR;
}

static bool read_some(struct lines *l, char *to, size_t max, size_t *len, struct error *err)
{
    ssize_t n;

    do {
        errno = 0;
        n = l->gz != NULL ? gzread(l->gz, to, (unsigned)max) : read(STDIN_FILENO, to, max);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return errno != 0
                   ? error_errno(err, "%s", l->name)
                   : error_set(err, ERROR_MALFORMED, "%s: intact gzip data expected", l->name);
    }
    if (is_cut_short(l, n)) {
        return error_set(err, ERROR_MALFORMED, "%s: whole gzip data expected", l->name);
    }
    *len = (size_t)n;
    return true;
}

/* The first bytes, as many as it takes to know the encoding. *len becomes what is left of them behind the mark. */
static bool begin(struct lines *l, char *bytes, size_t *len, struct error *err)
{
    size_t more = *len;

    while (more > 0 && encoding_needs_more(span_of(bytes, *len))) {
        if (!read_some(l, bytes + *len, LINES_BATCH - *len, &more, err)) {
            return false;
        }
        *len += more;
    }
    size_t mark = encoding_detect(span_of(bytes, *len), &l->encoding);
    *len -= mark;
    memmove(bytes, bytes + mark, *len);
    return true;
}

/* Reads once, in UTF-8, to the end of pending, where there is room. */
static bool read_text(struct lines *l, struct error *err)
{
    char *to = l->pending.data + l->pending.len, raw[LINES_BATCH];
    size_t len = 0;

    if (!read_some(l, to, LINES_BATCH, &len, err)) {
        return false;
    }
    l->is_at_end = len == 0;
    if (l->encoding.unit == 0 && !begin(l, to, &len, err)) {
        return false;
    }
    if (l->encoding.unit <= 1) {
        l->pending.len += len;
        return true;
    }
    memcpy(raw, to, len);
    return encoding_append(&l->encoding, span_of(raw, len), &l->pending, err) &&
           (!l->is_at_end || encoding_end(&l->encoding, &l->pending, err));
}

static bool give(struct lines *l, size_t len, struct buf *out, size_t *first_line,
                 struct error *err)
{
    if (!buf_append(out, span_of(l->pending.data, len), err)) {
        return false;
    }
    *first_line = l->line;
    for (size_t i = 0; i < len; i++) {
        l->line += l->pending.data[i] == '\n' ? 1 : 0;
    }
    if (len > 0) {
        memmove(l->pending.data, l->pending.data + len, l->pending.len - len);
    }
    l->pending.len -= len;
    return true;
}

/* Reads once. *whole is how much of pending is whole lines, before and after; *is_enough tells that
 * no more needs to be read for a batch. */
static bool read_more(struct lines *l, size_t *whole, bool *is_enough, struct error *err)
{
    size_t before = l->pending.len;

    if (before - *whole > LINE_MAX_BYTES || !buf_reserve(&l->pending, LINES_BATCH, err)) {
        return error_set(err, ERROR_LIMIT, "%s:%zu: a line of at most %d bytes expected", l->name,
                         l->line, LINE_MAX_BYTES);
    }
    if (!read_text(l, err)) {
        return false;
    }
    size_t len = l->pending.len - before;
    const char *newline = len > 0 ? memrchr(l->pending.data + before, '\n', len) : NULL;
    if (newline != NULL) {
        *whole = (size_t)(newline - l->pending.data) + 1;
    }
    /* A short read from a pipe: its writer may be waiting for the answers. */
    *is_enough = l->pending.len >= LINES_BATCH || (l->gz == NULL && len < LINES_BATCH);
    return true;
}

bool lines_next(struct lines *l, struct buf *out, size_t *first_line, struct error *err)
{
    size_t whole = 0;
    bool is_enough = false;

    while (!l->is_at_end && !(whole > 0 && is_enough)) {
        if (!read_more(l, &whole, &is_enough, err)) {
            return false;
        }
    }
    return give(l, l->is_at_end ? l->pending.len : whole, out, first_line, err);
}

bool lines_would_wait(const struct lines *l)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

    return l->gz == NULL && !l->is_at_end && poll(&input, 1, 0) == 0;
}

bool lines_split(struct span *text, struct span *line)
{
    if (text->len == 0) {
        return false;
    }
    const char *newline = memchr(text->ptr, '\n', text->len);
    size_t len = newline != NULL ? (size_t)(newline - text->ptr) : text->len;
    *line = span_of(text->ptr, len);
    *text = span_slice(*text, newline != NULL ? len + 1 : len, text->len);
    return true;
}
