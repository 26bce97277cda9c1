#include "proxy/proxy.h"

#include <stddef.h>

#include "service/inquiry.h"

const char *proxy_end_name(enum proxy_end end)
{
    static const char *const names[] = {
        [END_NONE] = "none",   [END_WHOLE] = "whole",   [END_BLOCKED] = "blocked",   [END_CLIENT] = "client",
        [END_DRAIN] = "drain", [END_RECORD] = "record", [END_INTERNAL] = "internal",
    };

    return proxy_end_is_upstreams(end) ? upstream_error_name((enum upstream_error)(end - END_UPSTREAM)) : names[end];
}

static void free_headers(struct curl_slist *headers)
{
    for (struct curl_slist *h = headers; h != NULL; h = h->next) {
        explicit_bzero(h->data, strlen(h->data)); /* keys among them */
    }
    curl_slist_free_all(headers);
}

static void proxy_free(struct proxy *p)
{
    struct proxy_metrics *m = &p->service->metrics.proxy;

    if (p->counts) {
        (void)atomic_fetch_sub(&m->open, 1);
    }
    (void)atomic_fetch_sub(&m->held, (int64_t)p->held);
    service_release(p->service, p->room);
    translation_free(p->translation);
    inquiry_free(p->inquiry);
    stream_free(p->stream);
    masking_unref(p->masking);
    free_headers(p->up.headers);
    arena_deinit(&p->memory);
    buf_deinit(&p->target);
    buf_deinit(&p->names);
    buf_deinit(&p->user);
    buf_deinit(&p->up.body);
    buf_deinit(&p->down.headers);
    buf_deinit(&p->down.ids);
    buf_deinit(&p->down.fresh);
    buf_deinit(&p->record);
    buf_deinit(&p->judged.line);
    buf_deinit(&p->shared.out);
    upstreams_unref(p->upstreams);
    (void)pthread_mutex_destroy(&p->shared.lock);
    free(p);
}

void proxy_unref(struct proxy *p)
{
    if (atomic_fetch_sub(&p->references, 1) == 1) {
        proxy_free(p);
    }
}

static struct proxy *of_watch(struct watch *w)
{
    return (struct proxy *)(void *)((char *)w - offsetof(struct proxy, down.watch));
}

static void hung_up(struct watch *w)
{
    proxy_flow_abandon(of_watch(w));
}

void proxy_watch(struct proxy *p, int fd)
{
    p->down.watch.hung_up = hung_up;
    /* Without the watch the next heartbeat notices a client that left. */
    p->down.client_fd = fd >= 0 && reactor_watch(p->reactor, fd, &p->down.watch) ? fd : -1;
}

void proxy_leave(struct proxy *p)
{
    if (p == NULL) {
        return;
    }
    if (p->down.client_fd >= 0) {
        reactor_unwatch(p->reactor, p->down.client_fd);
    }
    if (p->reactor != NULL) {
        proxy_notify(p, PROXY_EVENT_LEFT);
    }
    proxy_unref(p);
}

/* --- events --------------------------------------------------------------- */

static void start(struct proxy *p)
{
    struct error err;

    if (p->phase != PROXY_NEW) {
        return; /* the client has left already */
    }
    proxy_enter(p, PROXY_FLOWING);
    p->up.received_ns = p->down.written_ns = p->started_ns;
    if (p->judged.is_unrecorded) {
        proxy_finish_failed(p, 503, "the decision could not be recorded", END_RECORD);
        return;
    }
    if (p->down.is_streaming && !p->is_taken_whole) {
        p->opened = RECORD_WAITING;
        proxy_record_write(p, false);
    } else {
        p->opened = RECORD_DURABLE; /* nothing leaves before the last record */
    }
    if (proxy_fetch_start(p, &err)) {
        proxy_up_enter(p, UP_WAITING);
    } else {
        proxy_finish(p, END_BROKEN);
    }
}

static void opened(struct proxy *p)
{
    proxy_finish_opened(p, true);
}

static void open_failed(struct proxy *p)
{
    proxy_finish_opened(p, false);
    proxy_fetch_stop(p);
}

static void closed(struct proxy *p)
{
    p->closed = RECORD_DURABLE;
    proxy_enter(p, PROXY_RECORDED);
}

static void close_failed(struct proxy *p)
{
    p->closed = RECORD_FAILED;
    proxy_enter(p, PROXY_RECORDED);
}

static void judged(struct proxy *p)
{
    proxy_finish_judged(p);
}

/* It is not written by itself when the answer was all there at once: the last record is then written with it. */
static void held(struct proxy *p)
{
    if (p->opened == RECORD_WAITING && p->service->log != NULL) {
        decision_log_flush(p->service->log);
    }
}

static void drained(struct proxy *p)
{
    (void)p; /* proxy_flow_advance looks */
}

/* The transfer of a complete answer may end by itself, which keeps its connection in the pool. */
static void left(struct proxy *p)
{
    proxy_down_enter(p, DOWN_LEFT);
    proxy_flow_abandon(p);
    if (p->up.transfer.easy == NULL || p->end != END_WHOLE) {
        proxy_fetch_stop(p);
        proxy_unref(p);
    } else {
        proxy_up_enter(p, UP_LINGERING);
    }
}

static void run_events(struct reactor_task *e)
{
    static const struct {
        unsigned event;
        void (*run)(struct proxy *p);
    } handlers[] = {
        {PROXY_EVENT_START, start},
        {PROXY_EVENT_OPENED, opened},
        {PROXY_EVENT_OPEN_FAILED, open_failed},
        {PROXY_EVENT_CLOSED, closed},
        {PROXY_EVENT_CLOSE_FAILED, close_failed},
        {PROXY_EVENT_DRAINED, drained},
        {PROXY_EVENT_JUDGED, judged},
        {PROXY_EVENT_HELD, held},
    };
    struct proxy *p = (struct proxy *)(void *)((char *)e - offsetof(struct proxy, shared.task));

    (void)pthread_mutex_lock(&p->shared.lock);
    unsigned events = p->shared.events;
    p->shared.events = 0;
    p->shared.is_posted = false;
    (void)pthread_mutex_unlock(&p->shared.lock);
    for (size_t i = 0; i < COUNT(handlers); i++) {
        if ((events & handlers[i].event) != 0) {
            handlers[i].run(p);
            proxy_drive(p);
        }
    }
    if ((events & PROXY_EVENT_LEFT) != 0) {
        left(p);
    } else {
        proxy_flow_advance(p);
    }
    proxy_unref(p);
}

void proxy_notify(struct proxy *p, unsigned event)
{
    (void)pthread_mutex_lock(&p->shared.lock);
    p->shared.events |= event;
    bool must_post = !p->shared.is_posted;
    p->shared.is_posted = true;
    (void)pthread_mutex_unlock(&p->shared.lock);
    if (must_post) {
        (void)atomic_fetch_add(&p->references, 1); /* until it has run */
        p->shared.task.run = run_events;
        reactor_post(p->reactor, &p->shared.task);
    }
}
