/* link.c - waits for, reads and writes one socket within its timeouts and quotas.
 *
 * Invariants:
 *   - from <= to <= EGRESS_LINK_BUFFER; buffer[from, to) was received and not taken. Only egress_link_fill moves
 *     it, so a span of it is valid until then.
 *   - Every wait is in wait_for and ends with the idle time, the deadline or `cut`; the wait for a refused client
 *     ends after LINGER_MS. Socket calls do not block (MSG_DONTWAIT) and raise no SIGPIPE.
 *   - A quota is spent before bytes pass: for sending, before the first of them is written; for receiving, before any of
 *     them is visible. Several links may share one.
 *   - `stopped` says whether time or a quota ended an operation; errors of the socket do not change it.
 *   - Threads: a link belongs to one; quotas are atomic. */
#include "jail/egress/wire/link.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "jail/egress/wire/link_tls.h"

enum { NS_PER_MS = 1000000, LINGER_MS = 1000, LINGER_BYTES = 16 * EGRESS_LINK_BUFFER, WAIT_MAX_MS = 3600 * 1000 };

bool egress_link_init(struct egress_link *l, int fd, int64_t idle_ms, uint64_t deadline_ns, struct error *err)
{
    *l = (struct egress_link){.fd = fd, .cut = -1, .idle_ms = idle_ms, .deadline_ns = deadline_ns};
    l->buffer = malloc(EGRESS_LINK_BUFFER);
    if (l->buffer == NULL) {
        egress_link_deinit(l);
        return error_set(err, ERROR_NO_MEMORY, "no memory for a connection");
    }
    return true;
}

void egress_link_deinit(struct egress_link *l)
{
    if (l->tls != NULL) {
        egress_tls_end(l->tls);
    }
    egress_tls_free(l->tls);
    if (l->fd >= 0) {
        close(l->fd);
    }
    free(l->buffer);
    *l = (struct egress_link){.fd = -1, .cut = -1};
}

/* Milliseconds that may be waited; 0: none. */
static int time_left(const struct egress_link *l)
{
    uint64_t now = clock_monotonic_ns();
    int64_t left = now >= l->deadline_ns ? 0 : (int64_t)((l->deadline_ns - now) / NS_PER_MS) + 1;

    left = left < l->idle_ms ? left : l->idle_ms;
    return (int)(left < WAIT_MAX_MS ? left : WAIT_MAX_MS);
}

enum { WAITED_MAX = 2 };

/* `n` of fds are the caller's; behind them is room for one more. */
static bool wait_for(struct egress_link *l, struct pollfd fds[WAITED_MAX + 1], nfds_t n, int ms, struct error *err)
{
    fds[n] = (struct pollfd){.fd = l->cut, .events = POLLIN};
    for (;;) {
        int ready = ms > 0 ? poll(fds, n + 1, ms) : 0;
        if (ready > 0 && fds[n].revents == 0) {
            return true;
        }
        if (ready >= 0) {
            l->stopped = EGRESS_STOP_TIME;
            return error_set(err, ERROR_LIMIT, "time is up");
        }
        if (errno != EINTR) {
            return error_errno(err, "poll");
        }
    }
}

/* False when that many are more than are left; none are taken then. */
static bool spend(egress_quota *quota, size_t n)
{
    int64_t left = quota == NULL ? INT64_MAX : atomic_load(quota);

    while (left != INT64_MAX) {
        if ((int64_t)n > left) {
            return false;
        }
        if (atomic_compare_exchange_weak(quota, &left, left - (int64_t)n)) {
            break;
        }
    }
    return true;
}

static bool make_room(struct egress_link *l, struct error *err)
{
    if (l->from > 0) {
        memmove(l->buffer, l->buffer + l->from, l->to - l->from);
        l->to -= l->from;
        l->from = 0;
    }
    return l->to < EGRESS_LINK_BUFFER || error_set(err, ERROR_LIMIT, "more bytes than are read at once");
}

bool egress_link_await(struct egress_link *l, short events, struct error *err)
{
    struct pollfd p[WAITED_MAX + 1] = {{.fd = l->fd, .events = events}};

    return wait_for(l, p, 1, time_left(l), err);
}

/* TLS may have to read before it can write, and the other way round. */
static short events_of(const struct egress_link *l, short plain)
{
    if (l->tls != NULL) {
        return egress_tls_events(l->tls);
    }
    return plain;
}

static ssize_t receive(struct egress_link *l)
{
    char *at = l->buffer + l->to;
    size_t room = EGRESS_LINK_BUFFER - l->to;

    return l->tls != NULL ? egress_tls_receive(l->tls, at, room) : recv(l->fd, at, room, MSG_DONTWAIT);
}

bool egress_link_fill(struct egress_link *l, struct error *err)
{
    if (!make_room(l, err)) {
        return false;
    }
    for (;;) {
        ssize_t n = receive(l);
        if (n > 0 && !spend(l->quota_in, (size_t)n)) {
            l->stopped = EGRESS_STOP_QUOTA;
            return error_set(err, ERROR_LIMIT, "the rule's bytes_in are used up");
        }
        if (n >= 0) {
            l->is_ended = n == 0;
            l->to += (size_t)n;
            l->received += n;
            return true;
        }
        if (errno != EAGAIN && errno != EINTR) {
            return error_errno(err, "receive");
        }
        if (errno == EAGAIN && !egress_link_await(l, events_of(l, POLLIN), err)) {
            return false;
        }
    }
}

bool egress_link_send(struct egress_link *l, struct span bytes, struct error *err)
{
    if (!spend(l->quota_out, bytes.len)) {
        l->stopped = EGRESS_STOP_QUOTA;
        return error_set(err, ERROR_LIMIT, "the rule's bytes_out are used up");
    }
    while (bytes.len > 0) {
        ssize_t n = l->tls != NULL ? egress_tls_send(l->tls, bytes)
                                   : send(l->fd, bytes.ptr, bytes.len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n >= 0) {
            bytes = span_slice(bytes, (size_t)n, bytes.len);
            l->sent += n;
        } else if (errno != EAGAIN && errno != EINTR) {
            return error_errno(err, "send");
        } else if (errno == EAGAIN && !egress_link_await(l, events_of(l, POLLOUT), err)) {
            return false;
        }
    }
    return true;
}

bool egress_link_wait(struct egress_link *a, struct egress_link *b, struct error *err)
{
    struct pollfd p[WAITED_MAX + 1] = {{.fd = a->is_ended ? -1 : a->fd, .events = POLLIN},
                                       {.fd = b->is_ended ? -1 : b->fd, .events = POLLIN}};
    int left = time_left(a), other = time_left(b);

    assert(a->tls == NULL && b->tls == NULL && !(a->is_ended && b->is_ended));
    if (!wait_for(a, p, WAITED_MAX, left < other ? left : other, err)) {
        return false;
    }
    struct egress_link *ready = p[0].revents != 0 ? a : b;
    if (!egress_link_fill(ready, err)) {
        return false;
    }
    return p[0].revents == 0 || p[1].revents == 0 || egress_link_fill(b, err);
}

void egress_link_linger(struct egress_link *l)
{
    struct pollfd p[WAITED_MAX + 1] = {{.fd = l->fd, .events = POLLIN}};
    uint64_t until = clock_monotonic_ns() + (uint64_t)LINGER_MS * NS_PER_MS;
    struct error err;
    ssize_t n = 1;

    if (l->tls != NULL) {
        egress_tls_end(l->tls);
    }
    (void)shutdown(l->fd, SHUT_WR);
    for (int64_t sum = 0; n > 0 && sum < LINGER_BYTES && clock_monotonic_ns() < until; sum += n) {
        n = wait_for(l, p, 1, LINGER_MS, &err) ? recv(l->fd, l->buffer, EGRESS_LINK_BUFFER, MSG_DONTWAIT) : 0;
    }
}
