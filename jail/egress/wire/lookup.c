#include "jail/egress/wire/lookup.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/thread.h"

enum { STACK = 256 * 1024, LOOK_MS = 50, NS_PER_MS = 1000000, LOOKUPS_MAX = 256 };

/* Of the one who waits and of the thread that asks; the last of them frees it. */
struct lookup {
    struct egress_host host;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t is_answered;
    unsigned holders;
    bool is_over;
    int code;
    struct addrinfo *found;
};

static atomic_int lookups; /* threads that ask */

static int ask(const struct egress_host *host, struct addrinfo **found)
{
    const struct addrinfo wanted = {
        .ai_socktype = SOCK_STREAM,
        .ai_family = host->kind == EGRESS_HOST_V4   ? AF_INET
                     : host->kind == EGRESS_HOST_V6 ? AF_INET6
                                                    : AF_UNSPEC,
        .ai_flags = host->kind == EGRESS_HOST_NAME ? 0 : AI_NUMERICHOST,
    };

    return getaddrinfo(host->text, NULL, &wanted, found);
}

static void let_go(struct lookup *l)
{
    (void)pthread_mutex_lock(&l->lock);
    bool is_last = --l->holders == 0;
    (void)pthread_mutex_unlock(&l->lock);
    if (!is_last) {
        return;
    }
    if (l->found != NULL) {
        freeaddrinfo(l->found);
    }
    (void)pthread_cond_destroy(&l->is_answered);
    (void)pthread_mutex_destroy(&l->lock);
    free(l);
}

static void *run(void *context)
{
    struct lookup *l = context;
    struct addrinfo *found = NULL;
    int code = ask(&l->host, &found);

    (void)pthread_mutex_lock(&l->lock);
    l->code = code;
    l->found = code == 0 ? found : NULL;
    l->is_over = true;
    (void)pthread_cond_signal(&l->is_answered);
    (void)pthread_mutex_unlock(&l->lock);
    let_go(l);
    (void)atomic_fetch_sub(&lookups, 1);
    return NULL;
}

static struct lookup *begin(const struct egress_host *host)
{
    struct lookup *l = calloc(1, sizeof(*l));
    pthread_attr_t attributes;
    pthread_t thread;

    if (l == NULL) {
        return NULL;
    }
    *l = (struct lookup){.host = *host, .holders = 2};
    (void)pthread_mutex_init(&l->lock, NULL);
    (void)condition_init(&l->is_answered);
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setstacksize(&attributes, STACK);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool is_begun = atomic_fetch_add(&lookups, 1) < LOOKUPS_MAX && pthread_create(&thread, &attributes, run, l) == 0;
    (void)pthread_attr_destroy(&attributes);
    if (!is_begun) {
        (void)atomic_fetch_sub(&lookups, 1);
        l->holders = 1;
        let_go(l);
        return NULL;
    }
    return l;
}

static bool is_cut(int cut)
{
    struct pollfd p = {.fd = cut, .events = POLLIN};

    return poll(&p, 1, 0) > 0;
}

/* With the lock held. */
static void await(struct lookup *l, const struct egress_time_limit *limit)
{
    int64_t until_ms = clock_monotonic_ms() + limit->ms, now_ms;

    while (!l->is_over && (now_ms = clock_monotonic_ms()) < until_ms && !is_cut(limit->cut)) {
        int64_t look_ms = now_ms + LOOK_MS < until_ms ? now_ms + LOOK_MS : until_ms;
        const struct timespec look = clock_timespec(look_ms * NS_PER_MS);
        (void)pthread_cond_timedwait(&l->is_answered, &l->lock, &look);
    }
}

static bool take(int code, struct error *err)
{
    return code == 0 || error_set(err, ERROR_NOT_FOUND, "the name does not resolve: %s", gai_strerror(code));
}

bool egress_look_up(const struct egress_host *host, const struct egress_time_limit *limit, struct addrinfo **found,
                    struct error *err)
{
    *found = NULL;
    if (host->kind != EGRESS_HOST_NAME) {
        return take(ask(host, found), err);
    }
    struct lookup *l = begin(host);
    if (l == NULL) {
        return error_set(err, ERROR_LIMIT, "too many names are looked up at once");
    }
    (void)pthread_mutex_lock(&l->lock);
    await(l, limit);
    bool is_over = l->is_over;
    int code = l->code;
    *found = l->found;
    l->found = NULL;
    (void)pthread_mutex_unlock(&l->lock);
    let_go(l);
    return is_over ? take(code, err) : error_set(err, ERROR_LIMIT, "the name does not resolve: time is up");
}
