/* decision_repair.c - reads the end of the file for open exchanges and appends their aborted records.
 *
 * It runs before the writer starts, so every exchange that is open in the file was interrupted. The scan holds one step
 * and the ids of OPEN_EXCHANGES_MAX exchanges in memory, whatever the size of the file. */
#include "decision_log/decision_repair.h"

#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "decision_log/decision_line.h"
#include "decision_log/open_exchanges.h"

enum {
    STEP = 1024 * 1024,
    LINES_AT_ONCE = 1024, /* in one batch */
    OWN_MAX = 512,
};

static const char reason[] = "the service ended before the exchange did";

struct repair {
    struct decision_batch *batch;
    struct decision_file *file;
    struct open_exchanges open;
    struct decision_queue queue;
    uint64_t left; /* that stay open: no room, or a line that cannot be read */
};

/* What is between the marker and the next quote. The marker begins with a quote, which is
 * escaped inside every string, so it can only be a member's name. */
static struct span field(struct span line, const char *marker)
{
    const char *at = memmem(line.ptr, line.len, marker, strlen(marker));

    if (at == NULL) {
        return span_of(NULL, 0);
    }
    struct span rest = span_slice(line, (size_t)(at - line.ptr) + strlen(marker), line.len);
    const char *quote = memchr(rest.ptr, '"', rest.len);
    return quote == NULL ? span_of(NULL, 0) : span_of(rest.ptr, (size_t)(quote - rest.ptr));
}

/* The scan may begin in the middle of a line, which says nothing then. */
static void take_line(struct repair *r, struct span line, off_t at)
{
    struct span phase = field(line, "\"phase\":\"");
    struct span id = phase.len == 0 ? phase : field(line, "\"req_id\":\"");

    if (id.len != EXCHANGE_ID || !span_starts_with(line, span_str("{\"seq\":"))) {
        return;
    }
    if (!span_is(phase, "open")) {
        open_exchanges_remove(&r->open, id);
    } else if (!open_exchanges_add(&r->open, id, at, line.len)) {
        r->left++;
    }
}

/* Returns how many bytes were whole lines. */
static size_t take_lines(struct repair *r, struct span bytes, off_t at)
{
    size_t from = 0;

    for (;;) {
        const char *newline = memchr(bytes.ptr + from, '\n', bytes.len - from);
        if (newline == NULL) {
            return from;
        }
        size_t end = (size_t)(newline - bytes.ptr);
        take_line(r, span_slice(bytes, from, end), at + (off_t)from);
        from = end + 1;
    }
}

static bool read_at(int fd, char *out, size_t len, off_t at, struct error *err)
{
    while (len > 0) {
        ssize_t n = pread(fd, out, len, at);
        if (n <= 0) {
            errno = n < 0 ? errno : EIO;
            return error_errno(err, "decision log: read");
        }
        out += n;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

static bool scan(struct repair *r, struct error *err)
{
    off_t size = r->file->kept;
    off_t at = size > REPAIR_SCAN_MAX ? size - REPAIR_SCAN_MAX : 0;
    char *bytes CLEANUP(cleanup_free) = malloc(STEP);

    if (bytes == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "decision log: no memory");
    }
    while (at < size) {
        size_t len = size - at < STEP ? (size_t)(size - at) : STEP;
        if (!read_at(r->file->fd, bytes, len, at, err)) {
            return false;
        }
        size_t taken = take_lines(r, span_of(bytes, len), at);
        at += taken == 0 ? (off_t)len : (off_t)taken; /* no line of ours is so long */
    }
    return true;
}

/* Of the open record all is kept that stays true. */
static bool is_kept(struct span name)
{
    static const char *const others[] = {"seq",  "node", "boot_id", "v",
                                         "type", "ts",   "phase",   "elapsed_us"};

    for (size_t i = 0; i < COUNT(others); i++) {
        if (span_is(name, others[i])) {
            return false;
        }
    }
    return true;
}

static bool copy_members(struct span record, struct buf *out, struct error *err)
{
    struct json_iterator it = json_iterate(json_root(record));
    struct json_value value;
    struct span name;

    while (json_next(&it, &name, &value)) {
        if (is_kept(name) &&
            (!buf_append_str(out, ",\"", err) || !buf_append(out, name, err) ||
             !buf_append_str(out, "\":", err) || !buf_append(out, value.raw, err))) {
            return false;
        }
    }
    return true;
}

static void begin_record(struct decision_line *l, const char *type)
{
    buf_clear(l->out);
    line_open(l, NULL, '{');
    line_number(l, "v", DECISION_VERSION);
    line_text(l, "type", span_str(type));
    line_time(l, "ts", clock_utc_ns());
}

/* The aborted record of an exchange, from its open one. */
static bool make_aborted(struct span open, struct buf *out, struct error *err)
{
    struct decision_line l = {.out = out, .err = err};

    if (!json_validate(open, err)) {
        return false;
    }
    begin_record(&l, "decision");
    if (l.has_failed || !copy_members(open, out, err)) {
        return false;
    }
    line_text(&l, "phase", span_str("aborted"));
    line_text(&l, "end", span_str("crash"));
    line_text(&l, "reason", span_str(reason));
    line_close(&l, '}');
    return !l.has_failed;
}

static bool flush(struct repair *r, struct error *err)
{
    bool is_written = decision_batch_write(r->batch, r->file, &r->queue, err);

    decision_queue_clear(&r->queue);
    return is_written;
}

static bool add_line(struct repair *r, const struct buf *line, struct error *err)
{
    return decision_queue_add(&r->queue, line->data, &(struct queued_line){.len = line->len}, err) &&
           (r->queue.n < LINES_AT_ONCE || flush(r, err));
}

static bool abort_exchange(struct repair *r, const struct open_exchange *e, size_t *n,
                           struct error *err)
{
    struct buf line CLEANUP(buf_deinit), open CLEANUP(buf_deinit);
    struct error unread;

    buf_init(&line, DECISION_RECORD_MAX);
    buf_init(&open, DECISION_LINE_MAX);
    if (!buf_reserve(&open, e->len, err) || !read_at(r->file->fd, open.data, e->len, e->at, err)) {
        return false;
    }
    open.len = e->len;
    if (!make_aborted(buf_span(&open), &line, &unread)) {
        r->left++;
        return true;
    }
    ++*n;
    return add_line(r, &line, err);
}

static bool tell(struct repair *r, size_t n, struct error *err)
{
    struct buf line CLEANUP(buf_deinit);
    struct decision_line l = {.out = &line, .err = err};

    buf_init(&line, OWN_MAX);
    begin_record(&l, "recovery");
    line_number(&l, "exchanges_aborted", n);
    if (r->left > 0) {
        line_number(&l, "exchanges_left", r->left);
    }
    line_close(&l, '}');
    return !l.has_failed && add_line(r, &line, err) && flush(r, err) &&
           decision_file_sync(r->file, err);
}

static bool repair(struct repair *r, size_t *n, struct error *err)
{
    size_t n_open = 0;

    if (!scan(r, err)) {
        return false;
    }
    const struct open_exchange *open = open_exchanges_list(&r->open, &n_open);
    for (size_t i = 0; i < n_open; i++) {
        if (!abort_exchange(r, &open[i], n, err)) {
            return false;
        }
    }
    return (n_open == 0 && r->left == 0) || tell(r, *n, err);
}

bool decision_repair(struct decision_batch *b, struct decision_file *f, size_t *n_aborted,
                     struct error *err)
{
    struct repair r = {.batch = b, .file = f};
    size_t n = 0;

    decision_queue_init(&r.queue);
    bool is_done = open_exchanges_init(&r.open, err) && repair(&r, &n, err);
    open_exchanges_deinit(&r.open);
    decision_queue_deinit(&r.queue);
    if (is_done) {
        *n_aborted = n;
    }
    return is_done;
}
