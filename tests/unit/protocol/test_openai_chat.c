#include "unit/protocol/answer.h"

#define HEAD                                                                                       \
    "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"          \
    "\"model\":\"m\","
#define CHUNK(index, delta, finish)                                                                \
    "data: " HEAD "\"choices\":[{\"index\":" index ",\"delta\":{" delta                            \
    "},\"finish_reason\":" finish "}]}\n\n"
#define TEXT(text) CHUNK("0", "\"content\":\"" text "\"", "null")
#define DONE       "data: [DONE]\n\n"

static const char *const deltas[] = {"choices/0/delta/content", NULL};

static struct answer_request stream_of(const char *upstream)
{
    return (struct answer_request){.protocol = "openai",
                                   .path = "/v1/chat/completions",
                                   .body = "{\"stream\":true}",
                                   .type = "text/event-stream; charset=utf-8",
                                   .upstream = upstream,
                                   .deltas = deltas};
}

#define FIRST CHUNK("0", "\"role\":\"assistant\",\"content\":\"\"", "null")
#define STOP  CHUNK("0", "", "\"stop\"")
#define USAGE                                                                                      \
    "data: " HEAD "\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"total_tokens\":12345678}}\n\n"

/* The text that a client puts together, whatever the events. */
static const char *said(const char *answer)
{
    return text_of_all(answer, "\"index\":0", "\"content\":\"");
}

static void clean_text_and_usage_pass(void **state)
{
    (void)state;
    assert_any_cutting(stream_of(FIRST TEXT("Hello ") TEXT("world") STOP USAGE DONE),
                       FIRST TEXT("Hello world") STOP USAGE DONE);
    assert_true(last.is_read && last.is_over && !last.is_blocked);
}

static void a_key_cut_over_deltas_is_redacted(void **state)
{
    struct answer_request r =
        stream_of(FIRST TEXT("Hello AKIAQWB5PD") TEXT("KHX6PYGPAN!") STOP DONE);
    (void)state;
    assert_any_cutting(r, FIRST TEXT("Hello " KEY_LABEL "!") STOP DONE);
    assert_int_equal(last.action, ACTION_REDACT);
}

static void halves_of_a_character_are_joined(void **state)
{
    struct answer_request r = stream_of(TEXT("a\\ud83d") TEXT("\\ude00b\\ud83d") STOP DONE);
    (void)state;
    assert_string_equal(said(translate(&r)), "a\xf0\x9f\x98\x80"
                                             "b\xef\xbf\xbd");
    r = stream_of(TEXT("a\xf0\x9f") TEXT("\x98\x80"
                                         "b") STOP DONE);
    assert_string_equal(said(translate(&r)), "a\xf0\x9f\x98\x80"
                                             "b");
}

static void a_block_ends_softly(void **state)
{
    struct answer_request r = stream_of(FIRST TEXT(PEM("\\n")) STOP USAGE DONE);
    (void)state;
    assert_any_cutting(r, FIRST TEXT(NOTICE) CHUNK("0", "", "\"content_filter\"") DONE);
    assert_true(last.is_read && last.is_over && last.is_blocked);
    r.ends_turn = true;
    assert_any_cutting(r, FIRST TEXT(NOTICE) STOP DONE);
}

#define COST                                                                                       \
    "data: " HEAD "\"choices\":[],\"usage\":{\"prompt_tokens\":41,\"completion_tokens\":23,"        \
    "\"total_tokens\":64}}\n\n"
#define MORE TEXT("and so the story goes on and on, as nobody has told it yet, nor will. ")
#define MUCH MORE MORE MORE MORE MORE MORE MORE MORE

static void a_block_tells_its_cost_to_who_asked_for_it(void **state)
{
    struct answer_request r = stream_of(FIRST TEXT(PEM("\\n")) MUCH STOP COST DONE);
    (void)state;
    r.body = "{\"stream\":true,\"stream_options\":{\"include_usage\":true}}";
    assert_any_cutting(r, FIRST TEXT(NOTICE) CHUNK("0", "", "\"content_filter\"") COST DONE);
    assert_true(last.is_read && last.is_over && last.is_blocked);
    /* Nothing of it that is not a count, and nothing that comes behind it. */
    r.upstream = FIRST TEXT(PEM("\\n")) STOP USAGE DONE COST;
    assert_any_cutting(r, FIRST TEXT(NOTICE) CHUNK("0", "", "\"content_filter\"") DONE);
    r.upstream = FIRST TEXT(PEM("\\n")) MORE;
    assert_any_cutting(r, FIRST TEXT(NOTICE) CHUNK("0", "", "\"content_filter\"") DONE);
    r.upstream = FIRST TEXT(PEM("\\n")) "data: {\n\n" COST DONE;
    assert_any_cutting(r, FIRST TEXT(NOTICE) CHUNK("0", "", "\"content_filter\"") DONE);
}

static void a_cost_that_is_far_away_is_not_waited_for(void **state)
{
    static char upstream[1 << 18];
    struct answer_request r = stream_of(upstream);
    size_t len = (size_t)snprintf(upstream, sizeof(upstream), "%s", FIRST TEXT(PEM("\\n")));

    (void)state;
    for (size_t i = 0; i < 100; i++) {
        len += (size_t)snprintf(upstream + len, sizeof(upstream) - len, "%s", MUCH);
    }
    (void)snprintf(upstream + len, sizeof(upstream) - len, "%s", COST DONE);
    r.body = "{\"stream\":true,\"stream_options\":{\"include_usage\":true}}";
    r.cut = 1000;
    assert_joined(translate(&r), FIRST TEXT(NOTICE) CHUNK("0", "", "\"content_filter\"") DONE, deltas);
}

static void a_notice_says_who_speaks_when_nothing_did(void **state)
{
    (void)state;
    assert_any_cutting(
        stream_of(
            "data: {\"id\":\"x\",\"note\":\"" PEM("\\n") "\",\"choices\":[]}\n\n" FIRST STOP DONE),
        "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\","
        "\"content\":\"" NOTICE "\"},\"finish_reason\":null}]}\n\n"
        "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{},"
        "\"finish_reason\":\"content_filter\"}]}\n\n" DONE);
}

/* Some upstreams say how it ended in each event that follows. */
static void a_choice_that_ends_twice_has_its_calls_once(void **state)
{
#define ROLE "data: " HEAD "\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"},\"finish_reason\":null}]}\n\n"
#define CALL(arguments)                                                                                                \
    CHUNK("0", "\"tool_calls\":[{\"index\":0,\"id\":\"t_1\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"" arguments "\"}}]", \
          "null")
#define ENDS_TWICE CHUNK("0", "", "\"tool_calls\"") CHUNK("0", "", "\"tool_calls\"") DONE
    (void)state;
    assert_any_cutting(stream_of(ROLE CALL("{\\\"a\\\":1}") ENDS_TWICE), ROLE CALL("{\\\"a\\\":1}") ENDS_TWICE);
    struct answer_request withheld = stream_of(ROLE CALL("{\\\"a\\\":\\\"" PEM("\\\\n") "\\\"}") ENDS_TWICE);
    const char *out = translate(&withheld);
    const char *notice = strstr(out, NOTICE);
    assert_non_null(notice);
    assert_lacks(notice + 1, NOTICE);
    assert_lacks(out, "\"tool_calls\"");
}

static void an_answer_without_its_end_is_closed(void **state)
{
    struct answer_request r = stream_of(TEXT("abc") TEXT("def"));
    (void)state;
    assert_string_equal(said(translate(&r)), "abcdef");
    assert_true(last.is_read && last.is_over);
    assert_holds(last.text, CHUNK("0", "", "\"length\"") DONE);
    r.is_broken = true;
    assert_string_equal(said(translate(&r)), "abcdef");
}

static void an_unreadable_message_blocks(void **state)
{
    struct answer_request r = stream_of(FIRST "data: {\"choices\":\n\n" STOP DONE);
    (void)state;
    assert_holds(translate(&r), TEXT(NOTICE) CHUNK("0", "", "\"content_filter\"") DONE);
    assert_false(last.is_read);
    assert_true(last.is_over && last.is_blocked);
}

#define CALL_FIRST(index, id, name)                                                                \
    "\"tool_calls\":[{\"index\":" index ",\"id\":\"" id                                            \
    "\",\"type\":\"function\",\"function\":{\"name\":\"" name "\",\"arguments\":\"\"}}]"
#define CALL_PIECE(index, piece)                                                                   \
    "\"tool_calls\":[{\"index\":" index ",\"function\":{\"arguments\":\"" piece "\"}}]"
#define WHOLE_CALL(index, id, name, arguments)                                                     \
    "{\"index\":" index ",\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name  \
    "\",\"arguments\":\"" arguments "\"}}"
#define CALLS_END CHUNK("0", "", "\"tool_calls\"")

static void tool_arguments_are_redacted_as_json(void **state)
{
    struct answer_request r =
        stream_of(CHUNK("0", CALL_FIRST("0", "call_1", "send"), "null")
                      CHUNK("0", CALL_PIECE("0", "{\\\"k\\\":\\\"AKIAQWB5PD"), "null")
                          CHUNK("0", CALL_PIECE("0", "KHX6PYGPAN\\\"}"), "null") CALLS_END DONE);
    (void)state;
    assert_any_cutting(r, CHUNK("0",
                                "\"tool_calls\":[" WHOLE_CALL(
                                    "0", "call_1", "send", "{\\\"k\\\":\\\"" KEY_LABEL "\\\"}") "]",
                                "null") CALLS_END DONE);
    assert_int_equal(last.action, ACTION_REDACT);
}

static void a_withheld_call_leaves_the_others(void **state)
{
    struct answer_request r = stream_of(CHUNK("0", CALL_FIRST("0", "call_1", "send"), "null") CHUNK(
        "0",
        CALL_PIECE(
            "0",
            "{\\\"k\\\":\\\"-----BEGIN RSA PRIVATE "
            "KEY-----\\\\nMIIEpAIBAAKCAQEA7bq4pNkJ3xRzJt0mV9dQk2yF8sHcWlXo1uZGvT5eYbP6nA4r\\\\n----"
            "-END RSA PRIVATE KEY-----\\\"}"),
        "null") CHUNK("0", CALL_FIRST("1", "call_2", "look"),
                      "null") CHUNK("0", CALL_PIECE("1", "{}"), "null") CALLS_END DONE);
    (void)state;
    assert_any_cutting(
        r, CHUNK("0", "\"tool_calls\":[" WHOLE_CALL("0", "call_2", "look", "{}") "]", "null") CHUNK(
               "0", "\"role\":\"assistant\",\"content\":\"" NOTICE "\"", "null") CALLS_END DONE);
    assert_true(last.is_blocked);
    assert_int_equal(last.action, ACTION_BLOCK);
}

static void choices_interleave(void **state)
{
    struct answer_request r = stream_of(
        CHUNK("0", "\"content\":\"a AKIAQWB5PD\"", "null") CHUNK("1", "\"content\":\"b \"", "null")
            CHUNK("0", "\"content\":\"KHX6PYGPAN\"", "null")
                CHUNK("1", "\"content\":\"KHX6PYGPAN\"", "null") CHUNK("1", "", "\"stop\"")
                    CHUNK("0", "", "\"stop\"") DONE);
    (void)state;
    const char *out = translate(&r);
    assert_string_equal(said(out), "a " KEY_LABEL);
    assert_string_equal(text_of_all(out, "\"index\":1", "\"content\":\""), "b KHX6PYGPAN");
    assert_holds(out, CHUNK("1", "", "\"stop\""));
    assert_holds(out, CHUNK("0", "", "\"stop\"") DONE);
}

static void an_error_frame_is_judged_and_ends(void **state)
{
    struct answer_request r =
        stream_of(TEXT("a") "data: {\"error\":{\"message\":\"bad " KEY "\"}}\n\n" TEXT("b"));
    (void)state;
    const char *out = translate(&r);
    assert_string_equal(said(out), "a");
    assert_holds(out, "data: {\"error\":{\"message\":\"bad " KEY_LABEL "\"}}\n\n" DONE);
}

#define SHELL "data: {\"id\":\"x\",\"choices\":[]}\n\n"

static void unknown_members_are_judged(void **state)
{
    struct answer_request r =
        stream_of("data: {\"id\":\"x\",\"note\":\"" KEY "\",\"choices\":[]}\n\n" STOP DONE);
    (void)state;
    assert_any_cutting(r, SHELL "data: {\"id\":\"x\",\"note\":\"" KEY_LABEL
                                "\",\"choices\":[]}\n\n" STOP DONE);
    r = stream_of("data: {\"id\":\"see " KEY "\",\"choices\":[]}\n\n" STOP DONE);
    assert_lacks(translate(&r), KEY);
}

static void the_record_names_the_places_beside_the_stream(void **state)
{
    struct answer_request r = stream_of(
        "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"note\":\"" KEY "\"}]}\n\n" STOP DONE);
    (void)state;
    (void)translate(&r);
    assert_true(last.n_findings > 0);
    assert_string_equal(last.finding_path, "/choices/0/note");
    assert_string_equal(last.rule, "aws-access-key-id");
}

static void what_was_judged_once_is_judged_the_same_again(void **state)
{
#define NOTE(text) "data: {\"id\":\"x\",\"note\":\"" text "\",\"choices\":[]}\n\n"
    (void)state;
    assert_any_cutting(stream_of(NOTE("Some Vendor, Inc.") NOTE(KEY) NOTE("Some Vendor, Inc.")
                                     NOTE(KEY) STOP DONE),
                       SHELL SHELL SHELL SHELL NOTE("Some Vendor, Inc.") NOTE(KEY_LABEL) STOP DONE);
}

#define BODY(message, finish)                                                                      \
    "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\","         \
    "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\"," message                       \
    "},\"finish_reason\":\"" finish "\"}]}"

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
        body_of(
            BODY("\"content\":\"k " KEY "\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\","
                 "\"function\":{\"name\":\"send\",\"arguments\":\"{\\\"a\\\":\\\"" KEY "\\\"}\"}}]",
                 "tool_calls")),
        BODY("\"content\":\"k " KEY_LABEL "\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\","
             "\"function\":{\"name\":\"send\",\"arguments\":\"{\\\"a\\\":\\\"" KEY_LABEL
             "\\\"}\"}}]",
             "tool_calls"));
    assert_string_equal(last.type, "application/json");
}

static void a_blocked_body_is_the_notice(void **state)
{
    struct answer_request r = body_of(BODY("\"content\":\"" PEM("\\n") "\"", "stop"));
    (void)state;
    assert_holds(translate(&r), "\"content\":\"" NOTICE "\"");
    assert_holds(last.text, "\"finish_reason\":\"content_filter\"");
    assert_lacks(last.text, "MIIE");
}

/* A blocked body with that usage: what is said of its cost. */
static const char *cost_of_blocked(const char *usage)
{
    static char upstream[4096];
    struct answer_request r = body_of(upstream);

    (void)snprintf(upstream, sizeof(upstream), "{\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"message\":{\"content\":\""
                   PEM("\\n") "\"},\"finish_reason\":\"stop\"}],\"usage\":%s}", usage);
    assert_holds(translate(&r), "\"content\":\"" NOTICE "\"");
    assert_lacks(last.text, "MIIE");
    return last.text;
}

static void a_blocked_body_still_tells_what_it_cost(void **state)
{
    static const char *const none[] = {
        "null", "[]", "{}", "7", "{\"prompt_tokens\":9,\"completion_tokens\":12}",
        "{\"prompt_tokens\":9,\"completion_tokens\":12,\"total_tokens\":41111111}",
        "{\"prompt_tokens\":\"9\",\"completion_tokens\":12,\"total_tokens\":21}",
        "{\"prompt_tokens\":-9,\"completion_tokens\":12,\"total_tokens\":21}",
        "{\"prompt_tokens\":1.5,\"completion_tokens\":1e2,\"total_tokens\":21}",
    };
    (void)state;
    assert_holds(cost_of_blocked("{\"prompt_tokens\":9,\"completion_tokens\":12,\"total_tokens\":21}"),
                 "\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":12,\"total_tokens\":21}");
    for (size_t i = 0; i < COUNT(none); i++) {
        assert_lacks(cost_of_blocked(none[i]), "usage");
    }
}

static void what_it_cost_is_short_numbers_by_known_names(void **state)
{
    (void)state;
    const char *text = cost_of_blocked(
        "{\"note\":\"said by the model\",\"words\":4,\"total_tokens\":21,\"prompt_tokens\":9,\"completion_tokens\":9999999,"
        "\"prompt_tokens_details\":{\"cached_tokens\":4,\"audio_tokens\":\"said\",\"" KEY "\":1},"
        "\"completion_tokens_details\":{\"reasoning_tokens\":{\"said\":1},\"accepted_prediction_tokens\":12345678}}");

    assert_holds(text, "\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":9999999,\"total_tokens\":21,"
                       "\"prompt_tokens_details\":{\"cached_tokens\":4}}");
    assert_lacks(text, "said");
    assert_lacks(text, "words");
    assert_lacks(text, KEY);
}

static void bodies_of_errors_are_judged(void **state)
{
    struct answer_request r = body_of("{\"error\":{\"message\":\"no " KEY "\",\"type\":\"t\"}}");
    (void)state;
    r.status = 429;
    assert_any_cutting(r, "{\"error\":{\"message\":\"no " KEY_LABEL "\",\"type\":\"t\"}}");
    r.type = "text/html";
    r.upstream = "<html>" KEY;
    assert_lacks(translate(&r), KEY);
    assert_holds(last.text, "{\"error\":{\"message\":\"<html>");
}

/* As load balancers answer: its status says what its client is to do. */
static void an_error_without_a_body_is_no_block(void **state)
{
    struct answer_request r = body_of("");
    (void)state;
    r.status = 429;
    assert_holds(translate(&r), "\"message\":\"the upstream answered with an error\"");
    assert_true(last.is_read && last.is_over && !last.is_blocked);
    r.type = NULL;
    r.upstream = "\r\n";
    assert_holds(translate(&r), "\"message\":\"the upstream answered with an error\"");
    r.is_broken = true;
    (void)translate(&r);
    assert_true(last.is_blocked);
    r.is_broken = false;
    r.status = 200;
    (void)translate(&r);
    assert_true(last.is_blocked);
}

static void paths_that_are_not_listed_are_refused(void **state)
{
    static const char *const paths[] = {"/v1/evals", "/v1/realtime/calls", "/v1/videos",
                                        "/v1/models/../files",  "/v1//files",   "/v1/models/%2e"};
    const struct protocol *p = protocol_find(span_str("openai"));
    const struct protocol_route *route;

    (void)state;
    for (size_t i = 0; i < COUNT(paths); i++) {
        assert_int_equal(protocol_route(p, span_str("GET"), span_str(paths[i]), &route),
                         ROUTE_REFUSED);
    }
    assert_int_equal(protocol_route(p, span_str("GET"), span_str("/v1/models"), &route),
                     ROUTE_PASSED);
}

/* openai-python skips an event without `object`, and finds no answer then. */
static void the_end_of_an_answer_without_a_beginning_is_a_chunk(void **state)
{
    struct answer_request r = stream_of("data: {\"id\n\n");

    (void)state;
    assert_holds(translate(&r), "\"object\":\"chat.completion.chunk\"");
    assert_holds(last.text, NOTICE);
    r.path = "/v1/completions";
    assert_holds(translate(&r), "\"object\":\"text_completion\"");
    assert_holds(last.text, NOTICE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_an_answer_without_a_beginning_is_a_chunk),
        cmocka_unit_test(clean_text_and_usage_pass),
        cmocka_unit_test(a_key_cut_over_deltas_is_redacted),
        cmocka_unit_test(halves_of_a_character_are_joined),
        cmocka_unit_test(a_block_ends_softly),
        cmocka_unit_test(a_block_tells_its_cost_to_who_asked_for_it),
        cmocka_unit_test(a_cost_that_is_far_away_is_not_waited_for),
        cmocka_unit_test(a_notice_says_who_speaks_when_nothing_did),
        cmocka_unit_test(a_choice_that_ends_twice_has_its_calls_once),
        cmocka_unit_test(an_answer_without_its_end_is_closed),
        cmocka_unit_test(an_unreadable_message_blocks),
        cmocka_unit_test(tool_arguments_are_redacted_as_json),
        cmocka_unit_test(a_withheld_call_leaves_the_others),
        cmocka_unit_test(choices_interleave),
        cmocka_unit_test(an_error_frame_is_judged_and_ends),
        cmocka_unit_test(unknown_members_are_judged),
        cmocka_unit_test(the_record_names_the_places_beside_the_stream),
        cmocka_unit_test(what_was_judged_once_is_judged_the_same_again),
        cmocka_unit_test(a_body_is_rewritten_in_place),
        cmocka_unit_test(a_blocked_body_is_the_notice),
        cmocka_unit_test(a_blocked_body_still_tells_what_it_cost),
        cmocka_unit_test(what_it_cost_is_short_numbers_by_known_names),
        cmocka_unit_test(bodies_of_errors_are_judged),
        cmocka_unit_test(an_error_without_a_body_is_no_block),
        cmocka_unit_test(paths_that_are_not_listed_are_refused),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
