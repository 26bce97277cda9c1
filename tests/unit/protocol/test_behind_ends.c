#include "unit/protocol/answer.h"

#include "protocol/dialect.h"

/* What an upstream says of a text or a call after their end is neither judged nor delivered: it must not look as if there were nothing. */

#define DATA(json)        "data: " json "\n\n"
#define NAMED(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define EVENT(name, json) "event: " name "\ndata: " json "\n\n"
#define LATE              "behind the end"

#define CHUNK(delta, reason)                                                                       \
    DATA("{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":" delta ",\"finish_reason\":" reason "}]}")
#define TOLD(text)  "{\"content\":\"" text "\"}"
#define CALL(index, value) "{\"tool_calls\":[{\"index\":" index ",\"id\":\"c" index "\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":\\\"" value "\\\"}\"}}]}"
#define OLDER(text, reason) DATA("{\"choices\":[{\"index\":0,\"text\":\"" text "\",\"finish_reason\":" reason "}]}")

#define START          NAMED("message_start", ",\"message\":{\"content\":[]}")
#define BLOCK(start)   NAMED("content_block_start", ",\"index\":0,\"content_block\":{" start "}")
#define DELTA(delta)   NAMED("content_block_delta", ",\"index\":0,\"delta\":{" delta "}")
#define TEXT(text)     DELTA("\"type\":\"text_delta\",\"text\":\"" text "\"")
#define BLOCK_STOP     NAMED("content_block_stop", ",\"index\":0")
#define END            NAMED("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}") NAMED("message_stop", "")

#define CONTENT_START  NAMED("content-start", ",\"index\":0,\"delta\":{\"message\":{\"content\":{\"type\":\"text\",\"text\":\"\"}}}")
#define CONTENT(text)  NAMED("content-delta", ",\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"" text "\"}}}")
#define CONTENT_END    NAMED("content-end", ",\"index\":0")
#define COHERE_CALL    NAMED("tool-call-start", ",\"index\":0,\"delta\":{\"message\":{\"tool_calls\":{\"id\":\"f\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}}}")
#define COHERE_END     NAMED("message-end", ",\"delta\":{\"finish_reason\":\"COMPLETE\"}")

#define ITEM           ",\"output_index\":0,\"item\":{\"id\":\"i\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}"
#define OUTPUT(text)   NAMED("response.output_text.delta", ",\"output_index\":0,\"content_index\":0,\"delta\":\"" text "\"")
#define OUTPUT_DONE    NAMED("response.output_text.done", ",\"output_index\":0,\"content_index\":0,\"text\":\"hello \"")
#define CALL_DONE(arguments) NAMED("response.output_item.done", ",\"output_index\":0,\"item\":{\"id\":\"f\",\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"" arguments "\"}")
#define COMPLETED      NAMED("response.completed", ",\"response\":{\"status\":\"completed\",\"output\":[]}")

#define MESSAGE(text)  EVENT("thread.message.delta", "{\"id\":\"m\",\"delta\":{\"content\":[{\"index\":0,\"type\":\"text\",\"text\":{\"value\":\"" text "\"}}]}}")

static const struct {
    const char *protocol, *path, *upstream;
} streams[] = {
    {"openai", "/v1/chat/completions", CHUNK(TOLD("hello "), "null") CHUNK("{}", "\"stop\"") CHUNK(TOLD(LATE), "null") DATA("[DONE]")},
    {"openai", "/v1/chat/completions", CHUNK(TOLD("hello "), "\"stop\"") CHUNK(TOLD(LATE), "\"stop\"") DATA("[DONE]")},
    {"openai", "/v1/chat/completions", CHUNK(TOLD("hello "), "null") CHUNK("{}", "\"length\"") CHUNK(TOLD(LATE), "null") DATA("[DONE]")},
    {"openai", "/v1/chat/completions", CHUNK(TOLD("hello "), "null") CHUNK("{}", "\"stop\"") CHUNK(CALL("0", LATE), "null") DATA("[DONE]")},
    {"openai", "/v1/chat/completions", CHUNK(CALL("0", "b"), "\"tool_calls\"") CHUNK(CALL("1", LATE), "null") DATA("[DONE]")},
    {"openai", "/v1/chat/completions",
     CHUNK(TOLD("hello "), "\"stop\"") CHUNK("{\"function_call\":{\"name\":\"f\",\"arguments\":\"" LATE "\"}}", "null") DATA("[DONE]")},
    {"openai", "/v1/completions", OLDER("hello ", "null") OLDER("", "\"stop\"") OLDER(LATE, "null") DATA("[DONE]")},
    {"anthropic", "/v1/messages", START BLOCK("\"type\":\"text\",\"text\":\"\"") TEXT("hello ") BLOCK_STOP TEXT(LATE) END},
    {"anthropic", "/v1/messages",
     START BLOCK("\"type\":\"thinking\",\"thinking\":\"\"") BLOCK_STOP DELTA("\"type\":\"thinking_delta\",\"thinking\":\"" LATE "\"") END},
    {"anthropic", "/v1/messages",
     START BLOCK("\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}") BLOCK_STOP
         DELTA("\"type\":\"input_json_delta\",\"partial_json\":\"" LATE "\"") END},
    {"cohere", "/v2/chat", CONTENT_START CONTENT("hello ") CONTENT_END CONTENT(LATE) COHERE_END},
    {"cohere", "/v2/chat", CONTENT_START CONTENT("hello ") CONTENT_END CONTENT_START CONTENT(LATE) CONTENT_END COHERE_END},
    {"cohere", "/v2/chat", NAMED("tool-plan-delta", ",\"delta\":{\"message\":{\"tool_plan\":\"a \"}}") COHERE_CALL NAMED("tool-call-end", ",\"index\":0")
         NAMED("tool-plan-delta", ",\"delta\":{\"message\":{\"tool_plan\":\"" LATE "\"}}") COHERE_END},
    {"cohere", "/v2/chat",
     COHERE_CALL NAMED("tool-call-end", ",\"index\":0")
         NAMED("tool-call-delta", ",\"index\":0,\"delta\":{\"message\":{\"tool_calls\":{\"function\":{\"arguments\":\"" LATE "\"}}}}") COHERE_END},
    {"openai", "/v1/responses", NAMED("response.output_item.added", ITEM) OUTPUT("hello ") OUTPUT_DONE OUTPUT(LATE) COMPLETED},
    {"openai", "/v1/responses", CALL_DONE("{}") CALL_DONE(LATE) COMPLETED},
    {"openai", "/v1/threads/runs",
     MESSAGE("hello ") EVENT("thread.message.completed", "{\"id\":\"m\",\"content\":[{\"type\":\"text\",\"text\":{\"value\":\"hello \"}}]}") MESSAGE(LATE)
         EVENT("done", "[DONE]")},
    {"openai", "/v1/audio/transcriptions",
     NAMED("transcript.text.delta", ",\"delta\":\"hello \"") NAMED("transcript.text.done", ",\"text\":\"hello \"") NAMED("transcript.text.delta", ",\"delta\":\"" LATE "\"")},
};

static void what_comes_behind_its_end_is_unjudged(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(streams); i++) {
        struct answer_request r = {.protocol = streams[i].protocol, .path = streams[i].path, .body = "{\"stream\":true}",
                                   .type = "text/event-stream", .upstream = streams[i].upstream};
        for (r.cut = 0; r.cut < 3; r.cut++) {
            assert_lacks(translate(&r), LATE);
            if (last.is_read || !last.is_blocked || strcmp(last.rule, "filterd.unjudged") != 0) {
                fail_msg("stream %zu: read %d, blocked %d by \"%s\": %s", i, last.is_read, last.is_blocked, last.rule, last.text);
            }
        }
    }
}

#define OPEN "ajar. "

/* An upstream that ends its answer, or stops, and leaves something open that was held: it goes out as if it ended there. */
static const struct {
    const char *protocol, *path, *upstream;
} left_open[] = {
    {"anthropic", "/v1/messages", START BLOCK("\"type\":\"thinking\",\"thinking\":\"\"") DELTA("\"type\":\"thinking_delta\",\"thinking\":\"" OPEN "\"") END},
    {"anthropic", "/v1/messages", START BLOCK("\"type\":\"odd\",\"text\":\"\"") TEXT(OPEN) END},
    {"anthropic", "/v1/messages",
     START BLOCK("\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}") DELTA("\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":\\\"" OPEN "\\\"}\"") END},
    {"cohere", "/v2/chat",
     NAMED("tool-call-start", ",\"index\":0,\"delta\":{\"message\":{\"tool_calls\":{\"id\":\"f\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":\\\"" OPEN "\\\"}\"}}}}") COHERE_END},
    {"openai", "/v1/chat/completions", CHUNK(CALL("0", OPEN), "null") DATA("[DONE]")},
    {"openai", "/v1/chat/completions", CHUNK(CALL("0", OPEN), "null")},
};

static void what_was_left_open_goes_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(left_open); i++) {
        struct answer_request r = {.protocol = left_open[i].protocol, .path = left_open[i].path, .body = "{\"stream\":true}",
                                   .type = "text/event-stream", .upstream = left_open[i].upstream};
        for (r.cut = 0; r.cut < 3; r.cut++) {
            assert_holds(translate(&r), OPEN);
            assert_true(last.is_read && last.is_over && last.action == ACTION_ALLOW);
        }
    }
}

/* A call whose arguments are cut off is left out, as it would be run. */
static void a_call_that_was_cut_off_does_not(void **state)
{
    const struct answer_request r = {.protocol = "anthropic", .path = "/v1/messages", .body = "{\"stream\":true}", .type = "text/event-stream",
                                     .upstream = START BLOCK("\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}")
                                         DELTA("\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":\\\"" OPEN "\"") END};
    (void)state;
    assert_lacks(translate(&r), OPEN);
    assert_true(last.is_over && last.action == ACTION_ALLOW);
}

static void a_whole_response_without_an_item_that_began_is_unjudged(void **state)
{
    struct answer_request r = {.protocol = "openai", .path = "/v1/responses", .body = "{\"stream\":true}", .type = "text/event-stream",
                               .upstream = NAMED("response.output_item.added", ",\"output_index\":0,\"item\":{\"id\":\"i\",\"type\":\"odd\",\"text\":\"" OPEN "\"}") COMPLETED};
    (void)state;
    (void)translate(&r);
    assert_true(!last.is_read && last.is_blocked);
    assert_string_equal(last.rule, "filterd.unjudged");
}

/* What is held of a text at its end goes out in an event of its own, though its block was written at once. */
static void the_rest_of_a_text_in_an_unknown_block(void **state)
{
    const struct answer_request r = {.protocol = "anthropic", .path = "/v1/messages", .body = "{\"stream\":true}", .type = "text/event-stream",
                                     .upstream = START BLOCK("\"type\":\"odd\",\"text\":\"\"") TEXT("hello ") TEXT("AKIAQWB5PD") BLOCK_STOP END};
    (void)state;
    assert_string_equal(text_of_all(translate(&r), "text_delta", "\"text\":\""), "hello AKIAQWB5PD");
    assert_int_equal(last.action, ACTION_ALLOW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_behind_its_end_is_unjudged),
        cmocka_unit_test(what_was_left_open_goes_out),
        cmocka_unit_test(a_call_that_was_cut_off_does_not),
        cmocka_unit_test(a_whole_response_without_an_item_that_began_is_unjudged),
        cmocka_unit_test(the_rest_of_a_text_in_an_unknown_block),
    };

    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
