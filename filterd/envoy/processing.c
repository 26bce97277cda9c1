#include "envoy/processing.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/locked_pages.h"
#include "base/log.h"
#include "envoy/processing_state.h"

enum { ANSWER_EXTRA = 1024 * 1024, ANSWER_FACTOR = 2, SECONDS = 1000000000 };

/* --- life ------------------------------------------------------------------------ */

static void processing_free(struct processing *g)
{
    reactor_end(g->reactor, &g->ticker);
    (void)atomic_fetch_sub(&g->service->metrics.ext_proc.calls, 1);
    buf_deinit(&g->head);
    buf_deinit(&g->removed);
    buf_deinit(&g->trailers);
    buf_deinit(&g->piece);
    buf_deinit(&g->message);
    free(g->fields);
    free(g);
}

static void ignore(struct proxy *p)
{
    (void)p;
}

/* Gives the request back, when nobody else has it. False: it is still with another thread or the proxy, which resumes it. */
static bool release(struct processing *g)
{
    struct request *r = g->request;

    if (r == NULL) {
        return true;
    }
    if (g->is_waiting && !atomic_load(&g->is_resumed)) {
        if (g->has_started) {
            proxy_flow_abandon(r->proxy);
        }
        if (!atomic_load(&g->is_resumed)) {
            return false;
        }
    }
    if (r->proxy != NULL) {
        r->proxy->moved = ignore;
        proxy_leave(r->proxy);
        r->proxy = NULL;
    }
    g->request = NULL;
    request_give_back(r);
    return true;
}

/* --- what waits ------------------------------------------------------------------- */

/* The verdict on the request: it goes on, or has an answer. */
static void take_verdict(struct processing *g)
{
    if (atomic_load(&g->is_resumed)) {
        processing_send_immediate(g);
    } else if (g->has_started) {
        processing_request_go(g);
    }
}

/* The whole body of an answer came, and it was not its end: what Envoy does not send here it passes on. Said once, as each answer
 * may have trailers. */
static void note_trailers(const struct processing *g)
{
    static atomic_bool is_said;

    if (g->phase == PROCESSING_TRAILERS && g->awaits_trailers && !atomic_exchange(&is_said, true)) {
        log_warn("ext_proc: an answer's trailers were not sent, so that they reach the client unjudged: response_trailer_mode SEND expected");
    }
}

static void pump(struct reactor_task *e)
{
    struct processing *g = (struct processing *)(void *)((char *)e - offsetof(struct processing, task));

    atomic_store(&g->is_posted, false);
    if (g->call != NULL && g->phase == PROCESSING_JUDGING) {
        take_verdict(g);
    }
    if (g->call != NULL) {
        processing_answer_go(g);
    }
    if (g->call != NULL && g->is_unread) {
        g->is_unread = false;
        grpc_resume(g->call);
    }
    if (g->call != NULL && g->has_ended && g->phase >= PROCESSING_TRAILERS) {
        grpc_finish(g->call, GRPC_OK);
    }
    if (g->call != NULL) {
        link_flush(g->link);
    }
    bool is_done = g->phase == PROCESSING_OVER || g->call == NULL;
    if (is_done && release(g) && g->call == NULL && !atomic_load(&g->is_posted)) {
        processing_free(g);
    }
}

void processing_touch(struct processing *g)
{
    if (!atomic_exchange(&g->is_posted, true)) {
        reactor_post(g->reactor, &g->task);
    }
}

/* --- time ---------------------------------------------------------------------------- */

static void tick(struct transfer *t, uint64_t now_ns)
{
    struct processing *g = (struct processing *)(void *)((char *)t - offsetof(struct processing, ticker));
    const struct service_options *o = g->service->options;
    uint64_t most = (g->phase == PROCESSING_START ? o->idle_timeout : o->request_timeout) * SECONDS;

    if (now_ns > g->opened_ns && now_ns - g->opened_ns > most && g->phase <= PROCESSING_REQUEST) {
        processing_fail(g, GRPC_UNAVAILABLE);
    }
}

static void stopped(struct transfer *t, CURLcode code)
{
    (void)t;
    (void)code;
}

void *processing_new(const struct processing_options *options, struct error *err)
{
    struct service *s = options->service;
    bool has_place = (uint64_t)atomic_fetch_add(&s->metrics.ext_proc.calls, 1) < s->options->proxy_streams;
    struct processing *g = has_place ? calloc(1, sizeof(*g)) : NULL;

    if (g == NULL) {
        (void)atomic_fetch_sub(&s->metrics.ext_proc.calls, 1);
        (void)atomic_fetch_add(&s->metrics.overloads, 1);
        error_set(err, ERROR_LIMIT, "ext_proc: no room for a call");
        return NULL;
    }
    g->service = s;
    g->listener = options->listener;
    g->reactor = options->reactor;
    g->link = options->link;
    g->call = options->call;
    g->task.run = pump;
    g->ticker = (struct transfer){.done = stopped, .tick = tick};
    g->modes[0] = g->modes[1] = BODY_STREAMED; /* what older versions do not say; responses to BUFFERED are of the same form */
    g->opened_ns = clock_monotonic_ns();
    g->source.caller = options->caller;
    buf_init_text(&g->head, PROCESSING_HEAD_MAX);
    buf_init(&g->removed, PROCESSING_HEAD_MAX);
    buf_init(&g->trailers, PROCESSING_HEAD_MAX);
    buf_init_text(&g->piece, ANSWER_FACTOR * s->options->body_max + ANSWER_EXTRA);
    buf_init_text(&g->message, ANSWER_FACTOR * s->options->body_max + 2 * ANSWER_EXTRA);
    (void)snprintf(g->upstream, sizeof(g->upstream), "%s", options->upstream);
    reactor_keep(g->reactor, &g->ticker);
    return g;
}

/* --- the callbacks of grpc.h ------------------------------------------------------------ */

/* Which phases a part may come in, and what takes it. The order is Envoy's. */
static bool dispatch(struct processing *g, const struct process_message *m)
{
    static const struct {
        enum processing_phase from, to;
        bool (*take)(struct processing *g, const struct process_message *m);
    } parts[] = {
        [PROCESS_REQUEST_HEADERS] = {PROCESSING_START, PROCESSING_START, processing_request_headers},
        [PROCESS_REQUEST_BODY] = {PROCESSING_REQUEST, PROCESSING_REQUEST, processing_request_body},
        [PROCESS_REQUEST_TRAILERS] = {PROCESSING_REQUEST, PROCESSING_HEADERS, processing_request_trailers},
        [PROCESS_RESPONSE_HEADERS] = {PROCESSING_HEADERS, PROCESSING_HEADERS, processing_answer_headers},
        [PROCESS_RESPONSE_BODY] = {PROCESSING_ANSWER, PROCESSING_ANSWER, processing_answer_body},
        [PROCESS_RESPONSE_TRAILERS] = {PROCESSING_ANSWER, PROCESSING_TRAILERS, processing_answer_trailers},
    };

    if (g->phase < parts[m->part].from || g->phase > parts[m->part].to || m->is_compressed) {
        processing_refuse(g, 500, "another part of the exchange expected");
        return true;
    }
    enum process_part before = g->unanswered;
    g->unanswered = m->part;
    if (!parts[m->part].take(g, m)) {
        g->unanswered = before;
        return false;
    }
    return true;
}

/* What came is judged, or has said all and waits for its record: the response to it comes first. */
static bool is_busy(const struct processing *g)
{
    bool is_held = g->phase == PROCESSING_ANSWER && g->unanswered == PROCESS_RESPONSE_BODY && g->modes[1] != BODY_FULL_DUPLEX;

    return is_held || g->phase == PROCESSING_JUDGING || g->phase == PROCESSING_ENDING;
}

bool processing_received(void *state, struct span message)
{
    struct processing *g = state;
    struct process_message m;
    struct error err;

    if (g->phase == PROCESSING_OVER) {
        return true;
    }
    if (is_busy(g)) {
        g->is_unread = true;
        return false;
    }
    if (!process_read(message, &m, &err)) {
        processing_fail(g, GRPC_INVALID_ARGUMENT);
        return true;
    }
    g->is_unread = !dispatch(g, &m);
    return !g->is_unread;
}

/* A call that Envoy ends before its exchange is one whose client has left. */
void processing_ended(void *state)
{
    struct processing *g = state;

    note_trailers(g);
    if (g->phase < PROCESSING_ENDING) {
        grpc_finish(g->call, GRPC_UNAVAILABLE);
        g->phase = PROCESSING_OVER;
    }
    g->has_ended = true;
    processing_touch(g);
}

/* Only BODY_FULL_DUPLEX leaves something behind. */
void processing_drained(void *state)
{
    struct processing *g = state;

    if (g->modes[1] == BODY_FULL_DUPLEX) {
        processing_touch(g);
    }
}

void processing_closed(void *state)
{
    struct processing *g = state;

    note_trailers(g); /* Envoy may reset the call where it could end it */
    g->call = NULL;
    g->link = NULL;
    processing_touch(g);
}
