#include "protocol/openai.h"

static bool streams(const struct translation_request *request, const struct node *body,
                    enum framing *framing, struct error *err)
{
    (void)request;
    return request_streams_events(body, framing, err);
}

/* What runs in the background is fetched by routes that do not pass. */
static bool responses_stream(const struct translation_request *request, const struct node *body,
                             enum framing *framing, struct error *err)
{
    if (node_is_truthy(node_member(body, "background"))) {
        return error_set(err, ERROR_DENIED,
                         "background is not supported here, as its answer could not be fetched: ask without it");
    }
    return streams(request, body, framing, err);
}

#define CHAT         ROUTE_JUDGED, "openai-chat", &openai_chat, streams
#define COMPLETIONS  ROUTE_JUDGED, "openai-completions", &openai_completions, streams
#define RESPONSES    ROUTE_JUDGED, "openai-responses", &openai_responses, responses_stream
#define PASSED(name) ROUTE_PASSED, name, NULL, NULL
#define AZURE        "/openai/deployments/*"

static const struct protocol_route routes[] = {
    {"POST", "/v1/chat/completions", CHAT},
    {"POST", "/chat/completions", CHAT},
    {"POST", "/openai/v1/chat/completions", CHAT},
    {"POST", AZURE "/chat/completions", CHAT},
    {"POST", "/v1/completions", COMPLETIONS},
    {"POST", AZURE "/completions", COMPLETIONS},
    {"POST", "/v1/responses", RESPONSES},
    {"POST", "/openai/v1/responses", RESPONSES},
    {"POST", "/openai/responses", RESPONSES},
    {"GET", "/v1/models", PASSED("openai-models")},
    {"GET", "/v1/models/*", PASSED("openai-models")},
    {"GET", "/openai/v1/models", PASSED("openai-models")},
    {"POST", "/v1/embeddings", PASSED("openai-embeddings")},
    {"POST", "/openai/v1/embeddings", PASSED("openai-embeddings")},
    {"POST", AZURE "/embeddings", PASSED("openai-embeddings")},
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

const struct protocol protocol_openai = {.name = "openai",
                                         .routes = routes,
                                         .n_routes = COUNT(routes),
                                         .heartbeat = ": filterd\n\n",
                                         .has_comments = true,
                                         .blocked = blocked,
                                         .failed = failed};
