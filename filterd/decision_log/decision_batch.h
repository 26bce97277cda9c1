/* decision_batch.h - one batch of lines into the file, numbered and framed; used only by
 * decision_*.c. Used by the writer's thread. */
#ifndef FILTERD_DECISION_LOG_DECISION_BATCH_H
#define FILTERD_DECISION_LOG_DECISION_BATCH_H

#include "decision_log/decision_file.h"
#include "decision_log/decision_line.h"
#include "decision_log/decision_queue.h"

struct decision_batch {
    struct buf out;   /* lines on their way into the file */
    struct buf frame; /* what every line has behind its number: node and boot_id */
    uint64_t lost;    /* lines lost or refused that no record tells of yet */
    struct buf log_line; /* the first line of a log that begins, without the writer's members; empty: there is none */
    char origin[DECISION_TEXT_MAX + 1]; /* of a proven log, for the first line of each of its files; "": it has no proof */
};

MUST_CHECK bool decision_batch_init(struct decision_batch *b, struct error *err);
void decision_batch_deinit(struct decision_batch *b);

/* Writes what the log has to say itself (a torn tail that was cut, a rotation, losses), then the
 * lines of `queue`, which may be NULL. Nothing of it stays when it fails. */
MUST_CHECK bool decision_batch_write(struct decision_batch *b, struct decision_file *f,
                                     const struct decision_queue *queue, struct error *err);

#endif
