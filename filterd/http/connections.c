#include "http/connections.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"

#define SECOND_NS 1000000000ULL

enum { WARN_AGAIN = 60 }; /* seconds */

/* What has come and was not read yet: then it is this process that is late, after a pause of the machine or without a processor. */
static bool has_unread(int fd)
{
    char first;

    return recv(fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

static void shut_down_late(struct connections *c, uint64_t now_ns)
{
    for (struct connection *one = c->first; one != NULL; one = one->next) {
        uint64_t since_ns = atomic_load_explicit(&one->waits_since_ns, memory_order_relaxed);
        if (since_ns != 0 && now_ns > since_ns + c->wait_ns && !has_unread(one->fd)) {
            (void)shutdown(one->fd, SHUT_RDWR); /* libmicrohttpd sees its end, and closes it */
        }
    }
}

static void *watch(void *context)
{
    struct connections *c = context;

    (void)pthread_mutex_lock(&c->lock);
    while (!c->is_stopping) {
        const struct timespec until = clock_timespec(clock_read_ns(CLOCK_MONOTONIC) + 1000000000);
        (void)pthread_cond_timedwait(&c->stop, &c->lock, &until);
        shut_down_late(c, clock_monotonic_ns());
    }
    (void)pthread_mutex_unlock(&c->lock);
    return NULL;
}

bool connections_start(struct connections *c, struct error *err)
{
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)condition_init(&c->stop);
    if (pthread_create(&c->thread, NULL, watch, c) != 0) {
        return error_set(err, ERROR_SYSTEM, "http: no thread for the connections of %s", c->name);
    }
    c->is_started = true;
    return true;
}

void connections_stop(struct connections *c)
{
    if (!c->is_started) {
        return;
    }
    (void)pthread_mutex_lock(&c->lock);
    c->is_stopping = true;
    (void)pthread_cond_signal(&c->stop);
    (void)pthread_mutex_unlock(&c->lock);
    (void)pthread_join(c->thread, NULL);
    c->is_started = false;
    (void)pthread_cond_destroy(&c->stop);
    (void)pthread_mutex_destroy(&c->lock);
}

/* When the last place is taken, at most once in a while. With the lock held. */
static bool must_warn(struct connections *c, uint64_t now_ns)
{
    bool is_due = c->warned_ns == 0 || now_ns > c->warned_ns + WARN_AGAIN * SECOND_NS;

    if (c->n < c->max || !is_due) {
        return false;
    }
    c->warned_ns = now_ns;
    return true;
}

struct connection *connections_open(struct connections *c, int fd)
{
    struct connection *one = calloc(1, sizeof(*one));
    uint64_t now_ns = clock_monotonic_ns();

    if (one == NULL) {
        return NULL;
    }
    one->fd = fd;
    atomic_init(&one->waits_since_ns, now_ns);
    (void)pthread_mutex_lock(&c->lock);
    one->next = c->first;
    if (one->next != NULL) {
        one->next->before = one;
    }
    c->first = one;
    c->n++;
    bool warns = must_warn(c, now_ns);
    (void)pthread_mutex_unlock(&c->lock);
    if (warns) {
        log_warn("%s: all connections are open n=%" PRIu64 ": others wait until one closes", c->name, c->max);
    }
    return one;
}

void connections_close(struct connections *c, struct connection *one)
{
    if (one == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&c->lock);
    *(one->before == NULL ? &c->first : &one->before->next) = one->next;
    if (one->next != NULL) {
        one->next->before = one->before;
    }
    c->n--;
    (void)pthread_mutex_unlock(&c->lock);
    free(one);
}

struct connection *connection_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *kept = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return kept == NULL ? NULL : kept->socket_context;
}

void connection_set_working(struct MHD_Connection *connection, bool is_working)
{
    struct connection *one = connection_of(connection);

    if (one != NULL) {
        atomic_store_explicit(&one->waits_since_ns, is_working ? 0 : clock_monotonic_ns(), memory_order_relaxed);
    }
}
