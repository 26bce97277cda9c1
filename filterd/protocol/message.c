/* message.c - classifies a message of the upstream, and dispatches to the handler of its kind.
 *
 * Invariants:
 *   - message_read changes only the phase, and frees the previous message: its tree and the leaves in it. Only the
 *     handler in message_takes writes, judges or stores anything of a message.
 *   - All parts of a message are judged before any is released: ids before any other use, the rest by the
 *     dialect or by leaves_judge.
 *   - A body that is a whole answer is the last message: the phase is OVER before it is handled. */
#include "protocol/message.h"

#include "protocol/dialect.h"

void message_forget(struct translation *t)
{
    arena_reset(&t->memory);
    t->up.units = NULL;
    texts_forget_leaves(t);
}

/* --- reading -------------------------------------------------------------------- */

static bool is_error_object(const struct message *m)
{
    return node_is_truthy(node_member(m->root, "error"));
}

/* Where events have types, one of another type may tell of an error that ends nothing, as of input that came too late. */
static bool is_typed(const struct translation *t, const struct message *m)
{
    const struct node *type = node_member(m->root, "type");

    return t->dialect->has_event_names && node_is_string(type) && !span_is(type->text, "error");
}

static bool check_object(const struct message *m, struct error *err)
{
    return m->root->kind == JSON_KIND_OBJECT || error_set(err, ERROR_INVALID, "answer: expected an object");
}

/* An error page need not be JSON. */
static bool read_body(struct translation *t, struct message *m, struct error *err)
{
    m->kind = MESSAGE_PLAIN_BODY;
    if (t->up.is_plain_body) {
        return true;
    }
    if (t->up.form == PASSED_FILE && !answer_is_error(t)) {
        m->kind = MESSAGE_PASSED_FILE;
        return true;
    }
    if (answer_is_passed(t)) {
        bool is_json = json_validate(m->text, err);
        m->kind = is_json ? MESSAGE_PASSED_BODY : MESSAGE_PLAIN_BODY;
        return is_json || answer_is_error(t);
    }
    m->root = said_tree(t, m->text, err);
    if (m->root == NULL) {
        return answer_is_error(t);
    }
    m->kind = answer_is_error(t) || is_error_object(m) ? MESSAGE_ERROR_BODY : MESSAGE_BODY;
    return m->kind == MESSAGE_ERROR_BODY || check_object(m, err);
}

/* Some upstreams end so where their protocol does not ask for it. */
static bool is_done(const struct translation *t, struct span text)
{
    while (text.len > 0 && text.ptr[text.len - 1] == ' ') {
        text.len--;
    }
    return t->up.framer.kind == FRAMING_EVENTS && span_is(text, "[DONE]");
}

static bool read_event(struct translation *t, struct message *m, struct error *err)
{
    bool is_last = is_done(t, m->text);

    if (is_last || t->phase == TRANSLATION_AWAITING_COST) {
        m->kind = is_last ? MESSAGE_DONE : MESSAGE_AWAITED;
        m->ends_answer = is_last && t->phase != TRANSLATION_AWAITING_COST;
        return true;
    }
    m->root = said_tree(t, m->text, err);
    if (m->root == NULL || !check_object(m, err)) {
        return false;
    }
    m->kind = is_error_object(m) && !is_typed(t, m) ? MESSAGE_ERROR : MESSAGE_EVENT;
    if (t->dialect->named != NULL && m->kind == MESSAGE_EVENT) {
        m->root = t->dialect->named(t, span_of(t->up.framer.name, t->up.framer.name_len), m->root, err);
    }
    return m->root != NULL;
}

bool message_read(struct translation *t, struct span text, struct message *m, struct error *err)
{
    *m = (struct message){.text = text};
    message_forget(t);
    if (t->phase == TRANSLATION_NEW) {
        translation_enter(t, TRANSLATION_FLOWING);
    }
    if (answer_is_stream(t)) {
        return read_event(t, m, err);
    }
    translation_finish(t);
    return read_body(t, m, err);
}

/* --- taking --------------------------------------------------------------------- */

/* An error page that is no JSON: its text, judged, in the protocol's own envelope. */
static bool take_plain_body(struct translation *t, const struct message *m, struct error *err)
{
    struct channel channel = {.path = span_str(""), .text = m->text};

    return aside_judge(t, &channel, 1, err) &&
           t->protocol->failed(t->up.status, channel.output, t->down.out, err);
}

static bool take_error_body(struct translation *t, const struct message *m, struct error *err)
{
    return leaves_judge(t, m->root, true, err) && emit_whole(t, m->root, err);
}

static bool take_body(struct translation *t, const struct message *m, struct error *err)
{
    return ids_judge(t, m->root, err) && envelope_take(t, m->root, err) && cost_take(t, m->root, err) &&
           message_keep_parts(t, m->root, err) && t->dialect->body(t, m->root, err);
}

static bool take_done(struct translation *t, const struct message *m, struct error *err)
{
    return m->ends_answer || translation_stopped(t, err); /* else it was blocked, and the cost has not come */
}

static bool take_awaited(struct translation *t, const struct message *m, struct error *err)
{
    const struct node *root = tree_read(&t->memory, m->text, err);
    bool is_read = root != NULL && root->kind == JSON_KIND_OBJECT && cost_take(t, root, err);

    t->up.awaited += m->text.len;
    return (is_read && cost_is_missing(t)) || translation_stopped(t, err);
}

/* Clients raise an exception at an error frame, so nothing after it would be read. */
static bool take_error(struct translation *t, const struct message *m, struct error *err)
{
    return endings_settle(t, STREAM_TRUNCATED, err) && texts_finish(t, SIZE_MAX, STREAM_TRUNCATED, err) &&
           values_end(t, SIZE_MAX, STREAM_TRUNCATED, err) && leaves_judge(t, m->root, true, err) &&
           emit_whole(t, m->root, err) && translation_over(t, err);
}

static bool take_event(struct translation *t, const struct message *m, struct error *err)
{
    struct repeated_look look;

    repeated_look(t, m, &look);
    if (!ids_judge(t, m->root, err) || !envelope_take(t, m->root, err) || !cost_take(t, m->root, err) ||
        !t->dialect->event(t, m->root, err)) {
        return false;
    }
    repeated_keep(t, m, &look);
    return true;
}

message_fn *const message_takes[MESSAGE_KINDS] = {
    [MESSAGE_PLAIN_BODY] = take_plain_body,
    [MESSAGE_PASSED_BODY] = passed_body,
    [MESSAGE_PASSED_FILE] = passed_file,
    [MESSAGE_ERROR_BODY] = take_error_body,
    [MESSAGE_BODY] = take_body,
    [MESSAGE_DONE] = take_done,
    [MESSAGE_AWAITED] = take_awaited,
    [MESSAGE_ERROR] = take_error,
    [MESSAGE_EVENT] = take_event,
};
