#include "unit/protocol/answer.h"

/* What an upstream said and the client does not get, though nothing was found in it, is on record: an answer of which a part was left
 * out is not a whole one. */

#define DATA(json)        "data: " json "\n\n"
#define NAMED(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define EVENT(name, json) "event: " name "\ndata: " json "\n\n"
#define LATE              " 0123456789" /* ten bytes that are no white space */

#define ITEM(text)     "{\"id\":\"i\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"" text "\",\"annotations\":[]}]}"
#define ADDED          NAMED("response.output_item.added", ",\"output_index\":0,\"item\":{\"id\":\"i\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}")
#define OUTPUT(text)   NAMED("response.output_text.delta", ",\"output_index\":0,\"content_index\":0,\"delta\":\"" text "\"")
#define DONE(text)     NAMED("response.output_text.done", ",\"output_index\":0,\"content_index\":0,\"text\":\"" text "\"")
#define ITEM_DONE(text) NAMED("response.output_item.done", ",\"output_index\":0,\"item\":" ITEM(text))
#define COMPLETED(text) NAMED("response.completed", ",\"response\":{\"status\":\"completed\",\"output\":[" ITEM(text) "]}")
#define CALL_PIECE(text) NAMED("response.function_call_arguments.delta", ",\"output_index\":0,\"delta\":\"" text "\"")
#define CALL_ARGUMENTS(text) NAMED("response.function_call_arguments.done", ",\"output_index\":0,\"arguments\":\"" text "\"")
#define CALL(text) "{\"id\":\"f\",\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"" text "\"}"
#define CALL_ADDED NAMED("response.output_item.added", ",\"output_index\":0,\"item\":" CALL(""))
#define CALL_START(more) NAMED("response.output_item.added", ",\"output_index\":0,\"item\":{\"id\":\"f\",\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"\"" more "}")
#define CALL_NAMED(name) NAMED("response.function_call_arguments.done", ",\"output_index\":0,\"name\":\"" name "\",\"arguments\":\"{}\"")
#define PART_ADDED(text) NAMED("response.content_part.added", ",\"output_index\":0,\"content_index\":0,\"part\":{\"type\":\"output_text\",\"text\":\"" text "\"}")
#define ADDED_WITH(text) NAMED("response.output_item.added", ",\"output_index\":0,\"item\":" ITEM(text))
#define CALL_DONE  NAMED("response.output_item.done", ",\"output_index\":0,\"item\":" CALL("{}")) NAMED("response.completed", ",\"response\":{\"status\":\"completed\",\"output\":[" CALL("{}") "]}")

#define MESSAGE(text)  EVENT("thread.message.delta", "{\"id\":\"m\",\"delta\":{\"content\":[{\"index\":0,\"type\":\"text\",\"text\":{\"value\":\"" text "\"}}]}}")
#define MESSAGE_DONE(text) EVENT("thread.message.completed", "{\"id\":\"m\",\"content\":[{\"type\":\"text\",\"text\":{\"value\":\"" text "\"}}]}") EVENT("done", "[DONE]")

#define SAID(text) "{\"is_finished\":false,\"event_type\":\"text-generation\",\"text\":\"" text "\"}\n"
#define ENDED(text, last) "{\"is_finished\":true,\"event_type\":\"stream-end\",\"finish_reason\":\"COMPLETE\",\"response\":{\"text\":\"" text "\",\"chat_history\":[{\"role\":\"CHATBOT\",\"message\":\"" last "\"}]}}\n"

#define START          NAMED("message_start", ",\"message\":{\"content\":[]}")
#define BLOCK(start)   NAMED("content_block_start", ",\"index\":0,\"content_block\":{" start "}")
#define DELTA(delta)   NAMED("content_block_delta", ",\"index\":0,\"delta\":{" delta "}")
#define STOP           NAMED("content_block_stop", ",\"index\":0")
#define END            NAMED("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}") NAMED("message_stop", "")
#define CHUNK(delta, reason) DATA("{\"choices\":[{\"index\":0,\"delta\":" delta ",\"finish_reason\":" reason "}]}")
#define PIECE(more) CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}" more "}]}", "null") CHUNK("{}", "\"tool_calls\"") DATA("[DONE]")
#define COHERE_CALL(more) NAMED("tool-call-start", ",\"index\":0,\"delta\":{\"message\":{\"tool_calls\":{\"id\":\"f\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"" more "}}}}")
#define COHERE_END NAMED("tool-call-end", ",\"index\":0") NAMED("message-end", ",\"delta\":{\"finish_reason\":\"COMPLETE\"}")

static const struct {
    const char *protocol, *path, *type, *upstream;
    unsigned left_out;
} answers[] = {
    /* lines of events that clients do not get; what keeps a connection alive says nothing */
    {"openai", "/v1/chat/completions", "text/event-stream", ":0123456789\n\n" CHUNK("{\"content\":\"a\"}", "\"stop\"") DATA("[DONE]"), 10},
    {"openai", "/v1/chat/completions", "text/event-stream", "id: key-456789\nnote: word\n" CHUNK("{\"content\":\"a\"}", "\"stop\"") DATA("[DONE]"), 19},
    {"openai", "/v1/chat/completions", "text/event-stream", ":\n\n: ping - 2026-11-30 20:00:00.123\n\n: OPENROUTER PROCESSING\n\nretry: 3000\nid: 17\n" CHUNK("{\"content\":\"a\"}", "\"stop\"") DATA("[DONE]"), 0},
    {"openai", "/v1/chat/completions", "text/event-stream", "event: Key4567890\n" CHUNK("{\"content\":\"a\"}", "\"stop\"") "event: no_data\n\nevent: 0123456789\n\n" DATA("[DONE]"), 20},
    {"openai", "/v1/chat/completions", "text/event-stream", "event: chat.completion-chunk_x\n" CHUNK("{\"content\":\"a\"}", "\"stop\"") DATA("[DONE]"), 0},
    /* copies */
    {"openai", "/v1/responses", "text/event-stream", ADDED OUTPUT("hello ") OUTPUT("all") DONE("hello all") ITEM_DONE("hello all") COMPLETED("hello all"), 0},
    {"openai", "/v1/responses", "text/event-stream", ADDED OUTPUT("hello ") OUTPUT("all") DONE("hello all" LATE) ITEM_DONE("hello all") COMPLETED("hello all"), 10},
    {"openai", "/v1/responses", "text/event-stream", ADDED OUTPUT("hello ") OUTPUT("all") DONE("hello all") ITEM_DONE("hello all" LATE) COMPLETED("hello all" LATE), 10},
    {"openai", "/v1/responses", "text/event-stream", ADDED OUTPUT("hello ") OUTPUT("all") DONE("hello all") ITEM_DONE("hello all") COMPLETED("hello all" LATE), 10},
    {"openai", "/v1/responses", "text/event-stream", ADDED OUTPUT("hello ") OUTPUT("all") DONE(LATE) ITEM_DONE("hello all") COMPLETED("hello all"), 10},
    {"openai", "/v1/responses", "text/event-stream", ADDED OUTPUT(" hello\\ud83d") OUTPUT("\\ude00 ") DONE("hello\xf0\x9f\x98\x80") ITEM_DONE("hello\xf0\x9f\x98\x80") COMPLETED("hello\xf0\x9f\x98\x80"), 0},
    {"openai", "/v1/responses", "text/event-stream", CALL_ADDED CALL_PIECE("{") CALL_PIECE("}") CALL_DONE, 0},
    {"openai", "/v1/responses", "text/event-stream", CALL_ADDED CALL_PIECE("0123456789") CALL_DONE, 10},
    {"openai", "/v1/responses", "text/event-stream", CALL_ADDED CALL_PIECE("{") CALL_DONE, 0},
    {"openai", "/v1/responses", "text/event-stream", CALL_ADDED CALL_PIECE("0123456789") CALL_ARGUMENTS("{}") CALL_DONE, 10},
    {"openai", "/v1/threads/runs", "text/event-stream", MESSAGE("hello ") MESSAGE("all") MESSAGE_DONE("hello all"), 0},
    {"openai", "/v1/threads/runs", "text/event-stream", MESSAGE("hello ") MESSAGE("all") MESSAGE_DONE("hello all" LATE), 10},
    {"openai", "/v1/audio/transcriptions", "text/event-stream", NAMED("transcript.text.delta", ",\"delta\":\"hello\"") NAMED("transcript.text.done", ",\"text\":\"hello\""), 0},
    {"openai", "/v1/audio/transcriptions", "text/event-stream", NAMED("transcript.text.delta", ",\"delta\":\"hello\"") NAMED("transcript.text.done", ",\"text\":\"hello" LATE "\""), 10},
    {"cohere", "/v1/chat", "application/stream+json", SAID("hello ") SAID("all") ENDED("hello all", "hello all"), 0},
    {"cohere", "/v1/chat", "application/stream+json", SAID("hello ") SAID("all") ENDED("hello all" LATE, "hello all"), 10},
    {"cohere", "/v1/chat", "application/stream+json", SAID("hello ") SAID("all") ENDED("hello all", "hello all" LATE), 10},
    {"openai", "/v1/responses", "text/event-stream", ADDED OUTPUT("see " KEY) OUTPUT(" now") COMPLETED("see " KEY " now"), 0},
    {"openai", "/v1/responses", "text/event-stream", ADDED OUTPUT("see " KEY) OUTPUT(" now") DONE("see " KEY " now") ITEM_DONE("see " KEY " now") COMPLETED("see " KEY " now"), 0},
    {"openai", "/v1/threads/runs", "text/event-stream", MESSAGE("see " KEY) MESSAGE(" now") MESSAGE_DONE("see " KEY " now"), 0},
    {"cohere", "/v1/chat", "application/stream+json", SAID("see " KEY) SAID(" now") ENDED("see " KEY " now", "see " KEY " now"), 0},
    /* members of pieces that are held */
    {"anthropic", "/v1/messages", "text/event-stream", START BLOCK("\"type\":\"thinking\",\"thinking\":\"\"") DELTA("\"type\":\"thinking_delta\",\"thinking\":\"a\"") STOP END, 0},
    {"anthropic", "/v1/messages", "text/event-stream", START BLOCK("\"type\":\"text\",\"text\":\"a\"") STOP NAMED("content_block_stop", ",\"index\":0,\"new\":\"1234567\"") END, 10},
    {"anthropic", "/v1/messages", "text/event-stream", START BLOCK("\"type\":\"thinking\",\"thinking\":\"\"") DELTA("\"type\":\"thinking_delta\",\"thinking\":\"a\",\"new\":\"1234567\"") STOP END, 10},
    {"anthropic", "/v1/messages", "text/event-stream", START BLOCK("\"type\":\"thinking\",\"thinking\":\"\",\"new\":\"1234567\"") STOP END, 10},
    {"anthropic", "/v1/messages", "text/event-stream", START BLOCK("\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}") DELTA("\"type\":\"input_json_delta\",\"partial_json\":\"{}\",\"new\":\"1234567\"") STOP END, 10},
    {"openai", "/v1/chat/completions", "text/event-stream", PIECE(""), 0},
    {"openai", "/v1/chat/completions", "text/event-stream", CHUNK("{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":\"0123456789\"}]}", "null") CHUNK("{}", "\"tool_calls\"") DATA("[DONE]"), 10},
    {"anthropic", "/v1/messages", "text/event-stream", START BLOCK("\"type\":\"tool_use\",\"id\":\"t\",\"name\":[\"0123456789\"],\"input\":{}") STOP END, 10},
    {"anthropic", "/v1/messages", "text/event-stream", START BLOCK("\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":\"0123456789\"") STOP END, 10},
    {"anthropic", "/v1/messages", "text/event-stream", START BLOCK("\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}") NAMED("content_block_delta", ",\"index\":0,\"delta\":\"0123456789\"") STOP END, 10},
    {"cohere", "/v2/chat", "text/event-stream", NAMED("tool-call-start", ",\"index\":0,\"delta\":{\"message\":{\"tool_calls\":{\"id\":\"f\",\"function\":\"0123456789\"}}}") COHERE_END, 10},
    {"openai", "/v1/chat/completions", "text/event-stream", PIECE(",\"new\":\"1234567\""), 10},
    {"cohere", "/v2/chat", "text/event-stream", COHERE_CALL("") COHERE_END, 0},
    {"cohere", "/v2/chat", "text/event-stream", COHERE_CALL(",\"new\":\"1234567\"") COHERE_END, 10},
    {"anthropic", "/v1/messages", "text/event-stream", START BLOCK("\"type\":\"thinking\",\"thinking\":\"a\"") DELTA("\"type\":\"signature_delta\",\"signature\":\"0123 456789\"") STOP END, 10},
    /* what begins something that is held, or that is said again in pieces */
    {"openai", "/v1/responses", "text/event-stream", NAMED("response.created", ",\"response\":{\"output\":[" ITEM(LATE) "]}") ADDED OUTPUT("hello") DONE("hello") ITEM_DONE("hello") COMPLETED("hello"), 10},
    {"openai", "/v1/responses", "text/event-stream", CALL_START(",\"new\":\"1234567\"") CALL_PIECE("{}") CALL_DONE, 10},
    {"openai", "/v1/responses", "text/event-stream", CALL_START(",\"status\":\"in_progress\"") CALL_PIECE("{}") CALL_DONE, 0},
    {"openai", "/v1/responses", "text/event-stream", CALL_ADDED CALL_PIECE("{}") CALL_ARGUMENTS("{}" LATE) CALL_DONE, 12},
    {"openai", "/v1/responses", "text/event-stream", CALL_ADDED CALL_PIECE("{}") CALL_NAMED("f") CALL_DONE, 0},
    {"openai", "/v1/responses", "text/event-stream", CALL_ADDED CALL_PIECE("{}") CALL_NAMED("0123456789") CALL_DONE, 10},
    {"openai", "/v1/responses", "text/event-stream", ADDED PART_ADDED("") OUTPUT("hello") DONE("hello") ITEM_DONE("hello") COMPLETED("hello"), 0},
    {"openai", "/v1/responses", "text/event-stream", ADDED PART_ADDED("hel") OUTPUT("hello") DONE("hello") ITEM_DONE("hello") COMPLETED("hello"), 0},
    {"openai", "/v1/responses", "text/event-stream", ADDED PART_ADDED(LATE) OUTPUT("hello") DONE("hello") ITEM_DONE("hello") COMPLETED("hello"), 10},
    {"openai", "/v1/responses", "text/event-stream", ADDED_WITH("hello") OUTPUT("hello") DONE("hello") ITEM_DONE("hello") COMPLETED("hello"), 0},
    {"openai", "/v1/responses", "text/event-stream", ADDED_WITH(LATE) OUTPUT("hello") DONE("hello") ITEM_DONE("hello") COMPLETED("hello"), 10},
    /* what is no id at its place, and a second value where one is said */
    {"openai", "/v1/chat/completions", "text/event-stream", DATA("{\"id\":\"0123 456789\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hello\"},\"finish_reason\":\"stop\"}]}") DATA("[DONE]"), 10},
    {"openai", "/v1/threads/runs", "text/event-stream", EVENT("thread.run.created", "{\"id\":\"r\",\"instructions\":\"a\"}") EVENT("thread.run.created", "{\"id\":\"r\",\"instructions\":\"0123456789\"}") MESSAGE("hello") MESSAGE_DONE("hello"), 10},
    /* behind the end */
    {"openai", "/v1/responses", "text/event-stream", ADDED OUTPUT("hello") DONE("hello") ITEM_DONE("hello") COMPLETED("hello") DATA("[DONE]"), 0},
    {"anthropic", "/v1/messages", "text/event-stream", START BLOCK("\"type\":\"text\",\"text\":\"\"") DELTA("\"type\":\"text_delta\",\"text\":\"hello\"") STOP END "data: 01234", 10},
};

static unsigned left_out_on_record(void)
{
    const char *at = strstr(last.record, "\"left_out_bytes\":");

    return at == NULL ? 0 : (unsigned)strtoul(at + strlen("\"left_out_bytes\":"), NULL, 10);
}

static void what_is_left_out_is_on_record(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(answers); i++) {
        const struct answer_request r = {.protocol = answers[i].protocol, .path = answers[i].path, .body = "{\"stream\":true}",
                                         .type = answers[i].type, .upstream = answers[i].upstream};
        const char *text = translate(&r);
        bool has_key = strstr(answers[i].upstream, KEY) != NULL;
        if (!last.is_read || last.action != (has_key ? ACTION_REDACT : ACTION_ALLOW) || left_out_on_record() != answers[i].left_out) {
            fail_msg("answer %zu: read %d, action %d, %u left out in place of %u: %s\n%s", i, last.is_read, last.action, left_out_on_record(),
                     answers[i].left_out, text, last.record);
        }
        assert_lacks(text, "0123456789");
    }
}

/* Where a client reads an array of objects. */
static void a_text_in_place_of_calls_or_parts_leaves(void **state)
{
    static const struct answer_request rows[] = {
        {.protocol = "ollama", .path = "/api/chat", .body = "{}", .type = "application/x-ndjson",
         .upstream = "{\"message\":{\"role\":\"assistant\",\"content\":\"a\",\"tool_calls\":\"0123456789\"},\"done\":false}\n"
                     "{\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n"},
        {.protocol = "gemini", .path = "/v1beta/models/m:streamGenerateContent", .query = "alt=sse", .body = "{}", .type = "text/event-stream",
         .upstream = DATA("{\"candidates\":[{\"content\":{\"parts\":\"0123456789\",\"role\":\"model\"},\"finishReason\":\"STOP\",\"index\":0}]}")},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *text = translate(&rows[i]);
        assert_true(last.is_read && last.action == ACTION_ALLOW);
        assert_holds(text, "0123456789");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_is_on_record),
        cmocka_unit_test(a_text_in_place_of_calls_or_parts_leaves),
    };

    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
