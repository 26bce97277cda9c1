/* grpc.h - the server's side of a gRPC connection: HTTP/2 by nghttp2, calls as streams, messages with their length.
 *
 * Does no I/O: grpc_feed takes the peer's bytes, grpc_pull gives those for the peer. Callbacks are called by grpc_feed, grpc_pull and
 * grpc_free alone. Messages are not compressed; one that says so ends its call. Bytes of a call are read on only as its
 * messages are taken (HTTP/2 flow control). Not thread-safe. */
#ifndef FILTERD_ENVOY_GRPC_H
#define FILTERD_ENVOY_GRPC_H

#include <stdint.h>

#include "base/buf.h"

struct grpc;      /* one connection */
struct grpc_call; /* one stream of it */

/* Status codes of gRPC. */
enum grpc_status {
    GRPC_OK = 0,
    GRPC_INVALID_ARGUMENT = 3,
    GRPC_RESOURCE_EXHAUSTED = 8,
    GRPC_UNIMPLEMENTED = 12,
    GRPC_INTERNAL = 13,
    GRPC_UNAVAILABLE = 14,
    GRPC_UNAUTHENTICATED = 16,
};

#define GRPC_TYPE "application/grpc"

enum { GRPC_PATH_MAX = 128, GRPC_AUTHORIZATION_MAX = 1024, GRPC_UPSTREAM_MAX = 128 };

/* What a call begins with; texts that are too long are a refused call. */
struct grpc_head {
    char path[GRPC_PATH_MAX], authorization[GRPC_AUTHORIZATION_MAX], upstream[GRPC_UPSTREAM_MAX];
    bool is_post, is_grpc; /* method, content type */
    bool is_malformed;     /* a text was given twice or is too long */
    size_t bytes;          /* of all headers */
};

/* Takes a header of a call; those of no interest are ignored. */
void grpc_head_add(struct grpc_head *head, struct span name, struct span value);

struct grpc_events {
    /* A call begins: GRPC_OK with its state in *state, or why it is refused. */
    enum grpc_status (*opened)(void *context, struct grpc_call *call, const struct grpc_head *head, void **state);
    /* A message of it, borrowed. False: it cannot be taken now, and is offered again by grpc_resume. */
    bool (*received)(void *state, struct span message);
    /* The peer sends nothing more. */
    void (*ended)(void *state);
    /* All that waited to be sent was pulled. No function of this connection may be called from it. */
    void (*drained)(void *state);
    /* The call is gone: finished, reset by the peer, or with its connection. The last callback of it. */
    void (*closed)(void *state);
    /* Room for n bytes more of all calls; false: there is none. release gives it back. */
    bool (*hold)(void *context, uint64_t n);
    void (*release)(void *context, uint64_t n);
};

struct grpc_limits {
    size_t message_max; /* bytes of a received message */
    size_t send_max;    /* bytes of messages that wait to be sent, of one call */
    uint32_t calls;     /* at once */
};

/* NULL: no memory. The events are borrowed. */
struct grpc *grpc_new(const struct grpc_events *events, const struct grpc_limits *limits, void *context, struct error *err);
/* Closes all calls. Accepts NULL. */
void grpc_free(struct grpc *g);

/* False: the connection is to be closed, as the peer broke the protocol or a limit of it. */
MUST_CHECK bool grpc_feed(struct grpc *g, struct span bytes);
/* The next bytes for the peer, empty when there are none; valid until the next call of a function of this connection. False
 * as above. Not in callbacks. */
MUST_CHECK bool grpc_pull(struct grpc *g, struct span *bytes);
/* True when neither side has anything to say any more. */
bool grpc_is_over(struct grpc *g);
/* Tells the peer to make no more calls here (GOAWAY). */
void grpc_shut_down(struct grpc *g);
size_t grpc_calls(const struct grpc *g);

/* Sends a message, which is copied. False: LIMIT or NO_MEMORY. */
MUST_CHECK bool grpc_send(struct grpc_call *call, struct span message, struct error *err);
/* Bytes that wait to be sent. */
size_t grpc_queued(const struct grpc_call *call);
/* Ends the call after what waits to be sent. */
void grpc_finish(struct grpc_call *call, enum grpc_status status);
/* Offers the message again that was not taken, and those behind it. */
void grpc_resume(struct grpc_call *call);

#endif
