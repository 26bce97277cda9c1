#include "envoy/link.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "http/tls.h"

enum {
    READ_SIZE = 16 * 1024,
    READS = 8, /* in turn, so that one link does not keep the others waiting */
    GATHERED_MAX = 2048,
};

enum link_state { LINK_SHAKING, LINK_OPEN, LINK_KEPT, LINK_CLOSED };

struct link {
    struct watch watch;
    struct transfer ticker; /* without a transfer: for its ticks */
    struct reactor_task task; /* frees it, once no event can name it */
    struct link_options options;
    struct grpc *grpc;
    int fd;
    enum link_state state;
    bool polls_write;
    uint64_t since_ns;
    bool has_uid; /* of a Unix socket's peer */
    uid_t uid;
    struct span unsent, next; /* of grpc_pull; the first may be gathered here */
    char gathered[GATHERED_MAX];
};

static struct link *of_watch(struct watch *w)
{
    return (struct link *)(void *)((char *)w - offsetof(struct link, watch));
}

static struct link *of_ticker(struct transfer *t)
{
    return (struct link *)(void *)((char *)t - offsetof(struct link, ticker));
}

static void free_link(struct reactor_task *e)
{
    free((char *)e - offsetof(struct link, task));
}

void link_close(struct link *l)
{
    if (l->state == LINK_CLOSED) {
        return;
    }
    l->state = LINK_CLOSED;
    reactor_unwatch(l->options.reactor, l->fd);
    reactor_end(l->options.reactor, &l->ticker);
    grpc_free(l->grpc);
    if (l->options.tls != NULL) {
        gnutls_deinit(l->options.tls);
    }
    (void)close(l->fd);
    l->options.closed(l->options.context, l);
    l->task.run = free_link;
    reactor_post(l->options.reactor, &l->task);
}

/* --- bytes --------------------------------------------------------------------- */

/* As recv: 0 at the end, -1 on failure; -2: nothing now. */
enum { IO_AGAIN = -2 };

static ssize_t io_result(const struct link *l, ssize_t n)
{
    if (l->options.tls != NULL) {
        return n >= 0 ? n : n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED ? IO_AGAIN : -1;
    }
    return n >= 0 ? n : errno == EAGAIN || errno == EINTR ? IO_AGAIN : -1;
}

static ssize_t take(struct link *l, char *out, size_t max)
{
    return io_result(l, l->options.tls != NULL ? gnutls_record_recv(l->options.tls, out, max) : recv(l->fd, out, max, 0));
}

static ssize_t give(struct link *l, struct span bytes)
{
    return io_result(l, l->options.tls != NULL ? gnutls_record_send(l->options.tls, bytes.ptr, bytes.len)
                                               : send(l->fd, bytes.ptr, bytes.len, MSG_NOSIGNAL));
}

static void poll_write(struct link *l, bool wants)
{
    if (wants != l->polls_write) {
        l->polls_write = wants;
        (void)!reactor_poll(l->options.reactor, l->fd, wants ? EPOLLIN | EPOLLOUT : EPOLLIN, &l->watch);
    }
}

/* The next bytes to send. Small frames, as the head of a response and its message, leave together: each call wakes the other side. */
static bool pull(struct link *l)
{
    size_t n = 0;

    l->unsent = l->next;
    l->next = (struct span){0};
    if (l->unsent.len > 0) {
        return true;
    }
    while (grpc_pull(l->grpc, &l->next)) {
        if (l->next.len == 0 || l->next.len > sizeof(l->gathered) - n) {
            l->unsent = n > 0 ? span_of(l->gathered, n) : l->next;
            l->next = n > 0 ? l->next : (struct span){0};
            return true;
        }
        memcpy(l->gathered + n, l->next.ptr, l->next.len);
        n += l->next.len;
    }
    return false;
}

/* False: the link is to be closed. */
static bool flush(struct link *l)
{
    while (l->unsent.len > 0 || pull(l)) {
        if (l->unsent.len == 0) {
            poll_write(l, false);
            return !grpc_is_over(l->grpc);
        }
        ssize_t n = give(l, l->unsent);
        if (n == IO_AGAIN) {
            poll_write(l, true);
            return true;
        }
        if (n <= 0) {
            return false;
        }
        l->unsent = span_slice(l->unsent, (size_t)n, l->unsent.len);
    }
    return false;
}

void link_flush(struct link *l)
{
    if (l->state == LINK_OPEN || l->state == LINK_KEPT) {
        if (!flush(l)) {
            link_close(l);
        }
    }
}

static bool read_some(struct link *l)
{
    char bytes[READ_SIZE] __attribute__((uninitialized)); /* clearing it for each small message would empty the processor's first cache */

    for (int i = 0; i < READS; i++) {
        ssize_t n = take(l, bytes, sizeof(bytes));
        if (n == IO_AGAIN) {
            return true;
        }
        if (n <= 0 || !grpc_feed(l->grpc, span_of(bytes, (size_t)n))) {
            return false;
        }
        if (l->options.tls == NULL && (size_t)n < sizeof(bytes)) {
            return true; /* what comes later is another event */
        }
    }
    return true;
}

/* --- TLS ------------------------------------------------------------------------ */

static bool is_h2(gnutls_session_t session)
{
    gnutls_datum_t protocol = {0};

    return gnutls_alpn_get_selected_protocol(session, &protocol) == 0 &&
           span_is(span_of((const char *)protocol.data, protocol.size), "h2");
}

static bool shake(struct link *l)
{
    int status = gnutls_handshake(l->options.tls);

    if (status == GNUTLS_E_AGAIN || status == GNUTLS_E_INTERRUPTED) {
        poll_write(l, gnutls_record_get_direction(l->options.tls) == 1);
        return true;
    }
    if (status < 0) {
        return gnutls_error_is_fatal(status) == 0;
    }
    poll_write(l, false);
    l->state = LINK_OPEN;
    return is_h2(l->options.tls) && (!l->options.needs_certificate || tls_is_peer_trusted(l->options.tls)) && flush(l);
}

/* --- events ----------------------------------------------------------------------- */

static void ready(struct watch *w, uint32_t events)
{
    struct link *l = of_watch(w);
    bool is_good = true;

    if (l->state == LINK_CLOSED) {
        return; /* an event of the round in which it was closed */
    }
    if (l->state == LINK_SHAKING) {
        is_good = shake(l);
    }
    /* TLS may have read more than it gave. */
    if (is_good && l->state != LINK_SHAKING) {
        is_good = ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0 || read_some(l)) && flush(l);
    }
    while (is_good && l->options.tls != NULL && l->state != LINK_SHAKING &&
           gnutls_record_check_pending(l->options.tls) > 0) {
        is_good = read_some(l) && flush(l);
    }
    if (!is_good) {
        link_close(l);
    }
}

static void tick(struct transfer *t, uint64_t now_ns)
{
    struct link *l = of_ticker(t);
    bool is_late = now_ns > l->since_ns && now_ns - l->since_ns > l->options.idle_ns;

    if (l->state < LINK_KEPT && is_late) {
        link_close(l);
    }
}

static void stopped(struct transfer *t, CURLcode code)
{
    (void)code;
    link_close(of_ticker(t));
}

/* A response is more than one frame, each sent by itself: the second would wait for the peer's acknowledgement of the first (Nagle).
 * A Unix socket has no such option. */
static void send_at_once(int fd)
{
    const int on = 1;

    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* Asked for once, as each call asks. */
static void find_peer(struct link *l)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);

    l->has_uid = getsockopt(l->fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.uid != (uid_t)-1;
    l->uid = l->has_uid ? peer.uid : 0;
}

bool link_open(int fd, const struct link_options *options, struct link **out, struct error *err)
{
    struct link *l = calloc(1, sizeof(*l));
    struct grpc *g = l == NULL ? NULL : grpc_new(options->events, &options->limits, options->context, err);

    if (g == NULL || !reactor_poll(options->reactor, fd, EPOLLIN, &l->watch)) {
        grpc_free(g);
        free(l);
        if (options->tls != NULL) {
            gnutls_deinit(options->tls);
        }
        (void)close(fd);
        return error_set(err, ERROR_NO_MEMORY, "ext_proc: no memory for a connection");
    }
    *l = (struct link){.watch.ready = ready,
                       .ticker = {.done = stopped, .tick = tick},
                       .options = *options,
                       .grpc = g,
                       .fd = fd,
                       .state = options->tls != NULL ? LINK_SHAKING : LINK_OPEN,
                       .since_ns = clock_monotonic_ns()};
    if (options->tls != NULL) {
        gnutls_transport_set_int(options->tls, fd);
    }
    send_at_once(fd);
    find_peer(l);
    reactor_keep(options->reactor, &l->ticker);
    *out = l;
    return true;
}

void link_keep(struct link *l)
{
    l->state = l->state == LINK_OPEN ? LINK_KEPT : l->state;
}

void link_shut_down(struct link *l)
{
    grpc_shut_down(l->grpc);
    link_flush(l);
}

bool link_peer(const struct link *l, uid_t *uid)
{
    if (l->has_uid) {
        *uid = l->uid;
    }
    return l->has_uid;
}
