/* Cohere's chat, version 1. */
#include "unit/protocol/answer.h"

#define LINE(type, rest) "{\"is_finished\":false,\"event_type\":\"" type "\"" rest "}\n"
#define START            LINE("stream-start", ",\"generation_id\":\"g-1\"")
#define TEXT(text)       LINE("text-generation", ",\"text\":\"" text "\"")
#define END(reason, text, rest)                                                                    \
    "{\"is_finished\":true,\"event_type\":\"stream-end\",\"finish_reason\":\"" reason                                          \
    "\",\"response\":{\"text\":\"" text "\",\"generation_id\":\"g-1\",\"finish_reason\":\"" reason "\"" rest "}}\n"
#define OUR_END(text)                                                                              \
    "{\"is_finished\":true,\"event_type\":\"stream-end\",\"finish_reason\":\"ERROR\",\"response\":{\"text\":\"" text               \
    "\",\"finish_reason\":\"ERROR\"}}\n"

static const char *const deltas[] = {"text", NULL};

static struct answer_request stream_of(const char *upstream)
{
    return (struct answer_request){.protocol = "cohere",
                                   .path = "/v1/chat",
                                   .body = "{\"message\":\"a\",\"stream\":true}",
                                   .type = "application/stream+json",
                                   .upstream = upstream,
                                   .deltas = deltas};
}

static struct answer_request body_of(const char *upstream)
{
    struct answer_request r = stream_of(upstream);

    r.body = "{\"message\":\"a\"}";
    r.type = "application/json";
    return r;
}

static void a_key_cut_over_pieces_is_redacted_and_so_is_its_copy(void **state)
{
    (void)state;
    assert_any_cutting(stream_of(START TEXT("a AKIAQWB5PD") TEXT("KHX6PYGPAN.")
                                     END("COMPLETE", "a " KEY ".", ",\"chat_history\":[{\"role\":\"CHATBOT\",\"message\":\"a " KEY ".\"}]")),
                       START TEXT("a " KEY_LABEL ".")
                           END("COMPLETE", "a " KEY_LABEL ".", ",\"chat_history\":[{\"role\":\"CHATBOT\",\"message\":\"a " KEY_LABEL ".\"}]"));
    assert_string_equal(last.type, "application/stream+json");
    assert_true(last.is_over && last.action == ACTION_REDACT);
    assert_string_equal(last.finding_path, "/text"); /* the copy is no finding of its own */
}

#define HISTORY(text) ",\"chat_history\":[{\"role\":\"USER\",\"message\":\"a\"},{\"role\":\"CHATBOT\",\"message\":\"" text "\"}]"

/* A part of a key at the end of a text that was too long is held back, in the history as well. */
static void the_history_has_what_was_released(void **state)
{
    static const char part[] = "a AKIAQWB5PDKHX6PYGPA";
    struct answer_request whole = body_of("{\"text\":\"a AKIAQWB5PDKHX6PYGPA\",\"finish_reason\":\"MAX_TOKENS\"" HISTORY("a AKIAQWB5PDKHX6PYGPA") "}");
    struct answer_request stream =
        stream_of(START TEXT("a AKIAQWB5PDKHX6PYGPA") END("MAX_TOKENS", "a AKIAQWB5PDKHX6PYGPA", HISTORY("a AKIAQWB5PDKHX6PYGPA")));

    (void)state;
    (void)translate(&whole);
    assert_lacks(last.text, part + 2);
    assert_holds(last.text, "{\"role\":\"USER\",\"message\":\"a\"}");
    (void)translate(&stream);
    assert_lacks(last.text, part + 2);
    assert_holds(last.text, "\"finish_reason\":\"MAX_TOKENS\"");
}

static void a_block_ends_with_the_notice_and_the_copy_has_it(void **state)
{
    (void)state;
    assert_any_cutting(stream_of(START TEXT("a ") TEXT(PEM("\\n")) END("COMPLETE", "a", "")),
                       START TEXT(NOTICE) OUR_END(NOTICE));
    assert_true(last.is_blocked && last.is_over);
}

static void a_stream_without_an_end_is_told_to_be_cut(void **state)
{
    struct answer_request r = stream_of(START TEXT("a AKIAQWB5PDKHX6PYGPA"));

    (void)state;
    r.is_broken = true;
    (void)translate(&r);
    assert_lacks(last.text, "AKIAQWB5PD");
    assert_holds(last.text, "\"finish_reason\":\"ERROR\"");
}

#define CALLS(json) LINE("tool-calls-generation", ",\"text\":\"plan\",\"tool_calls\":[" json "]")
#define CALL(name, text) "{\"name\":\"" name "\",\"parameters\":{\"k\":\"" text "\"}}"
#define CHUNK(text) LINE("tool-calls-chunk", ",\"text\":\"" text "\",\"tool_call_delta\":{\"index\":0,\"parameters\":\"AKIAQWB5PD\"}")

static void calls_are_whole_and_judged(void **state)
{
    (void)state;
    assert_any_cutting(stream_of(START CHUNK("pl") CHUNK("an") CALLS(CALL("send", KEY)) END("COMPLETE", "", ",\"tool_calls\":[" CALL("send", KEY) "]")),
                       START LINE("tool-calls-chunk", ",\"text\":\"plan\"") CALLS(CALL("send", KEY_LABEL))
                           END("COMPLETE", "", ",\"tool_calls\":[" CALL("send", KEY_LABEL) "]"));
}

static void a_call_that_blocks_is_left_out(void **state)
{
    (void)state;
    (void)translate(&(struct answer_request){.protocol = "cohere",
                                             .path = "/v1/chat",
                                             .body = "{\"stream\":true}",
                                             .type = "application/stream+json",
                                             .upstream = START CALLS(CALL("send", PEM("\\n"))) END("COMPLETE", "", "")});
    assert_lacks(last.text, "tool-calls-generation");
    assert_holds(last.text, NOTICE);
    assert_holds(last.text, "\"finish_reason\":\"ERROR\"");
    assert_true(last.is_blocked);
}

static void what_is_beside_the_text_waits_and_is_judged(void **state)
{
    (void)state;
    (void)translate(&(struct answer_request){
        .protocol = "cohere",
        .path = "/v1/chat",
        .body = "{\"stream\":true}",
        .type = "application/stream+json",
        .upstream = START LINE("search-results", ",\"documents\":[{\"id\":\"d\",\"snippet\":\"AKIAQWB5PD\"}]")
            LINE("search-results", ",\"documents\":[{\"id\":\"d\",\"snippet\":\"KHX6PYGPAN\"}]") TEXT("a") END("COMPLETE", "a", "")});
    assert_lacks(last.text, "AKIAQWB5PD");
    assert_holds(last.text, END("COMPLETE", "a", ""));
}

static void a_whole_answer_is_judged(void **state)
{
    (void)state;
    assert_any_cutting(body_of("{\"text\":\"a " KEY "\",\"generation_id\":\"g\",\"citations\":[{\"start\":0,\"end\":1,\"text\":\"a\"}],"
                               "\"finish_reason\":\"COMPLETE\"}"),
                       "{\"text\":\"a " KEY_LABEL "\",\"generation_id\":\"g\",\"finish_reason\":\"COMPLETE\"}");
    assert_any_cutting(body_of("{\"text\":\"" PEM("\\n") "\",\"finish_reason\":\"COMPLETE\"}"),
                       "{\"text\":\"" NOTICE "\",\"finish_reason\":\"ERROR\"}");
    assert_any_cutting(body_of("{\"text\":\"a\",\"tool_calls\":[" CALL("send", KEY) "," CALL("send", PEM("\\n")) "],\"finish_reason\":\"COMPLETE\"}"),
                       "{\"text\":\"a\\n\\n" NOTICE "\",\"tool_calls\":[" CALL("send", KEY_LABEL) "],\"finish_reason\":\"COMPLETE\"}");
}

static void a_stream_of_events_is_one_too(void **state)
{
    struct answer_request r = stream_of("data: {\"event_type\":\"text-generation\",\"text\":\"a " KEY ".\"}\n\n");

    (void)state;
    r.type = "text/event-stream";
    (void)translate(&r);
    assert_holds(last.text, "data: {\"event_type\":\"text-generation\",\"text\":\"a " KEY_LABEL ".\"}\n\n");
    assert_string_equal(last.type, "text/event-stream");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_cut_over_pieces_is_redacted_and_so_is_its_copy),
        cmocka_unit_test(the_history_has_what_was_released),
        cmocka_unit_test(a_block_ends_with_the_notice_and_the_copy_has_it),
        cmocka_unit_test(a_stream_without_an_end_is_told_to_be_cut),
        cmocka_unit_test(calls_are_whole_and_judged),
        cmocka_unit_test(a_call_that_blocks_is_left_out),
        cmocka_unit_test(what_is_beside_the_text_waits_and_is_judged),
        cmocka_unit_test(a_whole_answer_is_judged),
        cmocka_unit_test(a_stream_of_events_is_one_too),
    };

    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
