/* connections.h - the open connections of a listener: how many there are, and which of them have waited for a head too long.
 *
 * libmicrohttpd closes a connection that is silent. One that sends a byte now and then it keeps, so that a few thousand of
 * them take every place. Here each connection has a limit of time, from its begin or the end of the request before, until
 * the head of a request is whole: its socket is shut down then, and libmicrohttpd closes it. What a body must bring is in
 * request.c. */
#ifndef FILTERD_HTTP_CONNECTIONS_H
#define FILTERD_HTTP_CONNECTIONS_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"

/* Of a TLS client's certificate; zero: not looked at yet. */
enum peer_trust { PEER_UNKNOWN, PEER_TRUSTED, PEER_REFUSED };

struct connection {
    struct connection *next, *before;
    int fd;
    _Atomic uint64_t waits_since_ns; /* for a head; 0: a request is at work */
    enum peer_trust trust;   /* the thread's that serves it */
};

struct connections {
    const char *name; /* of the listener, for the log */
    uint64_t max, wait_ns;
    pthread_mutex_t lock;
    pthread_cond_t stop;
    pthread_t thread;
    struct connection *first;
    uint64_t n, warned_ns;
    bool is_started, is_stopping;
};

/* Watches from here on, in a thread of its own. */
MUST_CHECK bool connections_start(struct connections *c, struct error *err);
void connections_stop(struct connections *c);

/* From libmicrohttpd's notifications. NULL when memory is out: such a connection is not watched. */
struct connection *connections_open(struct connections *c, int fd);
void connections_close(struct connections *c, struct connection *one);

/* Of a connection; NULL when it is not watched. */
struct connection *connection_of(struct MHD_Connection *connection);
void connection_set_working(struct MHD_Connection *connection, bool is_working);

#endif
