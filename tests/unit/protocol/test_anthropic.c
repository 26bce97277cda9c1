#include "unit/protocol/answer.h"

#define EVENT(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define BEGIN                                                                                      \
    EVENT("message_start", ",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":"         \
                           "\"assistant\",\"model\":\"m\",\"content\":[],\"stop_reason\":null,"    \
                           "\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}")
#define START(index, block)                                                                        \
    EVENT("content_block_start", ",\"index\":" index ",\"content_block\":{" block "}")
#define DELTA(index, delta)                                                                        \
    EVENT("content_block_delta", ",\"index\":" index ",\"delta\":{" delta "}")
#define STOP(index)           EVENT("content_block_stop", ",\"index\":" index)
#define START_TEXT(index)     START(index, "\"type\":\"text\",\"text\":\"\"")
#define TEXT(index, text)     DELTA(index, "\"type\":\"text_delta\",\"text\":\"" text "\"")
#define THINKING(index, text) DELTA(index, "\"type\":\"thinking_delta\",\"thinking\":\"" text "\"")
#define SIGNATURE(index)      DELTA(index, "\"type\":\"signature_delta\",\"signature\":\"c2lnbmVk/+==\"")
#define START_THINKING(index)                                                                      \
    START(index, "\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"")
#define START_CALL(index, id)                                                                      \
    START(index, "\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"send\",\"input\":{}")
#define INPUT(index, json)                                                                         \
    DELTA(index, "\"type\":\"input_json_delta\",\"partial_json\":\"" json "\"")
#define TAIL(reason)                                                                               \
    EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"" reason                                 \
                           "\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":9}")
#define END EVENT("message_stop", "")
#define REFUSAL(tokens)                                                                            \
    EVENT("message_delta",                                                                         \
          ",\"delta\":{\"stop_reason\":\"refusal\",\"stop_sequence\":null,"                        \
          "\"stop_details\":{\"type\":\"refusal\",\"category\":null,"                              \
          "\"explanation\":\"" NOTICE "\"}},\"usage\":{\"output_tokens\":" tokens "}")

static const char *const deltas[] = {"delta/text", NULL};

static struct answer_request stream_of(const char *upstream)
{
    return (struct answer_request){.protocol = "anthropic",
                                   .path = "/v1/messages",
                                   .body = "{\"stream\":true}",
                                   .type = "text/event-stream",
                                   .upstream = upstream,
                                   .deltas = deltas};
}

static void clean_text_and_usage_pass(void **state)
{
    (void)state;
    assert_any_cutting(stream_of(BEGIN EVENT("ping", "") START_TEXT("0") TEXT("0", "Hel")
                                     TEXT("0", "lo") STOP("0") TAIL("end_turn") END),
                       BEGIN EVENT("ping", "") START_TEXT("0") TEXT("0", "Hello") STOP("0")
                           TAIL("end_turn") END);
    assert_true(last.is_over && !last.is_blocked);
}

static void a_key_cut_over_deltas_is_redacted(void **state)
{
    (void)state;
    assert_any_cutting(stream_of(BEGIN START_TEXT("0") TEXT("0", "see AKIAQWB5PD")
                                     TEXT("0", "KHX6PYGPAN.") STOP("0") TAIL("end_turn") END),
                       BEGIN START_TEXT("0") TEXT("0", "see " KEY_LABEL ".") STOP("0")
                           TAIL("end_turn") END);
    assert_int_equal(last.action, ACTION_REDACT);
}

static void a_block_ends_as_a_refusal(void **state)
{
    struct answer_request r =
        stream_of(BEGIN START_TEXT("0") TEXT("0", PEM("\\n")) STOP("0") TAIL("end_turn") END);
    (void)state;
    assert_any_cutting(r, BEGIN START_TEXT("0") STOP("0") START_TEXT("1") TEXT("1", NOTICE)
                              STOP("1") REFUSAL("0") END);
    assert_true(last.is_over && last.is_blocked);
    r.ends_turn = true;
    assert_holds(translate(&r), "\"stop_reason\":\"end_turn\"");
    assert_lacks(last.text, "refusal");
}

/* What decides may stand in any event: what was not shown is not ended, what was is. */
static void a_block_in_an_event_about_a_block_keeps_the_order(void **state)
{
#define NOTE  ",\"note\":\"" PEM("\\n") "\""
#define AFTER EVENT("message_stop", "")
    (void)state;
    assert_any_cutting(
        stream_of(EVENT("message_start", ",\"message\":{\"id\":\"m\"}" NOTE) AFTER),
        EVENT("message_start",
              ",\"message\":{\"id\":\"\",\"type\":\"message\",\"role\":\"assistant\","
              "\"model\":\"\",\"content\":[],\"stop_reason\":null,"
              "\"stop_sequence\":null,\"usage\":{\"input_tokens\":0,"
              "\"output_tokens\":0}}") START_TEXT("0") TEXT("0", NOTICE) STOP("0") REFUSAL("0")
            END);
    assert_any_cutting(
        stream_of(BEGIN START("0", "\"type\":\"text\",\"text\":\"\"" NOTE) TEXT("0", "a") AFTER),
        BEGIN START_TEXT("0") TEXT("0", NOTICE) STOP("0") REFUSAL("0") END);
    assert_any_cutting(
        stream_of(BEGIN START_TEXT("0") EVENT("content_block_stop", ",\"index\":0" NOTE) AFTER),
        BEGIN START_TEXT("0") STOP("0") START_TEXT("1") TEXT("1", NOTICE) STOP("1") REFUSAL("0")
            END);
}

static void clean_thinking_keeps_its_signature(void **state)
{
    (void)state;
    assert_any_cutting(stream_of(BEGIN START_THINKING("0") THINKING("0", "let me ")
                                     THINKING("0", "see") SIGNATURE("0") STOP("0") START_TEXT("1")
                                         TEXT("1", "ok") STOP("1") TAIL("end_turn") END),
                       BEGIN START_THINKING("0") THINKING("0", "let me see") SIGNATURE("0")
                           STOP("0") START_TEXT("1") TEXT("1", "ok") STOP("1") TAIL("end_turn")
                               END);
}

static void redacted_thinking_becomes_a_text(void **state)
{
    (void)state;
    assert_any_cutting(
        stream_of(BEGIN START_THINKING("0") THINKING("0", "use AKIAQWB5PD")
                      THINKING("0", "KHX6PYGPAN") SIGNATURE("0") STOP("0") TAIL("end_turn") END),
        BEGIN START_TEXT("0") TEXT("0", "use " KEY_LABEL) STOP("0") TAIL("end_turn") END);
}

static void tool_input_is_redacted_as_json(void **state)
{
    (void)state;
    assert_any_cutting(
        stream_of(BEGIN START_CALL("0", "toolu_1") INPUT("0", "")
                      INPUT("0", "{\\\"k\\\": \\\"AKIAQWB5PD") INPUT("0", "KHX6PYGPAN\\\"}")
                          STOP("0") TAIL("tool_use") END),
        BEGIN START_CALL("0", "toolu_1") INPUT("0", "{\\\"k\\\": \\\"" KEY_LABEL "\\\"}") STOP("0")
            TAIL("tool_use") END);
}

static void a_withheld_call_leaves_the_others(void **state)
{
    (void)state;
    assert_any_cutting(stream_of(BEGIN START_CALL("0", "toolu_1")
                                     INPUT("0", "{\\\"k\\\":\\\"" PEM("\\\\n") "\\\"}") STOP("0")
                                         START_CALL("1", "toolu_2") STOP("1") TAIL("tool_use") END),
                       BEGIN START_CALL("0", "toolu_2") STOP("0") START_TEXT("1") TEXT("1", NOTICE)
                           STOP("1") TAIL("tool_use") END);
    assert_int_equal(last.action, ACTION_BLOCK);
}

static void the_only_call_withheld_is_a_refusal(void **state)
{
    (void)state;
    assert_any_cutting(stream_of(BEGIN START_CALL("0", "toolu_1")
                                     INPUT("0", "{\\\"k\\\":\\\"" PEM("\\\\n") "\\\"}") STOP("0")
                                         TAIL("tool_use") END),
                       BEGIN START_TEXT("0") TEXT("0", NOTICE) STOP("0") REFUSAL("9") END);
}

static void a_cut_answer_is_closed_without_its_calls(void **state)
{
    (void)state;
    assert_any_cutting(stream_of(BEGIN START_TEXT("0") TEXT("0", "so") STOP("0")
                                     START_CALL("1", "toolu_1") INPUT("1", "{\\\"to\\\":")),
                       BEGIN START_TEXT("0") TEXT("0", "so") STOP("0")
                           EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"max_tokens\","
                                                  "\"stop_sequence\":null},"
                                                  "\"usage\":{\"output_tokens\":0}") END);
}

static void errors_and_citations_are_judged(void **state)
{
    (void)state;
    assert_any_cutting(
        stream_of(BEGIN START_TEXT("0") DELTA(
            "0", "\"type\":\"citations_delta\",\"citation\":{"
                 "\"type\":\"char_location\",\"cited_text\":\"" KEY "\",\"document_index\":0}")
                      EVENT("error",
                            ",\"error\":{\"type\":\"overloaded_error\",\"message\":\"" KEY "\"}")),
        BEGIN START_TEXT("0") DELTA("0", "\"type\":\"citations_delta\",\"citation\":{"
                                         "\"type\":\"char_location\",\"cited_text\":\"" KEY_LABEL
                                         "\",\"document_index\":0}")
            EVENT("error",
                  ",\"error\":{\"type\":\"overloaded_error\",\"message\":\"" KEY_LABEL "\"}"));
}

#define BODY(content, end)                                                                         \
    "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":"   \
    "[" content "]," end "}"
#define BODY_END(reason)                                                                           \
    "\"stop_reason\":\"" reason "\",\"stop_sequence\":null,\"usage\":{\"output_tokens\":9}"

static struct answer_request body_of(const char *upstream)
{
    struct answer_request r = stream_of(upstream);
    r.body = "{}";
    r.type = "application/json";
    return r;
}

static void a_body_is_rewritten_in_place(void **state)
{
    (void)state;
    assert_any_cutting(
        body_of(BODY("{\"type\":\"thinking\",\"thinking\":\"" KEY "\",\"signature\":\"c2ln\"},"
                     "{\"type\":\"text\",\"text\":\"a " KEY "\"},"
                     "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"send\",\"input\":{\"k\":\"" KEY
                     "\"}}",
                     BODY_END("tool_use"))),
        BODY("{\"type\":\"text\",\"text\":\"" KEY_LABEL
             "\"},{\"type\":\"text\",\"text\":\"a " KEY_LABEL
             "\"},{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"send\",\"input\":{\"k\":"
             "\"" KEY_LABEL "\"}}",
             BODY_END("tool_use")));
}

static void a_blocked_body_is_a_refusal(void **state)
{
    struct answer_request r =
        body_of(BODY("{\"type\":\"text\",\"text\":\"" PEM("\\n") "\"}", BODY_END("end_turn")));
    (void)state;
    assert_holds(translate(&r), "\"content\":[{\"type\":\"text\",\"text\":\"" NOTICE
                                "\"}],\"stop_reason\":\"refusal\"");
    assert_lacks(last.text, "MIIE");
    assert_holds(last.text, "\"usage\":{\"input_tokens\":0,\"output_tokens\":0}");
    r = body_of(BODY("{\"type\":\"text\",\"text\":\"" PEM("\\n") "\"}",
                     "\"stop_reason\":\"end_turn\",\"usage\":{\"service_tier\":\"standard\",\"input_tokens\":3,"
                     "\"output_tokens\":9,\"cache_read_input_tokens\":2,\"cache_creation_input_tokens\":null}"));
    assert_holds(translate(&r), "\"usage\":{\"input_tokens\":3,\"output_tokens\":9,\"cache_read_input_tokens\":2}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean_text_and_usage_pass),
        cmocka_unit_test(a_key_cut_over_deltas_is_redacted),
        cmocka_unit_test(a_block_ends_as_a_refusal),
        cmocka_unit_test(a_block_in_an_event_about_a_block_keeps_the_order),
        cmocka_unit_test(clean_thinking_keeps_its_signature),
        cmocka_unit_test(redacted_thinking_becomes_a_text),
        cmocka_unit_test(tool_input_is_redacted_as_json),
        cmocka_unit_test(a_withheld_call_leaves_the_others),
        cmocka_unit_test(the_only_call_withheld_is_a_refusal),
        cmocka_unit_test(a_cut_answer_is_closed_without_its_calls),
        cmocka_unit_test(errors_and_citations_are_judged),
        cmocka_unit_test(a_body_is_rewritten_in_place),
        cmocka_unit_test(a_blocked_body_is_a_refusal),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
