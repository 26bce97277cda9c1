/* Tool calls at the end of an answer that was cut off: one of which something may be missing is
 * left out. */
#include "unit/protocol/endings.h"

/* --- calls -------------------------------------------------------------------------------- */

#define CALL_START  START("0", "\"type\":\"tool_use\",\"id\":\"t_1\",\"name\":\"send\",\"input\":{}")
#define INPUT(json) DELTA("0", "\"type\":\"input_json_delta\",\"partial_json\":\"" json "\"")
#define HALF        "{\\\"to\\\": \\\"a"
#define WHOLE       "{\\\"to\\\": \\\"a\\\"}"
#define COHERE_CALL(type, rest)                                                                    \
    EVENT("tool-call-" type, ",\"index\":0,\"delta\":{\"message\":{\"tool_calls\":{" rest "}}}")
#define COHERE_START       COHERE_CALL("start", "\"id\":\"t_1\",\"function\":{\"name\":\"send\"}")
#define COHERE_INPUT(json) COHERE_CALL("delta", "\"function\":{\"arguments\":\"" json "\"}")
#define COHERE_END         EVENT("tool-call-end", ",\"index\":0")
#define CHAT_CALL(kind, member, text)                                                              \
    "\"tool_calls\":[{\"index\":0,\"id\":\"t_1\",\"type\":\"" kind "\",\"" kind                    \
    "\":{\"name\":\"send\",\"" member "\":\"" text "\"}}]"
#define CHAT_STREAM(call)                                                                          \
    EVENTS("openai", "/v1/chat/completions", STREAM,                                               \
           CHAT("\"delta\":{" call "}", "null") CHAT("\"delta\":{}", "\"#\"") "data: [DONE]\n\n")
#define CHAT_BODY(call)                                                                            \
    BODY("openai", "/v1/chat/completions",                                                         \
         "{\"choices\":[{\"finish_reason\":\"#\",\"message\":{" call "}}]}")
#define RESPONSE_CALL(kind, status, member, text)                                                  \
    "{\"id\":\"t_1\",\"type\":\"" kind "\",\"status\":\"" status "\",\"name\":\"send\",\"" member  \
    "\":\"" text "\"}"
#define RESPONSE_STREAM(call)                                                                      \
    RESPONSES(CREATED EVENT("response.output_item.added", ",\"output_index\":0,\"item\":" call)    \
                  EVENT("response.output_item.done", ",\"output_index\":0,\"item\":" call)         \
                      RESPONSE("response.#", "#", call))
#define RESPONSE_BODY(call)                                                                        \
    BODY("openai", "/v1/responses", "{\"status\":\"#\",\"output\":[" call "]}")

static const struct call_case {
    const char *name;
    struct answer_request request;
    const char *complete, *cut;
    bool is_shown_when_cut; /* nothing of it can be missing */
} calls[] = {
    {"messages, half", ANTHROPIC(MESSAGE(CALL_START INPUT(HALF) STOP("0"))), NULL, "max_tokens", 0},
    {"messages, no input", ANTHROPIC(MESSAGE(CALL_START STOP("0"))), "tool_use", "max_tokens", 0},
    {"messages, all of it", ANTHROPIC(MESSAGE(CALL_START INPUT(WHOLE) STOP("0"))), "tool_use",
     "max_tokens", 1},
    {"messages, whole",
     BODY("anthropic", "/v1/messages",
          "{\"content\":[{\"type\":\"tool_use\",\"id\":\"t_1\",\"name\":\"send\",\"input\":{}}],"
          "\"stop_reason\":\"#\"}"),
     "tool_use", "max_tokens", 0},
    {"cohere, half", COHERE(COHERE_MESSAGE(COHERE_START COHERE_INPUT(HALF) COHERE_END)), NULL,
     "MAX_TOKENS", 0},
    {"cohere, no arguments", COHERE(COHERE_MESSAGE(COHERE_START COHERE_END)), "TOOL_CALL",
     "MAX_TOKENS", 0},
    {"cohere, all of it", COHERE(COHERE_MESSAGE(COHERE_START COHERE_INPUT(WHOLE) COHERE_END)),
     "TOOL_CALL", "MAX_TOKENS", 1},
    {"cohere, whole",
     BODY("cohere", "/v2/chat",
          "{\"finish_reason\":\"#\",\"message\":{\"tool_calls\":[{\"id\":\"t_1\",\"function\":"
          "{\"name\":\"send\",\"arguments\":\"" HALF "\"}}]}}"),
     NULL, "MAX_TOKENS", 0},
    {"chat, half", CHAT_STREAM(CHAT_CALL("function", "arguments", HALF)), NULL, "length", 0},
    {"chat, no arguments", CHAT_STREAM(CHAT_CALL("function", "arguments", "")), "tool_calls",
     "length", 0},
    {"chat, all of it", CHAT_STREAM(CHAT_CALL("function", "arguments", WHOLE)), "tool_calls",
     "length", 1},
    {"chat, free text", CHAT_STREAM(CHAT_CALL("custom", "input", "so")), "tool_calls", "length", 0},
    {"chat, whole, half", CHAT_BODY(CHAT_CALL("function", "arguments", HALF)), NULL, "length", 0},
    {"chat, whole, all of it", CHAT_BODY(CHAT_CALL("function", "arguments", WHOLE)), "tool_calls",
     "length", 1},
    {"chat, whole, free text", CHAT_BODY(CHAT_CALL("custom", "input", "so")), "tool_calls",
     "length", 0},
    {"chat, whole, the old way",
     CHAT_BODY("\"function_call\":{\"name\":\"send\",\"arguments\":\"" HALF "\"}"), NULL, "length",
     0},
    {"responses, half", RESPONSE_STREAM(RESPONSE_CALL("function_call", "#", "arguments", HALF)),
     NULL, "incomplete", 0},
    {"responses, all of it",
     RESPONSE_STREAM(RESPONSE_CALL("function_call", "completed", "arguments", WHOLE)), "completed",
     "incomplete", 1},
    {"responses, all of it, but not for the upstream",
     RESPONSE_STREAM(RESPONSE_CALL("function_call", "#", "arguments", WHOLE)), "completed",
     "incomplete", 0},
    {"responses, free text",
     RESPONSE_STREAM(RESPONSE_CALL("custom_tool_call", "completed", "input", "so")), "completed",
     "incomplete", 0},
    {"responses, whole, half",
     RESPONSE_BODY(RESPONSE_CALL("function_call", "completed", "arguments", HALF)), NULL,
     "incomplete", 0},
    {"responses, whole, free text",
     RESPONSE_BODY(RESPONSE_CALL("custom_tool_call", "completed", "input", "so")), "completed",
     "incomplete", 0},
};

static void a_call_that_may_be_cut_is_left_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(calls); i++) {
        struct ending_case c = {.name = calls[i].name, .request = calls[i].request};
        const char *out = translate_any_cutting(with(&c, calls[i].cut), calls[i].name);
        if ((strstr(out, "send") != NULL) != calls[i].is_shown_when_cut) {
            fail_msg("%s: %s", calls[i].name, out);
        }
        assert_lacks(out, NOTICE); /* nobody is to blame */
        if (calls[i].complete != NULL) {
            assert_holds(translate_any_cutting(with(&c, calls[i].complete), calls[i].name), "send");
        }
    }
}

/* Others before it stay, and what stands before a call was complete. */
static void what_stands_before_a_cut_call_stays(void **state)
{
    struct ending_case c = {
        .request = BODY("anthropic", "/v1/messages",
                        "{\"content\":[{\"type\":\"text\",\"text\":\"" SAYS
                        "\"},{\"type\":\"tool_use\",\"id\":\"t_1\",\"name\":\"first\","
                        "\"input\":{}},{\"type\":\"tool_use\",\"id\":\"t_2\",\"name\":\"send\","
                        "\"input\":{}}],\"stop_reason\":\"max_tokens\"}")};
    (void)state;
    const char *out = translate_any_cutting(with(&c, ""), "messages, whole");
    assert_holds(out, "\"text\":\"" SAYS "\"");
    assert_holds(out, "\"first\"");
    assert_lacks(out, "\"send\"");
    c.request = (struct answer_request)CHAT_STREAM(
        "\"tool_calls\":[{\"index\":0,\"id\":\"t_1\",\"type\":\"function\",\"function\":{\"name\":"
        "\"first\",\"arguments\":\"\"}},{\"index\":1,\"id\":\"t_2\",\"type\":\"function\","
        "\"function\":{\"name\":\"send\",\"arguments\":\"" HALF "\"}}]");
    out = translate_any_cutting(with(&c, "length"), "chat");
    assert_holds(out, "\"first\"");
    assert_lacks(out, "\"send\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_that_may_be_cut_is_left_out),
        cmocka_unit_test(what_stands_before_a_cut_call_stays),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
