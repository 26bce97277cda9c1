/* endings.h - answers of every protocol with the reason why they end left open: '#' stands for it.
 */
#ifndef FILTERD_TESTS_UNIT_PROTOCOL_ENDINGS_H
#define FILTERD_TESTS_UNIT_PROTOCOL_ENDINGS_H

#include "unit/protocol/answer.h"

#define FIRST "AKIAQWB5PDKH" /* the least that is taken for a part of a secret */
#define REST  "X6"
#define PART  FIRST REST
#define SAYS  "see " PART
#define SHOWN "see " KEY_LABEL

enum { UPSTREAM_MAX = 8192 };

struct ending_case {
    const char *name;
    struct answer_request request; /* its upstream has the reason left open */
    const char *complete[6], *cut[6];
};

#define EVENTS(protocol_, path_, body_, ...)                                                       \
    {                                                                                              \
        .protocol = (protocol_), .path = (path_), .body = (body_), .type = "text/event-stream",    \
        .upstream = __VA_ARGS__                                                                    \
    }
#define BODY(protocol_, path_, ...)                                                                \
    {                                                                                              \
        .protocol = (protocol_), .path = (path_), .body = "{\"stream\":false}",                    \
        .type = "application/json", .upstream = __VA_ARGS__                                        \
    }
#define STREAM "{\"stream\":true}"
#define CHAT(rest, finish)                                                                         \
    "data: {\"id\":\"c-1\",\"choices\":[{\"index\":0," rest ",\"finish_reason\":" finish "}]}\n\n"
#define CHAT_REASONS                                                                               \
    {"stop", "tool_calls", "function_call", "eos"},                                                \
    {                                                                                              \
        "length", "content_filter", "x"                                                            \
    }
#define EVENT(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define MESSAGE(blocks)                                                                            \
    EVENT("message_start", ",\"message\":{\"id\":\"msg_1\",\"content\":[]}")                       \
    blocks EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"#\"}") EVENT("message_stop", "")
#define START(index, block)                                                                        \
    EVENT("content_block_start", ",\"index\":" index ",\"content_block\":{" block "}")
#define DELTA(index, delta)                                                                        \
    EVENT("content_block_delta", ",\"index\":" index ",\"delta\":{" delta "}")
#define STOP(index)       EVENT("content_block_stop", ",\"index\":" index)
#define TEXT(index, text) DELTA(index, "\"type\":\"text_delta\",\"text\":\"" text "\"")
#define START_TEXT(index) START(index, "\"type\":\"text\",\"text\":\"\"")
#define THINKING(text)    DELTA("0", "\"type\":\"thinking_delta\",\"thinking\":\"" text "\"")
#define TEXT_BLOCK        START_TEXT("0") TEXT("0", "see " FIRST) TEXT("0", REST) STOP("0")
#define ANTHROPIC(...)    EVENTS("anthropic", "/v1/messages", STREAM, __VA_ARGS__)
#define ANTHROPIC_REASONS                                                                          \
    {"end_turn", "stop_sequence", "tool_use", "pause_turn"},                                       \
    {                                                                                              \
        "max_tokens", "model_context_window_exceeded", "refusal", "x"                              \
    }
#define COHERE_MESSAGE(events)                                                                     \
    EVENT("message-start", ",\"id\":\"c-1\"")                                                      \
    events EVENT("message-end", ",\"delta\":{\"finish_reason\":\"#\"}")
#define CONTENT(index, text)                                                                       \
    EVENT("content-delta",                                                                         \
          ",\"index\":" index ",\"delta\":{\"message\":{\"content\":{\"text\":\"" text "\"}}}")
#define CONTENT_START(index) EVENT("content-start", ",\"index\":" index)
#define CONTENT_END(index)   EVENT("content-end", ",\"index\":" index)
#define PLAN(text)           EVENT("tool-plan-delta", ",\"delta\":{\"message\":{\"tool_plan\":\"" text "\"}}")
#define COHERE(...)          EVENTS("cohere", "/v2/chat", STREAM, __VA_ARGS__)
#define COHERE_REASONS                                                                             \
    {"COMPLETE", "STOP_SEQUENCE", "TOOL_CALL"},                                                    \
    {                                                                                              \
        "MAX_TOKENS", "ERROR", "TIMEOUT", "X"                                                      \
    }
#define CHUNK(parts, rest)                                                                         \
    "{\"candidates\":[{\"content\":{\"parts\":[" parts "],\"role\":\"model\"}" rest "}]}"
#define GEMINI_REASONS                                                                             \
    {"STOP"},                                                                                      \
    {                                                                                              \
        "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"                                              \
    }
#define OLLAMA_REASONS                                                                             \
    {"stop"},                                                                                      \
    {                                                                                              \
        "length", "x"                                                                              \
    }
#define ITEM(status, text)                                                                         \
    "{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"" status                                  \
    "\",\"content\":[{\"type\":\"output_text\",\"text\":\"" text "\"}]}"
#define IN_ITEM(index) ",\"item_id\":\"msg_1\",\"output_index\":" index ",\"content_index\":0"
#define CREATED        EVENT("response.created", ",\"response\":{\"id\":\"r\",\"output\":[]}")
#define ADDED(index)                                                                               \
    EVENT("response.output_item.added",                                                            \
          ",\"output_index\":" index ",\"item\":{\"id\":\"msg_1\",\"type\":\"message\","           \
          "\"content\":[]}")                                                                       \
    EVENT("response.content_part.added", IN_ITEM(index) ",\"part\":{\"type\":\"output_text\"}")
#define OUTPUT(index, text)                                                                        \
    EVENT("response.output_text.delta", IN_ITEM(index) ",\"delta\":\"" text "\"")
#define DONE(index, status, text)                                                                  \
    EVENT("response.output_text.done", IN_ITEM(index) ",\"text\":\"" text "\"")                    \
    EVENT("response.content_part.done",                                                            \
          IN_ITEM(index) ",\"part\":{\"type\":\"output_text\",\"text\":\"" text "\"}")             \
    EVENT("response.output_item.done", ",\"output_index\":" index ",\"item\":" ITEM(status, text))
#define RESPONSE(type, status, output)                                                             \
    EVENT(type, ",\"response\":{\"id\":\"r\",\"status\":\"" status "\",\"output\":[" output "]}")
#define RESPONSES(...) EVENTS("openai", "/v1/responses", STREAM, __VA_ARGS__)

/* The answer with its reason. */
static inline struct answer_request with(const struct ending_case *from, const char *reason)
{
    static char upstream[UPSTREAM_MAX];
    struct answer_request r = from->request;
    size_t len = 0;

    for (const char *at = r.upstream; *at != '\0'; at++) {
        len += (size_t)snprintf(upstream + len, sizeof(upstream) - len, "%.*s",
                                *at == '#' ? (int)strlen(reason) : 1, *at == '#' ? reason : at);
    }
    assert_true(len < sizeof(upstream));
    r.upstream = upstream;
    return r;
}

/* Once with no cut, then with one at each byte, up to `cuts`. */
static inline const char *translate_cut(struct answer_request r, const char *name, size_t cuts)
{
    static char whole[ANSWER_MAX];

    r.cut = 0;
    (void)snprintf(whole, sizeof(whole), "%s", translate(&r));
    if (!last.is_read || !last.is_over || last.is_blocked) {
        fail_msg("%s: %s\n%s", name, last.err.text, whole);
    }
    for (r.cut = 1; r.cut < strlen(r.upstream) && r.cut <= cuts; r.cut++) {
        if (strcmp(translate(&r), whole) != 0) {
            fail_msg("%s, in pieces of %zu: %s\nnot: %s", name, r.cut, last.text, whole);
        }
    }
    return whole;
}

static inline const char *translate_any_cutting(struct answer_request r, const char *name)
{
    return translate_cut(r, name, SIZE_MAX);
}

#endif
