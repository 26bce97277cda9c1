/* task.h - the thread of a sink: follows the log, sends batches and keeps the position.
 *
 * Each sink has its own thread, so a slow sink does not delay others. A batch is repeated until it is acknowledged, with a pause
 * that doubles up to SHIP_PAUSE_MAX_MS, half of it random, or that the receiver requested; then the position is written and
 * synced. Delivery is at least once: a line may be sent twice after a crash or a lost acknowledgement. */
#ifndef FILTERD_SHIP_TASK_H
#define FILTERD_SHIP_TASK_H

#include "ship/send.h"

enum { SHIP_PAUSE_MIN_MS = 200, SHIP_PAUSE_MAX_MS = 30000 };

/* Counted by the thread, read by any. */
struct ship_counts {
    _Atomic uint64_t lines, skipped, records, bytes, batches, rejected, missing, unreadable, seq;
    _Atomic uint64_t results[SHIP_RESULTS];
    _Atomic int64_t as_of_ns; /* UTC; see position.h */
};

struct ship_task;

/* Reads the position and starts the thread. The configuration outlives it. NULL on failure: the position cannot be read, a
 * certificate is not right. */
struct ship_task *ship_task_start(const struct ship_config *config, const struct ship_sink *sink, struct error *err);
/* The thread ends when the current batch is sent. */
void ship_task_end(struct ship_task *t);
/* The thread ends when all is sent that is in the log by now. */
void ship_task_drain(struct ship_task *t);
/* Waits for its end until the deadline, then cuts off what is in progress. False: it was cut off. Once. */
bool ship_task_join(struct ship_task *t, int64_t deadline_ms);
void ship_task_free(struct ship_task *t); /* after it was joined; accepts NULL */

const struct ship_counts *ship_task_counts(const struct ship_task *t);

#endif
