/* decision_batch.c - puts seq, node and boot_id in front of each line and writes the lines of one queue.
 *
 * A number is used once: it advances with a line that was written, and goes back when the batch is cut off. */
#include "decision_log/decision_batch.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"

enum { OUT_MAX = 4 * DECISION_LINE_MAX, FRAME_MAX = 400, NODE_MAX = 64, OWN_MAX = 512 };

_Static_assert(FRAME_MAX + 40 < DECISION_LINE_MAX - DECISION_RECORD_MAX, "the frame fits");

static bool append_member(struct buf *b, const char *name, struct span value, struct error *err)
{
    return buf_append_str(b, ",\"", err) && buf_append_str(b, name, err) &&
           buf_append_str(b, "\":", err) && json_append_string(b, value, err);
}

/* Which machine, and which boot of it. A machine that does not say has them empty. */
static bool make_frame(struct buf *frame, struct error *err)
{
    char node[NODE_MAX + 1] = "";
    struct buf boot;

    (void)gethostname(node, NODE_MAX);
    buf_init(&boot, 64);
    if (!file_read("/proc/sys/kernel/random/boot_id", &boot, err)) {
        buf_clear(&boot);
    }
    struct span id = buf_span(&boot);
    if (id.len > 0 && id.ptr[id.len - 1] == '\n') {
        id.len--;
    }
    bool is_made = append_member(frame, "node", span_str(node), err) &&
                   append_member(frame, "boot_id", id, err);
    buf_deinit(&boot);
    return is_made;
}

bool decision_batch_init(struct decision_batch *b, struct error *err)
{
    *b = (struct decision_batch){0};
    buf_init(&b->out, OUT_MAX);
    buf_init(&b->frame, FRAME_MAX);
    buf_init(&b->log_line, DECISION_RECORD_MAX);
    if (!make_frame(&b->frame, err) || !buf_reserve(&b->out, OUT_MAX, err)) {
        decision_batch_deinit(b);
        return false;
    }
    return true;
}

void decision_batch_deinit(struct decision_batch *b)
{
    buf_deinit(&b->out);
    buf_deinit(&b->frame);
    buf_deinit(&b->log_line);
}

static bool flush(struct decision_batch *b, struct decision_file *f, struct error *err)
{
    struct span bytes = buf_span(&b->out);

    buf_clear(&b->out);
    return decision_file_append(f, bytes, err);
}

static bool append_number(struct buf *b, uint64_t number, struct error *err)
{
    char digits[24];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return buf_append(b, span_of(digits + at, sizeof(digits) - at), err);
}

/* The line with its number and the frame before its first member. */
static bool put_line(struct decision_batch *b, struct decision_file *f, uint64_t seq,
                     struct span line, struct error *err)
{
    if (OUT_MAX - b->out.len < DECISION_LINE_MAX && !flush(b, f, err)) {
        return false;
    }
    return buf_append_str(&b->out, "{\"seq\":", err) && append_number(&b->out, seq, err) &&
           buf_append(&b->out, buf_span(&b->frame), err) && buf_append_char(&b->out, ',', err) &&
           buf_append(&b->out, span_slice(line, 1, line.len), err) &&
           buf_append_char(&b->out, '\n', err);
}

/* A record of the log about itself. */
static bool put_own(struct decision_batch *b, struct decision_file *f, uint64_t *seq,
                    const char *type, uint64_t number, struct error *err)
{
    struct buf line;
    struct decision_line l = {.out = &line, .err = err};

    buf_init(&line, OWN_MAX);
    line_open(&l, NULL, '{');
    line_number(&l, "v", DECISION_VERSION);
    line_text(&l, "type", span_str(type));
    line_time(&l, "ts", clock_utc_ns());
    if (strcmp(type, "rotation") == 0) {
        line_text(&l, "origin", span_str(b->origin));
    }
    if (number > 0) {
        line_number(&l, strcmp(type, "loss") == 0 ? "lines_lost" : "bytes_dropped", number);
    }
    line_close(&l, '}');
    bool is_put = !l.has_failed && put_line(b, f, ++*seq, buf_span(&line), err);
    buf_deinit(&line);
    return is_put;
}

/* A file of a proven log says in its first line which log it is of. A rotated log begins with a record, so that its numbers
 * can be continued from the file alone. */
static bool put_first(struct decision_batch *b, struct decision_file *f, uint64_t *seq, struct error *err)
{
    if (*seq > 0) {
        return put_own(b, f, seq, "rotation", 0, err);
    }
    return b->log_line.len == 0 || put_line(b, f, ++*seq, buf_span(&b->log_line), err);
}

static bool put_all_own(struct decision_batch *b, struct decision_file *f, uint64_t *seq,
                        struct error *err)
{
    return (!f->is_empty || put_first(b, f, seq, err)) &&
           (f->dropped == 0 || put_own(b, f, seq, "recovery", (uint64_t)f->dropped, err)) &&
           (b->lost == 0 || put_own(b, f, seq, "loss", b->lost, err));
}

/* Of the line that was put last, which is whole and the last one in `out`. */
static void make_receipt(const struct decision_batch *b, uint64_t seq, struct decision_receipt *receipt)
{
    size_t end = b->out.len - 1;
    const char *before = end == 0 ? NULL : memrchr(b->out.data, '\n', end);
    size_t from = before == NULL ? 0 : (size_t)(before - b->out.data) + 1;

    receipt->seq = seq;
    tree_hash_leaf(span_of(b->out.data + from, end - from), &receipt->leaf);
}

static bool put_queue(struct decision_batch *b, struct decision_file *f, uint64_t *seq,
                      const struct decision_queue *queue, struct error *err)
{
    size_t at = 0;

    for (size_t i = 0; i < queue->n; i++) {
        struct queued_line entry = decision_queue_line(queue, i);
        struct span line = span_slice(buf_span(&queue->bytes), at, at + entry.len);
        if (!put_line(b, f, ++*seq, line, err)) {
            return false;
        }
        if (entry.receipt != NULL && b->origin[0] != '\0') {
            make_receipt(b, *seq, entry.receipt);
        }
        at += entry.len;
    }
    return true;
}

bool decision_batch_write(struct decision_batch *b, struct decision_file *f,
                          const struct decision_queue *queue, struct error *err)
{
    uint64_t seq = f->seq;

    buf_clear(&b->out);
    if (!decision_file_begin(f, err)) {
        return false;
    }
    if (!put_all_own(b, f, &seq, err) || (queue != NULL && !put_queue(b, f, &seq, queue, err)) ||
        !flush(b, f, err) || !decision_file_keep(f, seq, err)) {
        decision_file_rollback(f);
        return false;
    }
    f->dropped = 0;
    f->is_empty = false;
    b->lost = 0;
    return true;
}
