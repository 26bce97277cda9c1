/* decision_log.h - the durable account of decisions: one JSON line each, written by one thread.
 *
 * The schema is docs/man/filterd-decision-log.5. A record has metadata and offsets in clear, values only as keyed
 * tokens, content never. Records are queued by any thread, written in order of arrival by the writer's thread, and
 * made durable together (group commit: one fdatasync for all that wait).
 *
 * `done` is called from the writer's thread, once per record that asked for it: is_durable says
 * whether the line is on disk. No record, no release: the caller delivers nothing when it is false.
 * The queue is bounded; decision_log_append fails with LIMIT when it is full. */
#ifndef FILTERD_ENFORCE_DECISION_LOG_H
#define FILTERD_ENFORCE_DECISION_LOG_H

#include "base/error.h"
#include "judge/exchange.h"

struct decision_log; /* the writer; an interface, so that a tamper-evident record can stand in its place */

typedef void decision_done_fn(void *context, bool is_durable);

/* Formats the record of a judged exchange into `line` (no newline). `token_key` makes value tokens
 * (HMAC-SHA256, 128 bits); never part of the output. Pure but for the buffer. */
struct decision_keys {
    uint8_t token[32];
    char key_id[16];
};
struct buf;
MUST_CHECK bool decision_format(const struct exchange *x, const struct decision_keys *keys, uint64_t elapsed_ns,
                                struct buf *line, struct error *err);

/* Opens or creates the file (0600, append). A torn last line, left by a crash, is cut off and said so
 * by a recovery record. NULL on failure. */
struct decision_log *decision_log_open(const char *path, struct error *err);
/* Writes what is queued, then closes. */
void decision_log_close(struct decision_log *log);

/* Queues a copy of the line; done may be NULL (fire and forget: still written, in order). */
MUST_CHECK bool decision_log_append(struct decision_log *log, struct span line, decision_done_fn *done, void *context,
                                    struct error *err);
/* The same, waiting until the line is durable. Not from the writer's thread. */
MUST_CHECK bool decision_log_append_wait(struct decision_log *log, struct span line, struct error *err);

/* False after a write failed, until one succeeds: the service is not ready then. Any thread. */
bool decision_log_is_healthy(const struct decision_log *log);
/* Reopens the path (log rotation, SIGHUP); the old file stays in use when that fails. */
MUST_CHECK bool decision_log_reopen(struct decision_log *log, struct error *err);

#endif
