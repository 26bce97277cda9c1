/* decision_log.h - the decision log (audit log): one JSON line for each decision, written by one thread, and durable.
 *
 * The schema is docs/man/filterd-decision-log.5. A record has metadata and offsets in clear, values
 * only as keyed tokens, content never. Records are queued by any thread, written in order of
 * arrival by the writer's thread, and made durable together: one fdatasync for all that wait.
 *
 * `done` is called from the writer's thread, once per record that asked for it: is_durable says
 * whether the line is on disk. No record, no release: the caller delivers nothing when it is false.
 * A record without `done` is written within DECISION_LINGER_MS and synced within
 * DECISION_SYNC_MS. The queue is bounded; decision_log_append fails with LIMIT when it is full.
 *
 * A batch that cannot be written is cut off again. Its lines with `done` are lost; those without are written again until it
 * succeeds, as their answers were given. Lines lost and lines refused are counted, and the next thing written is a record of their
 * number. */
#ifndef FILTERD_DECISION_LOG_DECISION_LOG_H
#define FILTERD_DECISION_LOG_DECISION_LOG_H

#include "base/error.h"
#include "judge/exchange.h"
#include "record/tree.h"

struct decision_log; /* the writer; an interface, so that a tamper-evident record can replace it */

enum {
    DECISION_LINE_MAX = 64 * 1024,                 /* a line in the file, its newline included */
    DECISION_RECORD_MAX = DECISION_LINE_MAX - 512, /* as appended, before the writer's fields */
    DECISION_LINGER_MS = 20,
    DECISION_DEFER_MS = 2,
    DECISION_SYNC_MS = 1000,
};

typedef void decision_done_fn(void *context, bool is_durable);

/* `token` makes value tokens (HMAC-SHA256, 128 bits) and is never part of the output. `key_id` says
 * which key made a token: letters, digits, '-', '_'; NUL-terminated unless it fills the array. */
struct decision_keys {
    uint8_t token[32];
    char key_id[16];
};
struct buf;
/* Formats the record of a judged exchange into `line`, in place of what that holds; no newline. The
 * line needs a ceiling of DECISION_RECORD_MAX. Pure but for the buffer. */
MUST_CHECK bool decision_format(const struct exchange *x, const struct decision_keys *keys,
                                uint64_t elapsed_ns, struct buf *line, struct error *err);

/* The same for what the supervisor said of an exchange that had its own record before, under the same id. */
MUST_CHECK bool decision_format_later(const struct exchange *x, const struct decision_keys *keys, struct buf *line,
                                      struct error *err);

/* What the record of a stream says besides. Texts are static or borrowed. */
struct decision_stream {
    const char *phase; /* open, final or aborted */
    const char *end;   /* how it ended; NULL: it has not */
    const char *protocol;
    struct span upstream;
    uint64_t bytes_from, bytes_to; /* of the upstream, to the client, as on the wire */
    unsigned sent;                 /* how often the request was sent to the upstream; 0: it is not known */
    uint64_t hold_max;             /* the most text that one channel held back */
};
/* Likewise. An open record has no verdict yet. Channels that have a length and no bytes have no
 * tokens. */
MUST_CHECK bool decision_format_stream(const struct exchange *x,
                                       const struct decision_stream *stream,
                                       const struct decision_keys *keys, uint64_t elapsed_ns,
                                       struct buf *line, struct error *err);

/* Opens or creates the file (0600, append) and starts the thread. A torn last line, left by a
 * crash, is cut off and said so by a recovery record; exchanges that are open in the file's last
 * 256 MiB get an aborted record. The file is locked against a second writer.
 * NULL on failure; INVALID when the file holds something else, DENIED when another process writes
 * it. */
struct decision_log *decision_log_open(const char *path, struct error *err);

struct signer;
/* How a log proves itself: a Merkle tree over its lines in the folder `record` beside the file, checkpoints of which the
 * signer signs. All of it is the work of a thread of its own, behind the writer's: no line waits for it. */
struct decision_proving {
    struct signer *signer;  /* the log's until it is closed */
    const char *new_record; /* why a new log begins, in place of the one that is there; NULL: that one goes on */
    /* Called from that thread when something fails or works again; may be NULL. */
    void (*notice)(void *context, const char *text);
    void *context;
};
/* The same with a proof. A file without one (of an older version, or written without) is closed and kept beside as
 * <name>-<first seq>.jsonl, and a new log begins. INVALID with "record: line N ..." when the lines are not what was signed. */
struct decision_log *decision_log_open_proven(const char *path, const struct decision_proving *proving, struct error *err);
/* Writes and syncs what is queued, then closes. Accepts NULL. */
void decision_log_close(struct decision_log *log);

/* Queues a copy of the line, a JSON object with at least one member and no newline; the writer puts
 * seq, node and boot_id before its first member. done may be NULL: still written, in order. */
MUST_CHECK bool decision_log_append(struct decision_log *log, struct span line,
                                    decision_done_fn *done, void *context, struct error *err);
/* The same for a line whose `done` may come later: it is written within DECISION_DEFER_MS, with the next line that somebody waits for, or
 * at decision_log_flush; lines written together share one sync. */
MUST_CHECK bool decision_log_append_deferred(struct decision_log *log, struct span line, decision_done_fn *done, void *context,
                                             struct error *err);
/* Writes and syncs deferred lines now. Any thread; does not wait for it. */
void decision_log_flush(struct decision_log *log);
/* What the caller of an exchange may keep: with it the proof of the line is found, and no other. seq 0: there is none. */
struct decision_receipt {
    uint64_t seq;
    struct tree_hash leaf;
};
/* The same, and *receipt is set before `done` says true, where the log has a proof. It is the caller's until then. */
MUST_CHECK bool decision_log_append_receipt(struct decision_log *log, struct span line, struct decision_receipt *receipt,
                                            decision_done_fn *done, void *context, struct error *err);
/* The same, waiting until the line is durable. Not from the writer's thread. */
MUST_CHECK bool decision_log_append_wait(struct decision_log *log, struct span line,
                                         struct error *err);
/* The same with a receipt. */
MUST_CHECK bool decision_log_append_wait_receipt(struct decision_log *log, struct span line, struct decision_receipt *receipt,
                                                 struct error *err);

/* Called by the writer's thread before it writes lines: what they name is on disk when it returns true; when it does not,
 * the lines are lost as if they could not be written. Set once; NULL: nothing is called. Any thread. */
typedef bool decision_before_fn(void *context, struct error *err);
void decision_log_before_write(struct decision_log *log, decision_before_fn *before, void *context);

/* How many exchanges opening the log has ended, as a crash had left them open. Any thread. */
size_t decision_log_repaired(const struct decision_log *log);
/* Why the last batch that failed did. Any thread. */
void decision_log_last_error(struct decision_log *log, struct error *err);
/* False after a write failed, or the proof could not be continued, until it succeeds: the service is not ready then. The writer tries
 * again with each batch and once a second. Any thread. */
bool decision_log_is_healthy(const struct decision_log *log);
/* The number of the last line that is on disk: what is behind it may still be cut off. Any thread. */
uint64_t decision_log_synced(const struct decision_log *log);
/* Of a log with a proof: a checkpoint of every line that is durable now, on disk when this returns true. Any thread but the
 * writer's. */
MUST_CHECK bool decision_log_checkpoint(struct decision_log *log, struct error *err);
/* How many lines the newest checkpoint covers; 0 without a proof. Any thread. */
uint64_t decision_log_signed(const struct decision_log *log);
/* How many one covered when the log was opened. */
uint64_t decision_log_signed_before(const struct decision_log *log);

/* Reopens the path (log rotation, SIGHUP) and returns when nothing more goes into the old file, and a checkpoint covers its
 * lines. The old file stays in use when that fails. */
MUST_CHECK bool decision_log_reopen(struct decision_log *log, struct error *err);

#endif
