#include "protocol/dialect.h"

/* Chunks of candidates, as events or as elements of one array, or one body of the same shape.
 * Function calls come whole.
 *
 * Some upstreams give a reason with every chunk. A chunk with one therefore waits: when more of its candidate comes, it goes out
 * without the reason, and the candidate's text goes on. */

#define CANDIDATE "/candidates/*"
#define PART      CANDIDATE "/content/parts/*"
#define ANY(path, use)                                                                             \
    LEAF_ROW(path, use, KEPT_NOT, NULL)

static const struct leaf_row rows[] = {
    LEAF_ROW("/responseId", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW("/modelVersion", LEAF_SAFE, KEPT, NULL),
    ANY("/createTime", LEAF_SAFE),
    ANY("/usageMetadata", LEAF_SAFE),
    ANY("/promptFeedback/blockReason", LEAF_SAFE),
    ANY("/promptFeedback/safetyRatings", LEAF_SAFE),
    LEAF_ROW(CANDIDATE "/index", LEAF_SAFE, KEPT, NULL),
    LEAF_ROW(CANDIDATE "/content/role", LEAF_SAFE, KEPT, NULL),
    ANY(PART "/text", LEAF_TEXT),
    LEAF_ROW(PART "/thought", LEAF_SAFE, KEPT, NULL),
    ANY(PART "/thoughtSignature", LEAF_OPAQUE),
    ANY(PART "/functionCall/id", LEAF_SAFE),
    ANY(PART "/functionCall/name", LEAF_JUDGED),
    ANY(PART "/functionCall/args", LEAF_JUDGED),
    ANY(PART "/executableCode/language", LEAF_SAFE),
    ANY(PART "/executableCode/code", LEAF_JUDGED),
    ANY(PART "/codeExecutionResult/outcome", LEAF_SAFE),
    ANY(PART "/codeExecutionResult/output", LEAF_JUDGED),
    ANY(PART "/inlineData/mimeType", LEAF_JUDGED),
    ANY(PART "/inlineData/data", LEAF_JUDGED),
    ANY(CANDIDATE "/finishReason", LEAF_SAFE),
    ANY(CANDIDATE "/finishMessage", LEAF_JUDGED),
    ANY(CANDIDATE "/safetyRatings", LEAF_SAFE),
    ANY(CANDIDATE "/tokenCount", LEAF_SAFE),
    ANY(CANDIDATE "/avgLogprobs", LEAF_DROP),
    ANY(CANDIDATE "/logprobsResult", LEAF_DROP),
    /* Offsets into a text that redaction may have changed. */
    ANY(CANDIDATE "/citationMetadata/citationSources/*/startIndex", LEAF_DROP),
    ANY(CANDIDATE "/citationMetadata/citationSources/*/endIndex", LEAF_DROP),
    ANY(CANDIDATE "/citationMetadata/citations/*/startIndex", LEAF_DROP),
    ANY(CANDIDATE "/citationMetadata/citations/*/endIndex", LEAF_DROP),
    ANY(CANDIDATE "/groundingMetadata/groundingSupports/*/segment/startIndex", LEAF_DROP),
    ANY(CANDIDATE "/groundingMetadata/groundingSupports/*/segment/endIndex", LEAF_DROP),
    ANY("/error", LEAF_JUDGED),
};

static const char *const frames[] = {"/candidates", CANDIDATE, CANDIDATE "/content", CANDIDATE "/content/parts", NULL};

static const char *filtered_reason(const struct translation *t)
{
    return block_ends_turn(t) ? "STOP" : "SPII";
}

/* Parts have no index that lasts over chunks: thoughts are one channel, the rest is another. */
static bool text_path(const struct node *root, const struct node *leaf, struct buf *path,
                      size_t *part, struct error *err)
{
    bool is_thought = node_is_truthy(node_member(leaf->parent, "thought"));

    (void)root;
    *part = text_index(leaf->parent->parent->parent->parent);
    return buf_appendf(path, err, "/candidates/%zu/content/%s", *part,
                       is_thought ? "thought" : "text");
}

/* The notice as the text of a candidate, where it may be one. */
static bool make_text(struct translation *t, size_t candidate, struct span *text, struct error *err)
{
    bool is_behind = text_was_shown(t, candidate, "/content/text");

    *text = span_of("", 0);
    return !notice_is_text(t, is_behind) || notice_make(t, is_behind, text, err);
}

static struct node *add_candidates(struct translation *t, struct node *root, struct error *err)
{
    struct node *candidates = root == NULL ? NULL : node_add(&t->memory, root, span_str("candidates"), err);

    if (candidates != NULL) {
        candidates->kind = JSON_KIND_ARRAY;
    }
    return candidates;
}

static bool add_candidate(struct translation *t, struct node *candidates, size_t index, struct span text,
                          const char *reason, struct error *err)
{
    struct arena *a = &t->memory;
    struct node *in = tree_literal(
        a, "{\"content\":{\"parts\":[{\"text\":\"\"}],\"role\":\"model\"},\"index\":0}", err);

    if (in == NULL || !node_set_index(a, node_member(in, "index"), index, err)) {
        return false;
    }
    node_append(candidates, in);
    node_set_text(node_at(in, "content/parts/0/text"), text);
    return reason == NULL ||
           (node_put(a, in, "finishReason", span_str(reason), err) &&
            (strcmp(reason, "SPII") != 0 || node_put(a, in, "finishMessage", call_notice(t), err)));
}

/* A chunk of ours with one candidate in it: the notice or nothing, and the end or not. */
static bool emit_chunk(struct translation *t, size_t candidate, struct span text,
                       const char *reason, struct error *err)
{
    struct node *root = reason == NULL ? envelope(t, err) : ending_envelope(t, err);
    struct node *candidates = add_candidates(t, root, err);

    return candidates != NULL && add_candidate(t, candidates, candidate, text, reason, err) &&
           emit(t, root, err);
}

/* --- candidates -------------------------------------------------------------------- */

typedef bool candidate_fn(struct translation *t, struct part *p, struct node *candidate,
                          struct error *err);

static bool each_candidate(struct translation *t, struct node *root, candidate_fn *does,
                           struct error *err)
{
    struct node *candidates = node_member(root, "candidates");
    struct node *at = candidates == NULL ? NULL : candidates->first;

    while (at != NULL) {
        struct node *next = at->next;
        struct part *p = part_open(t, text_index(at), err);
        if (p == NULL || !does(t, p, at, err)) {
            return false;
        }
        at = next;
    }
    return true;
}

static bool has_reason(const struct node *candidate)
{
    return node_is_truthy(node_member(candidate, "finishReason"));
}

static bool judge_calls(struct translation *t, struct part *p, struct node *candidate,
                        struct error *err)
{
    struct node *parts = node_at(candidate, "content/parts");
    struct node *at = parts == NULL ? NULL : parts->first;

    while (at != NULL) {
        struct node *next = at->next, *call = node_member(at, "functionCall");
        bool is_withheld = false;
        if (node_member(call, "partialArgs") != NULL) {
            return error_set(err, ERROR_INVALID, "answer: expected whole arguments of a call");
        }
        if (call != NULL && !call_judge_value(t, node_member(call, "name"),
                                              node_member(call, "args"), &is_withheld, err)) {
            return false;
        }
        p->has_call = p->has_call || (call != NULL && !is_withheld);
        if (is_withheld) {
            p->is_withheld = true;
            node_remove(at);
        }
        at = next;
    }
    return true;
}

static bool end_candidate(struct translation *t, struct part *p, struct node *candidate,
                          struct error *err)
{
    struct node *reason = node_member(candidate, "finishReason");
    struct span notice;

    if (p->goes_on) {
        node_remove(node_member(candidate, "finishMessage"));
        node_remove(reason);
        return true;
    }
    if (!node_is_truthy(reason)) {
        return true;
    }
    if (!texts_end(t, p->key, ending_of(reason), err)) {
        return false;
    }
    p->is_finished = true;
    if (!p->is_withheld) {
        return true;
    }
    if (!p->has_call) {
        node_set_text(reason, span_str(filtered_reason(t)));
        if (!block_ends_turn(t) &&
            !node_put(&t->memory, candidate, "finishMessage", call_notice(t), err)) {
            return false;
        }
    }
    return make_text(t, p->key, &notice, err) &&
           (notice.len == 0 || emit_chunk(t, p->key, notice, NULL, err));
}

static bool is_spent(const struct node *part)
{
    if (part->first == NULL) {
        return part->kind == JSON_KIND_OBJECT || node_is(part, "");
    }
    return part->first->next == NULL && span_is(part->first->name, "thought");
}

/* Parts without a text are left out, and a candidate without parts, unless it ends. */
static bool prune(struct translation *t, struct part *p, struct node *candidate, struct error *err)
{
    struct node *parts = node_at(candidate, "content/parts");
    struct node *at = parts == NULL ? NULL : parts->first;

    (void)t;
    (void)p;
    (void)err;
    while (at != NULL) {
        struct node *next = at->next;
        if (is_spent(at)) {
            node_remove(at);
        }
        at = next;
    }
    if (parts != NULL && parts->first == NULL && !node_is_string(parts)) {
        if (has_reason(candidate)) {
            node_remove(parts);
        } else {
            node_remove(candidate);
        }
    }
    return true;
}

static bool take(struct translation *t, struct node *root, struct error *err)
{
    const struct node *candidates = node_member(root, "candidates");
    bool had_candidates = node_count(candidates) > 0;

    if (!each_candidate(t, root, judge_calls, err) || !leaves_judge(t, root, false, err) ||
        !each_candidate(t, root, end_candidate, err)) {
        return false;
    }
    if (!leaves_prune(t, root, err) || !each_candidate(t, root, prune, err)) {
        return false;
    }
    return (had_candidates && node_count(candidates) == 0) || emit(t, root, err);
}

static bool look_on(struct translation *t, struct part *p, struct node *candidate, struct error *err)
{
    (void)t, (void)err;
    p->goes_on = p->is_ending && (has_reason(candidate) || node_count(node_at(candidate, "content/parts")) > 0);
    return true;
}

/* What waits goes out, as more came of a candidate that it ends. */
static bool go_on(struct translation *t, struct error *err)
{
    bool is_any = false, is_taken;

    for (size_t i = 0; i < t->n_parts; i++) {
        is_any = is_any || t->parts[i]->goes_on;
    }
    is_taken = !is_any || endings_settle(t, STREAM_COMPLETE, err);
    for (size_t i = 0; i < t->n_parts; i++) {
        t->parts[i]->goes_on = false;
        t->parts[i]->is_ending = t->parts[i]->is_ending && !is_any;
    }
    return is_taken;
}

static bool mark_ending(struct translation *t, struct part *p, struct node *candidate, struct error *err)
{
    (void)t, (void)err;
    p->is_ending = p->is_ending || has_reason(candidate);
    return true;
}

static enum event_place place_of(const struct node *root)
{
    const struct node *candidates = node_member(root, "candidates");
    enum event_place place = EVENT_IN_ORDER;

    for (const struct node *at = candidates == NULL ? NULL : candidates->first; at != NULL; at = at->next) {
        if (has_reason(at)) {
            return EVENT_ENDS_PART;
        }
        place = node_count(node_at(at, "content/parts")) > 0 ? EVENT_DECIDES : place;
    }
    return place;
}

static bool event(struct translation *t, struct node *root, struct error *err)
{
    struct event_row row = {.take = take, .place = place_of(root)};

    if (t->up.taking != TAKING_AGAIN && !(each_candidate(t, root, look_on, err) && go_on(t, err) &&
                                          each_candidate(t, root, mark_ending, err))) {
        return false;
    }
    return endings_take(t, root, &row, err);
}

static bool close_answer(struct translation *t, enum closing why, struct error *err)
{
    bool is_blocked = why == CLOSING_BLOCKED;

    for (size_t i = 0; is_blocked && i < t->asked.n_choices; i++) {
        if (part_open(t, i, err) == NULL) {
            return false;
        }
    }
    for (size_t i = 0; i < t->n_parts; i++) {
        struct part *p = t->parts[i];
        if (p->is_finished) {
            continue;
        }
        bool is_filtered = is_blocked || p->is_withheld;
        struct span text = span_of("", 0);
        if (!is_blocked && !texts_end(t, p->key, STREAM_TRUNCATED, err)) {
            return false; /* what was left of its texts decided: it is closed again */
        }
        p->is_finished = true;
        if ((is_filtered && !make_text(t, p->key, &text, err)) ||
            !emit_chunk(t, p->key, text,
                        is_filtered && !p->has_call ? filtered_reason(t) : "MAX_TOKENS", err)) {
            return false;
        }
    }
    return true;
}

/* --- answers in one body -------------------------------------------------------------- */

static bool put_notice(struct translation *t, struct part *p, struct node *candidate,
                       struct error *err)
{
    struct arena *a = &t->memory;
    struct node *parts = node_at(candidate, "content/parts");
    struct span text;

    if (!p->is_withheld || parts == NULL) {
        return true;
    }
    struct node *notice = tree_literal(a, "{\"text\":\"\"}", err);
    if (notice == NULL || !make_text(t, p->key, &text, err)) {
        return false;
    }
    if (text.len > 0) {
        node_set_text(notice->first, text);
        node_append(parts, notice);
    }
    return p->has_call ||
           (node_put(a, candidate, "finishReason", span_str(filtered_reason(t)), err) &&
            (block_ends_turn(t) || node_put(a, candidate, "finishMessage", call_notice(t), err)));
}

static bool end_texts(struct translation *t, struct part *p, struct node *candidate,
                      struct error *err)
{
    return texts_end(t, p->key, ending_of(node_member(candidate, "finishReason")), err);
}

static bool body(struct translation *t, struct node *root, struct error *err)
{
    return each_candidate(t, root, judge_calls, err) && leaves_judge(t, root, false, err) &&
           each_candidate(t, root, end_texts, err) &&
           texts_end(t, SIZE_MAX, STREAM_TRUNCATED, err) &&
           each_candidate(t, root, put_notice, err) && emit(t, root, err);
}

static bool blocked_body(struct translation *t, struct error *err)
{
    struct node *root = ending_envelope(t, err);
    struct node *candidates = add_candidates(t, root, err);
    size_t n = t->n_parts > t->asked.n_choices ? t->n_parts : t->asked.n_choices;

    for (size_t i = 0; candidates != NULL && i < n; i++) {
        struct span notice;
        if (!notice_make(t, false, &notice, err) ||
            !add_candidate(t, candidates, i, notice, filtered_reason(t), err)) {
            return false;
        }
    }
    return candidates != NULL && emit(t, root, err);
}

static const struct count_row count_rows[] = {
    {NULL, "promptTokenCount", false},
    {NULL, "cachedContentTokenCount", false},
    {NULL, "candidatesTokenCount", false},
    {NULL, "toolUsePromptTokenCount", false},
    {NULL, "thoughtsTokenCount", false},
    {NULL, "totalTokenCount", false},
};
static const struct counts counts = {
    .in = "usageMetadata", .rows = count_rows, .n_rows = COUNT(count_rows), .is_in_streams = true};

static const struct dialect content = {.name = "gemini-content",
                                       .counts = &counts,
                                       .rows = rows,
                                       .n_rows = COUNT(rows),
                                       .text_path = text_path,
                                       .list = "candidates",
                                       .required = "{\"candidates\":[]}",
                                       .has_no_end = true,
                                       .frames = frames,
                                       .event = event,
                                       .body = body,
                                       .close = close_answer,
                                       .blocked_body = blocked_body};

/* --- the protocol ---------------------------------------------------------------------- */

static bool has_parameter(struct span query, const char *wanted)
{
    while (query.len > 0) {
        const char *end = memchr(query.ptr, '&', query.len);
        size_t n = end == NULL ? query.len : (size_t)(end - query.ptr);
        if (span_is(span_slice(query, 0, n), wanted)) {
            return true;
        }
        query = span_slice(query, n + (end != NULL), query.len);
    }
    return false;
}

static bool streams(const struct translation_request *request, const struct node *asked,
                    enum framing *framing, struct error *err)
{
    (void)asked;
    (void)err;
    *framing = has_parameter(request->query, "alt=sse") ? FRAMING_EVENTS : FRAMING_ARRAY;
    return true;
}

#define MODELS(version) "/" version "/models/*"
#define VERTEX          "/v1/projects/*/locations/*/publishers/*/models/*"
#define WHOLE           ROUTE_JUDGED, "gemini-generate", &content, NULL, false, FILES_NONE
#define STREAM          ROUTE_JUDGED, "gemini-stream", &content, streams, false, FILES_NONE
#define PASSED(name)    ROUTE_PASSED, name, NULL, NULL, false, FILES_NONE
#define OF(models)                                                                                 \
    {"POST", models ":generateContent", WHOLE}, {"POST", models ":streamGenerateContent", STREAM}, \
        {"POST", models ":countTokens", PASSED("gemini-count-tokens")},                            \
        {"POST", models ":embedContent", PASSED("gemini-embed")},                                  \
    {                                                                                              \
        "POST", models ":batchEmbedContents", PASSED("gemini-embed")                               \
    }

static const struct protocol_route routes[] = {
    OF(MODELS("v1beta")),
    OF(MODELS("v1")),
    OF(VERTEX),
    {"GET", "/v1beta/models", PASSED("gemini-models")},
    {"GET", "/v1beta/models/*", PASSED("gemini-models")},
    {"GET", "/v1/models", PASSED("gemini-models")},
    {"GET", "/v1/models/*", PASSED("gemini-models")},
    {OTHER_ROUTES, PASSED("gemini-other")},
};

static bool blocked(struct span notice, struct buf *out, struct error *err)
{
    return json_around("{\"error\":{\"code\":400,\"message\":", notice,
                       ",\"status\":\"INVALID_ARGUMENT\"}}", out, err);
}

static bool failed(unsigned status, struct span message, struct buf *out, struct error *err)
{
    static const struct {
        unsigned status;
        const char *name;
    } names[] = {
        {400, "INVALID_ARGUMENT"}, {401, "UNAUTHENTICATED"},    {403, "PERMISSION_DENIED"},
        {404, "NOT_FOUND"},        {429, "RESOURCE_EXHAUSTED"}, {500, "INTERNAL"},
        {503, "UNAVAILABLE"},      {504, "DEADLINE_EXCEEDED"},
    };
    const char *name = status < 500 ? "INVALID_ARGUMENT" : "INTERNAL";
    struct buf head CLEANUP(buf_deinit);
    struct buf tail CLEANUP(buf_deinit);

    for (size_t i = 0; i < COUNT(names); i++) {
        name = names[i].status == status ? names[i].name : name;
    }
    buf_init(&head, 128);
    buf_init(&tail, 128);
    return buf_appendf(&head, err, "{\"error\":{\"code\":%u,\"message\":%c", status, '\0') &&
           buf_appendf(&tail, err, ",\"status\":\"%s\"}}%c", name, '\0') &&
           json_around(head.data, message, tail.data, out, err);
}

const struct protocol protocol_gemini = {.name = "gemini",
                                         .routes = routes,
                                         .n_routes = COUNT(routes),
                                         /* Google's Python client takes every line that is neither empty nor data for
                                          * JSON, a comment as well. */
                                         .heartbeat = "\n",
                                         .blocked = blocked,
                                         .failed = failed};
