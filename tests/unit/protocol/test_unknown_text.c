/* Texts of a stream that no table knows: they may come in pieces, and leave when all of them is known. */
#include "unit/protocol/answer.h"

#include <time.h>

#define ONE  "AKIAQWB5PD"
#define HALF "KHX6PYGPAN"

#define DATA(json)        "data: " json "\n\n"
#define EVENT(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"," rest "}\n\n"

/* Chat completions. */
#define CHUNK(choice) DATA("{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0," choice "}]}")
#define SAYS(delta)   CHUNK("\"delta\":{" delta "},\"finish_reason\":null")
#define STOP          CHUNK("\"delta\":{},\"finish_reason\":\"stop\"")
#define DONE          DATA("[DONE]")
/* Responses. */
#define CREATED    EVENT("response.created", "\"sequence_number\":0,\"response\":{\"id\":\"r\",\"output\":[]}")
#define ITEM(kind) EVENT("response.output_item.added", "\"output_index\":0,\"item\":{\"id\":\"i\",\"type\":\"" kind "\"}")
#define OF_ITEM(type, rest) EVENT(type, "\"item_id\":\"i\",\"output_index\":0," rest)
#define ITEM_DONE(kind, rest) EVENT("response.output_item.done", "\"output_index\":0,\"item\":{\"id\":\"i\",\"type\":\"" kind "\"" rest "}")
#define COMPLETED  EVENT("response.completed", "\"response\":{\"id\":\"r\",\"status\":\"completed\",\"output\":[]}")
/* Anthropic's messages. */
#define BEGIN        EVENT("message_start", "\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"content\":[]}")
#define BLOCK(block) EVENT("content_block_start", "\"index\":0,\"content_block\":{" block "}")
#define PIECE(delta) EVENT("content_block_delta", "\"index\":0,\"delta\":{" delta "}")
#define BLOCK_STOP   EVENT("content_block_stop", "\"index\":0")
#define END          EVENT("message_delta", "\"delta\":{\"stop_reason\":\"end_turn\"}") EVENT("message_stop", "\"x\":1")
/* The others. */
#define LINE(message, rest) "{\"model\":\"m\",\"created_at\":\"2026-01-01T00:00:00Z\",\"message\":{\"role\":\"assistant\",\"content\":\"\"" message "}," rest "}\n"
#define CANDIDATE(parts, rest) DATA("{\"candidates\":[{\"index\":0,\"content\":{\"role\":\"model\",\"parts\":[" parts "]}" rest "}]}")
#define COHERE_BEGIN EVENT("message-start", "\"id\":\"m\"") EVENT("content-start", "\"index\":0,\"delta\":{\"message\":{\"content\":{\"type\":\"text\",\"text\":\"\"}}}")
#define COHERE_END   EVENT("content-end", "\"index\":0") EVENT("message-end", "\"delta\":{\"finish_reason\":\"COMPLETE\"}")

#define CHAT       .protocol = "openai", .path = "/v1/chat/completions", .body = "{\"stream\":true}", .type = "text/event-stream"
#define RESPONSES  .protocol = "openai", .path = "/v1/responses", .body = "{\"stream\":true}", .type = "text/event-stream"
#define ANTHROPIC  .protocol = "anthropic", .path = "/v1/messages", .body = "{\"stream\":true}", .type = "text/event-stream"
#define OLLAMA     .protocol = "ollama", .path = "/api/chat", .body = "{}", .type = "application/x-ndjson"
#define GEMINI     .protocol = "gemini", .path = "/v1beta/models/m:streamGenerateContent", .query = "alt=sse", .body = "{}", .type = "text/event-stream"
#define COHERE     .protocol = "cohere", .path = "/v2/chat", .body = "{\"stream\":true}", .type = "text/event-stream"

static struct answer_request chat_of(const char *upstream)
{
    return (struct answer_request){CHAT, .upstream = upstream};
}

/* --- a token in two pieces -------------------------------------------------------------- */

#define TWICE(event) event(ONE) event(HALF)
#define THOUGHT(text)     SAYS("\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"" text "\"}]}]")
#define THINKING(text)    SAYS("\"thinking_blocks\":[{\"type\":\"thinking\",\"thinking\":\"" text "\"}]")
#define REASONING(text)   SAYS("\"reasoning_text\":\"" text "\"")
#define NEW_MEMBER(text)  SAYS("\"plan\":\"" text "\"")
#define NEW_OBJECT(text)  SAYS("\"vendor\":{\"parts\":[{\"said\":\"" text "\"}]}")
#define IN_CHOICE(text)   CHUNK("\"delta\":{\"content\":\"\"},\"note\":\"" text "\"")
#define TITLE(text)       SAYS("\"annotations\":[{\"type\":\"url_citation\",\"url_citation\":{\"title\":\"" text "\"}}]")
#define RESULTS(text)     DATA("{\"id\":\"c\",\"choices\":[],\"search_results\":[{\"title\":\"" text "\"}]}")
#define SHELL(text)       OF_ITEM("response.shell_call_command.delta", "\"delta\":\"" text "\"")
#define DIFF(text)        OF_ITEM("response.apply_patch_call_operation_diff.delta", "\"delta\":\"" text "\"")
#define OUTPUT(text)      OF_ITEM("response.shell_call_output_content.delta", "\"delta\":\"" text "\"")
#define SUMMARY(text)     OF_ITEM("response.reasoning_summary.delta", "\"delta\":{\"text\":\"" text "\"}")
#define WITHOUT_ITEM(text) EVENT("response.new.delta", "\"delta\":\"" text "\"")
#define ANNOTATION(text)  OF_ITEM("response.output_text.annotation.added", "\"content_index\":0,\"annotation\":{\"type\":\"url_citation\",\"title\":\"" text "\"}")
#define IN_PROGRESS(text) EVENT("response.in_progress", "\"response\":{\"id\":\"r\",\"output\":[],\"metadata\":{\"k\":\"" text "\"}}")
#define COMPACTION(text)  PIECE("\"type\":\"compaction_delta\",\"content\":\"" text "\"")
#define THINKS(text)      PIECE("\"type\":\"thinking_delta\",\"thinking\":\"" text "\"")
#define CITES(text)       PIECE("\"type\":\"citations_delta\",\"citation\":{\"type\":\"char_location\",\"cited_text\":\"" text "\"}")
#define BESIDE_TEXT(text) PIECE("\"type\":\"text_delta\",\"text\":\"\",\"note\":\"" text "\"")
#define NEW_EVENT(text)   EVENT("new", "\"note\":\"" text "\"")
#define OLLAMA_NEW(text)  LINE(",\"note\":\"" text "\"", "\"done\":false")
#define CODE(text)        CANDIDATE("{\"executableCode\":{\"language\":\"PYTHON\",\"code\":\"" text "\"}}", "")
#define RESULT(text)      CANDIDATE("{\"codeExecutionResult\":{\"outcome\":\"OUTCOME_OK\",\"output\":\"" text "\"}}", "")
#define CITATION(text)    EVENT("citation-start", "\"index\":0,\"delta\":{\"message\":{\"citations\":{\"start\":0,\"end\":3,\"text\":\"" text "\"}}}")
#define COHERE_NEW(text)  EVENT("new-event", "\"delta\":{\"note\":\"" text "\"}")

static const struct answer_request in_pieces[] = {
    {CHAT, .upstream = TWICE(THOUGHT) STOP DONE},
    {CHAT, .upstream = TWICE(THINKING) STOP DONE},
    {CHAT, .upstream = TWICE(REASONING) STOP DONE},
    {CHAT, .upstream = TWICE(NEW_MEMBER) STOP DONE},
    {CHAT, .upstream = TWICE(NEW_OBJECT) STOP DONE},
    {CHAT, .upstream = TWICE(IN_CHOICE) STOP DONE},
    {CHAT, .upstream = TWICE(TITLE) STOP DONE},
    {CHAT, .upstream = TWICE(RESULTS) STOP DONE},
    {CHAT, .upstream = TWICE(RESULTS) STOP},
    {CHAT, .upstream = TWICE(NEW_MEMBER)},
    {CHAT, .upstream = NEW_MEMBER(ONE) STOP NEW_MEMBER(HALF) DONE},
    {CHAT, .upstream = SAYS("\"content\":\"" ONE "\"") SAYS("\"content\":[{\"type\":\"text\",\"text\":\"" HALF "\"}]") STOP DONE},
    {CHAT, .upstream = SAYS("\"content\":[{\"type\":\"x\"},{\"type\":\"text\",\"text\":\"" ONE "\"}]") SAYS("\"content\":\"" HALF "\"") STOP DONE},
    {RESPONSES, .upstream = CREATED TWICE(SHELL) COMPLETED},
    {RESPONSES, .upstream = CREATED ITEM("message") TWICE(SHELL) ITEM_DONE("message", "") COMPLETED},
    {RESPONSES, .upstream = CREATED ITEM("shell_call") TWICE(SHELL) ITEM_DONE("shell_call", "") COMPLETED},
    {RESPONSES, .upstream = CREATED ITEM("message") TWICE(DIFF) COMPLETED},
    {RESPONSES, .upstream = CREATED ITEM("message") TWICE(OUTPUT) ITEM_DONE("message", "") COMPLETED},
    {RESPONSES, .upstream = CREATED ITEM("reasoning") TWICE(SUMMARY) ITEM_DONE("reasoning", "") COMPLETED},
    {RESPONSES, .upstream = CREATED TWICE(WITHOUT_ITEM) COMPLETED},
    {RESPONSES, .upstream = CREATED TWICE(WITHOUT_ITEM)},
    {RESPONSES, .upstream = CREATED ITEM("message") TWICE(ANNOTATION) ITEM_DONE("message", "") COMPLETED},
    {RESPONSES, .upstream = TWICE(IN_PROGRESS) COMPLETED},
    {ANTHROPIC, .upstream = BEGIN BLOCK("\"type\":\"compaction\"") TWICE(COMPACTION) BLOCK_STOP END},
    {ANTHROPIC, .upstream = BEGIN BLOCK("\"type\":\"text\",\"text\":\"\"") TWICE(COMPACTION) BLOCK_STOP END},
    {ANTHROPIC, .upstream = BEGIN BLOCK("\"type\":\"text\",\"text\":\"\"") TWICE(THINKS) BLOCK_STOP END},
    {ANTHROPIC, .upstream = BEGIN BLOCK("\"type\":\"text\",\"text\":\"\"") TWICE(CITES) BLOCK_STOP END},
    {ANTHROPIC, .upstream = BEGIN BLOCK("\"type\":\"text\",\"text\":\"\"") TWICE(BESIDE_TEXT) BLOCK_STOP END},
    {ANTHROPIC, .upstream = BEGIN BLOCK("\"type\":\"text\",\"text\":\"\"") TWICE(CITES)},
    {ANTHROPIC, .upstream = BEGIN NEW_EVENT(ONE) BLOCK("\"type\":\"text\",\"text\":\"\"") BLOCK_STOP NEW_EVENT(HALF) END},
    {OLLAMA, .upstream = TWICE(OLLAMA_NEW) LINE("", "\"done\":true,\"done_reason\":\"stop\"")},
    {GEMINI, .upstream = TWICE(CODE) CANDIDATE("", ",\"finishReason\":\"STOP\"")},
    {GEMINI, .upstream = TWICE(RESULT) CANDIDATE("", ",\"finishReason\":\"STOP\"")},
    {GEMINI, .upstream = TWICE(RESULT)},
    {COHERE, .upstream = COHERE_BEGIN TWICE(CITATION) COHERE_END},
    {COHERE, .upstream = COHERE_BEGIN TWICE(COHERE_NEW) COHERE_END},
};

static void a_token_in_two_pieces_does_not_leave(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(in_pieces); i++) {
        struct answer_request r = in_pieces[i];
        for (r.cut = 0; r.cut < 4; r.cut += 3) {
            const char *out = translate(&r);
            assert_lacks(out, HALF);
            assert_true(last.is_over && last.is_read);
        }
    }
}

/* Some clients join what comes, some take what comes last: what is one token by itself stays one. */
static void a_token_that_other_text_follows_is_judged_by_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct answer_request r = chat_of(i == 0 ? NEW_MEMBER(KEY) NEW_MEMBER("more") STOP DONE
                                                 : RESULTS(KEY) RESULTS("x") RESULTS(KEY) STOP DONE);
        assert_holds(translate(&r), KEY_LABEL);
        assert_int_equal(last.action, ACTION_REDACT);
    }
}

static void a_number_with_an_empty_fraction_is_a_whole_one(void **state)
{
    struct answer_request r = chat_of(SAYS("\"vendor\":{\"card_number\":4111111111111111.0}") STOP DONE);

    (void)state;
    assert_holds(translate(&r), "\"card_number\":\"[payment-card]\"");
}

/* --- values that count as a whole --------------------------------------------------------- */

/* Each has its event, as it came, at the end of its part. */
/* Its own letters would be in front of the token otherwise. */
static void a_value_does_not_go_on_from_a_text_of_the_same_path(void **state)
{
#define SAME(part, half) "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"" part "\"}],\"text\":\"" half "\"},\"index\":0}]}\n\n"
#define PLAIN(part, rest) "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"" part "\"}]},\"index\":0" rest "}]}\n\n"
#define STOPS ",\"finishReason\":\"STOP\""
    static const char *const upstreams[] = {
        SAME("three", "AKIAQWB5PD") SAME("fold", "KHX6PYGPAN") PLAIN("", STOPS),
        SAME("three", "AKIAQWB5PD") SAME("fold", "KHX6PYGPAN"),
        SAME("three", "AKIAQWB5PD") SAME("fold", "KHX6PYGPAN") PLAIN("", STOPS) PLAIN("four", ""),
    };

    (void)state;
    for (size_t i = 0; i < COUNT(upstreams); i++) {
        struct answer_request r = {GEMINI, .upstream = upstreams[i]};
        const char *text = translate(&r);
        assert_int_equal(last.action, ACTION_REDACT);
        assert_lacks(text, "KHX6PYGPAN");
        assert_holds(text, KEY_LABEL);
    }
}

static void values_leave_whole_and_in_order(void **state)
{
#define FIRST  "\"annotations\":[{\"type\":\"url_citation\",\"url_citation\":{\"url\":\"https://example.com/a\",\"title\":\"One of two\"}}]"
#define SECOND "\"annotations\":[{\"type\":\"url_citation\",\"url_citation\":{\"url\":\"https://example.com/b\",\"title\":\"Two of two\"}}]"
    (void)state;
    assert_any_cutting(chat_of(SAYS(FIRST) SAYS("\"content\":\"so\"") SAYS(SECOND) STOP DONE),
                       SAYS("\"content\":\"so\"") SAYS(FIRST) SAYS(SECOND) STOP DONE);
    assert_int_equal(last.action, ACTION_ALLOW);
}

static void values_of_the_last_message_stay_in_it(void **state)
{
    const char *upstream = SAYS("\"content\":\"so \"") CHUNK("\"delta\":{" FIRST "},\"finish_reason\":\"stop\"") DONE;
    (void)state;
    assert_any_cutting(chat_of(upstream), upstream);
}

static void pieces_of_an_unknown_text_all_arrive(void **state)
{
    struct answer_request r = chat_of(NEW_MEMBER("First, ") NEW_MEMBER("look. ") SAYS("\"content\":\"x\"") NEW_MEMBER("Then do.") STOP DONE);
    (void)state;
    assert_string_equal(text_of_all(translate(&r), "\"plan\"", "\"plan\":\""), "First, look. Then do.");
    assert_int_equal(last.action, ACTION_ALLOW);
}

static void what_every_message_repeats_is_said_once(void **state)
{
#define VENDOR(rest) DATA("{\"id\":\"c\",\"vendor\":\"Some Vendor, Inc.\",\"choices\":[{\"index\":0," rest "}]}")
    struct answer_request r = chat_of(VENDOR("\"delta\":{\"content\":\"a b\"}") VENDOR("\"delta\":{\"content\":\" c d\"}")
                                          VENDOR("\"delta\":{},\"finish_reason\":\"stop\"") VENDOR("\"delta\":{}") DONE);
    (void)state;
    const char *out = translate(&r);
    const char *first = strstr(out, "Some Vendor, Inc.");
    assert_non_null(first);
    assert_holds(first + 1, "Some Vendor, Inc."); /* in the message that ends, and behind it */
    assert_string_equal(text_of_all(out, "\"index\":0", "\"content\":\""), "a b c d");
}

/* Where what waits is written, what stands around it is there, too. */
static void an_event_of_its_own_has_what_its_kind_has(void **state)
{
    struct answer_request r = {ANTHROPIC, .upstream = BEGIN BLOCK("\"type\":\"text\",\"text\":\"\"")
                                   PIECE("\"type\":\"text_delta\",\"text\":\"so.\",\"note\":\"by the vendor\"") BLOCK_STOP END};
    (void)state;
    const char *out = translate(&r);
    assert_string_equal(text_of_all(out, "text_delta", "\"text\":\""), "so.");
    assert_holds(out, "\"note\":\"by the vendor\"");
    const char *note = strstr(out, "\"note\":\"by the vendor\"");
    assert_non_null(strstr(note, "content_block_stop"));
    while (note > out && note[-1] != '\n') {
        note--;
    }
    assert_memory_equal(note, "data: {\"type\":\"content_block_delta\"", 35);
    assert_holds(note, "\"text\":\"\"");
}

static void events_that_only_pass_keep_their_order(void **state)
{
    struct answer_request r = {COHERE, .upstream = COHERE_BEGIN CITATION("a title of it") EVENT("citation-end", "\"index\":0") COHERE_END};
    (void)state;
    const char *out = translate(&r), *at = out;
    static const char *const order[] = {"event: content-start", "event: citation-start", "a title of it", "event: citation-end", "event: content-end"};
    for (size_t i = 0; i < COUNT(order); i++) {
        at = strstr(at, order[i]);
        assert_non_null(at);
    }
}

/* Places in a text that was changed behind them lead nowhere. */
static void citations_of_a_changed_text_go(void **state)
{
    struct answer_request r = {RESPONSES,
                               .upstream = CREATED ITEM("message") ANNOTATION("a title of it")
                                   OF_ITEM("response.output_text.delta", "\"content_index\":0,\"delta\":\"" KEY ".\"")
                                       ITEM_DONE("message", ",\"content\":[{\"type\":\"output_text\",\"text\":\"" KEY ".\"}]") COMPLETED};
    (void)state;
    assert_lacks(translate(&r), "a title of it");
    r.upstream = CREATED ITEM("message") ANNOTATION("a title of it") ITEM_DONE("message", "") COMPLETED;
    assert_holds(translate(&r), "a title of it");
}

/* --- items and blocks of unknown kinds ------------------------------------------------------ */

static void an_unknown_item_leaves_at_its_end(void **state)
{
    struct answer_request r = {RESPONSES, .upstream = CREATED ITEM("shell_call") SHELL("rm ") SHELL("-r build")
                                              ITEM_DONE("shell_call", ",\"action\":{\"commands\":[\"rm -r build\",\"echo " KEY "\"]}") COMPLETED};
    (void)state;
    const char *out = translate(&r);
    assert_lacks(out, "shell_call_command.delta");
    assert_holds(out, "\"commands\":[\"rm -r build\",\"echo " KEY_LABEL "\"]");
    assert_true(last.is_over && !last.is_blocked);
    /* It was cut off: nobody runs a part of it. */
    r.upstream = CREATED ITEM("shell_call") SHELL("rm ") ITEM_DONE("shell_call", ",\"status\":\"incomplete\",\"action\":{\"commands\":[\"rm -r\"]}");
    assert_lacks(translate(&r), "rm -r");
}

/* Places are counted over the items that the client sees. */
static void an_item_that_is_left_out_takes_no_place(void **state)
{
#define DONE_AT(index, kind, rest)                                                                                     \
    EVENT("response.output_item.done", "\"output_index\":" index ",\"item\":{\"id\":\"i\",\"type\":\"" kind "\"" rest "}")
#define ADDED_AT(index, kind) EVENT("response.output_item.added", "\"output_index\":" index ",\"item\":{\"id\":\"i\",\"type\":\"" kind "\"}")
    struct answer_request r = {RESPONSES, .upstream = CREATED ADDED_AT("0", "function_call")
                                              DONE_AT("0", "function_call", ",\"name\":\"f\",\"arguments\":\"{\",\"note\":\"of the first\"")
                                              ADDED_AT("1", "new_call") DONE_AT("1", "new_call", ",\"note\":\"of the second\"")
                                              ADDED_AT("2", "message") DONE_AT("2", "message", ",\"note\":\"of the third\"") COMPLETED};
    (void)state;
    assert_lacks(translate(&r), "of the first");
    assert_holds(last.text, "\"note\":\"of the second\"");
    assert_holds(last.text, "\"note\":\"of the third\"");
}

static void a_sign_of_life_waits_for_nothing(void **state)
{
    struct answer_request r = {ANTHROPIC, .upstream = BEGIN NEW_EVENT("by the vendor") "event: ping\ndata: {\"type\":\"ping\"}\n\n" END};
    (void)state;
    const char *ping = strstr(translate(&r), "event: ping");
    assert_non_null(ping);
    assert_non_null(strstr(ping, "by the vendor"));
}

static void an_unknown_block_leaves_at_its_end(void **state)
{
    struct answer_request r = {ANTHROPIC, .upstream = BEGIN BLOCK("\"type\":\"web_search_tool_result\",\"tool_use_id\":\"t\",\"content\":"
                                                                  "[{\"type\":\"web_search_result\",\"title\":\"see " KEY "\"}]")
                                              COMPACTION("so it ") COMPACTION("was") BLOCK_STOP END};
    (void)state;
    const char *out = translate(&r);
    assert_holds(out, "\"title\":\"see " KEY_LABEL "\"");
    assert_string_equal(text_of_all(out, "compaction_delta", "\"content\":\""), "so it was");
    assert_holds(strstr(out, "web_search_result"), "content_block_stop");
    /* Its end never came. */
    r.upstream = BEGIN BLOCK("\"type\":\"new_kind\",\"run\":\"rm -r\"");
    assert_lacks(translate(&r), "rm -r");
}

/* --- ids ---------------------------------------------------------------------------------------- */

static void an_id_that_is_none_does_not_leave(void **state)
{
    struct answer_request r = chat_of(DATA("{\"id\":\"a text in pieces\",\"model\":\"@cf/meta/llama-3.1:8b\",\"choices\":[]}") STOP DONE);
    (void)state;
    assert_lacks(translate(&r), "pieces");
    assert_holds(last.text, "\"id\":\"\"");
    assert_holds(last.text, "@cf/meta/llama-3.1:8b");
}

static void more_values_than_may_wait_block(void **state)
{
    static char upstream[1 << 19];
    struct answer_request r = chat_of(upstream);
    size_t n = 0;

    (void)state;
    r.event_max = 8192;
    for (int i = 0; i < 400; i++) {
        n += (size_t)snprintf(upstream + n, sizeof(upstream) - n, NEW_MEMBER("step %d of it"), i);
    }
    (void)translate(&r);
    assert_true(last.is_blocked && last.is_over && !last.is_read);
    assert_true(last.waiting_max <= 4 * r.event_max);
}

/* Of the processor, for a message with an array of so many strings. */
static double seconds_for(struct answer_request r, const char *before, const char *behind, int n_strings)
{
    static char upstream[1 << 20];
    int n = snprintf(upstream, sizeof(upstream), "%s\"x\":[\"v\"", before);

    for (int i = 1; i < n_strings; i++) {
        n += snprintf(upstream + n, sizeof(upstream) - (size_t)n, ",\"v%d\"", i);
    }
    (void)snprintf(upstream + n, sizeof(upstream) - (size_t)n, "]%s", behind);
    r.upstream = upstream;
    clock_t began = clock();
    (void)translate(&r);
    assert_false(last.is_blocked);
    assert_holds(last.text, "\"v\",\"v1\"");
    return (double)(clock() - began) / CLOCKS_PER_SEC;
}

/* Four times as many take some four times as long; where each value looks at all others they take sixteen times as long. */
static void many_values_of_one_message_take_time_for_each(void **state)
{
    static const char chunk[] = "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{", body[] = "{\"id\":\"c\",\"choices\":[],";
    const struct answer_request whole = {.protocol = "openai", .path = "/v1/chat/completions", .body = "{}", .type = "application/json"};
    (void)state;
    (void)seconds_for(chat_of(""), chunk, "}}]}\n\n" STOP DONE, 1000); /* what is made once */
    double few = seconds_for(chat_of(""), chunk, "}}]}\n\n" STOP DONE, 12000);
    assert_true(seconds_for(chat_of(""), chunk, "}}]}\n\n" STOP DONE, 48000) < 10 * few + 0.1);
    few = seconds_for(whole, body, "}", 12000);
    assert_true(seconds_for(whole, body, "}", 48000) < 10 * few + 0.1);
}

/* Of the processor, for so many values that wait, and then events of another part. */
static double seconds_of_pings(size_t n_values, size_t n_pings)
{
    static char upstream[1 << 21];
    struct answer_request r = {.protocol = "anthropic", .path = "/v1/messages", .body = "{\"stream\":true}", .type = "text/event-stream",
                               .upstream = upstream};
    size_t n = 0;

    for (size_t i = 0; i < n_values; i++) {
        n += (size_t)snprintf(upstream + n, sizeof(upstream) - n, "event: odd\ndata: {\"type\":\"odd\",\"index\":3,\"say\":\"value %zu\"}\n\n", i);
    }
    for (size_t i = 0; i < n_pings; i++) {
        n += (size_t)snprintf(upstream + n, sizeof(upstream) - n, "event: x\ndata: {\"type\":\"x\",\"index\":4}\n\n");
    }
    clock_t began = clock();
    (void)translate(&r);
    assert_false(last.is_blocked);
    return (double)(clock() - began) / CLOCKS_PER_SEC;
}

/* Each asks whether a value of its part waits: it must not look through all that wait. */
static void events_beside_many_waiting_values(void **state)
{
    (void)state;
    (void)seconds_of_pings(10, 10);
    double few = seconds_of_pings(10, 6000), values = seconds_of_pings(8000, 0);
    assert_true(seconds_of_pings(8000, 6000) < 3 * (few + values) + 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_in_two_pieces_does_not_leave),
        cmocka_unit_test(a_token_that_other_text_follows_is_judged_by_itself),
        cmocka_unit_test(a_value_does_not_go_on_from_a_text_of_the_same_path),
        cmocka_unit_test(a_number_with_an_empty_fraction_is_a_whole_one),
        cmocka_unit_test(values_leave_whole_and_in_order),
        cmocka_unit_test(values_of_the_last_message_stay_in_it),
        cmocka_unit_test(pieces_of_an_unknown_text_all_arrive),
        cmocka_unit_test(what_every_message_repeats_is_said_once),
        cmocka_unit_test(an_event_of_its_own_has_what_its_kind_has),
        cmocka_unit_test(events_that_only_pass_keep_their_order),
        cmocka_unit_test(citations_of_a_changed_text_go),
        cmocka_unit_test(an_unknown_item_leaves_at_its_end),
        cmocka_unit_test(an_item_that_is_left_out_takes_no_place),
        cmocka_unit_test(a_sign_of_life_waits_for_nothing),
        cmocka_unit_test(an_unknown_block_leaves_at_its_end),
        cmocka_unit_test(an_id_that_is_none_does_not_leave),
        cmocka_unit_test(more_values_than_may_wait_block),
        cmocka_unit_test(many_values_of_one_message_take_time_for_each),
        cmocka_unit_test(events_beside_many_waiting_values),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
