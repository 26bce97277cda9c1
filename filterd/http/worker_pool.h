/* worker_pool.h - workers for judging: lent for short texts, behind a bounded queue for long
 * ones.
 *
 * The thread that read a short text judges it at once with a lent worker, since handing it over
 * would cost more than judging it. Long texts and batches go to the pool's own threads, so that
 * they do not delay the other connections of an I/O thread. */
#ifndef FILTERD_HTTP_WORKER_POOL_H
#define FILTERD_HTTP_WORKER_POOL_H

#include "pipeline/worker.h"

struct worker_pool;

/* A queued job. The caller keeps it alive until run is called, once; `w` is NULL when
 * the pool is stopping and the job must not be done. */
struct job {
    void (*run)(void *context, struct worker *w);
    void *context;
    struct job *next;
};

struct worker_pool_options {
    unsigned lent;    /* workers to lend: one per I/O thread */
    unsigned threads; /* the pool's own */
    unsigned queue;   /* jobs that may wait */
    struct worker_limits limits;
    const struct redaction_keys *keys; /* borrowed */
};

/* NULL on failure. Makes the workers; worker_pool_start makes the threads. */
struct worker_pool *worker_pool_new(const struct worker_pool_options *options, struct error *err);
MUST_CHECK bool worker_pool_start(struct worker_pool *p, struct error *err);
/* Ends the threads: active jobs finish, queued ones run without a worker. */
void worker_pool_stop(struct worker_pool *p);
void worker_pool_free(struct worker_pool *p);

/* NULL when all workers are lent. */
struct worker *worker_pool_borrow(struct worker_pool *p);
void worker_pool_give_back(struct worker_pool *p, struct worker *w);

/* From now on the memory of workers is locked while they judge, and wiped when they are given back or a job is done. Any
 * thread. */
void worker_pool_lock(struct worker_pool *p);

/* False when the queue is full or the pool has stopped; the caller then still owns the job. */
MUST_CHECK bool worker_pool_submit(struct worker_pool *p, struct job *job);
unsigned worker_pool_depth(struct worker_pool *p);

#endif
