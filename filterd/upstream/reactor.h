/* reactor.h - one thread of outgoing HTTP: libcurl's transfers over epoll, and the worker that
 * judges their answers.
 *
 * A transfer belongs to its reactor's thread from reactor_begin to reactor_end; all callbacks run
 * there. Other threads access it only through tasks. Each reactor has its own connection pool. */
#ifndef FILTERD_UPSTREAM_REACTOR_H
#define FILTERD_UPSTREAM_REACTOR_H

#include <curl/curl.h>

#include "pipeline/worker.h"

struct reactor;

struct transfer {
    CURL *easy;
    /* The transfer has ended; reactor_end was called. */
    void (*done)(struct transfer *t, CURLcode code);
    /* Called several times a second. */
    void (*tick)(struct transfer *t, uint64_t now_ns);
    bool keeps_connection; /* with CURLOPT_CONNECT_ONLY: after a success `done` is called without reactor_end */
    struct transfer *next, **link; /* link: NULL when inactive */
};

/* Work for the reactor's thread. The caller keeps it alive until run is called, once. */
struct reactor_task {
    void (*run)(struct reactor_task *e);
    struct reactor_task *next;
};

/* A watched socket. Of reactor_watch: hung_up is called when the peer closes it or its sending side. Of reactor_poll: ready is called
 * with epoll's events, as long as they last. */
struct watch {
    void (*hung_up)(struct watch *w);
    void (*ready)(struct watch *w, uint32_t events);
};

/* NULL on failure. `keys` are borrowed. */
struct reactor *reactor_new(const struct worker_limits *limits, const struct redaction_keys *keys,
                            struct error *err);
MUST_CHECK bool reactor_start(struct reactor *r, struct error *err);
/* Ends the thread; calls `done` of every transfer with CURLE_ABORTED_BY_CALLBACK. */
void reactor_stop(struct reactor *r);
/* Runs pending tasks. Accepts NULL. */
void reactor_free(struct reactor *r);

/* Any thread. */
void reactor_post(struct reactor *r, struct reactor_task *e);
/* Any thread. The watch must live until a task posted after reactor_unwatch has run, because an event
 * may be pending. Unwatch before you close the socket. */
MUST_CHECK bool reactor_watch(struct reactor *r, int fd, struct watch *w);
/* The same for the events of epoll; a second call for the same socket replaces them. */
MUST_CHECK bool reactor_poll(struct reactor *r, int fd, uint32_t events, struct watch *w);
void reactor_unwatch(struct reactor *r, int fd);

/* Only in the reactor's thread, and not inside libcurl's callbacks. */
MUST_CHECK bool reactor_begin(struct reactor *r, struct transfer *t, struct error *err);
void reactor_end(struct reactor *r, struct transfer *t);
/* Continues to tick a transfer that is done, with a NULL easy handle, until reactor_end. */
void reactor_keep(struct reactor *r, struct transfer *t);
struct worker *reactor_worker(struct reactor *r);

#endif
