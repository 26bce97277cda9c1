/* connections.h - the open connections of a listener: counts them, and closes those that wait too long for a head.
 *
 * libmicrohttpd closes a silent connection, but not one that sends a byte now and then, so a few thousand of
 * these could occupy all slots. This module limits the time from the start of a connection, or the end of the previous
 * request, until the head of a request is complete: it then shuts the socket down, and libmicrohttpd closes it. request.c
 * enforces the rate of a body. */
#ifndef FILTERD_HTTP_CONNECTIONS_H
#define FILTERD_HTTP_CONNECTIONS_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"

/* Trust in a TLS client's certificate; zero: not checked yet. */
enum peer_trust { PEER_UNKNOWN, PEER_TRUSTED, PEER_REFUSED };

struct connection {
    struct connection *next, *before;
    int fd;
    _Atomic uint64_t waits_since_ns; /* for a head; 0: a request is active */
    enum peer_trust trust;   /* only for the thread that serves it */
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

/* Starts the thread that watches connections. */
MUST_CHECK bool connections_start(struct connections *c, struct error *err);
void connections_stop(struct connections *c);

/* Called by libmicrohttpd's notifications. NULL without memory: such a connection is not watched. */
struct connection *connections_open(struct connections *c, int fd);
void connections_close(struct connections *c, struct connection *one);

/* The state of a connection; NULL when it is not watched. */
struct connection *connection_of(struct MHD_Connection *connection);
void connection_set_working(struct MHD_Connection *connection, bool is_working);

#endif
