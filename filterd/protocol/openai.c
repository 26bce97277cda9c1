#include "protocol/openai.h"

static bool streams(const struct translation_request *request, const struct node *body,
                    enum framing *framing, struct error *err)
{
    bool is_streaming;

    (void)request;
    if (!request_streams(body, false, &is_streaming, err)) {
        return false;
    }
    *framing = is_streaming ? FRAMING_EVENTS : FRAMING_BODY;
    return true;
}

#define CHAT         ROUTE_JUDGED, "openai-chat", &openai_chat, streams
#define COMPLETIONS  ROUTE_JUDGED, "openai-completions", &openai_completions, streams
#define PASSED(name) ROUTE_PASSED, name, NULL, NULL
#define AZURE        "/openai/deployments/*"

static const struct protocol_route routes[] = {
    {"POST", "/v1/chat/completions", CHAT},
    {"POST", "/chat/completions", CHAT},
    {"POST", "/openai/v1/chat/completions", CHAT},
    {"POST", AZURE "/chat/completions", CHAT},
    {"POST", "/v1/completions", COMPLETIONS},
    {"POST", AZURE "/completions", COMPLETIONS},
    {"GET", "/v1/models", PASSED("openai-models")},
    {"GET", "/v1/models/*", PASSED("openai-models")},
    {"GET", "/openai/v1/models", PASSED("openai-models")},
    {"POST", "/v1/embeddings", PASSED("openai-embeddings")},
    {"POST", "/openai/v1/embeddings", PASSED("openai-embeddings")},
    {"POST", AZURE "/embeddings", PASSED("openai-embeddings")},
};

static bool write_error(const char *head, struct span message, const char *tail, struct buf *out,
                        struct error *err)
{
    size_t before = out->len;

    if (!buf_append_str(out, head, err) || !json_append_string(out, message, err) ||
        !buf_append_str(out, tail, err)) {
        out->len = before;
        return false;
    }
    return true;
}

static bool blocked(struct span notice, struct buf *out, struct error *err)
{
    return write_error("{\"error\":{\"message\":", notice,
                       ",\"type\":\"invalid_request_error\",\"param\":null,"
                       "\"code\":\"content_filter\",\"innererror\":{"
                       "\"code\":\"ResponsibleAIPolicyViolation\"}}}",
                       out, err);
}

static bool failed(unsigned status, struct span message, struct buf *out, struct error *err)
{
    return write_error("{\"error\":{\"message\":", message,
                       status < 500
                           ? ",\"type\":\"invalid_request_error\",\"param\":null,\"code\":null}}"
                           : ",\"type\":\"server_error\",\"param\":null,\"code\":null}}",
                       out, err);
}

const struct protocol protocol_openai = {.name = "openai",
                                         .routes = routes,
                                         .n_routes = COUNT(routes),
                                         .heartbeat = ": filterd\n\n",
                                         .blocked = blocked,
                                         .failed = failed};
