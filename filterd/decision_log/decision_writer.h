/* decision_writer.h - a decision log inside: what its writer's thread and its callers share; used only by decision_log.c and
 * decision_writer.c. The invariants are in decision_log.c. */
#ifndef FILTERD_DECISION_LOG_DECISION_WRITER_H
#define FILTERD_DECISION_LOG_DECISION_WRITER_H

#include <pthread.h>
#include <stdatomic.h>

#include "decision_log/decision_begin.h"
#include "decision_log/decision_proof.h"

/* How long the writer's sleep goes on when a line comes: until it, or until one that is urgent. */
enum rest { REST_NONE, REST_LINGERING, REST_ASLEEP };

struct decision_log {
    char *path;
    size_t n_repaired;
    struct decision_proving proving;
    struct decision_proof *proof; /* NULL: none */
    int folder;                   /* locked while there is a proof; -1: none */
    _Atomic(decision_before_fn *) before;
    void *before_context; /* set once, before `before` */
    atomic_bool is_healthy;
    _Atomic uint64_t synced; /* number of the last line that is on disk */
    pthread_t thread;
    pthread_mutex_t reopening; /* one reopen at a time */

    pthread_mutex_t mutex; /* guards what follows, never held across a call that may block */
    pthread_cond_t work, switched;
    struct decision_queue *filling;
    struct decision_file *next; /* to be used from the next batch on */
    uint64_t refused;           /* lines that found the queue full */
    enum rest rest;
    bool is_stopping;
    struct error last_error;

    /* The writer's. */
    struct decision_file file;
    struct decision_queue *writing;
    struct decision_queue unsynced; /* copies of the lines since the last sync that nobody waits for */
    bool is_cut;                    /* the file does not have them: they are to be written again, before any other */
    struct decision_batch batch;
    int64_t synced_at_ms, tried_at_ms;
    struct decision_queue queues[2];
};

/* The thread's function; its argument is the log. */
void *decision_writer_run(void *log);
/* Whether the writer must not sleep on; with the mutex held. */
bool decision_writer_is_urgent(const struct decision_log *log);

#endif
