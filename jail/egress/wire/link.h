/* link.h - one side of a connection: bytes in and out of a socket, with times and a ceiling.
 *
 * Every wait is bounded: by `idle_ms` without a byte, and by the deadline. Bytes received and not
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

/* Why a link gave up, when that was no error of the socket. */
enum egress_stop { EGRESS_STOP_NONE, EGRESS_STOP_TIME, EGRESS_STOP_QUOTA };

struct egress_tls; /* link_tls.h */

struct egress_link {
    int fd;  /* owned; -1: none */
    int cut; /* readable when all is to end at once; borrowed; -1: never */
    int64_t idle_ms;
    uint64_t deadline_ns; /* clock_monotonic_ns */
    char *buffer;         /* owned, EGRESS_LINK_BUFFER */
    size_t from, to;      /* what has come */
    bool is_ended;        /* the other side has sent its last byte */
    enum egress_stop stopped;
    int64_t received, sent;
    egress_quota *quota_in, *quota_out;
    struct egress_tls *tls; /* owned; NULL: none */
};

/* Takes the descriptor over, also on failure; `cut` and the other members are the caller's to set. */
MUST_CHECK bool egress_link_init(struct egress_link *l, int fd, int64_t idle_ms, uint64_t deadline_ns,
                                 struct error *err);
void egress_link_deinit(struct egress_link *l);

/* What has come and was not taken. */
static inline struct span egress_link_pending(const struct egress_link *l)
{
    return span_of(l->buffer + l->from, l->to - l->from);
}
static inline void egress_link_take(struct egress_link *l, size_t n)
{
    assert(n <= l->to - l->from);
    l->from += n;
}

/* Waits for more, at least a byte or the end (is_ended). LIMIT when it took too long, when the buffer is full or when
 * the quota is used up; the bytes that went past the quota are not there. */
MUST_CHECK bool egress_link_fill(struct egress_link *l, struct error *err);
/* All of it, or an error; nothing of what would go past the quota. */
MUST_CHECK bool egress_link_send(struct egress_link *l, struct span bytes, struct error *err);

/* Waits for events of poll on the socket, for link_tls.c. LIMIT when it took too long. */
MUST_CHECK bool egress_link_await(struct egress_link *l, short events, struct error *err);

/* Of links without TLS, of which one at least has not ended. Waits until one of the two has more, and takes it in; both
 * when both have. Time that is up is noted in `a`. */
MUST_CHECK bool egress_link_wait(struct egress_link *a, struct egress_link *b, struct error *err);

/* For the other side of a connection that is refused in the middle: it gets the answer, as it is not reset while it
 * still sends. Bounded in bytes and time. */
void egress_link_linger(struct egress_link *l);

#endif
