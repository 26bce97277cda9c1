#include "protocol/dialects/openai.h"

#include "protocol/dialects/openai_responses.h"

static bool streams(const struct translation_request *request, const struct node *body,
                    enum framing *framing, struct error *err)
{
    (void)request;
    return request_streams_events(body, framing, err);
}

/* A stored response is an answer like the one that made it: also as a stream, which the query asks for. */
static bool stored_streams(const struct translation_request *request, const struct node *body, enum framing *framing,
                           struct error *err)
{
    struct span rest = request->query;

    (void)body, (void)err;
    *framing = FRAMING_BODY;
    while (rest.len > 0) {
        const char *end = memchr(rest.ptr, '&', rest.len);
        size_t len = end == NULL ? rest.len : (size_t)(end - rest.ptr);
        *framing = span_is(span_of(rest.ptr, len), "stream=true") ? FRAMING_EVENTS : *framing;
        rest = span_slice(rest, end == NULL ? len : len + 1, rest.len);
    }
    return true;
}

/* Inside a WebSocket. */
static bool always_streams(const struct translation_request *request, const struct node *body, enum framing *framing,
                           struct error *err)
{
    (void)request, (void)body, (void)err;
    *framing = FRAMING_EVENTS;
    return true;
}

#define CHAT         ROUTE_JUDGED, "openai-chat", &openai_chat, streams, false, FILES_NONE
#define COMPLETIONS  ROUTE_JUDGED, "openai-completions", &openai_completions, streams, false, FILES_NONE
#define RESPONSES    ROUTE_JUDGED, "openai-responses", &openai_responses, streams, false, FILES_NONE
#define STORED       ROUTE_JUDGED, "openai-responses-stored", &openai_responses, stored_streams, true, FILES_NONE
#define UPGRADED(name) ROUTE_UPGRADED, name, NULL, NULL, false, FILES_NONE
#define RESPONSE ROUTE_JUDGED, "openai-responses-websocket", &openai_responses, always_streams, false, FILES_NONE
#define PASSED(name) ROUTE_PASSED, name, NULL, NULL, false, FILES_NONE
#define EVENTS(name, files) ROUTE_PASSED, name, &openai_events, NULL, false, files
#define ASSISTANTS(name) ROUTE_PASSED, name, &openai_assistants, NULL, false, FILES_NONE
#define AZURE        "/openai/deployments/*"
/* A collection, its objects, and what is below them. */
#define MANAGED(path, ...) \
    {"GET", path, __VA_ARGS__}, {"POST", path, __VA_ARGS__}, {"GET", path "/*", __VA_ARGS__}, {"POST", path "/*", __VA_ARGS__}, \
        {"DELETE", path "/*", __VA_ARGS__}

static const struct protocol_route routes[] = {
    {"POST", "/v1/chat/completions", CHAT},
    {"POST", AZURE "/chat/completions", CHAT},
    {"POST", "/v1/completions", COMPLETIONS},
    {"POST", AZURE "/completions", COMPLETIONS},
    {"POST", "/v1/responses", RESPONSES},
    {"POST", "/v1/responses/input_tokens", PASSED("openai-responses-state")},
    {"POST", "/v1/responses/compact", PASSED("openai-responses-state")},
    {"GET", "/v1/responses/*/input_items", PASSED("openai-responses-state")},
    {"DELETE", "/v1/responses/*", PASSED("openai-responses-state")},
    {"POST", "/v1/responses/*/cancel", STORED},
    {"GET", "/v1/responses/*", STORED},
    {"POST", "/v1/conversations", PASSED("openai-conversations")},
    {"GET", "/v1/conversations/*", PASSED("openai-conversations")},
    {"POST", "/v1/conversations/*", PASSED("openai-conversations")},
    {"DELETE", "/v1/conversations/*", PASSED("openai-conversations")},
    {"GET", "/v1/chat/completions", PASSED("openai-chat-stored")},
    {"GET", "/v1/chat/completions/*", PASSED("openai-chat-stored")},
    {"POST", "/v1/chat/completions/*", PASSED("openai-chat-stored")},
    {"DELETE", "/v1/chat/completions/*", PASSED("openai-chat-stored")},
    {"POST", "/v1/moderations", PASSED("openai-moderations")},
    {"GET", "/v1/models", PASSED("openai-models")},
    {"GET", "/v1/models/*", PASSED("openai-models")},
    {"DELETE", "/v1/models/*", PASSED("openai-models")}, /* one that was fine-tuned */
    {"POST", "/v1/embeddings", PASSED("openai-embeddings")},
    {"POST", AZURE "/embeddings", PASSED("openai-embeddings")},
    {"POST", "/v1/audio/transcriptions", EVENTS("openai-audio-text", FILES_TEXT)},
    {"POST", "/v1/audio/translations", EVENTS("openai-audio-text", FILES_TEXT)},
    {"POST", "/v1/audio/speech", EVENTS("openai-audio-speech", FILES_MEDIA)},
    {"POST", "/v1/images/*", EVENTS("openai-images", FILES_MEDIA)},
    {"POST", AZURE "/audio/transcriptions", EVENTS("openai-audio-text", FILES_TEXT)},
    {"POST", AZURE "/audio/translations", EVENTS("openai-audio-text", FILES_TEXT)},
    {"POST", AZURE "/audio/speech", EVENTS("openai-audio-speech", FILES_MEDIA)},
    {"POST", AZURE "/images/*", EVENTS("openai-images", FILES_MEDIA)},
    MANAGED("/v1/files", EVENTS("openai-files", FILES_MEDIA)),
    MANAGED("/v1/uploads", PASSED("openai-uploads")),
    MANAGED("/v1/batches", PASSED("openai-batches")),
    MANAGED("/v1/fine_tuning", PASSED("openai-fine-tuning")),
    MANAGED("/v1/vector_stores", PASSED("openai-vector-stores")),
    MANAGED("/v1/assistants", PASSED("openai-assistants")),
    MANAGED("/v1/threads", ASSISTANTS("openai-threads")),
    {"GET", "/v1/responses", UPGRADED("openai-responses-websocket")},
    {"GET", "/v1/realtime", UPGRADED("openai-realtime")},
    {"", "/responses/response", RESPONSE},
    {"", "/responses/event", PASSED("openai-responses-event")},
    {"", "/realtime/response", ROUTE_JUDGED, "openai-realtime", &openai_realtime, always_streams, true, FILES_NONE},
    {"", "/realtime/event", PASSED("openai-realtime-event")},
    {OTHER_ROUTES, EVENTS("openai-other", FILES_TEXT)},
};

static bool blocked(struct span notice, struct buf *out, struct error *err)
{
    return json_around("{\"error\":{\"message\":", notice,
                       ",\"type\":\"invalid_request_error\",\"param\":null,"
                       "\"code\":\"content_filter\",\"innererror\":{"
                       "\"code\":\"ResponsibleAIPolicyViolation\"}}}",
                       out, err);
}

static bool failed(unsigned status, struct span message, struct buf *out, struct error *err)
{
    return json_around("{\"error\":{\"message\":", message,
                       status < 500
                           ? ",\"type\":\"invalid_request_error\",\"param\":null,\"code\":null}}"
                           : ",\"type\":\"server_error\",\"param\":null,\"code\":null}}",
                       out, err);
}

/* --- the Realtime API ------------------------------------------------------------------ */

/* The responses of the Realtime API: items and texts are those of the Responses API. Each event names its response and itself; the last
 * one is response.done, whose status says how it ended. */

static bool put_response_id(struct translation *t, struct node *root, struct error *err)
{
    const struct node *kept, *id;

    if (node_member(root, "response_id") != NULL || node_member(root, "response") != NULL) {
        return true;
    }
    kept = envelope(t, err);
    id = node_at(kept, "response/id");
    return kept != NULL && (!node_is_string(id) || node_put(&t->memory, root, "response_id", id->text, err));
}

/* Events that were made here have no id yet. */
static bool stamp(struct translation *t, struct node *root, struct error *err)
{
    char text[48];
    struct span id;

    if (!put_response_id(t, root, err)) {
        return false;
    }
    if (node_member(root, "event_id") != NULL) {
        return true;
    }
    (void)snprintf(text, sizeof(text), "event_filterd_%zu", t->down.shown.n_events);
    return arena_copy(&t->memory, span_str(text), &id, err) && node_put(&t->memory, root, "event_id", id, err);
}

/* A response that is no stream does not occur. */
static bool no_body(struct translation *t, struct node *root, struct error *err)
{
    (void)t, (void)root;
    return error_set(err, ERROR_INVALID, "answer: expected events");
}

const struct dialect openai_realtime = {.name = "openai-realtime",
                                        .has_copies = true,
                                        .rows = openai_responses_rows,
                                        .n_rows = OPENAI_RESPONSES_ROWS,
                                        .text_path = openai_responses_text_path,
                                        .joined = {NULL, 0, "/output/*/content/*/text"},
                                        .value_keys = openai_responses_value_keys,
                                        .has_places = openai_responses_has_places,
                                        .stamp = stamp,
                                        .counts = &response_counts,
                                        .envelope_in = "response",
                                        .event = openai_responses_event,
                                        .body = no_body,
                                        .close = response_close,
                                        .blocked_body = response_blocked_body};

const struct protocol protocol_openai = {.name = "openai",
                                         .routes = routes,
                                         .n_routes = COUNT(routes),
                                         .below = "/openai", /* Azure */
                                         .heartbeat = ": filterd\n\n",
                                         .has_comments = true,
                                         .blocked = blocked,
                                         .failed = failed};
