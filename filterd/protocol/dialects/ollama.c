#include "protocol/dialect.h"

/* Lines of JSON, or one: a message or a response, the last one done. Calls come whole. */

#define ANY(path, use)                                                                             \
    LEAF_ROW(path, use, KEPT_NOT, NULL)

static const struct leaf_row rows[] = {
    LEAF_ROW("/model", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/created_at", LEAF_SAFE, KEPT, NULL),
    ANY("/message/content", LEAF_TEXT),
    ANY("/message/thinking", LEAF_TEXT),
    LEAF_ROW("/message/role", LEAF_SAFE, KEPT, NULL),
    ANY("/message/tool_calls/*/id", LEAF_SAFE),
    ANY("/message/tool_calls/*/type", LEAF_SAFE),
    ANY("/message/tool_calls/*/function/index", LEAF_SAFE),
    ANY("/message/tool_calls/*/function/name", LEAF_JUDGED),
    ANY("/message/tool_calls/*/function/arguments", LEAF_JUDGED),
    ANY("/response", LEAF_TEXT),
    ANY("/thinking", LEAF_TEXT),
    LEAF_ROW("/done", LEAF_SAFE, KEPT, NULL),
    ANY("/done_reason", LEAF_SAFE),
    ANY("/context", LEAF_DROP), /* the text once more, as tokens */
    ANY("/logprobs", LEAF_DROP),
    ANY("/total_duration", LEAF_SAFE),
    ANY("/load_duration", LEAF_SAFE),
    ANY("/prompt_eval_count", LEAF_SAFE),
    ANY("/prompt_eval_duration", LEAF_SAFE),
    ANY("/eval_count", LEAF_SAFE),
    ANY("/eval_duration", LEAF_SAFE),
    ANY("/remote_model", LEAF_SAFE),
    ANY("/remote_host", LEAF_SAFE),
    ANY("/error", LEAF_JUDGED),
};

static const char *const frames[] = {"/message", NULL};

extern const struct dialect ollama_chat, ollama_generate;

static const char *filtered_reason(const struct translation *t)
{
    return block_ends_turn(t) ? "stop" : "content_filter";
}

/* A line of ours; reason NULL: not the last. */
static struct node *line(struct translation *t, struct span text, const char *reason,
                         struct error *err)
{
    struct arena *a = &t->memory;
    struct node *root = reason == NULL ? envelope(t, err) : ending_envelope(t, err);

    if (root == NULL) {
        return NULL;
    }
    node_remove(node_member(root, "done"));
    if (t->dialect == &ollama_generate) {
        if (!node_put(a, root, "response", text, err)) {
            return NULL;
        }
    } else {
        struct node *message = tree_literal(a, "{\"role\":\"assistant\",\"content\":\"\"}", err);
        if (message == NULL || !node_put(a, message, "content", text, err)) {
            return NULL;
        }
        message->name = span_str("message");
        node_append(root, message);
    }
    struct node *done = node_add(a, root, span_str("done"), err);
    if (done == NULL) {
        return NULL;
    }
    done->kind = reason == NULL ? JSON_KIND_FALSE : JSON_KIND_TRUE;
    return reason == NULL || node_put(a, root, "done_reason", span_str(reason), err) ? root : NULL;
}

static bool emit_line_of(struct translation *t, struct span text, const char *reason,
                         struct error *err)
{
    struct node *root = line(t, text, reason, err);

    return root != NULL && emit(t, root, err);
}

static bool emit_notice(struct translation *t, struct error *err)
{
    bool is_behind = text_was_shown(t, SIZE_MAX, "/content") || text_was_shown(t, SIZE_MAX, "/response");
    struct span notice;

    return !notice_is_text(t, is_behind) ||
           (notice_make(t, is_behind, &notice, err) && emit_line_of(t, notice, NULL, err));
}

/* --- messages -------------------------------------------------------------------- */

static bool judge_calls(struct translation *t, struct part *p, struct node *message,
                        struct error *err)
{
    struct node *calls = node_member(message, "tool_calls");
    struct node *at = calls == NULL ? NULL : calls->first;

    while (at != NULL) {
        struct node *next = at->next, *function = node_member(at, "function");
        bool is_withheld;
        if (!call_judge_value(t, node_member(function, "name"), node_member(function, "arguments"),
                              &is_withheld, err)) {
            return false;
        }
        p->has_call = p->has_call || !is_withheld;
        p->is_withheld = p->is_withheld || is_withheld;
        if (is_withheld) {
            node_remove(at);
        }
        at = next;
    }
    if (calls != NULL && calls->first == NULL && !node_is_string(calls)) {
        node_remove(calls);
    }
    return true;
}

static bool finish(struct translation *t, struct part *p, struct node *root, struct error *err)
{
    if (!texts_end(t, 0, ending_of(node_member(root, "done_reason")), err)) {
        return false;
    }
    p->is_finished = true;
    if (p->is_withheld) {
        if (!emit_notice(t, err) ||
            (!p->has_call &&
             !node_put(&t->memory, root, "done_reason", span_str(filtered_reason(t)), err))) {
            return false;
        }
    }
    return emit(t, root, err) && translation_over(t, err);
}

static bool event(struct translation *t, struct node *root, struct error *err)
{
    struct part *p = part_open(t, 0, err);
    struct node *message = node_member(root, "message");
    bool had_calls = node_member(message, "tool_calls") != NULL;

    if (p == NULL || !judge_calls(t, p, message, err) || !leaves_judge(t, root, false, err)) {
        return false;
    }
    if (node_is_truthy(node_member(root, "done"))) {
        return finish(t, p, root, err);
    }
    bool has_calls = node_member(message, "tool_calls") != NULL;
    return emit_released(t, root, !has_calls && (had_calls || leaves_say_nothing(t, root)), err);
}

static bool close_answer(struct translation *t, enum closing why, struct error *err)
{
    struct part *p = part_open(t, 0, err);
    bool is_filtered = why == CLOSING_BLOCKED || (p != NULL && p->is_withheld);

    if (p == NULL || (why != CLOSING_BLOCKED && !texts_end(t, 0, STREAM_TRUNCATED, err)) ||
        (is_filtered && !emit_notice(t, err))) {
        return false;
    }
    return emit_line_of(t, span_of("", 0),
                        is_filtered && !p->has_call ? filtered_reason(t) : "length", err);
}

static bool put_notice(struct translation *t, const struct part *p, struct node *root,
                       struct error *err)
{
    struct node *message = node_member(root, "message");

    if (!p->is_withheld || message == NULL) {
        return true;
    }
    return notice_join(t, message, "content", err) &&
           (p->has_call ||
            node_put(&t->memory, root, "done_reason", span_str(filtered_reason(t)), err));
}

static bool body(struct translation *t, struct node *root, struct error *err)
{
    struct part *p = part_open(t, 0, err);

    return p != NULL && judge_calls(t, p, node_member(root, "message"), err) &&
           leaves_judge(t, root, false, err) &&
           texts_end(t, SIZE_MAX, ending_of(node_member(root, "done_reason")), err) &&
           put_notice(t, p, root, err) && emit(t, root, err);
}

static bool blocked_body(struct translation *t, struct error *err)
{
    return emit_line_of(t, stream_notice(t->stream), filtered_reason(t), err);
}

static const struct count_row count_rows[] = {
    {NULL, "prompt_eval_count", false},
    {NULL, "eval_count", false},
    {NULL, "total_duration", true},
    {NULL, "load_duration", true},
    {NULL, "prompt_eval_duration", true},
    {NULL, "eval_duration", true},
};
static const struct counts counts = {.rows = count_rows, .n_rows = COUNT(count_rows), .is_in_streams = true};

const struct dialect ollama_chat = {.name = "ollama-chat",
                                    .rows = rows,
                                    .n_rows = COUNT(rows),
                                    .counts = &counts,
                                    .frames = frames,
                                    .required = "{\"message\":{\"role\":\"assistant\",\"content\":\"\"}}",
                                    .event = event,
                                    .body = body,
                                    .close = close_answer,
                                    .blocked_body = blocked_body};

const struct dialect ollama_generate = {.name = "ollama-generate",
                                        .rows = rows,
                                        .n_rows = COUNT(rows),
                                        .counts = &counts,
                                        .frames = frames,
                                        .required = "{\"response\":\"\"}",
                                        .event = event,
                                        .body = body,
                                        .close = close_answer,
                                        .blocked_body = blocked_body};

/* --- the protocol -------------------------------------------------------------------- */

static bool streams(const struct translation_request *request, const struct node *asked,
                    enum framing *framing, struct error *err)
{
    bool is_streaming = true;

    (void)request;
    if (!request_streams(asked, true, &is_streaming, err)) {
        return false;
    }
    *framing = is_streaming ? FRAMING_LINES : FRAMING_BODY;
    return true;
}

#define PASSED(name) ROUTE_PASSED, name, NULL, NULL, false, FILES_NONE

static const struct protocol_route routes[] = {
    {"POST", "/api/chat", ROUTE_JUDGED, "ollama-chat", &ollama_chat, streams, false, FILES_NONE},
    {"POST", "/api/generate", ROUTE_JUDGED, "ollama-generate", &ollama_generate, streams, false, FILES_NONE},
    {"GET", "/api/tags", PASSED("ollama-tags")},
    {"GET", "/api/ps", PASSED("ollama-ps")},
    {"POST", "/api/show", PASSED("ollama-show")},
    {"GET", "/api/version", PASSED("ollama-version")},
    {"POST", "/api/embed", PASSED("ollama-embed")},
    {"POST", "/api/embeddings", PASSED("ollama-embed")},
    {OTHER_ROUTES, PASSED("ollama-other")},
};

static bool heartbeat_line(struct translation *t, struct error *err)
{
    return emit_line_of(t, span_of("", 0), NULL, err);
}

static bool blocked(struct span notice, struct buf *out, struct error *err)
{
    return json_around("{\"error\":", notice, "}", out, err);
}

static bool failed(unsigned status, struct span message, struct buf *out, struct error *err)
{
    (void)status;
    return json_around("{\"error\":", message, "}", out, err);
}

const struct protocol protocol_ollama = {.name = "ollama",
                                         .routes = routes,
                                         .n_routes = COUNT(routes),
                                         .also = &protocol_openai,
                                         .heartbeat = ": filterd\n\n",
                                         .has_comments = true,
                                         .heartbeat_line = heartbeat_line,
                                         .blocked = blocked,
                                         .failed = failed};
