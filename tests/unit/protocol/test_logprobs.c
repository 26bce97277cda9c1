#include "unit/protocol/answer.h"

#define TOKEN(text, top)                                                                           \
    "{\"token\":\"" text "\",\"logprob\":-0.25,\"bytes\":null,\"top_logprobs\":[" top "]}"
#define OTHER(text)      "{\"token\":\"" text "\",\"logprob\":-3.5,\"bytes\":null}"
#define BODY(text, tokens)                                                                         \
    "{\"id\":\"c\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\""   \
    text "\"},\"finish_reason\":\"stop\",\"logprobs\":{\"content\":[" tokens "],\"refusal\":null}}]}"
#define EVENT(text, tokens)                                                                        \
    "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text                 \
    "\"},\"logprobs\":{\"content\":[" tokens "],\"refusal\":null},\"finish_reason\":null}]}\n\n"
#define END "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

static const char *whole(const char *upstream)
{
    const struct answer_request r = {.protocol = "openai",
                                     .path = "/v1/chat/completions",
                                     .body = "{\"logprobs\":true}",
                                     .type = "application/json",
                                     .upstream = upstream};
    return translate(&r);
}

static const char *streamed(const char *upstream)
{
    const struct answer_request r = {.protocol = "openai",
                                     .path = "/v1/chat/completions",
                                     .body = "{\"logprobs\":true,\"stream\":true}",
                                     .type = "text/event-stream",
                                     .upstream = upstream};
    return translate(&r);
}

static void a_text_that_is_unchanged_keeps_them(void **state)
{
    (void)state;
    assert_holds(whole(BODY("Hello world.", TOKEN("Hello", OTHER("Hi")) "," TOKEN(" world.", ""))),
                 "\"logprobs\":{\"refusal\":null,\"content\":[" TOKEN("Hello", OTHER("Hi")) "," TOKEN(" world.", "") "]}");
    assert_int_equal(last.action, ACTION_ALLOW);
}

/* The characters of a token need not be whole. */
static void bytes_are_compared_where_there_are_some(void **state)
{
    static const char halves[] = "{\"token\":\"\\\\xc3\",\"logprob\":-1,\"bytes\":[195],\"top_logprobs\":[]},"
                                 "{\"token\":\"\\\\xa9\",\"logprob\":-1,\"bytes\":[169],\"top_logprobs\":[]}";
    char upstream[1000];
    (void)state;
    (void)snprintf(upstream, sizeof(upstream), BODY("\xc3\xa9", "%s"), halves);
    assert_holds(whole(upstream), halves);
    /* A token that says one thing and has the bytes of another. */
    assert_lacks(whole(BODY("ab", "{\"token\":\"cd\",\"logprob\":-1,\"bytes\":[97,98],\"top_logprobs\":[]}")), "cd");
}

static void none_of_a_text_that_was_changed_leaves(void **state)
{
    (void)state;
    assert_holds(whole(BODY("Use " KEY " now.", TOKEN("Use ", "") "," TOKEN("AKIAQWB5PD", "") "," TOKEN("KHX6PYGPAN now.", ""))),
                 "\"logprobs\":null");
    assert_holds(last.text, KEY_LABEL);
    assert_lacks(last.text, "KHX6PYGPAN");
    assert_lacks(last.text, "AKIAQWB5PD");
}

static void tokens_that_are_not_the_text_stay(void **state)
{
    (void)state;
    assert_holds(whole(BODY("Hello.", TOKEN("Hello, you", ""))), "\"logprobs\":null");
    assert_holds(whole(BODY("Hello.", TOKEN("Hello.", "") "," TOKEN("AKIAQWB5PD", ""))), "\"logprobs\":null");
    assert_holds(whole(BODY("Hello.", "{\"token\":\"Hello.\",\"logprob\":\"AKIAQWB5PD\",\"bytes\":null}")), "\"logprobs\":null");
}

static void other_tokens_are_judged_rank_by_rank(void **state)
{
    (void)state;
    assert_holds(whole(BODY("Hi you", TOKEN("Hi", OTHER("AKIAQWB5PD")) "," TOKEN(" you", OTHER("KHX6PYGPAN")))),
                 TOKEN("Hi", "") "," TOKEN(" you", ""));
    assert_lacks(last.text, "AKIAQWB5PD");
    assert_int_equal(last.action, ACTION_REDACT);
}

/* Put together over the events of a stream; each token behind its text. */
static const char *tokens_of(const char *answer)
{
    return text_of_all(answer, "\"index\":0", "\"token\":\"");
}

static void in_a_stream_tokens_follow_their_text(void **state)
{
    (void)state;
    assert_string_equal(tokens_of(streamed(EVENT("Good ", TOKEN("Good", OTHER("Bad")) "," TOKEN(" ", ""))
                                               EVENT("morning, AK", TOKEN("morning,", "") "," TOKEN(" AK", ""))
                                                   EVENT("AB.", TOKEN("AB", "") "," TOKEN(".", "")) END)),
                        "Good morning, AKAB.");
    assert_lacks(last.text, "Bad");
}

static void in_a_stream_no_token_leaves_before_its_text(void **state)
{
    (void)state;
    const char *said = tokens_of(streamed(EVENT("Use AKIAQWB5PD", TOKEN("Use", "") "," TOKEN(" AKIAQWB5PD", ""))
                                              EVENT("KHX6PYGPAN now.", TOKEN("KHX6PYGPAN", "") "," TOKEN(" now.", "")) END));
    assert_string_equal(said, "Use");
    assert_holds(last.text, KEY_LABEL);
    assert_lacks(last.text, "AKIAQWB5PD");
    assert_lacks(last.text, "KHX6PYGPAN");
}

/* --- the older completions: parallel arrays ------------------------------------------- */

#define ARRAYS(tokens, numbers, others, offsets)                                                   \
    "{\"tokens\":[" tokens "],\"token_logprobs\":[" numbers "],\"top_logprobs\":" others ",\"text_offset\":[" offsets "]}"
#define CHOICE(text, logprobs, reason) "{\"text\":\"" text "\",\"index\":0,\"logprobs\":" logprobs ",\"finish_reason\":" reason "}"
#define COMPLETION(text, logprobs)     "{\"id\":\"c\",\"choices\":[" CHOICE(text, logprobs, "\"stop\"") "]}"
#define CHUNK(text, logprobs)          "data: {\"id\":\"c\",\"choices\":[" CHOICE(text, logprobs, "null") "]}\n\n"
#define CHUNKS_END                     "data: {\"id\":\"c\",\"choices\":[" CHOICE("", "null", "\"stop\"") "]}\n\ndata: [DONE]\n\n"

static const char *completed(const char *body, const char *type, const char *upstream)
{
    const struct answer_request r = {
        .protocol = "openai", .path = "/v1/completions", .body = body, .type = type, .upstream = upstream};
    return translate(&r);
}

static const char *completion(const char *upstream)
{
    return completed("{\"logprobs\":1}", "application/json", upstream);
}

static void completions_keep_their_arrays(void **state)
{
    (void)state;
    const char *arrays = ARRAYS("\"Hello\",\" world.\"", "null,-0.25", "[{\"Hi\":-3.5,\"Hey\":-4},{}]", "7,12");
    assert_holds(completion(COMPLETION("Hello world.", ARRAYS("\"Hello\",\" world.\"", "null,-0.25",
                                                              "[{\"Hi\":-3.5,\"Hey\":-4},null]", "7,12"))),
                 arrays);
    assert_int_equal(last.action, ACTION_ALLOW);
    /* Parts of a character; nothing else was likely. */
    arrays = ARRAYS("\"bytes:\\\\xc3\",\"bytes:\\\\xa9\"", "-1,-2", "null", "0,0");
    assert_holds(completion(COMPLETION("\xc3\xa9", ARRAYS("\"bytes:\\\\xc3\",\"bytes:\\\\xa9\"", "-1,-2", "null", "0,0"))), arrays);
}

static void completions_that_were_changed_or_differ_lose_them(void **state)
{
    static const char *const bodies[] = {
        COMPLETION("Use " KEY " now.", ARRAYS("\"Use \",\"AKIAQWB5PD\",\"KHX6PYGPAN now.\"", "-1,-1,-1", "null", "0,4,14")),
        COMPLETION("Hello.", ARRAYS("\"Hello.\",\"AKIAQWB5PD\"", "-1,-1", "null", "0,6")),
        COMPLETION("Hello.", ARRAYS("\"AKIAQWB5PD\"", "-1", "null", "0")),
        COMPLETION("Hello.", ARRAYS("\"Hello.\"", "\"AKIAQWB5PD\"", "null", "0")),
        COMPLETION("Hello.", ARRAYS("\"Hello.\"", "", "null", "0")),
        COMPLETION("Hello.", ARRAYS("{\"AKIAQWB5PD\":1}", "-1", "null", "0")),
        COMPLETION("Hello.", "\"AKIAQWB5PD\""),
    };
    (void)state;
    for (size_t i = 0; i < COUNT(bodies); i++) {
        assert_holds(completion(bodies[i]), "\"logprobs\":null");
        assert_lacks(last.text, "AKIAQWB5PD");
    }
}

static void other_tokens_of_completions_are_judged_rank_by_rank(void **state)
{
    (void)state;
    assert_holds(completion(COMPLETION("Hi you", ARRAYS("\"Hi\",\" you\"", "-1,-1",
                                                        "[{\"AKIAQWB5PD\":-2},{\"KHX6PYGPAN\":-2}]", "0,2"))),
                 ARRAYS("\"Hi\",\" you\"", "-1,-1", "null", "0,2"));
    assert_lacks(last.text, "AKIAQWB5PD");
    assert_int_equal(last.action, ACTION_REDACT);
}

static void in_a_stream_of_completions_tokens_follow_their_text(void **state)
{
    const char *said = completed("{\"logprobs\":1,\"stream\":true}", "text/event-stream",
                                 CHUNK("Good ", ARRAYS("\"Good\",\" \"", "-1,-1", "[{\"Bad\":-2},null]", "0,4"))
                                     CHUNK("morning.", ARRAYS("\"morning\",\".\"", "-1,-1", "null", "5,12")) CHUNKS_END);
    (void)state;
    assert_string_equal(text_of_all(said, "\"index\":0", "\"text\":\""), "Good morning.");
    assert_holds(said, ARRAYS("\"Good\",\" \"", "-1,-1", "null", "0,4"));
    assert_holds(said, ARRAYS("\"morning\",\".\"", "-1,-1", "null", "5,12"));
    assert_lacks(said, "Bad");
    said = completed("{\"logprobs\":1,\"stream\":true}", "text/event-stream",
                     CHUNK("Use AKIAQWB5PD", ARRAYS("\"Use \",\"AKIAQWB5PD\"", "-1,-1", "null", "0,4"))
                         CHUNK("KHX6PYGPAN now.", ARRAYS("\"KHX6PYGPAN\",\" now.\"", "-1,-1", "null", "14,24")) CHUNKS_END);
    assert_holds(said, KEY_LABEL);
    assert_lacks(said, "AKIAQWB5PD");
    assert_lacks(said, "KHX6PYGPAN");
}

/* --- responses: beside each delta, and beside each copy of the text -------------------- */

#define SAID(type, rest) "event: " type "\ndata: {\"type\":\"" type "\",\"sequence_number\":1," rest "}\n\n"
#define PLACE            "\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0"
#define PIECE(text, tokens)                                                                        \
    "{\"type\":\"output_text\",\"text\":\"" text "\",\"annotations\":[],\"logprobs\":[" tokens "]}"
#define MESSAGE(content)                                                                           \
    "{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"completed\",\"role\":\"assistant\",\"content\":[" content "]}"
#define RESPONSE(output) "{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"completed\",\"output\":[" output "]}"
#define BEGUN                                                                                      \
    SAID("response.created", "\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"in_progress\",\"output\":[]}")            \
    SAID("response.output_item.added", "\"output_index\":0,\"item\":" MESSAGE(""))               \
    SAID("response.content_part.added", PLACE ",\"part\":" PIECE("", ""))
#define PIECE_DELTA(text, tokens)                                                                  \
    SAID("response.output_text.delta", PLACE ",\"delta\":\"" text "\",\"logprobs\":[" tokens "]")
#define FINISHED(text, tokens)                                                                     \
    SAID("response.output_text.done", PLACE ",\"text\":\"" text "\",\"logprobs\":[" tokens "]")   \
    SAID("response.content_part.done", PLACE ",\"part\":" PIECE(text, tokens))                     \
    SAID("response.output_item.done", "\"output_index\":0,\"item\":" MESSAGE(PIECE(text, tokens))) \
    SAID("response.completed", "\"response\":" RESPONSE(MESSAGE(PIECE(text, tokens))))

static const char *responded(const char *body, const char *type, const char *upstream)
{
    const struct answer_request r = {
        .protocol = "openai", .path = "/v1/responses", .body = body, .type = type, .upstream = upstream};
    return translate(&r);
}

static void a_response_keeps_those_of_unchanged_texts(void **state)
{
    (void)state;
    const char *tokens = "\"logprobs\":[" TOKEN("Hello", OTHER("Hi")) "," TOKEN(".", "") "]";
    assert_holds(responded("{}", "application/json", RESPONSE(MESSAGE(PIECE("Hello.", TOKEN("Hello", OTHER("Hi")) "," TOKEN(".", ""))))),
                 tokens);
    assert_int_equal(last.action, ACTION_ALLOW);
    assert_lacks(responded("{}", "application/json",
                           RESPONSE(MESSAGE(PIECE("Use " KEY ".", TOKEN("Use ", "") "," TOKEN(KEY, "") "," TOKEN(".", ""))))),
                 "\"token\"");
    assert_lacks(last.text, KEY);
    assert_lacks(responded("{}", "application/json", RESPONSE(MESSAGE(PIECE("Hello.", TOKEN("AKIAQWB5PD", ""))))), "AKIAQWB5PD");
    assert_lacks(responded("{}", "application/json", RESPONSE(MESSAGE(PIECE("Hi you", TOKEN("Hi", OTHER("AKIAQWB5PD"))
                                                                                          "," TOKEN(" you", OTHER("KHX6PYGPAN")))))),
                 "AKIAQWB5PD");
    assert_holds(last.text, TOKEN("Hi", "") "," TOKEN(" you", ""));
}

static void in_a_streamed_response_tokens_follow_their_text(void **state)
{
    static const char *const copies[] = {"response.output_text.done", "response.content_part.done", "response.output_item.done",
                                         "response.completed"};
    char *upstream = NULL;
    (void)state;
    assert_true(asprintf(&upstream, "%s%s%s%s", BEGUN, PIECE_DELTA("Good ", TOKEN("Good", OTHER("Bad")) "," TOKEN(" ", "")),
                         PIECE_DELTA("morning.\\n", TOKEN("morning.", "") "," TOKEN("\\n", "")),
                         PIECE_DELTA("Bye", TOKEN("Bye", ""))
                             FINISHED("Good morning.\\nBye", TOKEN("Good", "") "," TOKEN(" morning.", "") "," TOKEN("\\nBye", ""))) > 0);
    const char *said = responded("{\"stream\":true}", "text/event-stream", upstream);
    free(upstream);
    for (size_t i = 0; i < COUNT(copies); i++) {
        char of[64];
        (void)snprintf(of, sizeof(of), "\"type\":\"%s\"", copies[i]);
        assert_string_equal(text_of_all(said, of, "\"token\":\""), "Good morning.\\nBye");
    }
    /* What a delta's tokens say, its text or an earlier one's has said. */
    const char *tokens = text_of_all(said, "response.output_text.delta\",", "\"token\":\"");
    assert_true(strlen(tokens) > 0);
    assert_int_equal(strncmp("Good morning.\\nBye", tokens, strlen(tokens)), 0);
    assert_lacks(said, "Bad");
}

static void no_copy_of_a_changed_text_has_any(void **state)
{
    const char *said = responded("{\"stream\":true}", "text/event-stream",
                                 BEGUN PIECE_DELTA("Use AKIAQWB5PD", TOKEN("Use ", "") "," TOKEN("AKIAQWB5PD", ""))
                                     PIECE_DELTA("KHX6PYGPAN.", TOKEN("KHX6PYGPAN", "") "," TOKEN(".", ""))
                                         FINISHED("Use " KEY ".", TOKEN("Use ", "") "," TOKEN("AKIAQWB5PD", "") ","
                                                  TOKEN("KHX6PYGPAN", "") "," TOKEN(".", "")));
    (void)state;
    assert_holds(said, KEY_LABEL);
    assert_lacks(said, "AKIAQWB5PD");
    assert_lacks(said, "KHX6PYGPAN");
    assert_string_equal(text_of_all(said, "done\",", "\"token\":\""), "");
    assert_string_equal(text_of_all(said, "response.completed\",", "\"token\":\""), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_that_is_unchanged_keeps_them),
        cmocka_unit_test(bytes_are_compared_where_there_are_some),
        cmocka_unit_test(none_of_a_text_that_was_changed_leaves),
        cmocka_unit_test(tokens_that_are_not_the_text_stay),
        cmocka_unit_test(other_tokens_are_judged_rank_by_rank),
        cmocka_unit_test(in_a_stream_tokens_follow_their_text),
        cmocka_unit_test(in_a_stream_no_token_leaves_before_its_text),
        cmocka_unit_test(completions_keep_their_arrays),
        cmocka_unit_test(completions_that_were_changed_or_differ_lose_them),
        cmocka_unit_test(other_tokens_of_completions_are_judged_rank_by_rank),
        cmocka_unit_test(in_a_stream_of_completions_tokens_follow_their_text),
        cmocka_unit_test(a_response_keeps_those_of_unchanged_texts),
        cmocka_unit_test(in_a_streamed_response_tokens_follow_their_text),
        cmocka_unit_test(no_copy_of_a_changed_text_has_any),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
