/* What blocks in the last events of an answer: the client gets the notice, or the connection breaks. */
#include "unit/protocol/endings.h"

#define NOTE      ",\"" PEM("\\n") "\":1"
#define CHAT_SAYS CHAT("\"delta\":{\"content\":\"so\"}", "null") CHAT("\"delta\":{}", "\"stop\"")
#define USAGE     "{\"stream\":true,\"stream_options\":{\"include_usage\":true}}"
#define MESSAGE_SAYS                                                                                        \
    EVENT("message_start", ",\"message\":{\"id\":\"msg_1\",\"content\":[]}") START_TEXT("0") TEXT("0", "so") STOP("0")
#define REASON EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}")
#define CALL_SAYS                                                                                           \
    EVENT("message_start", ",\"message\":{\"id\":\"msg_1\",\"content\":[]}")                                \
    START("0", "\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"look\",\"input\":{}") DELTA("0", "\"type\":\"input_json_delta\",\"partial_json\":\"{}\"") STOP("0")
#define LINE(rest)    "{\"is_finished\":false," rest "}\n"
#define GEMINI(rest)  CHUNK("{\"text\":\"so\"}", rest)
#define COHERE_V1(...)                                                                                      \
    {                                                                                                       \
        .protocol = "cohere", .path = "/v1/chat", .body = STREAM, .type = "application/stream+json",        \
        .upstream = LINE("\"event_type\":\"stream-start\",\"generation_id\":\"g\"")                         \
            LINE("\"event_type\":\"text-generation\",\"text\":\"so\"") __VA_ARGS__                          \
    }

/* Behind the event that said how the answer ends. */
static const struct answer_request late[] = {
    EVENTS("openai", "/v1/chat/completions", USAGE, CHAT_SAYS "data: {\"id\":\"c-1\",\"choices\":[],\"usage\":{\"total_tokens\":1}" NOTE "}\n\n"),
    EVENTS("openai", "/v1/chat/completions", STREAM, CHAT_SAYS "data: {\"id\n\n"),
    EVENTS("openai", "/v1/completions", STREAM,
           "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"text\":\"so\",\"finish_reason\":\"stop\"}]}\n\ndata: [DO\n\n"),
    EVENTS("anthropic", "/v1/messages", STREAM, MESSAGE_SAYS REASON EVENT("message_stop", NOTE)),
    EVENTS("anthropic", "/v1/messages", STREAM, MESSAGE_SAYS REASON "event: message_stop\ndata: {\"type\":\n\n"),
    {.protocol = "gemini",
     .path = "/v1/models/m:streamGenerateContent",
     .body = "{}",
     .type = "application/json",
     .upstream = "[" GEMINI(",\"finishReason\":\"STOP\"") ",{\"usageMetadata\":{\"a\":1}" NOTE "}]"},
};

/* In it. */
static const struct answer_request last_events[] = {
    EVENTS("openai", "/v1/chat/completions", STREAM,
           CHAT("\"delta\":{\"content\":\"so\"}", "null") "data: {\"id\":\"c-1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]" NOTE "}\n\n"),
    EVENTS("anthropic", "/v1/messages", STREAM, MESSAGE_SAYS EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}" NOTE)),
    EVENTS("anthropic", "/v1/messages", STREAM, CALL_SAYS EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"tool_use\"}" NOTE)),
    COHERE(EVENT("message-start", ",\"id\":\"c-1\"") CONTENT_START("0") CONTENT("0", "so") CONTENT_END("0")
               EVENT("message-end", ",\"delta\":{\"finish_reason\":\"COMPLETE\"}" NOTE)),
    COHERE_V1("{\"is_finished\":true,\"event_type\":\"stream-end\",\"finish_reason\":\"COMPLETE\",\"response\":{\"text\":\"so\"}" NOTE "}\n"),
    {.protocol = "ollama",
     .path = "/api/chat",
     .body = "{}",
     .type = "application/x-ndjson",
     .upstream = "{\"message\":{\"content\":\"so\"},\"done\":false}\n{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"" NOTE "}\n"},
};

static const enum block_style styles[] = {BLOCK_SOFT, BLOCK_END_TURN, BLOCK_REFUSAL};

static void assert_says_so(struct answer_request r)
{
    for (size_t i = 0; i < COUNT(styles); i++) {
        r.block = styles[i];
        for (r.cut = 0; r.cut < 5; r.cut++) {
            const char *out = translate(&r);
            assert_true(last.is_over && last.is_blocked);
            if (strstr(out, NOTICE) == NULL && !last.is_broken_off) {
                fail_msg("%s, style %d: blocked without a notice: %s", r.path, (int)r.block, out);
            }
        }
    }
}

static void a_block_behind_the_end_breaks_the_answer_off(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(late); i++) {
        assert_says_so(late[i]);
        assert_true(last.is_broken_off);
        assert_lacks(last.text, NOTICE);
    }
}

static void a_block_in_the_last_event_has_the_notice(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(last_events); i++) {
        assert_says_so(last_events[i]);
        assert_false(last.is_broken_off);
        assert_holds(last.text, NOTICE);
    }
}

static void a_policy_decides_such_a_block(void **state)
{
    (void)state;
    (void)translate(&late[3]);
    assert_true(last.is_read);
    assert_string_equal(last.rule, "private-key-rsa");
    (void)translate(&late[1]);
    assert_false(last.is_read);
    assert_string_equal(last.rule, "filterd.unjudged");
}

/* The call stays, so the message is no refusal that could explain itself. */
static void a_refusal_beside_a_call_is_a_text(void **state)
{
    struct answer_request whole = BODY("anthropic", "/v1/messages",
                                       "{\"content\":[{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"look\",\"input\":{\"k\":\"" PEM("\\n")
                                       "\"}},{\"type\":\"tool_use\",\"id\":\"toolu_2\",\"name\":\"look\",\"input\":{}}],\"stop_reason\":\"tool_use\"}");

    (void)state;
    whole.block = BLOCK_REFUSAL;
    assert_holds(translate(&whole), "\"text\":\"" NOTICE "\"");
    assert_holds(last.text, "\"stop_reason\":\"tool_use\"");
    assert_holds(last.text, "toolu_2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_behind_the_end_breaks_the_answer_off),
        cmocka_unit_test(a_block_in_the_last_event_has_the_notice),
        cmocka_unit_test(a_policy_decides_such_a_block),
        cmocka_unit_test(a_refusal_beside_a_call_is_a_text),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
