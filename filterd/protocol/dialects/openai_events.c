/* openai_events.c - streams of OpenAI's APIs that do not answer as a model in a conversation with its client: transcriptions, images,
 * and what is not known; and the Assistants API, whose events only a line of their own names.
 *
 * Pieces of a transcript and of an assistant's message flow; the copy that follows them is replaced by what was released. Every other
 * string waits for the end of its part, with those at the same place (docs/decisions/070): a run step, else the answer. A block ends a
 * stream with an error, as all clients of these APIs take one. */
#include "protocol/dialects/openai.h"

#define ANY(path, use)                                                                             \
    LEAF_ROW(path, use, KEPT_NOT, NULL)

/* --- ends ------------------------------------------------------------------------------ */

static bool append_event(struct translation *t, const char *name, struct buf *data, struct error *err)
{
    bool is_named = t->dialect->named != NULL;

    return (!is_named || (buf_append_str(t->down.out, "event: ", err) && buf_append_str(t->down.out, name, err) &&
                          buf_append_char(t->down.out, '\n', err))) &&
           buf_append_str(t->down.out, "data: ", err) && buf_append(t->down.out, buf_span(data), err) &&
           buf_append_str(t->down.out, "\n\n", err);
}

static bool close_answer(struct translation *t, enum closing why, struct error *err)
{
    struct buf data CLEANUP(buf_deinit);

    buf_init(&data, t->event_max);
    if (why == CLOSING_BLOCKED) {
        return t->protocol->blocked(stream_notice(t->stream), &data, err) && append_event(t, "error", &data, err);
    }
    if (!texts_end(t, SIZE_MAX, STREAM_TRUNCATED, err)) {
        return false;
    }
    if (why == CLOSING_DONE) {
        return buf_append_str(&data, "[DONE]", err) && append_event(t, "done", &data, err);
    }
    /* Without [DONE] only the connection says whether this was all. */
    return !t->up.is_broken || t->down.shown.has_tail ||
           (t->protocol->failed(502, span_str("the upstream broke off its answer"), &data, err) &&
            append_event(t, "error", &data, err));
}

/* Passed routes have bodies of their own. */
static bool no_body(struct translation *t, struct node *root, struct error *err)
{
    (void)t, (void)root;
    return error_set(err, ERROR_INVALID, "answer: expected events");
}

static bool no_blocked_body(struct translation *t, struct error *err)
{
    return t->protocol->blocked(stream_notice(t->stream), t->down.out, err);
}

/* What says something only once, whole. */
static bool take_whole(struct translation *t, struct node *root, struct error *err)
{
    return leaves_judge(t, root, true, err) && emit(t, root, err);
}

static bool take_pieces(struct translation *t, struct node *root, struct error *err)
{
    return leaves_judge(t, root, false, err) && emit_released(t, root, leaves_say_nothing(t, root), err);
}

/* The upstream's copy of a text that was released becomes what was. A copy of nothing is a value like any other. */
static bool put_released(struct translation *t, struct span path, size_t part, struct node *copy, struct error *err)
{
    struct text *x = node_is_string(copy) ? text_of(t, path, part, err) : NULL;
    struct span released;

    if (!node_is_string(copy)) {
        return true;
    }
    if (x == NULL || !arena_copy(&t->memory, buf_span(&x->released), &released, err)) {
        return false;
    }
    if (x->was_fed) {
        left_out_copy(t, x, copy->text);
        node_set_text(copy, released);
        copy->is_judged = true;
    }
    return true;
}

typedef bool take_fn(struct translation *t, struct node *root, struct error *err);
struct event_take {
    const char *type;
    take_fn *take;
};

static bool take_by_type(struct translation *t, struct node *root, const struct event_take *rows, struct error *err)
{
    const struct node *type = node_member(root, "type");

    while (rows->type != NULL && !node_is(type, rows->type)) {
        rows++;
    }
    return rows->take(t, root, err);
}

/* --- transcriptions, images and others ---------------------------------------------------- */

static const struct leaf_row event_rows[] = {
    LEAF_ROW("/type", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/sequence_number", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/segment_id", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/delta", LEAF_TEXT, KEPT_NOT, "transcript.text.delta"),
    ANY("/id", LEAF_SAFE),
    ANY("/object", LEAF_SAFE),
    ANY("/logprobs", LEAF_DROP),
    ANY("/obfuscation", LEAF_DROP),
    ANY("/usage", LEAF_SAFE),
    ANY("/created_at", LEAF_SAFE),
    ANY("/partial_image_index", LEAF_SAFE),
    ANY("/b64_json", LEAF_MEDIA),
    ANY("/audio", LEAF_MEDIA),
    ANY("/size", LEAF_SAFE),
    ANY("/quality", LEAF_SAFE),
    ANY("/background", LEAF_SAFE),
    ANY("/output_format", LEAF_SAFE),
    ANY("/start", LEAF_SAFE),
    ANY("/end", LEAF_SAFE),
};

static bool transcript_path(const struct node *root, const struct node *leaf, struct buf *path, size_t *part, struct error *err)
{
    (void)root, (void)leaf;
    *part = 0;
    return buf_append_str(path, "/text", err);
}

static bool end_transcript(struct translation *t, struct node *root, struct error *err)
{
    t->down.shown.has_tail = true;
    return texts_end(t, SIZE_MAX, STREAM_COMPLETE, err) && put_released(t, span_str("/text"), 0, node_member(root, "text"), err) &&
           take_whole(t, root, err);
}

static bool end_image(struct translation *t, struct node *root, struct error *err)
{
    t->down.shown.has_tail = true;
    return take_whole(t, root, err);
}

static bool event(struct translation *t, struct node *root, struct error *err)
{
    static const struct event_take rows[] = {
        {"transcript.text.done", end_transcript},
        {"image_generation.completed", end_image},
        {"image_edit.completed", end_image},
        {NULL, take_pieces},
    };
    return take_by_type(t, root, rows, err);
}

const struct dialect openai_events = {.name = "openai-events",
                                      .has_copies = true,
                                      .rows = event_rows,
                                      .n_rows = COUNT(event_rows),
                                      .has_event_names = true,
                                      .text_path = transcript_path,
                                      .event = event,
                                      .body = no_body,
                                      .close = close_answer,
                                      .blocked_body = no_blocked_body};

/* --- the Assistants API -------------------------------------------------------------------- */

#define OBJECT(path, use)                                                                          \
    LEAF_ROW("/data" path, use, KEPT_NOT, NULL)
#define MESSAGE_DELTA "thread.message.delta"
#define CONTENT       "/data/delta/content/*"

static const struct leaf_row assistant_rows[] = {
    LEAF_ROW("/type", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/index", LEAF_SAFE, KEPT, NULL), /* ours: which object it is about */
    LEAF_ROW("/data/id", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/data/object", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW(CONTENT "/index", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW(CONTENT "/type", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW(CONTENT "/text/value", LEAF_TEXT, KEPT_NOT, MESSAGE_DELTA),
    LEAF_ROW(CONTENT "/refusal", LEAF_TEXT, KEPT_NOT, MESSAGE_DELTA),
    ANY(CONTENT "/text/annotations/*/type", LEAF_SAFE),
    ANY(CONTENT "/text/annotations/*/index", LEAF_SAFE),
    ANY(CONTENT "/text/annotations/*/start_index", LEAF_DROP), /* places in a text that a redaction may have changed */
    ANY(CONTENT "/text/annotations/*/end_index", LEAF_DROP),
    OBJECT("/content/*/type", LEAF_SAFE),
    OBJECT("/content/*/text/annotations/*/type", LEAF_SAFE),
    OBJECT("/content/*/text/annotations/*/start_index", LEAF_DROP),
    OBJECT("/content/*/text/annotations/*/end_index", LEAF_DROP),
    OBJECT("/delta/step_details/type", LEAF_SAFE),
    OBJECT("/delta/step_details/tool_calls/*/index", LEAF_SAFE),
    OBJECT("/delta/step_details/tool_calls/*/id", LEAF_SAFE),
    OBJECT("/delta/step_details/tool_calls/*/type", LEAF_SAFE),
    OBJECT("/step_details/type", LEAF_SAFE),
    OBJECT("/step_details/message_creation/message_id", LEAF_SAFE),
    OBJECT("/step_details/tool_calls/*/id", LEAF_SAFE),
    OBJECT("/step_details/tool_calls/*/type", LEAF_SAFE),
    OBJECT("/required_action/type", LEAF_SAFE),
    OBJECT("/required_action/submit_tool_outputs/tool_calls/*/id", LEAF_SAFE),
    OBJECT("/required_action/submit_tool_outputs/tool_calls/*/type", LEAF_SAFE),
    OBJECT("/assistant_id", LEAF_SAFE),
    OBJECT("/thread_id", LEAF_SAFE),
    OBJECT("/run_id", LEAF_SAFE),
    OBJECT("/model", LEAF_SAFE),
    OBJECT("/role", LEAF_SAFE),
    OBJECT("/type", LEAF_SAFE),
    OBJECT("/status", LEAF_SAFE),
    OBJECT("/usage", LEAF_SAFE),
    OBJECT("/created_at", LEAF_SAFE),
    OBJECT("/started_at", LEAF_SAFE),
    OBJECT("/completed_at", LEAF_SAFE),
    OBJECT("/incomplete_at", LEAF_SAFE),
    OBJECT("/expires_at", LEAF_SAFE),
    OBJECT("/expired_at", LEAF_SAFE),
    OBJECT("/failed_at", LEAF_SAFE),
    OBJECT("/cancelled_at", LEAF_SAFE),
};

/* Messages, steps and runs are parts in the order in which they are met; each has its id in `held`. */
static struct part *part_of(struct translation *t, struct span id, struct error *err)
{
    for (size_t i = 0; i < t->n_parts; i++) {
        if (span_equal(buf_span(&t->parts[i]->held), id)) {
            return t->parts[i];
        }
    }
    struct part *p = part_open(t, t->n_parts, err);
    return p != NULL && buf_append(&p->held, id, err) ? p : NULL;
}

static struct node *named(struct translation *t, struct span name, struct node *data, struct error *err)
{
    const struct node *id = node_member(data, "id");
    struct node *root = tree_literal(&t->memory, "{\"type\":\"\",\"index\":0}", err);
    struct part *p = root == NULL ? NULL : part_of(t, node_is_string(id) ? id->text : span_of("", 0), err);
    struct span type;

    if (p == NULL || !arena_copy(&t->memory, name, &type, err) ||
        !node_set_index(&t->memory, node_member(root, "index"), p->key, err)) {
        return NULL;
    }
    node_set_text(node_member(root, "type"), type);
    data->name = span_str("data");
    node_append(root, data);
    return root;
}

static size_t part_index(const struct node *root)
{
    size_t index = 0;

    return node_index(node_member(root, "index"), &index) ? index : 0;
}

static bool content_path(struct buf *path, size_t object, size_t content, const char *kind, struct error *err)
{
    return buf_appendf(path, err, "/messages/%zu/content/%zu/%s", object, content, kind);
}

static bool assistant_path(const struct node *root, const struct node *leaf, struct buf *path, size_t *part, struct error *err)
{
    bool is_refusal = span_is(leaf->name, "refusal");
    const struct node *content = is_refusal ? leaf->parent : leaf->parent->parent;

    *part = part_index(root);
    return content_path(path, *part, text_index(content), is_refusal ? "refusal" : "text", err);
}

static bool put_copy(struct translation *t, size_t object, size_t content, const char *kind, struct node *copy, struct error *err)
{
    struct buf path CLEANUP(buf_deinit);

    buf_init(&path, 128);
    return content_path(&path, object, content, kind, err) && put_released(t, buf_span(&path), object, copy, err);
}

static bool end_message(struct translation *t, struct node *root, enum stream_ending how, struct error *err)
{
    const struct node *list = node_at(root, "data/content");
    size_t object = part_index(root);

    if (!texts_end(t, object, how, err)) {
        return false;
    }
    for (struct node *at = list == NULL ? NULL : list->first; at != NULL; at = at->next) {
        if (!put_copy(t, object, text_index(at), "text", node_at(at, "text/value"), err) ||
            !put_copy(t, object, text_index(at), "refusal", node_member(at, "refusal"), err)) {
            return false;
        }
    }
    return take_whole(t, root, err);
}

static bool complete_message(struct translation *t, struct node *root, struct error *err)
{
    return end_message(t, root, STREAM_COMPLETE, err);
}

static bool cut_message(struct translation *t, struct node *root, struct error *err)
{
    return end_message(t, root, STREAM_TRUNCATED, err);
}

static bool end_step(struct translation *t, struct node *root, struct error *err)
{
    return texts_end(t, part_index(root), STREAM_COMPLETE, err) && take_whole(t, root, err);
}

static bool end_run(struct translation *t, struct node *root, struct error *err)
{
    t->down.shown.has_tail = true;
    return texts_end(t, SIZE_MAX, STREAM_TRUNCATED, err) && take_whole(t, root, err);
}

static bool assistant_event(struct translation *t, struct node *root, struct error *err)
{
    static const struct event_take rows[] = {
        {MESSAGE_DELTA, take_pieces},
        {"thread.run.step.delta", take_pieces},
        {"thread.message.completed", complete_message},
        {"thread.message.incomplete", cut_message},
        {"thread.run.step.completed", end_step},
        {"thread.run.step.failed", end_step},
        {"thread.run.step.cancelled", end_step},
        {"thread.run.step.expired", end_step},
        {"thread.run.completed", end_run},
        {"thread.run.incomplete", end_run},
        {"thread.run.failed", end_run},
        {"thread.run.cancelled", end_run},
        {"thread.run.expired", end_run},
        {"thread.run.requires_action", end_run},
        {"thread.created", take_whole},
        {"thread.message.created", take_whole},
        {"thread.message.in_progress", take_whole},
        {"thread.run.created", take_whole},
        {"thread.run.queued", take_whole},
        {"thread.run.in_progress", take_whole},
        {"thread.run.cancelling", take_whole},
        {"thread.run.step.created", take_whole},
        {"thread.run.step.in_progress", take_whole},
        {NULL, take_pieces},
    };
    return take_by_type(t, root, rows, err);
}

static const char *const assistant_keys[] = {"index", NULL};

const struct dialect openai_assistants = {.name = "openai-assistants",
                                          .has_copies = true,
                                          .rows = assistant_rows,
                                          .n_rows = COUNT(assistant_rows),
                                          .has_event_names = true,
                                          .named = named,
                                          .text_path = assistant_path,
                                          .value_keys = assistant_keys,
                                          .joined = {NULL, 0, "/messages/*/content/*/text"},
                                          .event = assistant_event,
                                          .body = no_body,
                                          .close = close_answer,
                                          .blocked_body = no_blocked_body};
