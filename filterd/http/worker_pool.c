#include "http/worker_pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/thread.h"

struct pool_thread {
    struct worker_pool *pool;
    struct worker *worker;
    pthread_t id;
};

/* A worker to lend. Its memory is in the caches of the processor where it was used last. */
struct idle_worker {
    struct worker *worker;
    unsigned last_thread;
};

struct worker_pool {
    struct worker_pool_options options;
    atomic_bool is_locked;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t work;
    struct idle_worker *idle; /* a stack */
    unsigned n_idle;
    struct job *first, **last;
    unsigned depth;
    bool is_stopping;
    struct pool_thread *threads;
    unsigned n_started;
};

static bool make_workers(struct worker_pool *p, struct error *err)
{
    const struct worker_pool_options *o = &p->options;

    p->idle = calloc(o->lent, sizeof(*p->idle));
    p->threads = calloc(o->threads, sizeof(struct pool_thread));
    if (p->idle == NULL || p->threads == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "workers: no memory");
    }
    for (unsigned i = 0; i < o->threads; i++) {
        p->threads[i] =
            (struct pool_thread){.pool = p, .worker = worker_new(&o->limits, o->keys, err)};
        if (p->threads[i].worker == NULL) {
            return false;
        }
    }
    while (p->n_idle < o->lent) {
        struct worker *w = worker_new(&o->limits, o->keys, err);
        if (w == NULL) {
            return false;
        }
        p->idle[p->n_idle++] = (struct idle_worker){.worker = w};
    }
    return true;
}

struct worker_pool *worker_pool_new(const struct worker_pool_options *options, struct error *err)
{
    struct worker_pool *p = calloc(1, sizeof(*p));

    if (p == NULL) {
        error_set(err, ERROR_NO_MEMORY, "workers: no memory");
        return NULL;
    }
    p->options = *options;
    p->last = &p->first;
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->work, NULL);
    if (!make_workers(p, err)) {
        worker_pool_free(p);
        return NULL;
    }
    return p;
}

void worker_pool_free(struct worker_pool *p)
{
    if (p == NULL) {
        return;
    }
    worker_pool_stop(p);
    for (unsigned i = 0; i < p->n_idle; i++) {
        worker_free(p->idle[i].worker);
    }
    for (unsigned i = 0; p->threads != NULL && i < p->options.threads; i++) {
        worker_free(p->threads[i].worker);
    }
    free(p->idle);
    free(p->threads);
    (void)pthread_cond_destroy(&p->work);
    (void)pthread_mutex_destroy(&p->lock);
    free(p);
}

/* NULL when the pool is stopping and nothing is queued. */
static struct job *next_job(struct worker_pool *p, bool *is_stopping)
{
    (void)pthread_mutex_lock(&p->lock);
    while (p->first == NULL && !p->is_stopping) {
        (void)pthread_cond_wait(&p->work, &p->lock);
    }
    struct job *job = p->first;
    if (job != NULL) {
        p->first = job->next;
        p->last = p->first == NULL ? &p->first : p->last;
        p->depth--;
    }
    *is_stopping = p->is_stopping;
    (void)pthread_mutex_unlock(&p->lock);
    return job;
}

static void prepare(const struct worker_pool *p, struct worker *w)
{
    if (atomic_load_explicit(&p->is_locked, memory_order_relaxed)) {
        worker_lock(w);
    }
}

void worker_pool_lock(struct worker_pool *p)
{
    atomic_store(&p->is_locked, true);
}

static void *work(void *context)
{
    struct pool_thread *self = context;
    bool is_stopping = false;

    for (struct job *job; (job = next_job(self->pool, &is_stopping)) != NULL;) {
        prepare(self->pool, self->worker);
        job->run(job->context, is_stopping ? NULL : self->worker);
        worker_end(self->worker);
    }
    return NULL;
}

bool worker_pool_start(struct worker_pool *p, struct error *err)
{
    while (p->n_started < p->options.threads) {
        struct pool_thread *t = &p->threads[p->n_started];
        if (pthread_create(&t->id, NULL, work, t) != 0) {
            return error_set(err, ERROR_SYSTEM, "workers: no thread");
        }
        p->n_started++;
    }
    return true;
}

void worker_pool_stop(struct worker_pool *p)
{
    (void)pthread_mutex_lock(&p->lock);
    p->is_stopping = true;
    (void)pthread_cond_broadcast(&p->work);
    (void)pthread_mutex_unlock(&p->lock);
    while (p->n_started > 0) {
        (void)pthread_join(p->threads[--p->n_started].id, NULL);
    }
}

/* The one that the thread had last, else the one that waits longest. */
struct worker *worker_pool_borrow(struct worker_pool *p)
{
    unsigned thread = thread_number();
    struct worker *w = NULL;

    (void)pthread_mutex_lock(&p->lock);
    if (p->n_idle > 0) {
        unsigned last = p->n_idle - 1, i = last;
        while (i > 0 && p->idle[i].last_thread != thread) {
            i--;
        }
        w = p->idle[i].worker;
        p->idle[i] = p->idle[last];
        p->n_idle = last;
    }
    (void)pthread_mutex_unlock(&p->lock);
    if (w != NULL) {
        prepare(p, w);
    }
    return w;
}

void worker_pool_give_back(struct worker_pool *p, struct worker *w)
{
    const struct idle_worker idle = {.worker = w, .last_thread = thread_number()};

    worker_end(w);
    (void)pthread_mutex_lock(&p->lock);
    p->idle[p->n_idle++] = idle;
    (void)pthread_mutex_unlock(&p->lock);
}

bool worker_pool_submit(struct worker_pool *p, struct job *job)
{
    (void)pthread_mutex_lock(&p->lock);
    bool is_taken = !p->is_stopping && p->depth < p->options.queue;
    if (is_taken) {
        job->next = NULL;
        *p->last = job;
        p->last = &job->next;
        p->depth++;
        (void)pthread_cond_signal(&p->work);
    }
    (void)pthread_mutex_unlock(&p->lock);
    return is_taken;
}

unsigned worker_pool_depth(struct worker_pool *p)
{
    (void)pthread_mutex_lock(&p->lock);
    unsigned depth = p->depth;
    (void)pthread_mutex_unlock(&p->lock);
    return depth;
}
