/* link.h - one side of a connection: reads and writes a socket with timeouts and quotas.
 *
 * Every wait is bounded by `idle_ms` without a byte and by the deadline. Bytes received and not
 * yet consumed are in one buffer of fixed size. The socket is non-blocking. One thread. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_LINK_H
#define FILTERD_JAIL_EGRESS_WIRE_LINK_H

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { EGRESS_LINK_BUFFER = 64 * 1024 };

/* Bytes that may still pass; shared by all connections of a rule. NULL: any number. */
typedef _Atomic int64_t egress_quota;

/* Why a link stopped, other than by an error of the socket. */
enum egress_stop { EGRESS_STOP_NONE, EGRESS_STOP_TIME, EGRESS_STOP_QUOTA };

struct egress_tls; /* link_tls.h */

struct egress_link {
    int fd;  /* owned; -1: none */
    int cut; /* readable when all connections must end at once; borrowed; -1: never */
    int64_t idle_ms;
    uint64_t deadline_ns; /* clock_monotonic_ns */
    char *buffer;         /* owned, EGRESS_LINK_BUFFER */
    size_t from, to;      /* received bytes in the buffer */
    bool is_ended;        /* the peer has sent its last byte */
    enum egress_stop stopped;
    int64_t received, sent;
    egress_quota *quota_in, *quota_out;
    struct egress_tls *tls; /* owned; NULL: none */
};

/* Takes the descriptor over, also on failure; the caller sets `cut` and the other members. */
MUST_CHECK bool egress_link_init(struct egress_link *l, int fd, int64_t idle_ms, uint64_t deadline_ns,
                                 struct error *err);
void egress_link_deinit(struct egress_link *l);

/* Bytes received and not yet taken. */
static inline struct span egress_link_pending(const struct egress_link *l)
{
    return span_of(l->buffer + l->from, l->to - l->from);
}
static inline void egress_link_take(struct egress_link *l, size_t n)
{
    assert(n <= l->to - l->from);
    l->from += n;
}

/* Waits for at least one more byte or the end (is_ended). LIMIT after a timeout, when the buffer is full or when
 * the quota is exhausted; bytes above the quota are discarded. */
MUST_CHECK bool egress_link_fill(struct egress_link *l, struct error *err);
/* Sends all bytes, or fails; sends nothing above the quota. */
MUST_CHECK bool egress_link_send(struct egress_link *l, struct span bytes, struct error *err);

/* Waits for poll events on the socket, for link_tls.c. LIMIT after a timeout. */
MUST_CHECK bool egress_link_await(struct egress_link *l, short events, struct error *err);

/* For two links without TLS, at least one of which has not ended. Waits until one or both have more bytes, and reads
 * them. Notes a timeout in `a`. */
MUST_CHECK bool egress_link_wait(struct egress_link *a, struct egress_link *b, struct error *err);

/* Reads on after a refusal in the middle of a request, so that the peer, which still sends, gets the answer instead of a
 * reset. Bounded in bytes and time. */
void egress_link_linger(struct egress_link *l);

#endif
