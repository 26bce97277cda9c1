/* decision_queue.c - lines that wait for the writer: all bytes in one buffer, what is known of each line in another. */
#include "decision_log/decision_queue.h"

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
    q->n = q->n_waiting = 0;
}

bool decision_queue_add(struct decision_queue *q, const char *line, const struct queued_line *entry, struct error *err)
{
    if (!buf_reserve(&q->lines, sizeof(*entry), err) || !buf_append(&q->bytes, span_of(line, entry->len), err)) {
        return error_wrap(err, "decision log: queue");
    }
    memcpy(q->lines.data + q->lines.len, entry, sizeof(*entry));
    q->lines.len += sizeof(*entry);
    q->n++;
    q->n_waiting += entry->done != NULL;
    return true;
}

struct queued_line decision_queue_line(const struct decision_queue *q, size_t i)
{
    struct queued_line entry;

    memcpy(&entry, q->lines.data + i * sizeof(entry), sizeof(entry));
    return entry;
}
