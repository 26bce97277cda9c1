#include "protocol/dialects/openai_responses.h"

const struct item_text item_texts[] = {
    {"response.output_text", "content", "content_index", "text"},
    {"response.refusal", "content", "content_index", "refusal"},
    {"response.reasoning_text", "content", "content_index", "text"},
    {"response.reasoning_summary_text", "summary", "summary_index", "text"},
    {"response.output_audio_transcript", "content", "content_index", "transcript"},
    {"response.text", "content", "content_index", "text"}, /* the Realtime API's, before its general availability */
    {"response.audio_transcript", "content", "content_index", "transcript"},
    {"response.code_interpreter_call_code", NULL, NULL, "code"},
};
const size_t n_item_texts = COUNT(item_texts);

bool item_is_call(const struct node *item)
{
    const struct node *type = node_member(item, "type");

    return node_is(type, "function_call") || node_is(type, "custom_tool_call") ||
           node_is(type, "mcp_call");
}

bool item_flows(const struct node *item)
{
    static const char *const kinds[] = {
        "message",          "reasoning",             "web_search_call",
        "file_search_call", "code_interpreter_call", "image_generation_call",
    };
    const struct node *type = node_member(item, "type");

    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (node_is(type, kinds[i])) {
            return true;
        }
    }
    return false;
}

bool item_text_path(const struct item_text *kind, size_t item, size_t index, struct buf *path,
                    struct error *err)
{
    return kind->group == NULL ? buf_appendf(path, err, "/output/%zu/%s", item, kind->member)
                               : buf_appendf(path, err, "/output/%zu/%s/%zu/%s", item, kind->group,
                                             index, kind->member);
}

bool item_put_text(struct translation *t, const struct item_text *kind, size_t item, size_t index,
                   struct node *copy, struct error *err)
{
    struct buf path CLEANUP(buf_deinit);
    struct span first;

    buf_init(&path, 256);
    if (!node_is_string(copy)) {
        return true;
    }
    if (!item_text_path(kind, item, index, &path, err)) {
        return false;
    }
    struct text *x = text_of(t, buf_span(&path), item, err);
    if (x == NULL) {
        return false;
    }
    /* Some upstreams send no deltas: then the first copy is the text. */
    if (!x->was_fed && !text_feed(t, x, copy->text, &first, err)) {
        return false;
    }
    if (!copy->is_judged) { /* else it was made of what was released: several kinds of text have one place */
        left_out_copy(t, x, copy->text);
        if (copy->text.len > 0) { /* else its text was taken before it waited */
            left_out_pieces(t, &x->begun, copy->text);
        }
    }
    if (t->up.taking == TAKING_COPIES) {
        node_set_text(copy, span_of("", 0));
        return true;
    }
    if (!text_finish(t, x, t->up.ending, err)) {
        return false;
    }
    node_set_text(copy, buf_span(&x->released));
    copy->is_judged = true;
    return logprobs_keep(t, copy->parent, buf_span(&x->released), err);
}

bool item_begin_text(struct translation *t, const struct item_text *kind, size_t item, size_t index, struct node *copy, struct error *err)
{
    struct buf path CLEANUP(buf_deinit);

    buf_init(&path, 256);
    if (!node_is_string(copy) || copy->text.len == 0) {
        return true;
    }
    struct text *x = item_text_path(kind, item, index, &path, err) ? text_of(t, buf_span(&path), item, err) : NULL;
    if (x == NULL) {
        return false;
    }
    text_sum_add(&x->begun, copy->text);
    node_set_text(copy, span_of("", 0));
    return true;
}

typedef bool copy_fn(struct translation *t, const struct item_text *kind, size_t item, size_t index, struct node *copy, struct error *err);

static bool each_text(struct translation *t, const struct item_text *kind, size_t shown, struct node *item, copy_fn *does, struct error *err)
{
    const struct node *group = kind->group == NULL ? NULL : node_member(item, kind->group);
    size_t index = 0;

    if (kind->group == NULL) {
        return does(t, kind, shown, 0, node_member(item, kind->member), err);
    }
    for (struct node *at = group == NULL ? NULL : group->first; at != NULL; at = at->next) {
        if (!does(t, kind, shown, index++, node_member(at, kind->member), err)) {
            return false;
        }
    }
    return true;
}

bool item_begin_texts(struct translation *t, size_t shown, struct node *item, struct error *err)
{
    struct node *content = node_member(item, "content");

    for (size_t i = 0; i < n_item_texts; i++) {
        const struct item_text *kind = &item_texts[i];
        bool is_shown_later = kind->group == NULL || strcmp(kind->group, "content") == 0;
        if (is_shown_later && !each_text(t, kind, shown, item, item_begin_text, err)) {
            return false;
        }
    }
    if (content != NULL && content->kind == JSON_KIND_ARRAY) {
        left_out_texts(t, (struct text_sum){0}, content);
        content->first = content->last = NULL;
    }
    return true;
}

static const char *const held_members[] = {"type", "delta", "name", "arguments", "input", "code", NULL};

static const struct node *text_of_call(const struct node *item)
{
    const struct node *text = node_member(item, "arguments");

    text = text != NULL ? text : node_member(item, "input");
    return node_is_string(text) ? text : NULL;
}

static void drop_pieces(struct translation *t, struct text_sum *pieces, const struct node *item)
{
    const struct node *text = text_of_call(item);

    if (text != NULL) {
        left_out_pieces(t, pieces, text->text);
    }
}

/* A copy of what the item's start and its pieces said. */
static void drop_copy(struct translation *t, struct part *p, const struct node *root)
{
    const struct node *name = node_member(root, "name"), *text = text_of_call(root);

    drop_pieces(t, &p->pieces, root);
    if (text != NULL && p->said.n == 0) {
        text_sum_add(&p->said, text->text);
    }
    if (node_is_string(name)) {
        struct text_sum said = {0};
        text_sum_add(&said, name->text);
        left_out_text(t, said.hash == p->name.hash ? span_of("", 0) : name->text);
    }
}

void item_drop(struct translation *t, struct part *p, const struct node *root)
{
    const struct node *delta = node_member(root, "delta");

    left_out_event(t, root, held_members);
    if (node_is_string(delta)) {
        text_sum_add(&p->pieces, delta->text);
    } else {
        drop_copy(t, p, root);
    }
}

bool item_hold(struct part *p, const struct node *root, struct error *err)
{
    const struct node *name = node_at(root, "item/name");

    p->kind = ITEM_HELD;
    text_sum_add(&p->name, node_is_string(name) ? name->text : span_of("", 0));
    return tree_write(root, &p->held, err);
}

bool item_drop_start(struct translation *t, struct part *p, const struct node *root, struct error *err)
{
    const struct node *item = node_member(root, "item");
    const struct node *start = p->held.len == 0 ? NULL : tree_read(&t->memory, buf_span(&p->held), err);

    if (start == NULL && p->held.len > 0) {
        return false;
    }
    if (start != NULL) {
        left_out_start(t, start, root);
    }
    drop_pieces(t, &p->pieces, item);
    drop_pieces(t, &p->said, item);
    p->said = texts_sum(t, item);
    return true;
}

/* Places in a text that was changed lead nowhere. */
static void drop_annotations(struct translation *t, struct node *item)
{
    const struct node *content = node_member(item, "content");

    if (!text_was_changed(t)) {
        return;
    }
    for (struct node *at = content == NULL ? NULL : content->first; at != NULL; at = at->next) {
        struct node *annotations = node_member(at, "annotations");
        if (annotations != NULL) {
            annotations->first = annotations->last = NULL;
        }
    }
}

void output_drop_annotations(struct translation *t, struct node *response)
{
    const struct node *output = node_member(response, "output");

    for (struct node *at = output == NULL ? NULL : output->first; at != NULL; at = at->next) {
        drop_annotations(t, at);
    }
}

bool item_put_texts(struct translation *t, size_t shown, struct node *item, struct error *err)
{
    for (size_t i = 0; i < n_item_texts; i++) {
        if (!each_text(t, &item_texts[i], shown, item, item_put_text, err)) {
            return false;
        }
    }
    return true;
}

bool item_says_cut(const struct node *item)
{
    return node_is(node_member(item, "status"), "incomplete");
}

static bool is_cut_call(const struct translation *t, const struct node *item)
{
    bool is_call = item_is_call(item) && !node_is(node_member(item, "type"), "custom_tool_call");
    bool is_whole = is_call && call_is_whole(node_member(item, "arguments"));

    return item_says_cut(item) || (t->up.ending == STREAM_TRUNCATED && !is_whole);
}

bool item_rebuild(struct translation *t, size_t shown, struct node *item, bool *is_withheld,
                  struct error *err)
{
    bool is_text = node_is(node_member(item, "type"), "custom_tool_call");

    *is_withheld = !item_flows(item) && is_cut_call(t, item);
    if (*is_withheld) {
        return true;
    }
    if (!item_put_texts(t, shown, item, err)) {
        return false;
    }
    drop_annotations(t, item);
    /* Free text for a tool is judged as any unknown member is. */
    return !item_is_call(item) || is_text ||
           call_judge_value(t, node_member(item, "name"), node_member(item, "arguments"),
                            is_withheld, err);
}

/* An item that was shown is what was shown of it; any other is judged now. */
static bool rebuild_entry(struct translation *t, struct part *p, struct node *item,
                          struct error *err)
{
    bool is_withheld;

    if (p->is_withheld) {
        node_remove(item);
        return true;
    }
    if (p->is_finished && p->held.len > 0) {
        left_out_texts(t, p->said, item);
        item->kind = JSON_KIND_OBJECT;
        item->text = buf_span(&p->held);
        item->is_verbatim = item->is_judged = true;
        item->first = item->last = NULL;
        return true;
    }
    if (!p->is_open) {
        p->is_open = true;
        p->shown = t->down.shown.n_parts++;
    }
    if (!item_rebuild(t, p->shown, item, &is_withheld, err)) {
        return false;
    }
    p->has_call = item_is_call(item) && !is_withheld;
    p->is_withheld = is_withheld;
    if (is_withheld) {
        node_remove(item);
    }
    return true;
}

bool output_rebuild(struct translation *t, struct node *response, enum stream_ending how,
                    struct error *err)
{
    struct node *output = node_member(response, "output");
    struct node *at = output == NULL ? NULL : output->first;

    for (size_t index = 0; at != NULL; index++) {
        struct node *next = at->next;
        struct part *p = part_open(t, index, err);
        /* Any item can say so of itself; else it is only the last one. */
        bool is_cut = item_says_cut(at) || (next == NULL && how == STREAM_TRUNCATED);
        t->up.ending = is_cut ? STREAM_TRUNCATED : STREAM_COMPLETE;
        if (p == NULL || !rebuild_entry(t, p, at, err)) {
            return false;
        }
        at = next;
    }
    return true;
}

void response_strip(struct node *response)
{
    static const char *const repeated[] = {"instructions", "prompt"};
    struct node *tools = node_member(response, "tools");

    for (size_t i = 0; i < COUNT(repeated); i++) {
        struct node *n = node_member(response, repeated[i]);
        if (n != NULL) {
            node_set_null(n);
        }
    }
    if (tools != NULL) {
        tools->first = tools->last = NULL;
        tools->kind = JSON_KIND_ARRAY;
    }
    node_remove(node_member(response, "output_text"));
}

struct node *notice_part(struct translation *t, struct span text, struct error *err)
{
    struct node *part = tree_literal(
        &t->memory,
        block_refuses(t) ? "{\"type\":\"refusal\",\"refusal\":\"\"}"
                   : "{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[]}",
        err);

    if (part != NULL) {
        node_set_text(node_member(part, block_refuses(t) ? "refusal" : "text"), text);
    }
    return part;
}

struct node *notice_item(struct translation *t, struct span text, struct error *err)
{
    struct node *item = tree_literal(
        &t->memory,
        "{\"id\":\"msg_notice\",\"type\":\"message\",\"status\":\"completed\",\"role\":"
        "\"assistant\",\"content\":[]}",
        err);
    struct node *part = item == NULL ? NULL : notice_part(t, text, err);

    if (part == NULL) {
        return NULL;
    }
    node_append(node_member(item, "content"), part);
    return item;
}

bool response_put_reason(struct translation *t, struct node *response, bool is_filtered,
                         struct error *err)
{
    struct arena *a = &t->memory;
    bool is_complete = is_filtered && (block_ends_turn(t) || block_refuses(t));

    if (!node_put(a, response, "status", span_str(is_complete ? "completed" : "incomplete"), err)) {
        return false;
    }
    if (is_complete) {
        return true;
    }
    bool is_realtime = t->dialect == &openai_realtime;
    const char *member = is_realtime ? "status_details" : "incomplete_details";
    struct node *details = tree_literal(a, is_realtime ? "{\"type\":\"incomplete\",\"reason\":\"\"}" : "{\"reason\":\"\"}", err);
    if (details == NULL) {
        return false;
    }
    node_remove(node_member(response, member));
    details->name = span_str(member);
    node_append(response, details);
    return node_put(a, details, "reason",
                    span_str(is_filtered ? "content_filter" : "max_output_tokens"), err);
}
