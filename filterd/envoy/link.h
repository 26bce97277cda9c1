/* link.h - one connection of a gRPC client: socket and TLS around a struct grpc, in a reactor's thread.
 *
 * A link belongs to its reactor's thread. A client of which no call was taken within the idle timeout is cut off, whatever it sends:
 * it would hold a place. One that is silent between calls is not, as clients keep connections for later. */
#ifndef FILTERD_ENVOY_LINK_H
#define FILTERD_ENVOY_LINK_H

#include <gnutls/gnutls.h>

#include "envoy/grpc.h"
#include "upstream/reactor.h"

struct link;

struct link_options {
    const struct grpc_events *events;
    struct grpc_limits limits;
    void *context; /* of `events` */
    struct reactor *reactor;
    gnutls_session_t tls;   /* taken over, also on failure; NULL: plain */
    bool needs_certificate; /* the client's certificate is verified */
    uint64_t idle_ns;
    void (*closed)(void *context, struct link *l); /* the last that is heard of it */
};

/* Takes the socket over, also on failure. */
MUST_CHECK bool link_open(int fd, const struct link_options *options, struct link **out, struct error *err);
/* Sends what waits. Not inside the callbacks of grpc.h, behind which it happens by itself. May close the link. */
void link_flush(struct link *l);
/* A call of it was taken: it may be silent from now on. */
void link_keep(struct link *l);
void link_shut_down(struct link *l);
/* Not inside the callbacks of grpc.h. */
void link_close(struct link *l);
/* Sets *uid to the user id of the peer of a Unix socket. False if the socket is not a Unix socket. */
bool link_peer(const struct link *l, uid_t *uid);

#endif
