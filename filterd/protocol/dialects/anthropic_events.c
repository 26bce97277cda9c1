#include "protocol/dialects/anthropic.h"

/* Messages as events. Plain blocks flow; thinking and tool calls are held to their end, because a
 * signature covers all of the thinking, and a call that is cut off would be run; so are blocks of
 * every other kind, whose meaning is unknown. Blocks may be left out, so the client's
 * indices are ours. */

/* --- events of our own ----------------------------------------------------------- */

static bool emit_stop(struct translation *t, size_t shown, struct error *err)
{
    struct node *event =
        tree_literal(&t->memory, "{\"type\":\"content_block_stop\",\"index\":0}", err);

    return event != NULL && node_set_index(&t->memory, node_member(event, "index"), shown, err) &&
           emit(t, event, err);
}

/* A literal event about a block; the text goes to `at`, "" for none. */
static bool emit_about(struct translation *t, const char *json, size_t shown, const char *at,
                       struct span text, struct error *err)
{
    struct node *event = tree_literal(&t->memory, json, err);

    if (event == NULL || !node_set_index(&t->memory, node_member(event, "index"), shown, err)) {
        return false;
    }
    if (*at != '\0') {
        node_set_text(node_at(event, at), text);
    }
    return emit(t, event, err);
}

static bool emit_text_block(struct translation *t, struct span text, struct error *err)
{
    size_t shown = t->down.shown.n_parts++;

    return emit_about(t,
                      "{\"type\":\"content_block_start\",\"index\":0,"
                      "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}",
                      shown, "", (struct span){0}, err) &&
           emit_about(t,
                      "{\"type\":\"content_block_delta\",\"index\":0,"
                      "\"delta\":{\"type\":\"text_delta\",\"text\":\"\"}}",
                      shown, "delta/text", text, err) &&
           emit_stop(t, shown, err);
}

static bool has_call(const struct translation *t)
{
    for (size_t i = 0; i < t->n_parts; i++) {
        if (t->parts[i]->has_call) {
            return true;
        }
    }
    return false;
}

/* A block of its own; clients join the blocks of a message. */
static bool emit_notice(struct translation *t, struct error *err)
{
    bool is_behind = text_was_shown(t, SIZE_MAX, "/text");
    struct span notice;

    return !anthropic_notice_is_text(t, is_behind, has_call(t)) ||
           (notice_make(t, is_behind, &notice, err) && emit_text_block(t, notice, err));
}

/* --- blocks ----------------------------------------------------------------------- */

static struct part *part_of(struct translation *t, const struct node *root, struct error *err)
{
    size_t index;

    if (!node_index(node_member(root, "index"), &index)) {
        error_set(err, ERROR_INVALID, "answer: expected the index of a block");
        return NULL;
    }
    return part_open(t, index, err);
}

static struct text *thinking_of(struct translation *t, const struct part *p, struct error *err)
{
    struct buf path CLEANUP(buf_deinit);

    buf_init(&path, 64);
    return buf_appendf(&path, err, "/content/%zu/thinking", p->key)
               ? text_of(t, buf_span(&path), SIZE_MAX, err)
               : NULL;
}

static bool think(struct translation *t, struct part *p, const struct node *text, struct error *err)
{
    struct call *raw = call_open(t, p->key, 0, err);
    struct text *x = raw == NULL ? NULL : thinking_of(t, p, err);
    struct span released;

    return x != NULL && (!node_is_string(text) || (buf_append(&raw->arguments, text->text, err) &&
                                                   text_feed(t, x, text->text, &released, err)));
}

static bool start_thinking(struct translation *t, struct part *p, struct node *block,
                           struct error *err)
{
    static const char *const taken[] = {"content_block/", "type", "thinking", "signature", NULL};
    const struct node *signature = node_member(block, "signature");

    p->kind = BLOCK_THINKING;
    left_out_event(t, block->parent, taken);
    return (!node_is_string(signature) || buf_append(&p->held, signature->text, err)) &&
           think(t, p, node_member(block, "thinking"), err);
}

/* The start is kept without what is judged at the end; the rest of it is judged now. */
static bool start_call(struct translation *t, struct part *p, struct node *root, struct error *err)
{
    struct node *block = node_member(root, "content_block");
    struct node *name = node_member(block, "name"), *input = node_member(block, "input");
    struct call *c = call_open(t, p->key, 0, err);

    p->kind = BLOCK_CALL;
    if (c == NULL ||
        !call_take(c, node_member(block, "id"), node_member(block, "type"), name, err)) {
        return false;
    }
    if (input != NULL && input->first != NULL && !tree_write(input, &c->arguments, err)) {
        return false;
    }
    left_out_call(t, name, input);
    node_remove(name);
    node_remove(input);
    return leaves_judge(t, root, true, err) && message_restore(t, root, err) && tree_write(root, &p->held, err);
}

/* A block counts from the event that shows it: one that blocks in its start was never there. */
static bool show(struct translation *t, struct part *p, struct node *root, struct error *err)
{
    if (!p->is_open) {
        p->is_open = true;
        p->shown = t->down.shown.n_parts++;
    }
    return node_set_index(&t->memory, node_member(root, "index"), p->shown, err);
}

static bool take_input(struct translation *t, const struct part *p, const struct node *piece, struct error *err)
{
    struct call *c = call_open(t, p->key, 0, err);

    return c != NULL && (!node_is_string(piece) || buf_append(&c->arguments, piece->text, err));
}

static bool hold_event(struct part *p, const struct node *root, struct error *err)
{
    return tree_write(root, &p->held, err) && buf_append_char(&p->held, '\n', err);
}

static bool take_delta(struct translation *t, struct node *root, struct error *err)
{
    struct part *p = part_of(t, root, err);
    const struct node *delta = node_member(root, "delta");

    if (p == NULL) {
        return false;
    }
    if (p->is_finished) {
        return error_set(err, ERROR_INVALID, "answer: expected no delta after the end of its block");
    }
    static const char *const taken[] = {"delta/", "type", "partial_json", "thinking", "signature", NULL};
    if (p->kind == BLOCK_CALL) {
        left_out_event(t, root, taken);
        return take_input(t, p, node_member(delta, "partial_json"), err);
    }
    if (p->kind == BLOCK_OTHER) {
        return hold_event(p, root, err);
    }
    if (p->kind == BLOCK_THINKING) {
        left_out_event(t, root, taken);
        const struct node *signature = node_member(delta, "signature");
        return think(t, p, node_member(delta, "thinking"), err) &&
               (!node_is_string(signature) || buf_append(&p->held, signature->text, err));
    }
    if (!p->is_open) {
        return error_set(err, ERROR_INVALID, "answer: expected a delta inside its block");
    }
    if (!show(t, p, root, err) || !leaves_judge(t, root, false, err)) {
        return false;
    }
    const struct node *text = node_member(delta, "text");
    return emit_released(t, root, text != NULL && text->is_emptied, err);
}

static bool start_plain(struct translation *t, struct part *p, struct node *root, struct error *err)
{
    struct node *text = node_at(root, "content_block/text");
    struct span first = node_is_string(text) ? text->text : span_of("", 0);

    if (first.len > 0) {
        node_set_text(text, span_of("", 0));
    }
    if (!leaves_judge(t, root, true, err) || !show(t, p, root, err) || !emit(t, root, err)) {
        return false;
    }
    if (first.len == 0) {
        return true;
    }
    struct node *delta = tree_literal(&t->memory,
                                      "{\"type\":\"content_block_delta\",\"index\":0,"
                                      "\"delta\":{\"type\":\"text_delta\",\"text\":\"\"}}",
                                      err);
    if (delta == NULL || !node_set_index(&t->memory, node_member(delta, "index"), p->key, err)) {
        return false;
    }
    node_set_text(node_at(delta, "delta/text"), first);
    return take_delta(t, delta, err);
}

static bool start_block(struct translation *t, struct node *root, struct error *err)
{
    struct part *p = part_of(t, root, err);
    struct node *block = node_member(root, "content_block");

    if (p == NULL) {
        return false;
    }
    if (p->is_open || p->is_finished || p->held.len > 0) {
        return error_set(err, ERROR_INVALID, "answer: expected each block to start once");
    }
    if (node_is(node_member(block, "type"), "thinking")) {
        return start_thinking(t, p, block, err);
    }
    if (anthropic_is_call(block)) {
        return start_call(t, p, root, err);
    }
    if (!node_is(node_member(block, "type"), "text")) {
        p->kind = BLOCK_OTHER;
        return hold_event(p, root, err);
    }
    return start_plain(t, p, root, err);
}

/* --- ends of blocks ----------------------------------------------------------------- */

static bool emit_thinking(struct translation *t, struct span text, struct span signature, struct error *err)
{
    size_t shown = t->down.shown.n_parts++;

    return emit_about(t,
                      "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":"
                      "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}",
                      shown, "", (struct span){0}, err) &&
           emit_about(t,
                      "{\"type\":\"content_block_delta\",\"index\":0,"
                      "\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"\"}}",
                      shown, "delta/thinking", text, err) &&
           (signature.len == 0 ||
            emit_about(t,
                       "{\"type\":\"content_block_delta\",\"index\":0,"
                       "\"delta\":{\"type\":\"signature_delta\",\"signature\":\"\"}}",
                       shown, "delta/signature", signature, err)) &&
           emit_stop(t, shown, err);
}

/* Changed thinking would not fit its signature: it goes on as a plain text. */
static bool stop_thinking(struct translation *t, struct part *p, struct error *err)
{
    struct text *x = thinking_of(t, p, err);
    const struct call *raw = x == NULL ? NULL : call_open(t, p->key, 0, err);
    struct span rest, signature = buf_span(&p->held), judged;

    if (raw == NULL || !text_end(t, x, t->up.ending, &rest, err) ||
        !aside_judge_random(t, span_str("/content/signature"), signature, &judged, err)) {
        return false;
    }
    bool is_unchanged = span_equal(buf_span(&x->released), buf_span(&raw->arguments)) && span_equal(judged, signature);
    if (is_unchanged && leaf_is_base64(signature)) {
        return emit_thinking(t, buf_span(&x->released), signature, err);
    }
    left_out_text(t, is_unchanged ? signature : span_of("", 0));
    return emit_text_block(t, buf_span(&x->released), err);
}

static bool stop_call(struct translation *t, struct part *p, struct error *err)
{
    struct call *c = call_open(t, p->key, 0, err);
    struct call_verdict verdict;

    if (c == NULL || !call_judge(t, c, t->up.ending == STREAM_TRUNCATED, &verdict, err)) {
        return false;
    }
    if (verdict.is_withheld) {
        return true;
    }
    struct node *start = tree_read(&t->memory, buf_span(&p->held), err);
    if (start == NULL || !show(t, p, start, err)) {
        return false;
    }
    struct node *block = node_member(start, "content_block");
    struct node *input;
    if (!node_put(&t->memory, block, "name", buf_span(&c->name), err) ||
        (input = node_add(&t->memory, block, span_str("input"), err)) == NULL) {
        return false;
    }
    input->kind = JSON_KIND_OBJECT;
    p->has_call = true;
    return emit(t, start, err) &&
           (verdict.arguments.len == 0 ||
            emit_about(t,
                       "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
                       "{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}",
                       p->shown, "delta/partial_json", verdict.arguments, err)) &&
           emit_stop(t, p->shown, err);
}

/* The events of a block, as if they came now. */
static bool stop_other(struct translation *t, struct part *p, struct error *err)
{
    struct span events;

    p->kind = BLOCK_PLAIN;
    if (!arena_copy(&t->memory, buf_span(&p->held), &events, err)) {
        return false;
    }
    while (events.len > 0) {
        size_t n = (size_t)((const char *)memchr(events.ptr, '\n', events.len) - events.ptr);
        struct node *root = said_tree(t, span_slice(events, 0, n), err);
        if (root == NULL || !ids_judge(t, root, err) ||
            !(p->is_open ? take_delta(t, root, err) : start_plain(t, p, root, err))) {
            return false;
        }
        texts_forget_leaves(t);
        events = span_slice(events, n + 1, events.len);
    }
    return true;
}

/* What was held of a block goes out. One of another kind is still to be closed. */
static bool stop_held(struct translation *t, struct part *p, struct error *err)
{
    if (p->kind == BLOCK_OTHER || p->kind == BLOCK_PLAIN) {
        return p->kind == BLOCK_PLAIN || stop_other(t, p, err);
    }
    p->is_finished = true;
    return p->kind == BLOCK_CALL ? stop_call(t, p, err) : stop_thinking(t, p, err);
}

static bool stop_block(struct translation *t, struct node *root, struct error *err)
{
    struct part *p = part_of(t, root, err);

    if (p == NULL || (!p->is_finished && !stop_held(t, p, err))) {
        return false;
    }
    if (p->is_finished || !p->is_open) {
        static const char *const taken[] = {"type", NULL};
        left_out_event(t, root, taken);
        return true;
    }
    /* Not finished before: a block that decides here still has to be closed. */
    if (!texts_end(t, p->shown, t->up.ending, err) || !show(t, p, root, err) ||
        !leaves_judge(t, root, true, err)) {
        return false;
    }
    p->is_finished = true;
    return emit(t, root, err);
}

/* --- the message -------------------------------------------------------------------- */

static bool start_message(struct translation *t, struct node *root, struct error *err)
{
    if (!leaves_judge(t, root, true, err)) {
        return false;
    }
    t->down.shown.has_head = true;
    return emit(t, root, err);
}

/* An upstream that leaves a block open had more to say in it. Where its answer has no end either, a block of another kind is left out like
 * a call: a part of it may mean something else. */
static bool close_blocks(struct translation *t, enum closing why, struct error *err)
{
    bool is_blocked = why == CLOSING_BLOCKED;

    for (size_t i = 0; i < t->n_parts; i++) {
        struct part *p = t->parts[i];
        bool is_left_out = why == CLOSING_TRUNCATED && p->kind == BLOCK_OTHER;
        t->up.ending = STREAM_TRUNCATED;
        if (!is_blocked && !p->is_finished && !is_left_out && !stop_held(t, p, err)) {
            return false;
        }
        bool is_flowing = p->kind == BLOCK_PLAIN && p->is_open && !p->is_finished;
        if (is_flowing && !is_blocked && !texts_end(t, p->shown, STREAM_TRUNCATED, err)) {
            return false; /* what was left of its texts decided: it is closed again */
        }
        p->is_finished = true;
        if (is_flowing && !emit_stop(t, p->shown, err)) {
            return false;
        }
    }
    return true;
}

static bool end_message(struct translation *t, struct node *root, struct error *err)
{
    struct node *delta = node_member(root, "delta");
    enum stream_ending how = ending_of(node_member(delta, "stop_reason"));

    if (!endings_settle(t, how, err) || !close_blocks(t, CLOSING_DONE, err) ||
        !values_end(t, SIZE_MAX, how, err) || !leaves_judge(t, root, true, err)) {
        return false;
    }
    if (t->beside.withheld.is_set && delta != NULL && !t->down.shown.has_notice) {
        t->down.shown.has_notice = true;
        if (!emit_notice(t, err) ||
            (!has_call(t) && !anthropic_put_refusal(t, delta, err))) {
            return false;
        }
    }
    t->down.shown.has_tail = true;
    return emit(t, root, err);
}

static bool stop_message(struct translation *t, struct node *root, struct error *err)
{
    return endings_settle(t, STREAM_TRUNCATED, err) && close_blocks(t, CLOSING_DONE, err) &&
           values_end(t, SIZE_MAX, STREAM_TRUNCATED, err) && leaves_judge(t, root, true, err) && emit(t, root, err) && translation_over(t, err);
}

static bool pass(struct translation *t, struct node *root, struct error *err)
{
    return leaves_judge(t, root, false, err) && emit(t, root, err);
}

/* A sign of life waits for nothing. */
static bool pass_beat(struct translation *t, struct node *root, struct error *err)
{
    return leaves_judge(t, root, true, err) && emit(t, root, err);
}

bool anthropic_event(struct translation *t, struct node *root, struct error *err)
{
    static const struct event_row rows[] = {
        {"content_block_delta", take_delta, EVENT_GOES_ON, NULL},
        {"content_block_start", start_block, EVENT_GOES_ON, NULL},
        {"content_block_stop", stop_block, EVENT_ENDS_PART, NULL},
        {"message_start", start_message, EVENT_IN_ORDER, NULL},
        {"message_delta", end_message, EVENT_DECIDES, NULL},
        {"message_stop", stop_message, EVENT_DECIDES, NULL},
        {"ping", pass_beat, EVENT_DECIDES, NULL},
        {NULL, pass, EVENT_IN_ORDER, NULL},
    };
    return endings_take_by_type(t, root, rows, err);
}

static bool emit_head(struct translation *t, struct error *err)
{
    struct node *event = tree_literal(
        &t->memory,
        "{\"type\":\"message_start\",\"message\":{\"id\":\"\",\"type\":\"message\",\"role\":"
        "\"assistant\",\"model\":\"\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,"
        "\"usage\":{\"input_tokens\":0,\"output_tokens\":0}}}",
        err);

    return event != NULL && emit(t, event, err);
}

static bool emit_tail(struct translation *t, bool is_filtered, struct error *err)
{
    struct node *event = tree_literal(&t->memory,
                                      "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
                                      "\"max_tokens\",\"stop_sequence\":null},"
                                      "\"usage\":{\"output_tokens\":0}}",
                                      err);

    return event != NULL &&
           (!is_filtered || anthropic_put_refusal(t, node_member(event, "delta"), err)) &&
           emit(t, event, err);
}

bool anthropic_close(struct translation *t, enum closing why, struct error *err)
{
    bool is_blocked = why == CLOSING_BLOCKED;
    bool is_filtered = (is_blocked || t->beside.withheld.is_set) && !t->down.shown.has_notice;

    if ((!t->down.shown.has_head && !emit_head(t, err)) || !close_blocks(t, why, err)) {
        return false;
    }
    /* Once the reason was given, a second one would contradict it: such a block has no end. */
    if (is_blocked && is_filtered && t->down.shown.has_tail) {
        return true;
    }
    if (!t->down.shown.has_tail && ((is_filtered && !emit_notice(t, err)) ||
                         !emit_tail(t, is_filtered && !has_call(t), err))) {
        return false;
    }
    struct node *stop = tree_literal(&t->memory, "{\"type\":\"message_stop\"}", err);
    return stop != NULL && emit(t, stop, err);
}
