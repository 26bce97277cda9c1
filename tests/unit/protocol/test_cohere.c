#include "unit/protocol/answer.h"

#define EVENT(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define MESSAGE(rest)     ",\"delta\":{\"message\":{" rest "}}"
#define BEGIN                                                                                      \
    EVENT("message-start", ",\"id\":\"c-1\"" MESSAGE("\"role\":\"assistant\",\"content\":[]"))
#define START(index)                                                                               \
    EVENT("content-start",                                                                         \
          ",\"index\":" index MESSAGE("\"content\":{\"type\":\"text\",\"text\":\"\"}"))
#define TEXT(index, text)                                                                          \
    EVENT("content-delta", ",\"index\":" index MESSAGE("\"content\":{\"text\":\"" text "\"}"))
#define STOP(index) EVENT("content-end", ",\"index\":" index)
#define PLAN(text)  EVENT("tool-plan-delta", MESSAGE("\"tool_plan\":\"" text "\""))
#define CALL(index, id)                                                                            \
    EVENT("tool-call-start",                                                                       \
          ",\"index\":" index MESSAGE(                                                             \
              "\"tool_calls\":{\"id\":\"" id                                                       \
              "\",\"type\":\"function\",\"function\":{\"name\":\"send\",\"arguments\":\"\"}}"))
#define PIECE(index, json)                                                                         \
    EVENT("tool-call-delta", ",\"index\":" index MESSAGE(                                          \
                                 "\"tool_calls\":{\"function\":{\"arguments\":\"" json "\"}}"))
#define CALL_END(index) EVENT("tool-call-end", ",\"index\":" index)
#define END(reason)                                                                                \
    EVENT("message-end", ",\"delta\":{\"finish_reason\":\"" reason                                 \
                         "\",\"usage\":{\"tokens\":{\"output_tokens\":9}}}")
#define OUR_END(reason) EVENT("message-end", ",\"delta\":{\"finish_reason\":\"" reason "\"}")

static const char *const deltas[] = {"delta/message/content/text", "delta/message/tool_plan", NULL};

static struct answer_request stream_of(const char *upstream)
{
    return (struct answer_request){.protocol = "cohere",
                                   .path = "/v2/chat",
                                   .body = "{\"stream\":true}",
                                   .type = "text/event-stream",
                                   .upstream = upstream,
                                   .deltas = deltas};
}

static void a_key_cut_over_deltas_is_redacted(void **state)
{
    (void)state;
    assert_any_cutting(stream_of(BEGIN START("0") TEXT("0", "a AKIAQWB5PD") TEXT("0", "KHX6PYGPAN.")
                                     STOP("0") END("COMPLETE")),
                       BEGIN START("0") TEXT("0", "a " KEY_LABEL ".") STOP("0") END("COMPLETE"));
    assert_true(last.is_over && last.action == ACTION_REDACT);
}

static void a_block_ends_with_the_notice(void **state)
{
    (void)state;
    assert_any_cutting(stream_of(BEGIN START("0") TEXT("0", PEM("\\n")) STOP("0") END("COMPLETE")),
                       BEGIN START("0") STOP("0") START("1") TEXT("1", NOTICE) STOP("1")
                           OUR_END("ERROR"));
    assert_true(last.is_blocked && last.is_over);
}

/* What decides may stand in any event: what was not shown is not ended, what was is. */
static void a_block_in_an_event_about_content_keeps_the_order(void **state)
{
#define NOTE ",\"note\":\"" PEM("\\n") "\""
    (void)state;
    assert_any_cutting(stream_of(BEGIN EVENT("content-start", ",\"index\":0" NOTE) TEXT("0", "a")),
                       BEGIN START("0") TEXT("0", NOTICE) STOP("0") OUR_END("ERROR"));
    assert_any_cutting(stream_of(BEGIN START("0") EVENT("content-end", ",\"index\":0" NOTE)),
                       BEGIN START("0") STOP("0") START("1") TEXT("1", NOTICE) STOP("1")
                           OUR_END("ERROR"));
}

static void plans_and_calls_are_judged(void **state)
{
    (void)state;
    assert_any_cutting(
        stream_of(BEGIN PLAN("use AKIAQWB5PD") PLAN("KHX6PYGPAN") CALL("0", "t_1")
                      PIECE("0", "{\\\"k\\\":\\\"AKIAQWB5PD") PIECE("0", "KHX6PYGPAN\\\"}")
                          CALL_END("0") END("TOOL_CALLS")),
        BEGIN PLAN("use " KEY_LABEL) CALL("0", "t_1")
            PIECE("0", "{\\\"k\\\":\\\"" KEY_LABEL "\\\"}") CALL_END("0") END("TOOL_CALLS"));
}

static void a_withheld_call_leaves_the_others(void **state)
{
    (void)state;
    assert_any_cutting(stream_of(BEGIN CALL("0", "t_1")
                                     PIECE("0", "{\\\"k\\\":\\\"" PEM("\\\\n") "\\\"}")
                                         CALL_END("0") CALL("1", "t_2") PIECE("1", "{}")
                                             CALL_END("1") END("TOOL_CALLS")),
                       BEGIN CALL("0", "t_2") PIECE("0", "{}") CALL_END("0") START("0")
                           TEXT("0", NOTICE) STOP("0") END("TOOL_CALLS"));
    assert_int_equal(last.action, ACTION_BLOCK);
    assert_any_cutting(stream_of(BEGIN CALL("0", "t_1")
                                     PIECE("0", "{\\\"k\\\":\\\"" PEM("\\\\n") "\\\"}")
                                         CALL_END("0") END("TOOL_CALLS")),
                       BEGIN START("0") TEXT("0", NOTICE) STOP("0") END("ERROR"));
}

static void a_cut_answer_is_closed(void **state)
{
    (void)state;
    assert_any_cutting(stream_of(BEGIN START("0") TEXT("0", "so")),
                       BEGIN START("0") TEXT("0", "so") STOP("0") OUR_END("ERROR"));
}

static void citations_and_unknown_members_are_judged(void **state)
{
    (void)state;
    assert_any_cutting(
        stream_of(BEGIN EVENT(
            "citation-start",
            ",\"index\":0" MESSAGE("\"citations\":{\"start\":1,\"end\":3,\"text\":\"" KEY "\"}"))
                      EVENT("debug", ",\"prompt\":\"" KEY "\"") END("COMPLETE")),
        BEGIN EVENT("citation-start",
                    ",\"index\":0" MESSAGE(
                        "\"citations\":{\"start\":1,\"end\":3,\"text\":\"" KEY_LABEL "\"}"))
            EVENT("debug", ",\"prompt\":\"" KEY_LABEL "\"") END("COMPLETE"));
}

static void a_body_is_rewritten_in_place(void **state)
{
    struct answer_request r =
        stream_of("{\"id\":\"c-1\",\"finish_reason\":\"TOOL_CALLS\",\"message\":{\"role\":"
                  "\"assistant\",\"tool_plan\":\"p " KEY
                  "\",\"tool_calls\":[{\"id\":\"t\",\"type\":\"function\",\"function\":{\"name\":"
                  "\"send\",\"arguments\":\"{\\\"k\\\":\\\"" KEY
                  "\\\"}\"}}],\"content\":[{\"type\":\"text\",\"text\":\"a " KEY "\"}]}}");
    (void)state;
    r.body = "{}";
    r.type = "application/json";
    assert_any_cutting(r, "{\"id\":\"c-1\",\"finish_reason\":\"TOOL_CALLS\",\"message\":{\"role\":"
                          "\"assistant\",\"tool_plan\":\"p " KEY_LABEL
                          "\",\"tool_calls\":[{\"id\":\"t\",\"type\":\"function\",\"function\":{"
                          "\"name\":\"send\",\"arguments\":\"{\\\"k\\\":\\\"" KEY_LABEL
                          "\\\"}\"}}],\"content\":[{\"type\":\"text\",\"text\":\"a " KEY_LABEL
                          "\"}]}}");
    r.upstream = "{\"id\":\"c-1\",\"finish_reason\":\"COMPLETE\",\"message\":{\"role\":"
                 "\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"" PEM("\\n") "\"}]}}";
    assert_any_cutting(r,
                       "{\"id\":\"c-1\",\"finish_reason\":\"ERROR\",\"message\":{\"role\":"
                       "\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"" NOTICE "\"}]}}");
}

static void a_blocked_body_still_tells_what_it_cost(void **state)
{
    (void)state;
    struct answer_request r = stream_of("{\"id\":\"c\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\","
                                        "\"text\":\"" PEM("\\n") "\"}]},\"finish_reason\":\"COMPLETE\",\"usage\":{"
                                        "\"billed_units\":{\"input_tokens\":3,\"output_tokens\":9},"
                                        "\"tokens\":{\"input_tokens\":64,\"note\":\"said\"}}}");
    r.body = "{}";
    r.type = "application/json";
    assert_holds(translate(&r), NOTICE);
    assert_lacks(last.text, "MIIE");
    assert_holds(last.text, "\"usage\":{\"billed_units\":{\"input_tokens\":3,\"output_tokens\":9},\"tokens\":{\"input_tokens\":64}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_cut_over_deltas_is_redacted),
        cmocka_unit_test(a_block_ends_with_the_notice),
        cmocka_unit_test(a_block_in_an_event_about_content_keeps_the_order),
        cmocka_unit_test(plans_and_calls_are_judged),
        cmocka_unit_test(a_withheld_call_leaves_the_others),
        cmocka_unit_test(a_cut_answer_is_closed),
        cmocka_unit_test(citations_and_unknown_members_are_judged),
        cmocka_unit_test(a_body_is_rewritten_in_place),
        cmocka_unit_test(a_blocked_body_still_tells_what_it_cost),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
