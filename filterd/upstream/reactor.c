/* reactor.c - one epoll loop around libcurl's socket interface.
 *
 * Invariants:
 *   - A transfer is in the list of transfers, `link` set, from reactor_begin or reactor_keep until reactor_end; only
 *     those in the list are ticked. Its easy handle is in the multi handle while it is in the list and not NULL.
 *   - libcurl is entered from one place at a time: a callback of libcurl must not call reactor_begin or reactor_end.
 *     Transfers that are done are collected between the calls, not in a callback.
 *   - Tasks run in the order in which they were posted, each once; those posted while the thread stops are run by
 *     reactor_stop or reactor_free.
 *   - An event of epoll may name a watch that was removed in the same round, so a watch outlives one more task. */
#include "upstream/reactor.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "base/cleanup.h"
#include "base/clock.h"

enum {
    EVENTS = 64,          /* per call of epoll_wait; the rest comes with the next call */
    TICK_MS = 100,        /* timeouts and heartbeats are in seconds: a tenth is exact enough, and cheap for thousands */
    IDLE_MS = 10000,      /* without transfers there is nothing to time; tasks wake the loop */
    POOL = 256,           /* idle connections that are kept */
    PEAK_MIN = 64,        /* memory is given back after so many transfers at once … */
    PEAK_PART = 4,        /* … when at most this part of them is left … */
    CALM_MS = 1000,       /* … for so long: malloc_trim is too slow for every lull */
    TASKS_IN_TURN = 4,    /* rounds of tasks before sockets are looked at again */
    STREAMS_PER_H2 = 100, /* what servers commonly allow; libcurl opens another connection for more */
};

#define NS_PER_MS 1000000ULL

struct reactor {
    CURLM *multi;
    struct worker *worker;
    int epoll, wake;
    pthread_t thread;
    bool is_started;
    atomic_bool is_stopping;
    pthread_mutex_t lock; /* guards the tasks */
    struct reactor_task *first, **last;
    struct transfer *transfers;
    size_t n_transfers, peak; /* now, and the most since memory was given back */
    uint64_t calm_ns;          /* since when few are left; 0: they are not */
    uint64_t timeout_ns;       /* when libcurl wants to be asked; 0: it does not */
    uint64_t ticked_ns;
};

/* What an event is about: libcurl's socket, marked by the lowest bit, or a watch's address, which
 * never has it; 0 is the eventfd. */
static uint64_t mark_of_socket(int fd)
{
    return (uint64_t)(unsigned)fd << 1 | 1;
}

static int control(const struct reactor *r, int operation, int fd, uint32_t events, uint64_t mark)
{
    struct epoll_event e = {.events = events, .data.u64 = mark};

    return epoll_ctl(r->epoll, operation, fd, &e);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl dictates the types */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *is_known)
{
    struct reactor *r = context;
    uint32_t events = ((what & CURL_POLL_IN) != 0 ? (uint32_t)EPOLLIN : 0) |
                      ((what & CURL_POLL_OUT) != 0 ? (uint32_t)EPOLLOUT : 0);

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        (void)control(r, EPOLL_CTL_DEL, fd, 0, 0);
        return 0;
    }
    if (is_known == NULL) {
        (void)curl_multi_assign(r->multi, fd, r);
    }
    if (control(r, is_known == NULL ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, events,
                mark_of_socket(fd)) != 0) {
        (void)control(r, is_known == NULL ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, events,
                      mark_of_socket(fd));
    }
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *context)
{
    struct reactor *r = context;

    (void)multi;
    r->timeout_ns = timeout_ms < 0 ? 0 : clock_monotonic_ns() + (uint64_t)timeout_ms * NS_PER_MS;
    return 0;
}

static bool open_files(struct reactor *r, struct error *err)
{
    r->epoll = epoll_create1(EPOLL_CLOEXEC);
    r->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return (r->epoll >= 0 && r->wake >= 0 && control(r, EPOLL_CTL_ADD, r->wake, EPOLLIN, 0) == 0) ||
           error_errno(err, "proxy: epoll");
}

static bool set_up(struct reactor *r, struct error *err)
{
    r->multi = curl_multi_init();
    return (r->multi != NULL &&
            curl_multi_setopt(r->multi, CURLMOPT_SOCKETFUNCTION, on_socket) == CURLM_OK &&
            curl_multi_setopt(r->multi, CURLMOPT_SOCKETDATA, r) == CURLM_OK &&
            curl_multi_setopt(r->multi, CURLMOPT_TIMERFUNCTION, on_timer) == CURLM_OK &&
            curl_multi_setopt(r->multi, CURLMOPT_TIMERDATA, r) == CURLM_OK &&
            curl_multi_setopt(r->multi, CURLMOPT_MAXCONNECTS, (long)POOL) == CURLM_OK &&
            curl_multi_setopt(r->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)STREAMS_PER_H2) ==
                CURLM_OK) ||
           error_set(err, ERROR_INTERNAL, "proxy: libcurl cannot start");
}

struct reactor *reactor_new(const struct worker_limits *limits, const struct redaction_keys *keys,
                            struct error *err)
{
    struct reactor *r = calloc(1, sizeof(*r));

    if (r == NULL) {
        error_set(err, ERROR_NO_MEMORY, "proxy: no memory");
        return NULL;
    }
    r->epoll = r->wake = -1;
    r->last = &r->first;
    (void)pthread_mutex_init(&r->lock, NULL);
    r->worker = worker_new(limits, keys, err);
    if (r->worker == NULL || !open_files(r, err) || !set_up(r, err)) {
        reactor_free(r);
        return NULL;
    }
    return r;
}

static void wake(const struct reactor *r)
{
    const uint64_t one = 1;

    /* Full means that it is awake already. */
    if (write(r->wake, &one, sizeof(one)) < 0) {
        return;
    }
}

/* The reactor whose thread this is; it looks for tasks before it sleeps. */
static _Thread_local const struct reactor *own;

void reactor_post(struct reactor *r, struct reactor_task *e)
{
    (void)pthread_mutex_lock(&r->lock);
    bool was_empty = r->first == NULL;
    e->next = NULL;
    *r->last = e;
    r->last = &e->next;
    (void)pthread_mutex_unlock(&r->lock);
    if (was_empty && own != r) {
        wake(r);
    }
}

static bool has_tasks(struct reactor *r)
{
    (void)pthread_mutex_lock(&r->lock);
    bool has_any = r->first != NULL;
    (void)pthread_mutex_unlock(&r->lock);
    return has_any;
}

/* False: there were none. */
static bool run_tasks(struct reactor *r)
{
    (void)pthread_mutex_lock(&r->lock);
    struct reactor_task *e = r->first;
    const bool has_any = e != NULL;
    r->first = NULL;
    r->last = &r->first;
    (void)pthread_mutex_unlock(&r->lock);
    while (e != NULL) {
        struct reactor_task *next = e->next; /* run may free or post it */
        e->run(e);
        e = next;
    }
    return has_any;
}

/* Those that tasks post, too, as they may be all that a peer waits for; but not for ever. */
static void run_all_tasks(struct reactor *r)
{
    for (int i = 0; i < TASKS_IN_TURN && run_tasks(r); i++) {
    }
}

void reactor_stop(struct reactor *r)
{
    if (r->is_started) {
        atomic_store(&r->is_stopping, true);
        wake(r);
        (void)pthread_join(r->thread, NULL);
        r->is_started = false;
    }
    (void)run_tasks(r);
    while (r->transfers != NULL) {
        struct transfer *t = r->transfers;
        reactor_end(r, t);
        t->done(t, CURLE_ABORTED_BY_CALLBACK);
    }
}

void reactor_free(struct reactor *r)
{
    if (r == NULL) {
        return;
    }
    reactor_stop(r);
    (void)run_tasks(r);
    curl_multi_cleanup(r->multi);
    worker_free(r->worker);
    cleanup_fd(&r->epoll);
    cleanup_fd(&r->wake);
    (void)pthread_mutex_destroy(&r->lock);
    free(r);
}

bool reactor_watch(struct reactor *r, int fd, struct watch *w)
{
    return control(r, EPOLL_CTL_ADD, fd, EPOLLRDHUP | EPOLLET, (uint64_t)(uintptr_t)w) == 0;
}

bool reactor_poll(struct reactor *r, int fd, uint32_t events, struct watch *w)
{
    uint64_t mark = (uint64_t)(uintptr_t)w;

    return control(r, EPOLL_CTL_MOD, fd, events, mark) == 0 || control(r, EPOLL_CTL_ADD, fd, events, mark) == 0;
}

void reactor_unwatch(struct reactor *r, int fd)
{
    (void)control(r, EPOLL_CTL_DEL, fd, 0, 0);
}

static void collect(struct reactor *r)
{
    CURLMsg *message;
    int left = 0;

    while ((message = curl_multi_info_read(r->multi, &left)) != NULL) {
        struct transfer *t = NULL;
        CURLcode code = message->data.result;
        if (message->msg == CURLMSG_DONE &&
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&t) == CURLE_OK) {
            if (!t->keeps_connection || code != CURLE_OK) { /* outside the multi handle it would be closed */
                reactor_end(r, t);
            }
            t->done(t, code);
        }
    }
}

static void act(struct reactor *r, curl_socket_t fd, int what)
{
    int running = 0;

    (void)curl_multi_socket_action(r->multi, fd, what, &running);
}

static void handle(struct reactor *r, const struct epoll_event *e)
{
    uint64_t mark = e->data.u64;
    uint64_t count = 0;

    if (mark == 0) {
        (void)!read(r->wake, &count, sizeof(count)); /* it fails when the counter is zero already */
        return;
    }
    if ((mark & 1) != 0) {
        int what = ((e->events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
                   ((e->events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                   ((e->events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
        act(r, (int)(mark >> 1), what);
        return;
    }
    struct watch *w = (struct watch *)(uintptr_t)mark; /* NOLINT(performance-no-int-to-ptr) */
    if (w->ready != NULL) {
        w->ready(w, e->events);
    } else if ((e->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
        w->hung_up(w);
    }
}

static void tick(struct reactor *r)
{
    uint64_t now = clock_monotonic_ns();

    if (now - r->ticked_ns < TICK_MS * NS_PER_MS) {
        return;
    }
    r->ticked_ns = now;
    for (struct transfer *t = r->transfers; t != NULL;) {
        struct transfer *next = t->next; /* a tick may end its own transfer, no other */
        t->tick(t, now);
        t = next;
    }
}

static bool is_calm(const struct reactor *r)
{
    return r->peak >= PEAK_MIN && r->n_transfers <= r->peak / PEAK_PART;
}

/* The C library keeps what thousands of streams had, and would keep it for ever. */
static void give_back(struct reactor *r)
{
    uint64_t now = clock_monotonic_ns();

    if (!is_calm(r)) {
        r->calm_ns = 0;
    } else if (r->calm_ns == 0) {
        r->calm_ns = now;
    } else if (now - r->calm_ns >= CALM_MS * NS_PER_MS) {
        (void)malloc_trim(0);
        r->peak = r->n_transfers;
        r->calm_ns = 0;
    }
}

static int pause_ms(const struct reactor *r)
{
    uint64_t now = clock_monotonic_ns();
    uint64_t ms = r->transfers != NULL ? TICK_MS : is_calm(r) ? CALM_MS : IDLE_MS;

    if (r->timeout_ns != 0) {
        uint64_t left =
            r->timeout_ns <= now ? 0 : (r->timeout_ns - now + NS_PER_MS - 1) / NS_PER_MS;
        ms = left < ms ? left : ms;
    }
    return (int)ms;
}

static void *run(void *context)
{
    struct reactor *r = context;
    struct epoll_event events[EVENTS];

    own = r;
    while (!atomic_load(&r->is_stopping)) {
        int n = epoll_wait(r->epoll, events, EVENTS, has_tasks(r) ? 0 : pause_ms(r));
        for (int i = 0; i < n; i++) {
            handle(r, &events[i]);
        }
        uint64_t now = clock_monotonic_ns();
        if (r->timeout_ns != 0 && r->timeout_ns <= now) {
            r->timeout_ns = 0;
            act(r, CURL_SOCKET_TIMEOUT, 0);
        }
        collect(r);
        run_all_tasks(r);
        tick(r);
        collect(r);
        give_back(r);
    }
    return NULL;
}

bool reactor_start(struct reactor *r, struct error *err)
{
    r->is_started = pthread_create(&r->thread, NULL, run, r) == 0;
    return r->is_started || error_set(err, ERROR_SYSTEM, "proxy: no thread");
}

void reactor_keep(struct reactor *r, struct transfer *t)
{
    t->next = r->transfers;
    t->link = &r->transfers;
    if (t->next != NULL) {
        t->next->link = &t->next;
    }
    r->transfers = t;
    r->n_transfers++;
    r->peak = r->n_transfers > r->peak ? r->n_transfers : r->peak;
}

bool reactor_begin(struct reactor *r, struct transfer *t, struct error *err)
{
    if (curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t) != CURLE_OK ||
        curl_multi_add_handle(r->multi, t->easy) != CURLM_OK) {
        return error_set(err, ERROR_NO_MEMORY, "proxy: no memory");
    }
    reactor_keep(r, t);
    return true;
}

void reactor_end(struct reactor *r, struct transfer *t)
{
    if (t->link == NULL) {
        return;
    }
    *t->link = t->next;
    if (t->next != NULL) {
        t->next->link = t->link;
    }
    t->link = NULL;
    r->n_transfers--;
    if (t->easy != NULL) {
        (void)curl_multi_remove_handle(r->multi, t->easy);
    }
}

struct worker *reactor_worker(struct reactor *r)
{
    return r->worker;
}
