#include "protocol/dialects/openai_responses.h"

/* Events that filterd writes itself, and how a response ends that may not go on. */

static bool is_realtime(const struct translation *t)
{
    return t->dialect == &openai_realtime;
}

/* The type of a response's last event. */
static struct span end_type(const struct translation *t, bool is_complete)
{
    return span_str(is_realtime(t) ? "response.done" : is_complete ? "response.completed" : "response.incomplete");
}

/* An event about an item: its type, the item's id and index. */
static struct node *response_about(struct translation *t, const char *type, const struct node *item,
                            size_t shown, struct error *err)
{
    struct arena *a = &t->memory;
    struct node *event =
        tree_literal(a, "{\"type\":\"\",\"item_id\":\"\",\"output_index\":0}", err);
    const struct node *id = node_member(item, "id");

    if (event == NULL || !node_put(a, event, "type", span_str(type), err) ||
        !node_put(a, event, "item_id", node_is_string(id) ? id->text : span_of("", 0), err) ||
        !node_set_index(a, node_member(event, "output_index"), shown, err)) {
        return NULL;
    }
    return event;
}

/* The copy keeps its own memory: items are written more than once. */
static struct node *copy_of(struct translation *t, const struct node *n, struct error *err)
{
    struct span json;
    struct buf buf CLEANUP(buf_deinit);

    buf_init(&buf, 8 * t->event_max);
    return tree_write(n, &buf, err) && arena_copy(&t->memory, buf_span(&buf), &json, err)
               ? tree_read(&t->memory, json, err)
               : NULL;
}

/* An event about an item: its type, the item's id and index. */
static bool response_emit_item(struct translation *t, const char *type, const struct node *item,
                        size_t shown, struct error *err)
{
    struct node *event = tree_literal(&t->memory, "{\"type\":\"\",\"output_index\":0}", err);
    struct node *copy = event == NULL ? NULL : copy_of(t, item, err);

    if (copy == NULL || !node_put(&t->memory, event, "type", span_str(type), err) ||
        !node_set_index(&t->memory, node_member(event, "output_index"), shown, err)) {
        return false;
    }
    copy->name = span_str("item");
    node_append(event, copy);
    return emit(t, event, err);
}

static bool emit_call_texts(struct translation *t, const struct node *item, size_t shown,
                            struct error *err)
{
    static const struct {
        const char *item, *delta, *done, *member;
    } kinds[] = {
        {"function_call", "response.function_call_arguments.delta",
         "response.function_call_arguments.done", "arguments"},
        {"mcp_call", "response.mcp_call_arguments.delta", "response.mcp_call_arguments.done",
         "arguments"},
        {"custom_tool_call", "response.custom_tool_call_input.delta",
         "response.custom_tool_call_input.done", "input"},
    };

    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct node *text = node_member(item, kinds[i].member);
        if (!node_is(node_member(item, "type"), kinds[i].item) || !node_is_string(text)) {
            continue;
        }
        struct node *delta = response_about(t, kinds[i].delta, item, shown, err);
        struct node *done =
            delta == NULL ? NULL : response_about(t, kinds[i].done, item, shown, err);
        const struct node *name = node_member(item, "name"), *call = is_realtime(t) ? node_member(item, "call_id") : NULL;
        return done != NULL && (!node_is_string(call) || node_put(&t->memory, done, "call_id", call->text, err)) && node_put(&t->memory, delta, "delta", text->text, err) &&
               (!node_is(node_member(item, "type"), "function_call") || !node_is_string(name) ||
                node_put(&t->memory, done, "name", name->text, err)) &&
               node_put(&t->memory, done, kinds[i].member, text->text, err) &&
               emit(t, delta, err) && emit(t, done, err);
    }
    return true;
}

/* A call whose every part was judged, as if it came now. */
bool response_emit_call(struct translation *t, const struct node *item, size_t shown,
                        struct error *err)
{
    struct node *begun = copy_of(t, item, err);

    if (begun == NULL || !node_put(&t->memory, begun, "status", span_str("in_progress"), err)) {
        return false;
    }
    struct node *text = node_member(begun, "arguments");
    text = text != NULL ? text : node_member(begun, "input");
    if (node_is_string(text)) {
        node_set_text(text, span_of("", 0));
    }
    return response_emit_item(t, "response.output_item.added", begun, shown, err) &&
           emit_call_texts(t, item, shown, err);
}

/* It is written as it is kept, at the end of the answer. */
bool response_keep_item(struct translation *t, struct part *p, struct node *item, struct error *err)
{
    struct node *root = item;

    while (root->parent != NULL) {
        root = root->parent;
    }
    buf_clear(&p->held);
    return successive_judge(t, root, err) && message_restore(t, item, err) && tree_write(item, &p->held, err);
}

/* --- notices ------------------------------------------------------------------------ */

enum { NOTICE_PART = TREE_INDEX_MAX + 1 };

static bool emit_part(struct translation *t, const char *type, const struct node *item,
                      size_t shown, struct span text, struct error *err)
{
    struct arena *a = &t->memory;
    struct node *event = response_about(t, type, item, shown, err);
    struct node *index = event == NULL ? NULL : node_add(a, event, span_str("content_index"), err);
    struct node *part = notice_part(t, text, err);

    if (index == NULL || part == NULL || !node_set_index(a, index, 0, err)) {
        return false;
    }
    part->name = span_str("part");
    node_append(event, part);
    return emit(t, event, err);
}

static bool emit_text(struct translation *t, const char *type, const struct node *item,
                      size_t shown, const char *member, struct span text, struct error *err)
{
    struct arena *a = &t->memory;
    struct node *event = response_about(t, type, item, shown, err);
    struct node *index = event == NULL ? NULL : node_add(a, event, span_str("content_index"), err);

    return index != NULL && node_set_index(a, index, 0, err) &&
           node_put(a, event, member, text, err) && emit(t, event, err);
}

/* Summaries of reasoning do not count, nor items that leave_out_unshown left out. */
static bool is_said(const struct translation *t, const struct text *x)
{
    return x->released.len > 0 && x->part < t->down.shown.n_parts && text_is_at(x, "/text") &&
           memmem(x->path.ptr, x->path.len, "/content/", strlen("/content/")) != NULL;
}

static bool was_said(const struct translation *t)
{
    for (size_t i = 0; i < t->n_texts; i++) {
        if (is_said(t, t->texts[i])) {
            return true;
        }
    }
    return false;
}

/* Whether it is anywhere: a message that is joined to a value would become part of it. */
static bool has_notice(const struct translation *t, bool is_behind)
{
    return block_refuses(t) || notice_is_text(t, is_behind);
}

/* A message of its own; *p holds it for the response that ends. */
static bool emit_notice(struct translation *t, struct error *err)
{
    bool is_behind = was_said(t);
    struct span text;

    if (!has_notice(t, is_behind)) {
        return true;
    }
    if (!notice_make(t, is_behind && !block_refuses(t), &text, err)) {
        return false;
    }
    struct node *item = notice_item(t, text, err);
    struct node *begun = item == NULL ? NULL : copy_of(t, item, err);
    struct part *p = begun == NULL ? NULL : part_open(t, NOTICE_PART, err);

    if (p == NULL || !node_put(&t->memory, begun, "status", span_str("in_progress"), err)) {
        return false;
    }
    struct node *content = node_member(begun, "content");
    content->first = content->last = NULL;
    p->is_open = p->is_finished = true;
    p->shown = t->down.shown.n_parts++;
    struct span none = span_of("", 0);
    size_t at = p->shown;
    const char *delta = block_refuses(t) ? "response.refusal.delta" : "response.output_text.delta";
    const char *done = block_refuses(t) ? "response.refusal.done" : "response.output_text.done";
    return response_keep_item(t, p, item, err) &&
           response_emit_item(t, "response.output_item.added", begun, at, err) &&
           emit_part(t, "response.content_part.added", item, at, none, err) &&
           emit_text(t, delta, item, at, "delta", text, err) &&
           emit_text(t, done, item, at, block_refuses(t) ? "refusal" : "text", text, err) &&
           emit_part(t, "response.content_part.done", item, at, text, err) &&
           response_emit_item(t, "response.output_item.done", item, at, err);
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

bool response_end_withheld(struct translation *t, struct node *root, struct node *response,
                           struct error *err)
{
    struct node *output = node_member(response, "output");
    bool is_behind = was_said(t);
    struct span text;

    if (!notice_make(t, is_behind && !block_refuses(t), &text, err)) {
        return false;
    }
    struct node *item = notice_item(t, text, err);
    if (item == NULL || (root != NULL && !emit_notice(t, err))) {
        return false;
    }
    if (output != NULL && has_notice(t, is_behind)) {
        node_append(output, item);
    }
    if (has_call(t)) {
        return true;
    }
    return response_put_reason(t, response, true, err) &&
           (root == NULL || node_put(&t->memory, root, "type", end_type(t, block_ends_turn(t) || block_refuses(t)), err));
}

/* --- items that are still open -------------------------------------------------------- */

/* What a channel's deltas said, once more as done, and as a part of its item. */
static bool close_text(struct translation *t, struct text *x, struct node *item, struct error *err)
{
    struct arena *a = &t->memory;
    struct node *event = tree_read(a, buf_span(&x->skeleton), err);
    const struct item_text *kind = event == NULL ? NULL : item_kind_of(event, ".delta");
    struct buf type CLEANUP(buf_deinit);

    buf_init(&type, 128);
    if (kind == NULL || !buf_appendf(&type, err, "%s.done", kind->stem)) {
        return event != NULL && error_set(err, ERROR_INTERNAL, "answer: no kind of a text");
    }
    struct span text = buf_span(&x->released);
    node_remove(node_member(event, "delta"));
    if (!node_put(a, event, "type", buf_span(&type), err) ||
        !node_put(a, event, kind->member, text, err) || !emit(t, event, err)) {
        return false;
    }
    if (kind->group == NULL) {
        return node_put(a, item, kind->member, text, err);
    }
    bool is_summary = strcmp(kind->group, "summary") == 0;
    struct node *part =
        tree_literal(a, is_summary ? "{\"type\":\"summary_text\"}" : "{\"type\":\"\"}", err);
    if (part == NULL ||
        (!is_summary &&
         !node_put(a, part, "type", span_str(kind->stem + strlen("response.")), err)) ||
        !node_put(a, part, kind->member, text, err)) {
        return false;
    }
    if (strcmp(kind->stem, "response.output_text") == 0) {
        /* Clients walk through it. */
        struct node *annotations = node_add(a, part, span_str("annotations"), err);
        if (annotations == NULL) {
            return false;
        }
        annotations->kind = JSON_KIND_ARRAY;
    }
    struct node *group = node_member(item, kind->group);
    struct node *copy = group == NULL ? NULL : copy_of(t, part, err);
    if (copy != NULL) {
        group->kind = JSON_KIND_ARRAY;
        node_append(group, copy);
    }
    node_remove(node_member(event, kind->member));
    part->name = span_str("part");
    node_append(event, part);
    return node_put(a, event, "type",
                    span_str(is_summary ? "response.reasoning_summary_part.done"
                                        : "response.content_part.done"),
                    err) &&
           emit(t, event, err);
}

/* Helpers of clients read the copy of a value as soon as it is there, and fail at a half one. */
static bool is_half_value(const struct translation *t, const struct text *x, bool is_blocked)
{
    return is_blocked && t->asked.is_structured && text_is_at(x, "/text");
}

static bool close_item(struct translation *t, struct part *p, bool is_blocked, struct error *err)
{
    struct span held; /* what is read here is written there again, changed */
    struct node *item = arena_copy(&t->memory, buf_span(&p->held), &held, err)
                            ? tree_read(&t->memory, held, err)
                            : NULL;

    p->is_finished = true;
    if (item == NULL) {
        return false;
    }
    for (size_t i = 0; i < t->n_texts; i++) {
        struct text *x = t->texts[i];
        bool is_its = x->row != NULL && x->part == p->shown && !is_half_value(t, x, is_blocked);
        if (is_its && !close_text(t, x, item, err)) {
            return false;
        }
    }
    return node_put(&t->memory, item, "status", span_str("incomplete"), err) &&
           response_keep_item(t, p, item, err) &&
           response_emit_item(t, "response.output_item.done", item, p->shown, err);
}

/* --- a response of ours ------------------------------------------------------------------ */

static bool add_output(struct translation *t, struct node *response, struct error *err)
{
    struct arena *a = &t->memory;
    struct node *output = node_add(a, response, span_str("output"), err);

    if (output == NULL) {
        return false;
    }
    output->kind = JSON_KIND_ARRAY;
    for (size_t shown = 0; shown < t->down.shown.n_parts; shown++) {
        for (size_t i = 0; i < t->n_parts; i++) {
            const struct part *p = t->parts[i];
            if (!p->is_open || p->shown != shown || p->held.len == 0) {
                continue;
            }
            struct node *item = node_add(a, output, span_of("", 0), err);
            if (item == NULL) {
                return false;
            }
            item->is_verbatim = true;
            item->text = buf_span(&p->held);
        }
    }
    return true;
}

static struct node *new_event(struct translation *t, struct span type, struct node **response,
                              struct error *err)
{
    struct node *root = envelope(t, err);

    *response = node_member(root, "response");
    if (root != NULL && *response == NULL) {
        *response = node_add(&t->memory, root, span_str("response"), err);
        if (*response != NULL) {
            (*response)->kind = JSON_KIND_OBJECT;
        }
    }
    return *response != NULL && node_put(&t->memory, root, "type", type, err) ? root
                                                                                        : NULL;
}

static bool emit_head(struct translation *t, struct error *err)
{
    struct node *response, *root = new_event(t, span_str("response.created"), &response, err);

    return root != NULL && node_put(&t->memory, response, "status", span_str("in_progress"), err) &&
           add_output(t, response, err) && emit(t, root, err);
}

/* Items that only the last event has: a block in it leaves nothing to end, and their numbers are free again. */
static void leave_out_unshown(struct translation *t)
{
    for (size_t i = 0; i < t->n_parts; i++) {
        struct part *p = t->parts[i];
        if (p->is_open && p->held.len == 0) {
            p->is_open = false;
            t->down.shown.n_parts--;
        }
    }
}

bool response_close(struct translation *t, enum closing why, struct error *err)
{
    bool is_blocked = why == CLOSING_BLOCKED;
    bool is_filtered = is_blocked || t->beside.withheld.is_set;
    bool is_complete = is_filtered && (block_ends_turn(t) || block_refuses(t));
    struct node *response;

    if ((!t->down.shown.has_head && !emit_head(t, err)) ||
        (!is_blocked && !texts_end(t, SIZE_MAX, STREAM_TRUNCATED, err))) {
        return false;
    }
    leave_out_unshown(t);
    for (size_t i = 0; i < t->n_parts; i++) {
        struct part *p = t->parts[i];
        if (p->is_open && !p->is_finished && !close_item(t, p, is_blocked, err)) {
            return false;
        }
    }
    if (is_filtered && !emit_notice(t, err)) {
        return false;
    }
    struct node *root =
        new_event(t, end_type(t, is_complete), &response, err);
    return root != NULL && response_put_reason(t, response, is_filtered, err) &&
           add_output(t, response, err) && emit(t, root, err);
}

static const struct count_row count_rows[] = {
    {NULL, "input_tokens", false},
    {NULL, "output_tokens", false},
    {NULL, "total_tokens", false},
    {"input_tokens_details", "cached_tokens", false},
    {"output_tokens_details", "reasoning_tokens", false},
};
const struct counts response_counts = {.in = "usage", .rows = count_rows, .n_rows = COUNT(count_rows), .n_required = 3};

bool response_blocked_body(struct translation *t, struct error *err)
{
    struct node *root = ending_envelope(t, err);
    struct node *output = root == NULL ? NULL : node_add(&t->memory, root, span_str("output"), err);
    struct span text;
    struct node *item = notice_make(t, false, &text, err) ? notice_item(t, text, err) : NULL;

    if (output == NULL || item == NULL || !response_put_reason(t, root, true, err)) {
        return false;
    }
    output->kind = JSON_KIND_ARRAY;
    node_append(output, item);
    return emit(t, root, err);
}
