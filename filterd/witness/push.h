/* push.h - a thread that periodically asks the witnesses to cosign the log's newest checkpoint.
 *
 * Each round takes the newest checkpoint and asks all witnesses that have not cosigned it at once; one that answers 409
 * with another size is asked once more with the proof from there. Valid cosignatures are written, with the
 * checkpoint, to the file `cosigned` in the record's folder. Nothing waits for this thread; missing cosignatures show as
 * lag. */
#ifndef FILTERD_WITNESS_PUSH_H
#define FILTERD_WITNESS_PUSH_H

#include "witness/witnesses.h"

enum { PUSH_COSIGNED_MAX = NOTE_MAX };

struct push_options {
    const char *record;                /* the folder */
    const struct witnesses *witnesses; /* borrowed */
    uint64_t interval_ms, timeout_ms;
    /* Called from the thread once the quorum has cosigned that many lines; may be NULL. */
    void (*cosigned)(void *context, uint64_t size);
    void *context;
};

struct push;
/* NULL on failure. */
struct push *push_start(const struct push_options *options, struct error *err);
void push_stop(struct push *p); /* accepts NULL */

/* For how long there have been lines that the witness has not cosigned; 0: none, or a group. Any thread. */
double push_lag_seconds(const struct push *p, size_t member);
/* The same of the quorum. */
double push_quorum_lag_seconds(const struct push *p);

#endif
