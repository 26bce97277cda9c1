/* answers.c - events of the upstream: which turn each belongs to.
 *
 * Events are taken in their order, each when its turn may be fed. A turn that was blocked has ended for the client: what the
 * upstream still sends of it is dropped. An event outside a response is a turn of its own, and the next event waits for it. What is no
 * event ends all turns, as if the upstream had broken off there. */
#include "base/ascii.h"
#include "base/clock.h"
#include "websocket/session.h"

enum { PATH_MAX_LEN = UPSTREAM_NAME_MAX + 64 };

/* Pieces of what the user says, which another event says whole. */
static const char heard[] = "conversation.item.input_audio_transcription.";

static const char *const alone_path[] = {[EVENT_RESPONSES] = "/responses/event", [EVENT_REALTIME] = "/realtime/event"};
static const char *const response_path[] = {[EVENT_RESPONSES] = "/responses/response", [EVENT_REALTIME] = "/realtime/response"};

/* --- slots --------------------------------------------------------------------------------- */

static bool is_response(const struct slot *s, struct span id)
{
    return s->turn != NULL && !s->is_alone && !s->is_abandoned && span_is(id, s->response);
}

static struct slot *find(struct websocket *w, struct span id)
{
    for (size_t i = 0; i < COUNT(w->slots); i++) {
        if (is_response(&w->slots[i], id)) {
            return &w->slots[i];
        }
    }
    return NULL;
}

static struct slot *find_alone(struct websocket *w)
{
    for (size_t i = 0; i < COUNT(w->slots); i++) {
        if (w->slots[i].turn != NULL && w->slots[i].is_alone) {
            return &w->slots[i];
        }
    }
    return NULL;
}

static struct slot *find_free(struct websocket *w)
{
    for (size_t i = 0; i < COUNT(w->slots); i++) {
        if (w->slots[i].turn == NULL) {
            return &w->slots[i];
        }
    }
    return NULL;
}

bool answers_has_turns(const struct websocket *w)
{
    for (size_t i = 0; i < COUNT(w->slots); i++) {
        if (w->slots[i].turn != NULL) {
            return true;
        }
    }
    return false;
}

/* --- callbacks of turns ----------------------------------------------------------------------- */

static void started(void *context, struct turn *t, struct span body)
{
    struct websocket *w = context;

    (void)t;
    if (body.len > 0 && (w->phase != SESSION_OPEN || !frames_text(w->upstream.frames, body))) {
        websocket_close(w, FRAMES_INTERNAL, "");
    }
}

static bool deliver(void *context, struct span event)
{
    struct websocket *w = context;

    return w->phase == SESSION_OPEN && frames_text(w->client.frames, event);
}

static void broken_off(void *context)
{
    websocket_close(context, FRAMES_INTERNAL, "the answer was broken off");
}

static void touched(void *context)
{
    websocket_notify(context, SESSION_TOUCHED);
}

static void hold(void *context)
{
    struct websocket *w = context;

    (void)atomic_fetch_add(&w->references, 1);
}

static void release(void *context)
{
    websocket_unref(context);
}

/* --- turns --------------------------------------------------------------------------------------- */

static bool free_slot(struct websocket *w, struct slot *s)
{
    if (!turn_free(s->turn)) {
        return false;
    }
    *s = (struct slot){0};
    websocket_unref(w); /* not the last: the caller has one */
    return true;
}

/* NULL: there is no room for it now. */
static struct slot *begin(struct websocket *w, bool is_alone, struct span response, struct span body)
{
    struct slot *s = response.len > SESSION_ID ? NULL : find_free(w);
    char path[PATH_MAX_LEN];
    struct error err;

    if (s == NULL) {
        return NULL;
    }
    (void)snprintf(path, sizeof(path), "/" SPAN_FMT "%s", SPAN_ARG(w->proxy->upstream->name),
                   is_alone ? alone_path[w->api] : response_path[w->api]);
    const struct turn_options options = {.service = w->service,
                                         .listener = w->listener,
                                         .fields = w->fields,
                                         .n_fields = w->n_fields,
                                         .reactor = w->reactor,
                                         .caller = w->caller,
                                         .masking = w->proxy->masking,
                                         .method = "",
                                         .path = path,
                                         .is_alone = is_alone,
                                         .places = is_alone ? &w->places : NULL,
                                         .body = body,
                                         .context = w,
                                         .started = started,
                                         .deliver = deliver,
                                         .broken_off = broken_off,
                                         .touched = touched,
                                         .hold = hold,
                                         .release = release};
    (void)atomic_fetch_add(&w->references, 1); /* the turn's */
    struct turn *t = turn_new(&options, &err);
    if (t == NULL) {
        websocket_unref(w);
        return NULL;
    }
    *s = (struct slot){.turn = t, .is_alone = is_alone};
    memcpy(s->response, response.ptr, response.len);
    return s;
}

bool answers_pump(struct websocket *w)
{
    bool has_started = false;

    for (size_t i = 0; i < COUNT(w->slots); i++) {
        struct slot *s = &w->slots[i];
        if (s->turn == NULL) {
            continue;
        }
        if (!s->is_abandoned) {
            has_started = turn_pump(s->turn) || has_started;
        }
        if (s->turn != NULL && (s->is_abandoned || turn_is_over(s->turn))) {
            if (!turn_has_ended(s->turn)) {
                memcpy(w->cut_off, s->response, sizeof(w->cut_off));
            }
            s->is_abandoned = true;
            (void)!free_slot(w, s);
        }
    }
    return has_started;
}

void answers_break_off(struct websocket *w)
{
    for (size_t i = 0; i < COUNT(w->slots); i++) {
        struct slot *s = &w->slots[i];
        if (s->turn != NULL && !s->is_abandoned) {
            turn_end(s->turn, w->fault == NULL ? END_BROKEN : END_MALFORMED);
            s->is_abandoned = s->is_abandoned || !turn_has_started(s->turn);
        }
    }
}

void answers_abandon(struct websocket *w)
{
    for (size_t i = 0; i < COUNT(w->slots); i++) {
        struct slot *s = &w->slots[i];
        if (s->turn != NULL && !s->is_abandoned) {
            s->is_abandoned = true;
            turn_abandon(s->turn);
        }
    }
    websocket_notify(w, SESSION_TOUCHED);
}

/* --- events ------------------------------------------------------------------------------------------ */

/* Neither judged nor delivered. */
static bool drop(struct websocket *w, struct span message)
{
    w->left_out += ascii_count_visible(message);
    return true;
}

/* False: not now. */
static bool feed(struct websocket *w, struct slot *s, struct span message, const struct event *e)
{
    if (turn_has_ended(s->turn)) {
        return drop(w, message);
    }
    if (turn_is_over(s->turn)) {
        return true;
    }
    if (!turn_may_feed(s->turn)) {
        return false;
    }
    turn_feed(s->turn, message);
    if (e->use == EVENT_ENDS) {
        turn_end(s->turn, END_WHOLE);
    }
    return true;
}

/* The next event is taken when this one has been delivered. */
static bool take_alone(struct websocket *w, struct span message)
{
    struct slot *s = find_alone(w);

    s = s != NULL ? s : begin(w, true, span_of("", 0), span_of("", 0));
    if (s == NULL || s->is_abandoned || turn_is_over(s->turn) || !turn_may_feed(s->turn)) {
        return false;
    }
    turn_feed(s->turn, message);
    turn_end(s->turn, END_WHOLE);
    s->is_abandoned = false;
    return true;
}

/* The Responses API sends one response at a time, in answer to an event of the client. */
static bool take_of_responses(struct websocket *w, struct span message, const struct event *e)
{
    struct slot *s = find(w, span_of("", 0));

    if (s != NULL) {
        bool is_late = turn_has_ended(s->turn), is_taken = feed(w, s, message, e);
        w->is_skipping = is_taken && !is_late && e->use != EVENT_ENDS;
        return is_taken;
    }
    if (w->is_skipping) {
        w->is_skipping = e->use != EVENT_ENDS;
        return true;
    }
    return span_is(e->type, "error") ? take_alone(w, message) : drop(w, message);
}

static bool take_of_realtime(struct websocket *w, struct span message, const struct event *e)
{
    struct slot *s = e->response.len > 0 ? find(w, e->response) : NULL;

    if (e->use == EVENT_DROPPED) {
        return span_starts_with(e->type, span_str(heard)) || drop(w, message);
    }
    if (e->use == EVENT_ALONE) {
        return take_alone(w, message);
    }
    if (s == NULL && e->use == EVENT_BEGINS) {
        s = begin(w, false, e->response, span_of("", 0));
        if (s == NULL && e->response.len > SESSION_ID) {
            websocket_close(w, FRAMES_INTERNAL, "");
        }
        return s != NULL && feed(w, s, message, e);
    }
    return s != NULL ? feed(w, s, message, e) : span_is(e->response, w->cut_off) || drop(w, message);
}

bool answers_take(struct websocket *w, struct span message)
{
    struct event e;
    struct error err;

    /* An event alone that waits for its record keeps the order. */
    struct slot *alone = find_alone(w);
    if (alone != NULL && turn_has_ended(alone->turn)) {
        return false;
    }
    if (!event_read(w->api, message, &e, &err)) {
        if (!answers_has_turns(w)) { /* they count it */
            (void)atomic_fetch_add(&w->service->metrics.proxy.errors[UPSTREAM_MALFORMED], 1);
        }
        w->fault = "the upstream sent what is no event";
        return true;
    }
    return w->api == EVENT_RESPONSES ? take_of_responses(w, message, &e) : take_of_realtime(w, message, &e);
}

bool answers_ask(struct websocket *w, struct span message)
{
    if (answers_has_turns(w) || w->is_skipping) {
        return false;
    }
    if (begin(w, false, span_of("", 0), message) == NULL) {
        websocket_error(w, 503, "no room at the moment");
    }
    return true;
}
