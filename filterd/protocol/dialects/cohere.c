#include "protocol/dialects/cohere.h"

/* Chat, version 2: typed events around content blocks, a plan, calls and citations. There is no
 * reason that says "filtered": a notice and ERROR stand for it, as for any answer that is not whole. */

#define MESSAGE "/delta/message"
#define ANY(path, use)                                                                             \
    LEAF_ROW(path, use, KEPT_NOT, NULL)

static const struct leaf_row rows[] = {
    LEAF_ROW("/type", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/index", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/id", LEAF_SAFE, KEPT, NULL),
    ANY("/generation_id", LEAF_SAFE),
    ANY("/finish_reason", LEAF_SAFE),
    ANY("/usage", LEAF_SAFE),
    ANY("/logprobs", LEAF_DROP),
    ANY("/delta/finish_reason", LEAF_SAFE),
    ANY("/delta/usage", LEAF_SAFE),
    ANY("/delta/error", LEAF_JUDGED),
    ANY(MESSAGE "/role", LEAF_SAFE),
    ANY(MESSAGE "/content/type", LEAF_SAFE),
    LEAF_ROW(MESSAGE "/content/text", LEAF_TEXT, KEPT_NOT, "content-delta"),
    LEAF_ROW(MESSAGE "/content/thinking", LEAF_TEXT, KEPT_NOT, "content-delta"),
    LEAF_ROW(MESSAGE "/tool_plan", LEAF_TEXT, KEPT_NOT, "tool-plan-delta"),
    ANY(MESSAGE "/tool_plan", LEAF_JUDGED),
    ANY(MESSAGE "/tool_calls/id", LEAF_SAFE),
    ANY(MESSAGE "/tool_calls/type", LEAF_SAFE),
    ANY(MESSAGE "/tool_calls/function/name", LEAF_JUDGED),
    ANY(MESSAGE "/tool_calls/function/arguments", LEAF_JUDGED),
    ANY(MESSAGE "/citations/start", LEAF_SAFE),
    ANY(MESSAGE "/citations/end", LEAF_SAFE),
    ANY(MESSAGE "/citations/type", LEAF_SAFE),
    ANY(MESSAGE "/citations/text", LEAF_JUDGED),
    ANY(MESSAGE "/citations/sources/*/type", LEAF_SAFE),
    ANY(MESSAGE "/citations/sources/*/id", LEAF_SAFE),
    ANY("/message/role", LEAF_SAFE),
    ANY("/message/content/*/type", LEAF_SAFE),
    ANY("/message/content/*/text", LEAF_TEXT),
    ANY("/message/content/*/thinking", LEAF_TEXT),
    ANY("/message/tool_plan", LEAF_TEXT),
    ANY("/message/tool_calls/*/id", LEAF_SAFE),
    ANY("/message/tool_calls/*/type", LEAF_SAFE),
    ANY("/message/citations/*/type", LEAF_SAFE),
    ANY("/message/citations/*/sources/*/type", LEAF_SAFE),
    ANY("/message/citations/*/sources/*/id", LEAF_SAFE),
};

static bool text_path(const struct node *root, const struct node *leaf, struct buf *path,
                      size_t *part, struct error *err)
{
    size_t index = 0;

    if (node_at(root, "message") != NULL) { /* one body */
        index = leaf->parent->parent->kind == JSON_KIND_ARRAY ? text_index(leaf->parent) : COHERE_PLAN;
    } else if (!node_index(node_member(root, "index"), &index)) {
        index = COHERE_PLAN;
    }
    *part = index;
    return index == COHERE_PLAN ? buf_append_str(path, "/message/tool_plan", err)
                         : buf_appendf(path, err, "/message/content/%zu/", index) &&
                               buf_append(path, leaf->name, err);
}

static bool is_citation(const struct node *root)
{
    const struct node *type = node_member(root, "type");

    return node_is(type, "citation-start") || node_is(type, "citation-end");
}

/* Citations are counted by themselves; they belong to the content that is open. */
static bool value_part(const struct translation *t, const struct node *root, size_t *part)
{
    const struct part *last = t->n_parts == 0 ? NULL : t->parts[t->n_parts - 1];

    if (!is_citation(root)) {
        return node_index(node_member(root, "index"), part);
    }
    *part = last == NULL || last->is_finished ? COHERE_PLAN : last->key;
    return true;
}

static bool index_of(const struct node *root, size_t *index, struct error *err)
{
    return node_index(node_member(root, "index"), index) ||
           error_set(err, ERROR_INVALID, "answer: expected the index of a block");
}

/* --- events of our own ----------------------------------------------------------------- */

static bool emit_literal(struct translation *t, const char *json, size_t index, const char *at,
                         struct span text, struct error *err)
{
    struct node *event = tree_literal(&t->memory, json, err);
    struct node *number = node_member(event, "index");

    if (event == NULL || (number != NULL && !node_set_index(&t->memory, number, index, err))) {
        return false;
    }
    if (*at != '\0') {
        node_set_text(node_at(event, at), text);
    }
    return emit(t, event, err);
}

static bool emit_content_end(struct translation *t, size_t index, struct error *err)
{
    return emit_literal(t, "{\"type\":\"content-end\",\"index\":0}", index, "", (struct span){0},
                        err);
}

const char *cohere_filtered_reason(const struct translation *t)
{
    return block_ends_turn(t) ? "COMPLETE" : "ERROR";
}

static bool emit_notice(struct translation *t, struct error *err)
{
    bool is_behind = text_was_shown(t, SIZE_MAX, "/text");
    struct span notice;
    size_t index = 0;

    for (size_t i = 0; i < t->n_parts; i++) {
        const struct part *p = t->parts[i];
        index = p->is_open && p->key >= index ? p->key + 1 : index;
    }
    t->down.shown.has_notice = true;
    if (!notice_is_text(t, is_behind)) {
        return true;
    }
    return notice_make(t, is_behind, &notice, err) &&
           emit_literal(t,
                        "{\"type\":\"content-start\",\"index\":0,\"delta\":{\"message\":"
                        "{\"content\":{\"type\":\"text\",\"text\":\"\"}}}}",
                        index, "", (struct span){0}, err) &&
           emit_literal(t,
                        "{\"type\":\"content-delta\",\"index\":0,\"delta\":{\"message\":"
                        "{\"content\":{\"text\":\"\"}}}}",
                        index, "delta/message/content/text", notice, err) &&
           emit_content_end(t, index, err);
}

/* --- content ---------------------------------------------------------------------------- */

static bool pass(struct translation *t, struct node *root, struct error *err)
{
    return leaves_judge(t, root, false, err) && emit(t, root, err);
}

static bool take_text(struct translation *t, struct node *root, struct error *err)
{
    return leaves_judge(t, root, false, err) && emit_released(t, root, leaves_say_nothing(t, root), err);
}

/* A text that an event of a start has already, and the event in which it goes on: clients join the two. */
static const struct begun_text {
    const char *at, *event;
} begun_texts[] = {
    {"delta/message/content/text", "{\"type\":\"content-delta\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"\"}}}}"},
    {"delta/message/content/thinking", "{\"type\":\"content-delta\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"thinking\":\"\"}}}}"},
    {"delta/message/tool_plan", "{\"type\":\"tool-plan-delta\",\"delta\":{\"message\":{\"tool_plan\":\"\"}}}"},
};

/* Takes it out of the start, as an event of its own; NULL: there is none. */
static bool cut_text(struct translation *t, struct node *root, size_t index, const struct begun_text *begun, struct node **event,
                     struct error *err)
{
    struct node *text = node_at(root, begun->at);

    *event = NULL;
    if (!node_is_string(text) || text->text.len == 0) {
        return true;
    }
    *event = tree_literal(&t->memory, begun->event, err);
    struct node *number = node_member(*event, "index");
    if (*event == NULL || (number != NULL && !node_set_index(&t->memory, number, index, err))) {
        return false;
    }
    node_set_text(node_at(*event, begun->at), text->text);
    node_set_text(text, span_of("", 0));
    return true;
}

/* Of a part, or of the answer: NULL. */
static bool start(struct translation *t, struct node *root, struct part *p, struct error *err)
{
    struct node *events[COUNT(begun_texts)];

    for (size_t i = 0; i < COUNT(begun_texts); i++) {
        if (!cut_text(t, root, p == NULL ? 0 : p->key, &begun_texts[i], &events[i], err)) {
            return false;
        }
    }
    if (!leaves_judge(t, root, true, err)) {
        return false;
    }
    *(p == NULL ? &t->down.shown.has_head : &p->is_open) = true;
    if (!emit(t, root, err)) {
        return false;
    }
    for (size_t i = 0; i < COUNT(begun_texts); i++) {
        if (events[i] != NULL && !take_text(t, events[i], err)) {
            return false;
        }
    }
    return true;
}

static bool start_message(struct translation *t, struct node *root, struct error *err)
{
    return start(t, root, NULL, err);
}

static bool start_content(struct translation *t, struct node *root, struct error *err)
{
    size_t index;
    struct part *p = index_of(root, &index, err) ? part_open(t, index, err) : NULL;

    return p != NULL && start(t, root, p, err);
}

static bool end_content(struct translation *t, struct node *root, struct error *err)
{
    size_t index;
    struct part *p = index_of(root, &index, err) ? part_open(t, index, err) : NULL;

    if (p == NULL || !texts_end(t, index, t->up.ending, err) || !leaves_judge(t, root, true, err)) {
        return false;
    }
    p->is_finished = true;
    return emit(t, root, err);
}

/* --- calls ------------------------------------------------------------------------------ */

static struct call *open_call(struct translation *t, const struct node *root, struct error *err)
{
    size_t index;
    struct call *c = index_of(root, &index, err) ? call_open(t, 0, index, err) : NULL;

    if (c != NULL && c->has_ended) {
        error_set(err, ERROR_INVALID, "answer: expected nothing more of a call after its end");
        return NULL;
    }
    return c;
}

static bool take_call(struct translation *t, struct node *root, struct error *err)
{
    const struct node *call = node_at(root, "delta/message/tool_calls");
    const struct node *function = node_member(call, "function");
    const struct node *piece = node_member(function, "arguments");
    static const char *const taken[] = {"type", "delta/", "message/", "tool_calls/", "id", "function/", "name", "arguments", NULL};
    struct call *c = open_call(t, root, err);

    left_out_event(t, root, taken);
    return c != NULL &&
           call_take(c, node_member(call, "id"), NULL, node_member(function, "name"), err) &&
           (!node_is_string(piece) || buf_append(&c->arguments, piece->text, err));
}

/* The plan is over when the first call begins. */
static bool start_call(struct translation *t, struct node *root, struct error *err)
{
    return texts_end(t, COHERE_PLAN, STREAM_COMPLETE, err) && take_call(t, root, err);
}

static bool emit_call(struct translation *t, const struct call *c, struct span arguments,
                      struct error *err)
{
    size_t shown = t->down.shown.n_parts++;
    struct node *start = tree_literal(&t->memory,
                                      "{\"type\":\"tool-call-start\",\"index\":0,\"delta\":{"
                                      "\"message\":{\"tool_calls\":{\"id\":\"\",\"type\":"
                                      "\"function\",\"function\":{\"name\":\"\",\"arguments\":"
                                      "\"\"}}}}}",
                                      err);

    if (start == NULL || !node_set_index(&t->memory, node_member(start, "index"), shown, err)) {
        return false;
    }
    node_set_text(node_at(start, "delta/message/tool_calls/id"), buf_span(&c->id));
    node_set_text(node_at(start, "delta/message/tool_calls/function/name"), buf_span(&c->name));
    return emit(t, start, err) &&
           emit_literal(t,
                        "{\"type\":\"tool-call-delta\",\"index\":0,\"delta\":{\"message\":"
                        "{\"tool_calls\":{\"function\":{\"arguments\":\"\"}}}}}",
                        shown, "delta/message/tool_calls/function/arguments", arguments, err) &&
           emit_literal(t, "{\"type\":\"tool-call-end\",\"index\":0}", shown, "", arguments, err);
}

static bool release_call(struct translation *t, struct call *c, bool is_cut, struct error *err)
{
    struct call_verdict verdict;

    c->has_ended = true;
    return call_judge(t, c, is_cut, &verdict, err) && (verdict.is_withheld || emit_call(t, c, verdict.arguments, err));
}

static bool end_call(struct translation *t, struct node *root, struct error *err)
{
    static const char *const taken[] = {"type", NULL};
    struct call *c = open_call(t, root, err);

    left_out_event(t, root, taken);
    return c != NULL && release_call(t, c, t->up.ending == STREAM_TRUNCATED, err);
}

/* Those that the upstream did not end. */
static bool release_calls(struct translation *t, struct error *err)
{
    for (size_t i = 0; i < t->n_calls; i++) {
        if (!t->calls[i]->has_ended && !release_call(t, t->calls[i], true, err)) {
            return false;
        }
    }
    return true;
}

/* --- the rest ---------------------------------------------------------------------------- */

/* Its places are in a text that was changed. */
static bool take_citation(struct translation *t, struct node *root, struct error *err)
{
    return text_was_changed(t) || pass(t, root, err);
}

static bool close_parts(struct translation *t, bool is_blocked, enum stream_ending how,
                        struct error *err)
{
    for (size_t i = 0; i < t->n_parts; i++) {
        struct part *p = t->parts[i];
        if (!p->is_open || p->is_finished) {
            continue;
        }
        if (!is_blocked && !texts_end(t, p->key, STREAM_TRUNCATED, err)) {
            return false; /* what was left of its texts decided: it is closed again */
        }
        p->is_finished = true;
        if (!emit_content_end(t, p->key, err)) {
            return false;
        }
    }
    return is_blocked || (texts_end(t, SIZE_MAX, how, err) && release_calls(t, err));
}

static bool end_message(struct translation *t, struct node *root, struct error *err)
{
    struct node *delta = node_member(root, "delta");
    enum stream_ending how = ending_of(node_member(delta, "finish_reason"));

    if (!endings_settle(t, how, err) || !close_parts(t, false, how, err) ||
        !leaves_judge(t, root, true, err)) {
        return false;
    }
    if (t->beside.withheld.is_set &&
        (!emit_notice(t, err) ||
         (t->down.shown.n_parts == 0 && delta != NULL &&
          !node_put(&t->memory, delta, "finish_reason", span_str(cohere_filtered_reason(t)), err)))) {
        return false;
    }
    t->down.shown.has_tail = true;
    return emit(t, root, err) && translation_over(t, err);
}

static bool event(struct translation *t, struct node *root, struct error *err)
{
    static const struct event_row events[] = {
        {"content-delta", take_text, EVENT_GOES_ON, NULL},
        {"tool-plan-delta", take_text, EVENT_GOES_ON, NULL},
        {"content-start", start_content, EVENT_GOES_ON, NULL},
        {"content-end", end_content, EVENT_ENDS_PART, NULL},
        {"tool-call-start", start_call, EVENT_GOES_ON, NULL},
        {"tool-call-delta", take_call, EVENT_GOES_ON, NULL},
        {"tool-call-end", end_call, EVENT_ENDS_PART, NULL},
        {"citation-start", take_citation, EVENT_IN_ORDER, NULL},
        {"citation-end", take_citation, EVENT_IN_ORDER, NULL},
        {"message-start", start_message, EVENT_IN_ORDER, NULL},
        {"message-end", end_message, EVENT_DECIDES, NULL},
        {NULL, pass, EVENT_IN_ORDER, NULL},
    };
    return endings_take_by_type(t, root, events, err);
}

static bool close_answer(struct translation *t, enum closing why, struct error *err)
{
    bool is_blocked = why == CLOSING_BLOCKED;
    bool is_filtered = (is_blocked || t->beside.withheld.is_set) && !t->down.shown.has_notice;

    if (t->down.shown.has_tail) {
        return true;
    }
    if (!t->down.shown.has_head &&
        !emit_literal(t,
                      "{\"type\":\"message-start\",\"id\":\"\",\"delta\":{\"message\":"
                      "{\"role\":\"assistant\",\"content\":[],\"tool_plan\":\"\","
                      "\"tool_calls\":[],\"citations\":[]}}}",
                      0, "", (struct span){0}, err)) {
        return false;
    }
    return close_parts(t, is_blocked, STREAM_TRUNCATED, err) &&
           (!is_filtered || emit_notice(t, err)) &&
           emit_literal(t, "{\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"\"}}", 0,
                        "delta/finish_reason", span_str(is_filtered ? cohere_filtered_reason(t) : "ERROR"), err);
}

static const struct count_row count_rows[] = {
    {"billed_units", "input_tokens", false},
    {"billed_units", "output_tokens", false},
    {"tokens", "input_tokens", false},
    {"tokens", "output_tokens", false},
};
static const struct counts counts = {.in = "usage", .rows = count_rows, .n_rows = COUNT(count_rows)};

static const struct dialect chat = {.name = "cohere-chat",
                                    .counts = &counts,
                                    .rows = rows,
                                    .n_rows = COUNT(rows),
                                    .has_event_names = true,
                                    .text_path = text_path,
                                    .joined = {"/message/content/*/text", 3, "/message/content/*/text"},
                                    .value_part = value_part,
                                    .has_places = is_citation,
                                    .event = event,
                                    .body = cohere_body,
                                    .close = close_answer,
                                    .blocked_body = cohere_blocked_body};

/* --- the protocol -------------------------------------------------------------------------- */

static bool streams(const struct translation_request *request, const struct node *asked,
                    enum framing *framing, struct error *err)
{
    (void)request;
    return request_streams_events(asked, framing, err);
}

/* Lines, unless the client accepts events. */
static bool streams_lines(const struct translation_request *request, const struct node *asked, enum framing *framing, struct error *err)
{
    bool is_streaming = false;

    (void)request;
    if (!request_streams(asked, false, &is_streaming, err)) {
        return false;
    }
    *framing = is_streaming ? FRAMING_LINES : FRAMING_BODY;
    return true;
}

#define PASSED(name) ROUTE_PASSED, name, NULL, NULL, false, FILES_NONE

static const struct protocol_route routes[] = {
    {"POST", "/v2/chat", ROUTE_JUDGED, "cohere-chat", &chat, streams, false, FILES_NONE},
    {"POST", "/v1/chat", ROUTE_JUDGED, "cohere-chat-v1", &cohere_v1_chat, streams_lines, false, FILES_NONE},
    {"POST", "/v1/generate", PASSED("cohere-generate")},
    {"GET", "/v1/models", PASSED("cohere-models")},
    {"GET", "/v1/models/*", PASSED("cohere-models")},
    {"POST", "/v2/embed", PASSED("cohere-embed")},
    {"POST", "/v1/embed", PASSED("cohere-embed")},
    {"POST", "/v2/rerank", PASSED("cohere-rerank")},
    {"POST", "/v1/rerank", PASSED("cohere-rerank")},
    {OTHER_ROUTES, PASSED("cohere-other")},
};

static bool blocked(struct span notice, struct buf *out, struct error *err)
{
    return json_around("{\"message\":", notice, "}", out, err);
}

static bool failed(unsigned status, struct span message, struct buf *out, struct error *err)
{
    (void)status;
    return json_around("{\"message\":", message, "}", out, err);
}

const struct protocol protocol_cohere = {.name = "cohere",
                                         .routes = routes,
                                         .n_routes = COUNT(routes),
                                         .heartbeat = ": filterd\n\n",
                                         .has_comments = true,
                                         .heartbeat_line = cohere_v1_heartbeat,
                                         .blocked = blocked,
                                         .failed = failed};
