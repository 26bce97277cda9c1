#include "protocol/dialects/anthropic.h"

#define BLOCK "/content_block"
#define ANY(path, use)                                                                             \
    LEAF_ROW(path, use, KEPT_NOT, NULL)

static const struct leaf_row rows[] = {
    LEAF_ROW("/type", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/index", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/id", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/role", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/model", LEAF_SAFE, KEPT, NULL),
    ANY("/usage", LEAF_SAFE),
    ANY("/stop_reason", LEAF_SAFE),
    ANY("/stop_sequence", LEAF_JUDGED),
    ANY("/stop_details", LEAF_JUDGED),
    ANY("/stop_details/type", LEAF_SAFE),
    ANY("/stop_details/category", LEAF_SAFE),
    ANY("/stop_details/explanation", LEAF_JUDGED),
    ANY("/container/id", LEAF_SAFE),
    ANY("/container/expires_at", LEAF_SAFE),
    ANY("/context_management/applied_edits/*/type", LEAF_SAFE),
    ANY("/request_id", LEAF_SAFE),
    ANY("/error/type", LEAF_SAFE),
    ANY("/error/message", LEAF_JUDGED),
    ANY("/message/id", LEAF_SAFE),
    ANY("/message/type", LEAF_SAFE),
    ANY("/message/role", LEAF_SAFE),
    ANY("/message/model", LEAF_SAFE),
    ANY("/message/content", LEAF_JUDGED),
    ANY("/message/stop_reason", LEAF_SAFE),
    ANY("/message/usage", LEAF_SAFE),
    ANY("/message/container/id", LEAF_SAFE),
    ANY("/message/container/expires_at", LEAF_SAFE),
    ANY(BLOCK "/type", LEAF_SAFE),
    ANY(BLOCK "/text", LEAF_JUDGED),
    ANY(BLOCK "/id", LEAF_SAFE),
    ANY(BLOCK "/tool_use_id", LEAF_SAFE),
    ANY(BLOCK "/citations", LEAF_JUDGED),
    ANY(BLOCK "/data", LEAF_OPAQUE),
    ANY(BLOCK "/content/*/type", LEAF_SAFE),
    ANY(BLOCK "/content/*/encrypted_content", LEAF_OPAQUE),
    LEAF_ROW("/delta/type", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/delta/text", LEAF_TEXT, KEPT_NOT, "content_block_delta"),
    ANY("/delta/stop_reason", LEAF_SAFE),
    ANY("/delta/stop_sequence", LEAF_JUDGED),
    ANY("/delta/stop_details/type", LEAF_SAFE),
    ANY("/delta/stop_details/category", LEAF_SAFE),
    ANY("/delta/citation/type", LEAF_SAFE),
    ANY("/delta/citation/cited_text", LEAF_JUDGED),
    ANY("/delta/citation/document_index", LEAF_SAFE),
    ANY("/delta/citation/document_title", LEAF_JUDGED),
    ANY("/delta/citation/start_char_index", LEAF_SAFE),
    ANY("/delta/citation/end_char_index", LEAF_SAFE),
    ANY("/delta/citation/encrypted_index", LEAF_OPAQUE),
    ANY("/content/*/type", LEAF_SAFE),
    ANY("/content/*/id", LEAF_SAFE),
    ANY("/content/*/tool_use_id", LEAF_SAFE),
    ANY("/content/*/text", LEAF_TEXT),
    ANY("/content/*/thinking", LEAF_JUDGED),
    ANY("/content/*/name", LEAF_JUDGED),
    ANY("/content/*/input", LEAF_JUDGED),
    ANY("/content/*/signature", LEAF_OPAQUE),
    ANY("/content/*/data", LEAF_OPAQUE),
    ANY("/content/*/citations/*/type", LEAF_SAFE),
    ANY("/content/*/citations/*/encrypted_index", LEAF_OPAQUE),
    ANY("/content/*/content/*/type", LEAF_SAFE),
    ANY("/content/*/content/*/encrypted_content", LEAF_OPAQUE),
};

static const char *const keys[] = {"index", NULL};

bool anthropic_is_call(const struct node *block)
{
    const struct node *type = node_member(block, "type");
    struct span end = span_str("tool_use");

    return node_is_string(type) && type->text.len >= end.len &&
           span_equal(span_slice(type->text, type->text.len - end.len, type->text.len), end);
}

/* "refusal", or the reason that ends a turn. */
static const char *anthropic_filtered_reason(const struct translation *t)
{
    return block_ends_turn(t) ? "end_turn" : "refusal";
}

bool anthropic_notice_is_text(const struct translation *t, bool is_behind, bool has_call)
{
    bool is_apart = !t->asked.is_structured || !is_behind;

    return notice_is_text(t, is_behind) || (has_call && block_refuses(t) && is_apart);
}

bool anthropic_put_refusal(struct translation *t, struct node *reason_of, struct error *err)
{
    struct arena *a = &t->memory;

    if (!node_put(a, reason_of, "stop_reason", span_str(anthropic_filtered_reason(t)), err)) {
        return false;
    }
    if (block_ends_turn(t)) {
        return true;
    }
    struct node *details =
        tree_literal(a, "{\"type\":\"refusal\",\"category\":null,\"explanation\":\"\"}", err);
    if (details == NULL) {
        return false;
    }
    node_remove(node_member(reason_of, "stop_details"));
    details->name = span_str("stop_details");
    node_append(reason_of, details);
    return node_put(a, details, "explanation", t->frame.policy->notice, err);
}

/* --- answers in one body ------------------------------------------------------------ */

/* Changed thinking would not fit its signature: it becomes a plain text. */
static bool judge_thinking(struct translation *t, size_t index, struct node *block,
                           struct error *err)
{
    struct node *thinking = node_member(block, "thinking");
    struct span first, rest;

    struct buf path CLEANUP(buf_deinit);
    buf_init(&path, 64);
    if (!node_is_string(thinking)) {
        return true;
    }
    if (!buf_appendf(&path, err, "/content/%zu/thinking", index)) {
        return false;
    }
    struct text *x = text_of(t, buf_span(&path), SIZE_MAX, err);
    if (x == NULL || !text_feed(t, x, thinking->text, &first, err) ||
        !text_end(t, x, t->up.ending, &rest, err)) {
        return false;
    }
    thinking->is_judged = true;
    if (span_equal(buf_span(&x->released), thinking->text)) {
        return true;
    }
    node_remove(node_member(block, "signature"));
    node_set_text(thinking, buf_span(&x->released));
    thinking->name = span_str("text");
    return node_put(&t->memory, block, "type", span_str("text"), err);
}

static bool judge_block(struct translation *t, size_t index, struct node *block, bool *is_withheld,
                        struct error *err)
{
    *is_withheld = false;
    if (node_is(node_member(block, "type"), "thinking")) {
        return judge_thinking(t, index, block, err);
    }
    if (!anthropic_is_call(block)) {
        return true;
    }
    /* Of a call that was cut off the upstream shows a part as if that were all. */
    *is_withheld = t->up.ending == STREAM_TRUNCATED;
    return *is_withheld || call_judge_value(t, node_member(block, "name"),
                                            node_member(block, "input"), is_withheld, err);
}

/* Only the last block can be cut off. */
static bool judge_blocks(struct translation *t, struct node *content, enum stream_ending how,
                         bool *has_call, struct error *err)
{
    size_t index = 0;

    for (struct node *at = content == NULL ? NULL : content->first; at != NULL; index++) {
        struct node *next = at->next;
        bool is_withheld;
        t->up.ending = next == NULL ? how : STREAM_COMPLETE;
        if (!judge_block(t, index, at, &is_withheld, err)) {
            return false;
        }
        *has_call = *has_call || (anthropic_is_call(at) && !is_withheld);
        if (is_withheld) {
            node_remove(at);
        }
        at = next;
    }
    return true;
}

/* `last`: the last block of the upstream's, which may have been withheld. It goes first, as others
 * may claim its index. */
static bool end_texts(struct translation *t, const struct node *content, const struct node *last,
                      enum stream_ending how, struct error *err)
{
    const struct node *at = content == NULL ? NULL : content->first;

    if (content != NULL && content->last == last && last != NULL &&
        !texts_end(t, text_index(last), how, err)) {
        return false;
    }
    for (; at != NULL; at = at->next) {
        if (!texts_end(t, text_index(at), STREAM_COMPLETE, err)) {
            return false;
        }
    }
    return texts_end(t, SIZE_MAX, STREAM_TRUNCATED, err);
}

static bool append_notice(struct translation *t, struct node *content, bool is_behind, bool has_call, struct error *err)
{
    struct node *block = tree_literal(&t->memory, "{\"type\":\"text\",\"text\":\"\"}", err);
    struct span notice;

    if (!anthropic_notice_is_text(t, is_behind, has_call)) {
        return true;
    }
    if (block == NULL || !notice_make(t, is_behind, &notice, err)) {
        return false;
    }
    node_append(content, block);
    return node_put(&t->memory, block, "text", notice, err);
}

static bool anthropic_body(struct translation *t, struct node *root, struct error *err)
{
    struct node *content = node_member(root, "content");
    const struct node *last = content == NULL ? NULL : content->last;
    enum stream_ending how = ending_of(node_member(root, "stop_reason"));
    bool has_call = false;

    node_remove(node_member(root, "index")); /* an event's: all texts would be that block's */
    if (!judge_blocks(t, content, how, &has_call, err) || !leaves_judge(t, root, false, err) ||
        !end_texts(t, content, last, how, err) || !message_judge_joined(t, root, err)) {
        return false;
    }
    if (t->beside.withheld.is_set && content != NULL &&
        (!append_notice(t, content, text_was_shown(t, SIZE_MAX, "/text"), has_call, err) || (!has_call && !anthropic_put_refusal(t, root, err)))) {
        return false;
    }
    return emit(t, root, err);
}

static bool anthropic_blocked_body(struct translation *t, struct error *err)
{
    struct node *root = ending_envelope(t, err);
    struct node *content =
        root == NULL ? NULL : node_add(&t->memory, root, span_str("content"), err);

    if (content == NULL) {
        return false;
    }
    content->kind = JSON_KIND_ARRAY;
    if (!append_notice(t, content, false, false, err) || !anthropic_put_refusal(t, root, err) ||
        node_add(&t->memory, root, span_str("stop_sequence"), err) == NULL) {
        return false;
    }
    if (node_member(root, "usage") == NULL) { /* clients want one */
        struct node *usage = tree_literal(&t->memory, "{\"input_tokens\":0,\"output_tokens\":0}", err);
        if (usage == NULL) {
            return false;
        }
        usage->name = span_str("usage");
        node_append(root, usage);
    }
    return emit(t, root, err);
}

/* --- the protocol --------------------------------------------------------------------- */

static const struct count_row count_rows[] = {
    {NULL, "input_tokens", false},
    {NULL, "output_tokens", false},
    {NULL, "cache_creation_input_tokens", false},
    {NULL, "cache_read_input_tokens", false},
};
static const struct counts counts = {.in = "usage", .rows = count_rows, .n_rows = COUNT(count_rows), .n_required = 2};

static const char *const signed_names[] = {"thinking", NULL};

/* Of a delta of a plain block that the client knows by the same index, which leaves as it came. */
static struct node *only_text(const struct translation *t, const struct node *root)
{
    const struct node *delta = node_member(root, "delta");
    size_t index;

    if (!node_is(node_member(root, "type"), "content_block_delta") || !node_is(node_member(delta, "type"), "text_delta") ||
        node_count(delta) != 2 || !node_index(node_member(root, "index"), &index)) {
        return NULL;
    }
    const struct part *p = part_find(t, index);
    bool is_plain = p != NULL && p->kind == BLOCK_PLAIN && p->is_open && !p->is_finished && p->shown == p->key;
    return is_plain ? node_member(delta, "text") : NULL;
}

static const struct dialect messages = {.name = "anthropic-messages",
                                        .joined = {"/content/*/text", 3, "/content_block_delta/*/delta/text"},
                                        .signed_names = signed_names,
                                        .counts = &counts,
                                        .rows = rows,
                                        .n_rows = COUNT(rows),
                                        .keys = keys,
                                        .value_keys = keys,
                                        .has_event_names = true,
                                        .only_text = only_text,
                                        .event = anthropic_event,
                                        .body = anthropic_body,
                                        .close = anthropic_close,
                                        .blocked_body = anthropic_blocked_body};

static bool streams(const struct translation_request *request, const struct node *body,
                    enum framing *framing, struct error *err)
{
    (void)request;
    return request_streams_events(body, framing, err);
}

static const struct protocol_route routes[] = {
    {"POST", "/v1/messages", ROUTE_JUDGED, "anthropic-messages", &messages, streams, false, FILES_NONE},
    {"POST", "/v1/messages/count_tokens", ROUTE_PASSED, "anthropic-count-tokens", NULL, NULL, false, FILES_NONE},
    {"GET", "/v1/models", ROUTE_PASSED, "anthropic-models", NULL, NULL, false, FILES_NONE},
    {"GET", "/v1/models/*", ROUTE_PASSED, "anthropic-models", NULL, NULL, false, FILES_NONE},
    {OTHER_ROUTES, ROUTE_PASSED, "anthropic-other", NULL, NULL, false, FILES_NONE},
};

static bool blocked(struct span notice, struct buf *out, struct error *err)
{
    return json_around(
        "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":", notice,
        "},\"request_id\":null}", out, err);
}

static bool failed(unsigned status, struct span message, struct buf *out, struct error *err)
{
    static const struct {
        unsigned status;
        const char *head;
    } heads[] = {
        {401, "{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":"},
        {403, "{\"type\":\"error\",\"error\":{\"type\":\"permission_error\",\"message\":"},
        {404, "{\"type\":\"error\",\"error\":{\"type\":\"not_found_error\",\"message\":"},
        {413, "{\"type\":\"error\",\"error\":{\"type\":\"request_too_large\",\"message\":"},
        {429, "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":"},
        {503, "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":"},
    };
    const char *head =
        status < 500
            ? "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":"
            : "{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":";

    for (size_t i = 0; i < COUNT(heads); i++) {
        head = heads[i].status == status ? heads[i].head : head;
    }
    return json_around(head, message, "},\"request_id\":null}", out, err);
}

const struct protocol protocol_anthropic = {.name = "anthropic",
                                            .routes = routes,
                                            .n_routes = COUNT(routes),
                                            .heartbeat =
                                                "event: ping\ndata: {\"type\":\"ping\"}\n\n",
                                            .has_comments = true,
                                            .blocked = blocked,
                                            .failed = failed};
