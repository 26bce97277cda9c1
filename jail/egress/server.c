/* server.c - one thread accepts connections, and one thread serves each. Invariants: at most limits.connections threads exist,
 * counted under the lock before a thread starts; a thread frees its visitor and decrements the count last; the end waits for all
 * threads, so no session outlives the service. */
#include "jail/egress/server.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "jail/egress/dns.h"

enum { STACK = 512 * 1024, NS_PER_S = 1000000000, NS_PER_MS = 1000000 };

/* The connections in progress. */
struct crowd {
    struct egress_service *service;
    pthread_attr_t attributes;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t has_left;
    int64_t n;
};

/* What a thread is given; it frees it. */
struct visitor {
    struct crowd *crowd;
    int connection;
    enum egress_listener_kind kind;
};

static void crowd_init(struct crowd *c, struct egress_service *service)
{
    *c = (struct crowd){.service = service};
    (void)pthread_attr_init(&c->attributes);
    (void)pthread_attr_setstacksize(&c->attributes, STACK);
    (void)pthread_attr_setdetachstate(&c->attributes, PTHREAD_CREATE_DETACHED);
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)condition_init(&c->has_left);
}

static void crowd_deinit(struct crowd *c)
{
    (void)pthread_attr_destroy(&c->attributes);
    (void)pthread_cond_destroy(&c->has_left);
    (void)pthread_mutex_destroy(&c->lock);
}

static bool enter(struct crowd *c)
{
    (void)pthread_mutex_lock(&c->lock);
    bool is_room = c->n < c->service->policy->limits.connections;
    c->n += is_room;
    (void)pthread_mutex_unlock(&c->lock);
    return is_room;
}

static void leave(struct crowd *c)
{
    (void)pthread_mutex_lock(&c->lock);
    c->n--;
    (void)pthread_cond_broadcast(&c->has_left);
    (void)pthread_mutex_unlock(&c->lock);
}

static void *serve(void *context)
{
    struct visitor v = *(struct visitor *)context;

    free(context);
    if (v.kind == EGRESS_LISTENER_NAMES) {
        egress_dns_serve(v.crowd->service, v.connection);
    } else {
        egress_session_run(v.crowd->service, v.connection, v.kind == EGRESS_LISTENER_CAPTURE);
    }
    leave(v.crowd);
    return NULL;
}

static bool start_thread(struct crowd *c, int connection, enum egress_listener_kind kind)
{
    struct visitor *v = malloc(sizeof(*v));
    pthread_t thread;

    if (v == NULL) {
        return false;
    }
    *v = (struct visitor){c, connection, kind};
    if (pthread_create(&thread, &c->attributes, serve, v) != 0) {
        free(v);
        return false;
    }
    return true;
}

static void admit(struct crowd *c, int connection, enum egress_listener_kind kind)
{
    bool has_entered = enter(c);

    if (has_entered && start_thread(c, connection, kind)) {
        return;
    }
    egress_session_refuse(c->service, connection);
    if (has_entered) {
        leave(c);
    }
}

/* The number of those left at that time; UINT64_MAX: waits for all. */
static int64_t wait_until(struct crowd *c, uint64_t until_ns)
{
    const struct timespec t = {.tv_sec = (time_t)(until_ns / NS_PER_S), .tv_nsec = (long)(until_ns % NS_PER_S)};
    int code = 0;

    (void)pthread_mutex_lock(&c->lock);
    while (c->n > 0 && code != ETIMEDOUT) {
        code = until_ns == UINT64_MAX ? pthread_cond_wait(&c->has_left, &c->lock)
                                      : pthread_cond_timedwait(&c->has_left, &c->lock, &t);
    }
    int64_t n = c->n;
    (void)pthread_mutex_unlock(&c->lock);
    return n;
}

static void drain(struct crowd *c)
{
    static const uint64_t one = 1;
    int64_t n = wait_until(c, clock_monotonic_ns() + (uint64_t)c->service->policy->limits.drain * NS_PER_MS);

    if (n > 0) {
        log_warn("egress: %lld connections are cut", (long long)n);
        if (write(c->service->cut, &one, sizeof(one)) < 0) {
            log_error("egress: connections cannot be cut errno=%d", errno);
        }
        (void)wait_until(c, UINT64_MAX);
    }
}

static void accept_one(struct crowd *c, const struct egress_listener *listener)
{
    static const int on = 1;
    int connection = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (connection >= 0) {
        /* A piece of an answer must not wait for the acknowledgement of the one before it. */
        (void)setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        admit(c, connection, listener->kind);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        const struct timespec pause = {.tv_nsec = NS_PER_S / 20};
        log_warn("egress: no more connections at the moment errno=%d", errno);
        (void)nanosleep(&pause, NULL);
    }
}

bool egress_server_run(const struct egress_server *server, struct error *err)
{
    struct pollfd fds[EGRESS_LISTENERS_MAX + 1] = {{.fd = server->stop, .events = POLLIN}};
    struct crowd crowd;

    if (server->n_listeners > EGRESS_LISTENERS_MAX) {
        return error_set(err, ERROR_LIMIT, "at most %d listeners expected", EGRESS_LISTENERS_MAX);
    }
    crowd_init(&crowd, server->service);
    for (size_t i = 0; i < server->n_listeners; i++) {
        fds[i + 1] = (struct pollfd){.fd = server->listeners[i].fd, .events = POLLIN};
    }
    while (fds[0].revents == 0) {
        if (poll(fds, server->n_listeners + 1, -1) < 0) {
            continue; /* interrupted */
        }
        for (size_t i = 1; i <= server->n_listeners && fds[0].revents == 0; i++) {
            if (fds[i].revents != 0) {
                accept_one(&crowd, &server->listeners[i - 1]);
            }
        }
    }
    drain(&crowd);
    crowd_deinit(&crowd);
    return true;
}
