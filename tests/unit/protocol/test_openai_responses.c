#include "unit/protocol/answer.h"

#define EVENT(type, n, rest)                                                                       \
    "event: " type "\ndata: {\"type\":\"" type "\",\"sequence_number\":" n "," rest "}\n\n"
#define RESPONSE(status, output, rest)                                                             \
    "\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\"created_at\":1700000000,\"model\":" \
    "\"m\",\"status\":\"" status "\",\"output\":[" output "]" rest "}"
#define CREATED(n) EVENT("response.created", n, RESPONSE("in_progress", "", ""))
#define ITEM(status, content)                                                                      \
    "{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"" status                                  \
    "\",\"role\":\"assistant\",\"content\":[" content "]}"
#define PART(text) "{\"type\":\"output_text\",\"text\":\"" text "\",\"annotations\":[]}"
#define AT         "\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0"
#define ADDED(n)                                                                                   \
    EVENT("response.output_item.added", n, "\"output_index\":0,\"item\":" ITEM("in_progress", ""))
#define PART_ADDED(n)      EVENT("response.content_part.added", n, AT ",\"part\":" PART(""))
#define DELTA(n, text)     EVENT("response.output_text.delta", n, AT ",\"delta\":\"" text "\"")
#define TEXT_DONE(n, text) EVENT("response.output_text.done", n, AT ",\"text\":\"" text "\"")
#define PART_DONE(n, text) EVENT("response.content_part.done", n, AT ",\"part\":" PART(text))
#define ITEM_DONE(n, text)                                                                         \
    EVENT("response.output_item.done", n,                                                          \
          "\"output_index\":0,\"item\":" ITEM("completed", PART(text)))
#define USAGE                ",\"usage\":{\"input_tokens\":3,\"output_tokens\":9}"
#define COMPLETED(n, output) EVENT("response.completed", n, RESPONSE("completed", output, USAGE))
#define ALL(text)                                                                                  \
    TEXT_DONE("9", text)                                                                           \
    PART_DONE("9", text) ITEM_DONE("9", text) COMPLETED("9", ITEM("completed", PART(text)))

static const char *const deltas[] = {"delta", NULL};

static struct answer_request stream_of(const char *upstream)
{
    return (struct answer_request){.protocol = "openai",
                                   .path = "/v1/responses",
                                   .body = "{\"stream\":true}",
                                   .type = "text/event-stream",
                                   .upstream = upstream,
                                   .deltas = deltas};
}

/* A text is said five times; what was released of it counts. */
static void assert_copies(const char *answer, const char *end, const char *text)
{
    const char *const copies[] = {"\"response.output_text.done\"", "\"response.content_part.done\"",
                                  "\"response.output_item.done\"", end};

    assert_string_equal(text_of_all(answer, "\"response.output_text.delta\"", "\"delta\":\""),
                        text);
    for (size_t i = 0; i < COUNT(copies); i++) {
        assert_string_equal(text_of_all(answer, copies[i], "\"text\":\""), text);
    }
}

static void clean_text_passes_with_new_numbers(void **state)
{
    (void)state;
    assert_any_cutting(stream_of(CREATED("0") ADDED("1") PART_ADDED("2") DELTA("3", "Hel")
                                     DELTA("4", "lo") ALL("Hello")),
                       CREATED("0") ADDED("1") PART_ADDED("2") DELTA("3", "Hello")
                           TEXT_DONE("4", "Hello") PART_DONE("5", "Hello") ITEM_DONE("6", "Hello")
                               COMPLETED("7", ITEM("completed", PART("Hello"))));
    assert_copies(last.text, "\"response.completed\"", "Hello");
    assert_true(last.is_over && !last.is_blocked);
}

static void copies_say_what_the_deltas_released(void **state)
{
    (void)state;
    assert_any_cutting(stream_of(CREATED("0") ADDED("1") PART_ADDED("2") DELTA("3", "a AKIAQWB5PD")
                                     DELTA("4", "KHX6PYGPAN.") ALL("a " KEY ". And SECRET")),
                       CREATED("0") ADDED("1") PART_ADDED("2") DELTA("3", "a " KEY_LABEL ".")
                           TEXT_DONE("4", "a " KEY_LABEL ".") PART_DONE("5", "a " KEY_LABEL ".")
                               ITEM_DONE("6", "a " KEY_LABEL ".")
                                   COMPLETED("7", ITEM("completed", PART("a " KEY_LABEL "."))));
    assert_copies(last.text, "\"response.completed\"", "a " KEY_LABEL ".");
    assert_int_equal(last.action, ACTION_REDACT);
}

static void a_block_ends_incomplete(void **state)
{
    struct answer_request r =
        stream_of(CREATED("0") ADDED("1") PART_ADDED("2") DELTA("3", PEM("\\n")) ALL(PEM("\\n")));
    (void)state;
    for (r.cut = 0; r.cut < 5; r.cut++) {
        const char *out = translate(&r);
        assert_lacks(out, "MIIE");
        assert_holds(out, "event: response.output_text.done");
        assert_holds(out, "\"item\":" ITEM("incomplete", PART("")));
        assert_holds(out, "\"delta\":\"" NOTICE "\"");
        assert_holds(out, "event: response.incomplete\n");
        assert_holds(out, "\"incomplete_details\":{\"reason\":\"content_filter\"}");
        assert_true(last.is_over && last.is_blocked && last.is_read);
    }
    r.ends_turn = true;
    assert_holds(translate(&r), "event: response.completed\n");
}

/* What was not shown is not ended. */
static void a_block_in_the_start_of_an_item_leaves_it_out(void **state)
{
    struct answer_request r = stream_of(
        CREATED("0") EVENT("response.output_item.added", "1",
                           "\"output_index\":0,\"item\":{\"id\":\"msg_1\",\"type\":\"message\","
                           "\"note\":\"" PEM("\\n") "\"}") DELTA("2", "a"));
    (void)state;
    for (r.cut = 0; r.cut < 5; r.cut++) {
        const char *out = translate(&r);
        assert_lacks(out, "msg_1");
        assert_string_equal(text_of_all(out, "\"output_index\":0", "\"delta\":\""), NOTICE);
        assert_holds(out, "event: response.incomplete\n");
        assert_true(last.is_over && last.is_blocked && last.is_read);
    }
    r.upstream = CREATED("0") EVENT("response.output_item.added", "1", "\"output_index\":0");
    assert_holds(translate(&r), "event: response.incomplete\n");
    assert_true(last.is_over && last.is_blocked && !last.is_read);
}

/* Some upstreams send the items only with the response's end. */
static void a_block_in_the_end_leaves_out_what_was_not_shown(void **state)
{
    static const char *const ends[] = {
        CREATED("0") EVENT("response.completed", "1", "\"response\":{\"id\":\"resp_1\",\"status\":\"completed\",\"output\":["
                           ITEM("completed", PART("Hello")) "],\"metadata\":{\"" KEY "\":\"a\"}}"),
        CREATED("0") COMPLETED("1", ITEM("completed", PART(PEM("\\n")))),
    };
    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++) {
        struct answer_request r = stream_of(ends[i]);
        for (r.cut = 0; r.cut < 5; r.cut++) {
            const char *out = translate(&r);
            assert_lacks(out, "Hello");
            assert_string_equal(text_of_all(out, "\"output_index\":0", "\"delta\":\""), NOTICE);
            assert_holds(out, "event: response.incomplete\n");
            assert_true(last.is_over && last.is_blocked && last.is_read);
        }
    }
}

#define CALL(id, status, arguments)                                                                \
    "{\"id\":\"" id "\",\"type\":\"function_call\",\"status\":\"" status                           \
    "\",\"call_id\":\"call_1\",\"name\":\"send\",\"arguments\":\"" arguments "\"}"
#define CALL_AT(id, index) "\"item_id\":\"" id "\",\"output_index\":" index
#define CALL_ADDED(n, id, index)                                                                   \
    EVENT("response.output_item.added", n,                                                         \
          "\"output_index\":" index ",\"item\":" CALL(id, "in_progress", ""))
#define CALL_DELTA(n, id, index, piece)                                                            \
    EVENT("response.function_call_arguments.delta", n,                                             \
          CALL_AT(id, index) ",\"delta\":\"" piece "\"")
#define CALL_ARGUMENTS(n, id, index, all)                                                          \
    EVENT("response.function_call_arguments.done", n,                                              \
          CALL_AT(id, index) ",\"arguments\":\"" all "\"")
#define CALL_DONE(n, id, index, all)                                                               \
    EVENT("response.output_item.done", n,                                                          \
          "\"output_index\":" index ",\"item\":" CALL(id, "completed", all))
#define OUR(type, n, at, rest)                                                                     \
    "event: " type "\ndata: {\"type\":\"" type "\"," at rest ",\"sequence_number\":" n "}\n\n"

#define ARGUMENTS(value) "{\\\"k\\\":\\\"" value "\\\"}"

static void a_call_comes_whole_and_redacted(void **state)
{
    (void)state;
    assert_any_cutting(
        stream_of(CREATED("0") CALL_ADDED("1", "fc_1", "0")
                      CALL_DELTA("2", "fc_1", "0", "{\\\"k\\\":\\\"AKIAQWB5PD")
                          CALL_DELTA("3", "fc_1", "0", "KHX6PYGPAN\\\"}")
                              CALL_ARGUMENTS("4", "fc_1", "0", ARGUMENTS(KEY))
                                  CALL_DONE("5", "fc_1", "0", ARGUMENTS(KEY))
                                      COMPLETED("6", CALL("fc_1", "completed", ARGUMENTS(KEY)))),
        CREATED("0") OUR("response.output_item.added", "1",
                         "\"output_index\":0,\"item\":", CALL("fc_1", "in_progress", ""))
            OUR("response.function_call_arguments.delta", "2", CALL_AT("fc_1", "0"),
                ",\"delta\":\"" ARGUMENTS(KEY_LABEL) "\"")
                OUR("response.function_call_arguments.done", "3", CALL_AT("fc_1", "0"),
                    ",\"name\":\"send\",\"arguments\":\"" ARGUMENTS(KEY_LABEL) "\"")
                    CALL_DONE("4", "fc_1", "0", ARGUMENTS(KEY_LABEL))
                        COMPLETED("5", CALL("fc_1", "completed", ARGUMENTS(KEY_LABEL))));
}

static void a_withheld_call_leaves_the_others(void **state)
{
    struct answer_request r = stream_of(
        CREATED("0") CALL_ADDED("1", "fc_1", "0")
            CALL_DONE("5", "fc_1", "0", ARGUMENTS(PEM("\\\\n"))) CALL_ADDED("6", "fc_2", "1")
                CALL_DONE("7", "fc_2", "1", "{}")
                    COMPLETED("8", CALL("fc_1", "completed", ARGUMENTS(PEM("\\\\n"))) "," CALL(
                                       "fc_2", "completed", "{}")));
    (void)state;
    const char *out = translate(&r);
    assert_lacks(out, "fc_1");
    assert_lacks(out, "MIIE");
    assert_holds(out, CALL_DONE("4", "fc_2", "0", "{}"));
    assert_holds(out, NOTICE);
    assert_holds(out, "event: response.completed\n");
    assert_int_equal(last.action, ACTION_BLOCK);
    r.upstream = CREATED("0") CALL_ADDED("1", "fc_1", "0")
        CALL_DONE("5", "fc_1", "0", ARGUMENTS(PEM("\\\\n")))
            COMPLETED("8", CALL("fc_1", "completed", ARGUMENTS(PEM("\\\\n"))));
    out = translate(&r);
    assert_lacks(out, "fc_1");
    assert_holds(out, "event: response.incomplete\n");
    assert_holds(out, NOTICE);
}

static void a_cut_answer_is_closed(void **state)
{
    struct answer_request r = stream_of(CREATED("0") ADDED("1") PART_ADDED("2") DELTA("3", "so")
                                            CALL_ADDED("4", "fc_1", "1"));
    (void)state;
    const char *out = translate(&r);
    assert_copies(out, "\"response.incomplete\"", "so");
    assert_holds(out, "{\"reason\":\"max_output_tokens\"}");
    assert_lacks(out, "fc_1");
    assert_true(last.is_over && last.is_read);
}

static void errors_and_unknown_members_are_judged(void **state)
{
    (void)state;
    assert_any_cutting(
        stream_of(CREATED("0") EVENT("response.web_search_call.searching", "1",
                                     "\"item_id\":\"ws_1\",\"query\":\"" KEY "\"")
                      EVENT("error", "2", "\"code\":\"server_error\",\"message\":\"" KEY "\"")),
        CREATED("0") EVENT("response.web_search_call.searching", "1",
                           "\"item_id\":\"ws_1\",\"query\":\"" KEY_LABEL "\"")
            EVENT("error", "2", "\"code\":\"server_error\",\"message\":\"" KEY_LABEL "\""));
}

/* It tells of input that came too late; the response goes on. */
static void an_event_of_a_response_with_an_error_ends_nothing(void **state)
{
    const struct answer_request r =
        stream_of(CREATED("0") EVENT("response.steer.failed", "1", "\"error\":{\"code\":\"late\",\"message\":\"a " KEY "\"}")
                      ADDED("2") PART_ADDED("3") DELTA("4", "Hello") ALL("Hello"));
    const char *answer = translate(&r);

    (void)state;
    assert_holds(answer, "\"message\":\"a " KEY_LABEL "\"");
    assert_copies(answer, "\"response.completed\"", "Hello");
    assert_true(last.is_over && !last.is_blocked);
}

static void encrypted_reasoning_passes_and_its_summary_is_judged(void **state)
{
#define REASONING(text)                                                                            \
    "{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":"    \
    "\"" text "\"}],\"encrypted_content\":\"gAAAA/+==\"}"
    struct answer_request r = stream_of("{\"id\":\"resp_1\",\"object\":\"response\",\"status\":"
                                        "\"completed\",\"output\":[" REASONING(KEY) "]}");
    (void)state;
    r.body = "{}";
    r.type = "application/json";
    assert_any_cutting(r, "{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"completed\","
                          "\"output\":[" REASONING(KEY_LABEL) "]}");
}

static void a_body_is_rewritten_in_place(void **state)
{
    struct answer_request r =
        stream_of("{\"id\":\"resp_1\",\"status\":\"completed\",\"output\":[" ITEM(
            "completed", PART("a " KEY)) "," CALL("fc_1", "completed", ARGUMENTS(KEY)) "]" USAGE
                                                                                       "}");
    (void)state;
    r.body = "{}";
    r.type = "application/json";
    assert_any_cutting(
        r, "{\"id\":\"resp_1\",\"status\":\"completed\",\"output\":[" ITEM(
               "completed", PART("a " KEY_LABEL)) "," CALL("fc_1", "completed",
                                                           ARGUMENTS(KEY_LABEL)) "]" USAGE "}");
    r.upstream = "{\"id\":\"resp_1\",\"status\":\"completed\",\"output\":[" ITEM(
        "completed", PART(PEM("\\n"))) "]}";
    assert_holds(translate(&r), NOTICE);
    assert_holds(last.text, "\"reason\":\"content_filter\"");
    assert_lacks(last.text, "MIIE");
    r.upstream = "{\"id\":\"resp_1\",\"status\":\"completed\",\"output\":[" ITEM("completed", PART(PEM("\\n"))) "],"
                 "\"usage\":{\"input_tokens\":3,\"output_tokens\":9,\"total_tokens\":12,"
                 "\"output_tokens_details\":{\"reasoning_tokens\":4,\"note\":\"said\"}}}";
    assert_holds(translate(&r), "\"usage\":{\"input_tokens\":3,\"output_tokens\":9,\"total_tokens\":12,"
                                "\"output_tokens_details\":{\"reasoning_tokens\":4}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean_text_passes_with_new_numbers),
        cmocka_unit_test(copies_say_what_the_deltas_released),
        cmocka_unit_test(a_block_ends_incomplete),
        cmocka_unit_test(a_block_in_the_start_of_an_item_leaves_it_out),
        cmocka_unit_test(a_block_in_the_end_leaves_out_what_was_not_shown),
        cmocka_unit_test(a_call_comes_whole_and_redacted),
        cmocka_unit_test(a_withheld_call_leaves_the_others),
        cmocka_unit_test(a_cut_answer_is_closed),
        cmocka_unit_test(errors_and_unknown_members_are_judged),
        cmocka_unit_test(an_event_of_a_response_with_an_error_ends_nothing),
        cmocka_unit_test(encrypted_reasoning_passes_and_its_summary_is_judged),
        cmocka_unit_test(a_body_is_rewritten_in_place),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
