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
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
