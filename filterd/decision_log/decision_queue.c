/* decision_queue.c - lines that wait for the writer: all bytes in one buffer, what is known of each line in another; and callers that
 * sleep until theirs is on disk. */
#include "decision_log/decision_queue.h"

#include <semaphore.h>

enum { URGENT_BYTES = 1024 * 1024 /* so much is written at once: lingering would not save a sync any more */ };

void decision_queue_init(struct decision_queue *q)
{
    *q = (struct decision_queue){0};
    buf_init(&q->bytes, QUEUE_BYTES_MAX);
    buf_init(&q->lines, QUEUE_LINES_MAX * sizeof(struct queued_line));
}

void decision_queue_deinit(struct decision_queue *q)
{
    buf_deinit(&q->bytes);
    buf_deinit(&q->lines);
}

void decision_queue_clear(struct decision_queue *q)
{
    buf_clear(&q->bytes);
    buf_clear(&q->lines);
    q->n = q->n_waiting = q->n_deferred = 0;
}

static bool is_record(struct span line)
{
    return line.len >= 4 && line.len <= DECISION_RECORD_MAX && memcmp(line.ptr, "{\"", 2) == 0 &&
           line.ptr[line.len - 1] == '}' && memchr(line.ptr, '\n', line.len) == NULL;
}

bool decision_queue_add(struct decision_queue *q, const char *line, const struct queued_line *entry, struct error *err)
{
    if (!is_record(span_of(line, entry->len))) {
        return error_set(err, ERROR_INVALID, "decision log: an object of at most %d bytes in one line expected",
                         DECISION_RECORD_MAX);
    }
    if (!buf_reserve(&q->lines, sizeof(*entry), err) || !buf_append(&q->bytes, span_of(line, entry->len), err)) {
        return error_wrap(err, "decision log: queue");
    }
    memcpy(q->lines.data + q->lines.len, entry, sizeof(*entry));
    q->lines.len += sizeof(*entry);
    q->n++;
    q->n_waiting += entry->done != NULL;
    q->n_deferred += entry->is_deferred;
    return true;
}

bool decision_queue_is_urgent(const struct decision_queue *q)
{
    return q->n_waiting > q->n_deferred || q->bytes.len >= URGENT_BYTES;
}

struct queued_line decision_queue_line(const struct decision_queue *q, size_t i)
{
    struct queued_line entry;

    memcpy(&entry, q->lines.data + i * sizeof(entry), sizeof(entry));
    return entry;
}

/* --- callers that sleep ------------------------------------------------------- */

struct waiter {
    sem_t is_done;
    bool is_durable;
};

static void wake_waiter(void *context, bool is_durable)
{
    struct waiter *w = context;

    w->is_durable = is_durable;
    (void)sem_post(&w->is_done);
}

bool decision_log_append_wait(struct decision_log *log, struct span line, struct error *err)
{
    return decision_log_append_wait_receipt(log, line, NULL, err);
}

bool decision_log_append_wait_receipt(struct decision_log *log, struct span line, struct decision_receipt *receipt,
                                      struct error *err)
{
    struct waiter w = {.is_durable = false};

    (void)sem_init(&w.is_done, 0, 0);
    bool is_added = decision_log_append_receipt(log, line, receipt, wake_waiter, &w, err);
    while (is_added && sem_wait(&w.is_done) != 0) {
        /* a signal came; the line is still on its way */
    }
    (void)sem_destroy(&w.is_done);
    if (is_added && !w.is_durable) {
        decision_log_last_error(log, err);
    }
    return w.is_durable;
}
