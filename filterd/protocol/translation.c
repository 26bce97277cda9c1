#include "protocol/translation.h"

#include <stdlib.h>

#include "base/locked_pages.h"
#include "pipeline/stream_inquiry.h"
#include "protocol/block_style.h"
#include "protocol/dialect.h"
#include "protocol/kept.h"

enum { MEMORY_KEEP = 16 * 1024, MEMORY_FACTOR = 24, MEMORY_FREE = 1024 * 1024, COST_MAX = 4096 };

bool translation_blocked(const struct translation *t)
{
    return stream_action(t->stream) == ACTION_BLOCK;
}

bool translation_is_blocked(const struct translation *t)
{
    return translation_blocked(t) || t->beside.withheld.is_set;
}

bool translation_stopped(const struct translation *t, struct error *err)
{
    (void)t;
    return error_set(err, ERROR_DENIED, "answer: blocked");
}

/* --- life ----------------------------------------------------------------------- */

static bool start(struct translation *t, const struct translation_request *request,
                  struct error *err)
{
    if (answer_is_passed(t)) {
        bool is_streaming = t->route->dialect != NULL && passed_streams(request);
        t->asked.framing = is_streaming ? FRAMING_EVENTS : FRAMING_BODY;
        framer_init(&t->up.framer, FRAMING_BODY, request->passed_max > 0 ? request->passed_max : t->event_max);
        return true;
    }
    bool is_stored = t->route->asks_nothing && request->body.len == 0;
    struct span json = is_stored ? span_str("{}") : request->body;
    struct node *body = request->is_valid && !is_stored ? tree_read_members(&t->memory, json, request->known, is_asked_by, err)
                                                        : tree_read(&t->memory, json, err);

    if (body == NULL) {
        err->kind = err->kind == ERROR_MALFORMED ? ERROR_INVALID : err->kind;
        return error_wrap(err, "request");
    }
    if (body->kind != JSON_KIND_OBJECT) {
        return error_set(err, ERROR_INVALID, "request: expected an object");
    }
    t->asked.framing = FRAMING_BODY;
    if (t->route->streams != NULL && !t->route->streams(request, body, &t->asked.framing, err)) {
        return false;
    }
    framer_init(&t->up.framer, t->asked.framing, t->event_max);
    block_style_set(t, request, body);
    arena_reset(&t->memory);
    return true;
}

struct translation *translation_new(const struct translation_request *request, struct error *err)
{
    const struct protocol_route *route = request->route;
    struct translation *t = NULL;

    if (route == NULL || route->use == ROUTE_REFUSED) {
        error_set(err, ERROR_INVALID, "request: not a route that is let through");
        return NULL;
    }
    t = calloc(1, sizeof(*t));
    if (t == NULL) {
        error_set(err, ERROR_NO_MEMORY, "answer: no memory");
        return NULL;
    }
    t->protocol = protocol_of_route(route);
    t->route = route;
    t->dialect = route->use == ROUTE_PASSED ? NULL : route->dialect;
    t->is_unjudged = request->is_unjudged;
    t->stream = request->stream;
    t->event_max = request->event_max;
    t->up.status = 200;
    stream_exchange(t->stream, &t->frame);
    restoring_set(t);
    arena_init(&t->memory, MEMORY_KEEP, MEMORY_FREE + MEMORY_FACTOR * request->event_max);
    buf_init_text(&t->scratch, 8 * request->event_max + MEMORY_FREE);
    buf_init_text(&t->up.envelope, request->event_max);
    buf_init(&t->up.cost, COST_MAX);
    buf_init_text(&t->up.values, 2 * request->event_max);
    buf_init_text(&t->up.before, 2 * JOINT_BEFORE_MAX);
    buf_init_text(&t->up.waiting, 2 * request->event_max); /* an event, written anew, may be longer */
    buf_init_text(&t->down.kept, request->waiting_max);
    buf_init_text(&t->up.ahead, request->waiting_max);
    if (t->scratch.is_locked) {
        arena_lock(&t->memory);
    }
    if (!start(t, request, err)) {
        translation_free(t);
        return NULL;
    }
    return t;
}

void translation_free(struct translation *t)
{
    if (t == NULL) {
        return;
    }
    free(t->beside.aside);
    free(t->beside.clean);
    free(t->beside.known_ids);
    free(t->beside.shown_channels);
    free(t->beside.shown_findings);
    texts_free(t);
    parts_free(t);
    calls_free(t);
    values_free(t);
    framer_deinit(&t->up.framer);
    buf_deinit(&t->scratch);
    buf_deinit(&t->up.envelope);
    buf_deinit(&t->up.cost);
    buf_deinit(&t->up.waiting);
    buf_deinit(&t->up.before);
    buf_deinit(&t->up.ahead);
    kept_free(t);
    repeated_free(t);
    places_deinit(&t->beside.places);
    arena_deinit(&t->memory);
    free(t);
}

bool translation_is_streaming(const struct translation *t)
{
    return t->asked.framing != FRAMING_BODY || t->is_unjudged;
}

size_t translation_waiting(const struct translation *t)
{
    return t->up.waiting.len + t->up.values.len + t->down.kept.len + t->up.ahead.len;
}

bool translation_is_over(const struct translation *t)
{
    return t->phase == TRANSLATION_OVER;
}

bool translation_needs_no_more(const struct translation *t)
{
    bool may_be_whole = t->dialect != NULL && t->dialect->has_no_end && t->phase == TRANSLATION_FLOWING && answer_is_stream(t) &&
                        t->n_parts >= t->asked.n_choices;

    for (size_t i = 0; may_be_whole && i < t->n_parts; i++) {
        may_be_whole = t->parts[i]->is_finished || t->parts[i]->is_ending;
    }
    return may_be_whole;
}

bool translation_is_broken_off(const struct translation *t)
{
    return t->is_broken_off;
}

/* --- the head ------------------------------------------------------------------- */

enum head_use translation_head(struct translation *t, unsigned status, struct span type)
{
    enum framing framing;
    bool is_known = framing_of_type(t->asked.framing, type, &framing);

    t->up.status = status;
    if (!answer_is_error(t) && (answer_is_passed(t) || t->is_unjudged)) {
        return passed_head(t, type);
    }
    if (answer_is_error(t)) {
        t->up.is_plain_body = !is_known && type.len > 0;
        framing = FRAMING_BODY;
    } else if (!is_known) {
        return HEAD_UNKNOWN_TYPE;
    }
    t->up.framer.kind = framing;
    return answer_is_error(t) ? HEAD_ERROR_BODY : HEAD_OK;
}

const char *translation_type(const struct translation *t)
{
    static const char *const types[] = {
        [FRAMING_BODY] = "application/json",
        [FRAMING_EVENTS] = "text/event-stream",
        [FRAMING_LINES] = "application/x-ndjson",
        [FRAMING_ARRAY] = "application/json",
    };
    if (t->up.framer.kind == FRAMING_LINES && t->dialect != NULL && t->dialect->lines_type != NULL) {
        return t->dialect->lines_type;
    }
    return t->up.form != PASSED_JSON && !answer_is_error(t) ? t->up.type : types[t->up.framer.kind];
}

/* --- endings -------------------------------------------------------------------- */

bool translation_over(struct translation *t, struct error *err)
{
    translation_finish(t);
    if (t->up.framer.kind == FRAMING_ARRAY) {
        return buf_append_str(t->down.out, t->down.shown.n_events == 0 ? "[]" : "]", err);
    }
    if (t->up.framer.kind != FRAMING_EVENTS || t->dialect->done == NULL) {
        return true;
    }
    return buf_append_str(t->down.out, "data: ", err) && buf_append_str(t->down.out, t->dialect->done, err) &&
           buf_append_str(t->down.out, "\n\n", err);
}

/* Nothing that waits may follow a block. */
static bool drop_waiting(struct translation *t, struct error *err)
{
    buf_clear(&t->up.waiting);
    buf_clear(&t->up.values);
    values_forget(t, SIZE_MAX);
    return kept_drop(t, err);
}

/* In place of a whole answer. */
static bool write_blocked(struct translation *t, struct error *err)
{
    translation_finish(t);
    if (answer_is_error(t)) {
        return t->protocol->failed(t->up.status, stream_notice(t->stream), t->down.out, err);
    }
    return answer_is_passed(t) ? t->protocol->blocked(stream_notice(t->stream), t->down.out, err)
                               : t->dialect->blocked_body(t, err);
}

/* Writes the end of the answer and enters OVER. */
static bool answer_end(struct translation *t, enum closing how, struct error *err)
{
    bool is_blocked = how == CLOSING_BLOCKED, tells_cost = is_blocked && t->phase == TRANSLATION_AWAITING_COST;

    message_forget(t);
    if (is_blocked && !drop_waiting(t, err)) {
        return false;
    }
    /* What waits goes first: how its texts ended is known now. */
    if (!is_blocked && !(endings_settle(t, STREAM_TRUNCATED, err) && values_end(t, SIZE_MAX, STREAM_TRUNCATED, err))) {
        return false;
    }
    if (is_blocked && (answer_is_error(t) || !answer_is_stream(t))) {
        return write_blocked(t, err);
    }
    size_t written = t->down.out->len;
    if (!t->dialect->close(t, how, err)) {
        return false;
    }
    /* The reason why it ends was given before. */
    if (is_blocked && t->down.out->len == written && !t->beside.withheld.is_set) {
        return error_set(err, ERROR_DENIED, "answer: blocked behind its end");
    }
    return (!tells_cost || cost_emit(t, err)) && translation_over(t, err);
}

/* Nothing follows, whether the end could be written or not. */
static bool finish_blocked(struct translation *t, bool has_end)
{
    t->is_broken_off = !has_end;
    translation_finish(t);
    return has_end;
}

/* What a step that did not succeed means: true when the answer was blocked. */
static bool settle(struct translation *t, struct error *err)
{
    struct error ending;

    if (translation_blocked(t) && err->kind == ERROR_DENIED) {
        (void)finish_blocked(t, answer_end(t, CLOSING_BLOCKED, &ending));
        return true;
    }
    stream_block(t->stream, span_str("filterd.unjudged"), "answer could not be read");
    (void)finish_blocked(t, answer_end(t, CLOSING_BLOCKED, &ending));
    return false;
}

/* --- what waits for the supervisor ------------------------------------------------ */

static void begin(struct translation *t, struct worker *w, struct buf *client)
{
    t->worker = w;
    t->down.out = stream_is_supervised(t->stream) ? &t->down.kept : client;
}

/* A call that was left out blocks when the answer ends. *must_end: what waits is dropped for the end of a block; else the
 * notice of the call is written already, and the answer ends as it is. */
static bool block_withheld(struct translation *t, struct buf *client, bool *must_end, struct error *err)
{
    bool waits = stream_waits(t->stream);

    *must_end = false;
    if (!translation_is_over(t) || !t->beside.withheld.is_set || translation_blocked(t)) {
        return true;
    }
    if (!waits && !kept_pass_on(t, client, err)) {
        return false;
    }
    stream_block(t->stream, span_str(t->beside.withheld.rule), t->beside.withheld.reason);
    *must_end = waits;
    return true;
}

/* The end of each call, whether it succeeded or not: what waits for nothing goes on. */
static bool conclude(struct translation *t, bool is_done, struct buf *client, struct error *err)
{
    struct error ending, *why = is_done ? err : &ending;
    bool must_end;

    if (stream_asks(t->stream)) {
        return is_done;
    }
    return block_withheld(t, client, &must_end, why) && (!must_end || answer_end(t, CLOSING_BLOCKED, why)) &&
           (stream_waits(t->stream) || kept_pass_on(t, client, why)) && is_done;
}

/* Message by message: read, kept apart where it may wait, taken as what it is. What closes an array of messages ends the answer. */
static bool feed(struct translation *t, struct span bytes, struct buf *client, struct error *err)
{
    while (bytes.len > 0 && !translation_is_over(t) && !stream_asks(t->stream)) {
        struct message m;
        struct span text;
        bool is_complete, is_like, is_taken;
        if (!framer_next(&t->up.framer, &bytes, &text, &is_complete, err)) {
            return false;
        }
        bool is_closed = !is_complete && t->up.framer.is_closed && t->phase != TRANSLATION_NEW;
        if (!is_complete && !is_closed) {
            continue;
        }
        if (t->down.out != client && !kept_begin(t, client, err)) {
            return false;
        }
        if (is_complete) {
            is_taken = repeated_take(t, text, &is_like, err) &&
                       (is_like || (message_read(t, text, &m, err) && message_takes[m.kind](t, &m, err) &&
                                    (!m.ends_answer || answer_end(t, CLOSING_DONE, err))));
        } else {
            is_taken = answer_end(t, CLOSING_TRUNCATED, err);
        }
        if (!is_taken && !cost_await(t, err)) {
            return false;
        }
    }
    if (translation_is_over(t) && !translation_blocked(t)) {
        left_out_behind(t, bytes);
        return true;
    }
    return translation_is_over(t) || buf_append(&t->up.ahead, bytes, err);
}

/* What the operator lets pass as it is. */
static bool feed_unjudged(struct translation *t, struct span bytes, struct buf *out, struct error *err)
{
    if (t->phase == TRANSLATION_NEW) {
        translation_enter(t, TRANSLATION_FLOWING);
    }
    t->beside.unread += bytes.len;
    return buf_append(out, bytes, err);
}

/* Nothing but a broken connection says that such an answer is not whole. */
static bool end_unjudged(struct translation *t, bool is_whole, struct error *err)
{
    if (!is_whole || translation_blocked(t)) {
        return error_set(err, ERROR_MALFORMED, "answer: ended before its end");
    }
    translation_finish(t);
    return true;
}

bool translation_feed(struct translation *t, struct worker *w, struct span bytes, struct buf *out,
                      struct error *err)
{
    if (t->up.form == PASSED_UNJUDGED) {
        return feed_unjudged(t, bytes, out, err);
    }
    begin(t, w, out);
    bool is_fed = feed(t, bytes, out, err) || settle(t, err);
    return conclude(t, is_fed, out, err);
}

bool translation_resume(struct translation *t, struct worker *w, struct buf *out, struct error *err)
{
    struct buf ahead = t->up.ahead;

    begin(t, w, out);
    if (translation_blocked(t)) {
        bool is_ended = (translation_is_over(t) && !kept_waits(t)) || finish_blocked(t, answer_end(t, CLOSING_BLOCKED, err));
        translation_finish(t);
        return conclude(t, true, out, err) && is_ended;
    }
    if (stream_asks(t->stream)) {
        return true;
    }
    if (!stream_waits(t->stream) && !kept_pass_on(t, out, err)) {
        return false;
    }
    buf_init_text(&t->up.ahead, ahead.max);
    bool is_fed = feed(t, buf_span(&ahead), out, err) || settle(t, err);
    buf_deinit(&ahead);
    return conclude(t, is_fed, out, err);
}

/* What the upstream's end means for the answer. */
static bool take_end(struct translation *t, bool is_whole, struct error *err)
{
    struct message m;
    struct span text;
    bool is_complete;

    if (!is_whole && !answer_is_stream(t)) {
        return error_set(err, ERROR_MALFORMED, "answer: ended before its end");
    }
    if (!framer_end(&t->up.framer, &text, &is_complete, err)) {
        return false;
    }
    if (is_complete && is_whole && !(message_read(t, text, &m, err) && message_takes[m.kind](t, &m, err) &&
                                     (!m.ends_answer || answer_end(t, CLOSING_DONE, err)))) {
        return false;
    }
    if (answer_is_passed(t) && is_whole) {
        translation_finish(t); /* an answer to HEAD has no body */
    }
    if (translation_is_over(t)) {
        return true;
    }
    if (answer_is_error(t)) { /* without a body */
        translation_finish(t);
        return t->protocol->failed(t->up.status, span_str("the upstream answered with an error"), t->down.out, err);
    }
    if (!answer_is_stream(t) || t->phase == TRANSLATION_NEW) {
        return error_set(err, ERROR_MALFORMED, "answer: expected a message, found none");
    }
    return answer_end(t, CLOSING_TRUNCATED, err);
}

bool translation_end(struct translation *t, struct worker *w, bool is_whole, struct buf *out,
                     struct error *err)
{
    if (t->up.form == PASSED_UNJUDGED) {
        return end_unjudged(t, is_whole, err);
    }
    begin(t, w, out);
    t->up.is_broken = !is_whole;
    bool may_wait = !translation_is_over(t) && t->down.out != out && !translation_blocked(t);
    bool is_ended;
    if (translation_blocked(t) && (!translation_is_over(t) || kept_waits(t))) {
        is_ended = finish_blocked(t, answer_end(t, CLOSING_BLOCKED, err)); /* from outside: a limit, a record that cannot be written */
    } else {
        is_ended = translation_is_over(t) ||
                   ((!may_wait || kept_begin(t, out, err)) && take_end(t, is_whole, err)) || settle(t, err);
    }
    return conclude(t, is_ended, out, err);
}

/* --- what the proxy says itself -------------------------------------------------- */

bool translation_heartbeat(struct translation *t, struct buf *out, struct error *err)
{
    if (!answer_is_stream(t) || translation_is_over(t)) {
        return true;
    }
    if (t->up.framer.kind == FRAMING_EVENTS) {
        return buf_append_str(out, t->protocol->heartbeat, err);
    }
    if (t->up.framer.kind == FRAMING_ARRAY) {
        return buf_append_char(out, '\n', err); /* white space between elements */
    }
    message_forget(t);
    t->down.out = out;
    return t->protocol->heartbeat_line == NULL || t->protocol->heartbeat_line(t, err);
}

bool translation_takes_comments(const struct translation *t)
{
    return answer_is_stream(t) && t->up.framer.kind == FRAMING_EVENTS && t->protocol->has_comments;
}

bool translation_hard_block(const struct translation *t, struct buf *out, struct error *err)
{
    return t->protocol->blocked(stream_notice(t->stream), out, err);
}

bool protocol_error_body(const struct protocol *p, unsigned status, const char *message,
                         struct buf *out, struct error *err)
{
    return p->failed(status, span_str(message), out, err);
}
