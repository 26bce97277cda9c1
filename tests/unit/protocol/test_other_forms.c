/* An upstream that answers in the form of another route: each form on each route. What the route does not know is text
 * of nobody's; it is judged, nothing is made of it, and the answer has its end. */
#include "unit/protocol/answer.h"

#define HALF "KHX6PYGPAN"
#define ONE  "AKIAQWB5PD"
#define DATA(json)         "data: " json "\n\n"
#define EVENT(type, rest)  "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define ARGUMENTS          "{\\\"k\\\":\\\"" KEY "\\\"}"

/* --- the forms ---------------------------------------------------------------------- */

#define CHUNK(choice) DATA("{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0," choice "}]}")
#define TOOL_CALLS(index)                                                                                              \
    "\"tool_calls\":[{" index "\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"send\",\"arguments\":\"" ARGUMENTS "\"}}]"
#define BLOCK(index, block) EVENT("content_block_start", ",\"index\":" index ",\"content_block\":{" block "}")
#define PIECE(index, delta) EVENT("content_block_delta", ",\"index\":" index ",\"delta\":{" delta "}")
#define STOP(index)         EVENT("content_block_stop", ",\"index\":" index)
#define ITEM_CALL                                                                                                      \
    "{\"id\":\"f\",\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"send\",\"arguments\":\"" ARGUMENTS "\",\"status\":\"completed\"}"
#define ITEM_TEXT                                                                                                      \
    "{\"id\":\"m\",\"type\":\"message\",\"status\":\"completed\",\"content\":[{\"type\":\"output_text\",\"text\":\"a " KEY "\"}]}"
#define DELTA(text) EVENT("response.output_text.delta", ",\"item_id\":\"m\",\"output_index\":0,\"content_index\":0,\"delta\":\"" text "\"")
#define OLLAMA_CALL                                                                                                    \
    "\"tool_calls\":[{\"function\":{\"name\":\"send\",\"arguments\":{\"k\":\"" KEY "\"}}}]"
#define LINE(message, rest)  "{\"model\":\"m\",\"created_at\":\"2026-01-01T00:00:00Z\",\"message\":{\"role\":\"assistant\"," message "}," rest "}\n"
#define WRITTEN(text, rest)  "{\"model\":\"m\",\"created_at\":\"2026-01-01T00:00:00Z\",\"response\":\"" text "\"," rest "}\n"
#define CANDIDATE(part, rest) "{\"candidates\":[{\"index\":0,\"content\":{\"role\":\"model\",\"parts\":[{" part "}]}" rest "}]}"
#define GEMINI_CALL          "\"functionCall\":{\"name\":\"send\",\"args\":{\"k\":\"" KEY "\"}}"
#define CONTENT(text)        EVENT("content-delta", ",\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"" text "\"}}}")

static const struct form {
    const char *type, *answer;
} forms[] = {
    {"text/event-stream",
     CHUNK("\"delta\":{\"content\":\"a " ONE "\"},\"finish_reason\":null") CHUNK("\"delta\":{\"content\":\"" HALF " b\"}")
         CHUNK("\"delta\":{" TOOL_CALLS("\"index\":0,") "},\"finish_reason\":\"tool_calls\"") DATA("[DONE]")},
    {"text/event-stream", CHUNK("\"delta\":{\"function_call\":{\"name\":\"send\",\"arguments\":\"" ARGUMENTS "\"}},\"finish_reason\":\"function_call\"")},
    {"text/event-stream",
     CHUNK("\"text\":\"a " ONE "\",\"finish_reason\":null") CHUNK("\"text\":\"" HALF " b\",\"finish_reason\":\"stop\"") DATA("[DONE]")},
    {"application/json",
     "{\"id\":\"c\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"a " KEY "\"," TOOL_CALLS("")
     "},\"finish_reason\":\"tool_calls\"}]}"},
    {"application/json", "{\"id\":\"c\",\"choices\":[{\"index\":0,\"text\":\"a " KEY "\",\"finish_reason\":\"stop\"}]}"},
    {"text/event-stream",
     EVENT("response.created", ",\"response\":{\"id\":\"r\",\"output\":[]}")
         EVENT("response.output_item.added", ",\"output_index\":0,\"item\":{\"id\":\"m\",\"type\":\"message\",\"content\":[]}")
             DELTA("a " ONE) DELTA(HALF " b") EVENT("response.output_item.done", ",\"output_index\":0,\"item\":" ITEM_TEXT)
                 EVENT("response.output_item.added", ",\"output_index\":1,\"item\":{\"id\":\"f\",\"type\":\"function_call\",\"name\":\"send\",\"arguments\":\"\"}")
                     EVENT("response.output_item.done", ",\"output_index\":1,\"item\":" ITEM_CALL)
                         EVENT("response.completed", ",\"response\":{\"id\":\"r\",\"status\":\"completed\",\"output\":[" ITEM_TEXT "," ITEM_CALL "]}")},
    {"application/json", "{\"id\":\"r\",\"object\":\"response\",\"status\":\"completed\",\"output\":[" ITEM_TEXT "," ITEM_CALL "]}"},
    {"text/event-stream",
     EVENT("message_start", ",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"content\":[]}") BLOCK("0", "\"type\":\"text\",\"text\":\"\"")
         PIECE("0", "\"type\":\"text_delta\",\"text\":\"a " ONE "\"") PIECE("0", "\"type\":\"text_delta\",\"text\":\"" HALF " b\"") STOP("0")
             BLOCK("1", "\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"send\",\"input\":{}")
                 PIECE("1", "\"type\":\"input_json_delta\",\"partial_json\":\"" ARGUMENTS "\"") STOP("1")
                     EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"tool_use\"}") EVENT("message_stop", "")},
    {"application/json",
     "{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"a " KEY
     "\"},{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"send\",\"input\":{\"k\":\"" KEY "\"}}],\"stop_reason\":\"tool_use\"}"},
    {"application/x-ndjson",
     LINE("\"content\":\"a " ONE "\"", "\"done\":false") LINE("\"content\":\"" HALF " b\"," OLLAMA_CALL, "\"done\":false")
         LINE("\"content\":\"\"", "\"done\":true,\"done_reason\":\"stop\"")},
    {"application/json", LINE("\"content\":\"a " KEY "\"," OLLAMA_CALL, "\"done\":true,\"done_reason\":\"stop\"")},
    {"application/x-ndjson", WRITTEN("a " ONE, "\"done\":false") WRITTEN(HALF " b", "\"done\":true,\"done_reason\":\"stop\"")},
    {"application/json", WRITTEN("a " KEY, "\"done\":true,\"done_reason\":\"stop\"")},
    {"text/event-stream",
     DATA(CANDIDATE("\"text\":\"a " ONE "\"", "")) DATA(CANDIDATE("\"text\":\"" HALF " b\"", ""))
         DATA(CANDIDATE(GEMINI_CALL, ",\"finishReason\":\"STOP\""))},
    {"application/json",
     "[" CANDIDATE("\"text\":\"a " ONE "\"", "") "," CANDIDATE("\"text\":\"" HALF " b\"", "") ","
     CANDIDATE(GEMINI_CALL, ",\"finishReason\":\"STOP\"") "]"},
    {"application/json", CANDIDATE("\"text\":\"a " KEY "\"},{" GEMINI_CALL, ",\"finishReason\":\"STOP\"")},
    {"text/event-stream",
     EVENT("message-start", ",\"id\":\"m\"") EVENT("content-start", ",\"index\":0") CONTENT("a " ONE) CONTENT(HALF " b")
         EVENT("content-end", ",\"index\":0")
             EVENT("tool-call-start", ",\"index\":0,\"delta\":{\"message\":{\"tool_calls\":{\"id\":\"t\",\"function\":{\"name\":\"send\",\"arguments\":\"" ARGUMENTS "\"}}}}")
                 EVENT("tool-call-end", ",\"index\":0") EVENT("message-end", ",\"delta\":{\"finish_reason\":\"TOOL_CALL\"}")},
    {"application/json",
     "{\"id\":\"m\",\"finish_reason\":\"TOOL_CALL\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"a " KEY "\"}],"
     TOOL_CALLS("") "}}"},
};

/* --- the routes --------------------------------------------------------------------- */

static const struct answer_request routes[] = {
    {.protocol = "openai", .path = "/v1/chat/completions", .body = "{\"stream\":true}"},
    {.protocol = "openai", .path = "/v1/chat/completions", .body = "{}"},
    {.protocol = "openai", .path = "/v1/completions", .body = "{\"stream\":true}"},
    {.protocol = "openai", .path = "/v1/completions", .body = "{}"},
    {.protocol = "openai", .path = "/v1/responses", .body = "{\"stream\":true}"},
    {.protocol = "openai", .path = "/v1/responses", .body = "{}"},
    {.protocol = "anthropic", .path = "/v1/messages", .body = "{\"stream\":true}"},
    {.protocol = "anthropic", .path = "/v1/messages", .body = "{}"},
    {.protocol = "ollama", .path = "/api/chat", .body = "{}"},
    {.protocol = "ollama", .path = "/api/chat", .body = "{\"stream\":false}"},
    {.protocol = "ollama", .path = "/api/generate", .body = "{}"},
    {.protocol = "ollama", .path = "/api/generate", .body = "{\"stream\":false}"},
    {.protocol = "gemini", .path = "/v1beta/models/m:streamGenerateContent", .query = "alt=sse", .body = "{}"},
    {.protocol = "gemini", .path = "/v1beta/models/m:streamGenerateContent", .body = "{}"},
    {.protocol = "gemini", .path = "/v1beta/models/m:generateContent", .body = "{}"},
    {.protocol = "cohere", .path = "/v2/chat", .body = "{\"stream\":true}"},
    {.protocol = "cohere", .path = "/v2/chat", .body = "{}"},
};

/* translate() looks for the whole key; here the half that came behind the other must not leave either. */
static void assert_ends_without_a_leak(const struct answer_request *r)
{
    static char joined[ANSWER_MAX];
    const char *out = translate(r);

    assert_lacks(out, HALF);
    assert_true(last.is_over);
    assert_true(last.is_read || last.is_blocked);
    join(out, NULL, joined);
}

static void every_form_ends_on_every_route_and_leaks_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(routes); i++) {
        for (size_t k = 0; k < COUNT(forms); k++) {
            struct answer_request r = routes[i];
            r.upstream = forms[k].answer;
            r.type = forms[k].type;
            for (r.cut = 0; r.cut < 4; r.cut += 3) {
                assert_ends_without_a_leak(&r);
            }
            r.is_broken = true;
            assert_ends_without_a_leak(&r);
        }
    }
}

/* Clients of completions know no calls: what one says is not put together to a call. */
static void a_call_on_the_route_of_completions_is_no_call(void **state)
{
    struct answer_request r = routes[2];

    (void)state;
    r.type = forms[0].type;
    r.upstream = CHUNK("\"text\":\"a\",\"delta\":{" TOOL_CALLS("\"index\":0,") "},\"finish_reason\":\"tool_calls\"") DATA("[DONE]");
    const char *out = translate(&r);
    assert_holds(out, KEY_LABEL);
    assert_true(last.is_read && last.is_over && !last.is_blocked);
    assert_int_equal(last.action, ACTION_REDACT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_ends_on_every_route_and_leaks_nothing),
        cmocka_unit_test(a_call_on_the_route_of_completions_is_no_call),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
