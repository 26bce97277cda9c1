/* decision_queue.h - lines that wait for the writer; used only by decision_*.c. Bounded in
 * lines and bytes; emptied by swapping, so that its memory is kept. Not thread-safe. */
#ifndef FILTERD_DECISION_LOG_DECISION_QUEUE_H
#define FILTERD_DECISION_LOG_DECISION_QUEUE_H

#include "base/buf.h"
#include "decision_log/decision_log.h"

enum { QUEUE_LINES_MAX = 64 * 1024, QUEUE_BYTES_MAX = 32 * 1024 * 1024 };

struct queued_line {
    size_t len;
    struct decision_receipt *receipt; /* NULL: not wanted */
    bool is_deferred;                 /* nobody waits for `done` yet */
    decision_done_fn *done;
    void *context;
};

struct decision_queue {
    struct buf bytes; /* the lines, one behind the other */
    struct buf lines; /* of struct queued_line */
    size_t n;
    size_t n_waiting;  /* lines with a `done` */
    size_t n_deferred; /* of them, those for which nobody waits yet */
};

void decision_queue_init(struct decision_queue *q);
void decision_queue_deinit(struct decision_queue *q);
void decision_queue_clear(struct decision_queue *q);
/* Copies the entry->len bytes of the line. LIMIT when it is full; INVALID when it would break the frame of lines. */
MUST_CHECK bool decision_queue_add(struct decision_queue *q, const char *line, const struct queued_line *entry,
                                   struct error *err);
/* Somebody waits for a line, or so much waits that to let more gather would save no sync. */
bool decision_queue_is_urgent(const struct decision_queue *q);
struct queued_line decision_queue_line(const struct decision_queue *q, size_t i);

#endif
