#include "unit/protocol/answer.h"

#define HEAD                "{\"model\":\"llama3:8b\",\"created_at\":\"2026-01-02T03:04:05.678Z\","
#define CHAT(message, rest) HEAD "\"message\":{\"role\":\"assistant\"," message "}," rest "}\n"
#define TEXT(text)          CHAT("\"content\":\"" text "\"", "\"done\":false")
#define DONE(reason)                                                                               \
    CHAT("\"content\":\"\"", "\"done\":true,\"done_reason\":\"" reason                             \
                             "\",\"total_duration\":1234567890,\"eval_count\":7")
#define OURS(message, rest) CHAT(message, rest)
#define CALL(value)                                                                                \
    CHAT("\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"send\",\"arguments\":"        \
         "{\"k\":\"" value "\"}}}]",                                                               \
         "\"done\":false")

#define LONG "and so the story goes on and on, as nobody has told it yet. "

static const char *const deltas[] = {"message/content", "response", NULL};

static struct answer_request lines_of(const char *upstream)
{
    return (struct answer_request){.protocol = "ollama",
                                   .path = "/api/chat",
                                   .body = "{\"model\":\"llama3:8b\"}",
                                   .type = "application/x-ndjson",
                                   .upstream = upstream,
                                   .deltas = deltas};
}

static void clean_text_and_counts_pass(void **state)
{
    (void)state;
    assert_any_cutting(lines_of(TEXT("Hel") TEXT("lo") DONE("stop")), TEXT("Hello") DONE("stop"));
    assert_true(last.is_over);
    assert_string_equal(last.type, "application/x-ndjson");
}

static void a_key_cut_over_lines_is_redacted(void **state)
{
    (void)state;
    assert_any_cutting(lines_of(TEXT("a AKIAQWB5PD") TEXT("KHX6PYGPAN.") DONE("stop")),
                       TEXT("a " KEY_LABEL ".") DONE("stop"));
}

static void a_block_ends_softly(void **state)
{
    (void)state;
    assert_any_cutting(lines_of(TEXT(PEM("\\n")) TEXT(LONG LONG LONG LONG) DONE("stop")),
                       HEAD "\"message\":{\"role\":\"assistant\",\"content\":\"" NOTICE
                            "\"},\"done\":false}\n" HEAD
                            "\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,"
                            "\"done_reason\":\"content_filter\"}\n");
    assert_true(last.is_blocked && last.is_over);
}

static void arguments_are_redacted_in_place(void **state)
{
    (void)state;
    assert_any_cutting(lines_of(CALL(KEY) DONE("stop")), CALL(KEY_LABEL) DONE("stop"));
}

static void a_withheld_call_is_left_out(void **state)
{
    (void)state;
    assert_any_cutting(lines_of(CALL(PEM("\\n")) CALL("ok") DONE("stop")),
                       CALL("ok") HEAD "\"message\":{\"role\":\"assistant\",\"content\":\"" NOTICE
                                       "\"},\"done\":false}\n" DONE("stop"));
    assert_any_cutting(lines_of(CALL(PEM("\\n")) DONE("stop")),
                       HEAD "\"message\":{\"role\":\"assistant\",\"content\":\"" NOTICE
                            "\"},\"done\":false}\n" DONE("content_filter"));
    assert_int_equal(last.action, ACTION_BLOCK);
}

static void a_cut_answer_is_closed(void **state)
{
    (void)state;
    assert_any_cutting(lines_of(TEXT("so")),
                       TEXT("so") HEAD "\"message\":{\"role\":\"assistant\",\"content\":\"\"},"
                                       "\"done\":true,\"done_reason\":\"length\"}\n");
}

static void errors_and_unknown_members_are_judged(void **state)
{
    (void)state;
    assert_any_cutting(lines_of(CHAT("\"content\":\"\",\"note\":\"" KEY "\"",
                                     "\"done\":false") "{\"error\":\"see " KEY "\"}\n"),
                       CHAT("\"content\":\"\"", "\"done\":false")
                       CHAT("\"content\":\"\",\"note\":\"" KEY_LABEL "\"",
                            "\"done\":false") "{\"error\":\"see " KEY_LABEL "\"}\n");
}

/* Its clients reject a line without a message, or without a response. */
static void what_is_kept_of_an_unknown_member_is_a_whole_line(void **state)
{
    struct answer_request r =
        lines_of(CHAT("\"content\":\"a\"", "\"note\":\"one\",\"done\":false") CHAT("\"content\":\"\"", "\"note\":\"two\",\"done\":false") DONE("stop"));
    (void)state;
    assert_any_cutting(r, TEXT("a") CHAT("\"content\":\"\"", "\"note\":\"one\",\"done\":false")
                              CHAT("\"content\":\"\"", "\"note\":\"two\",\"done\":false") DONE("stop"));
    r.path = "/api/generate";
    r.upstream = HEAD "\"response\":\"a\",\"note\":\"one\",\"done\":false}\n" HEAD "\"response\":\"\",\"done\":true}\n";
    assert_any_cutting(r, HEAD "\"response\":\"a\",\"done\":false}\n" HEAD "\"response\":\"\",\"note\":\"one\",\"done\":false}\n" HEAD
                               "\"response\":\"\",\"done\":true}\n");
}

static void generate_loses_its_context(void **state)
{
    struct answer_request r = lines_of(
        HEAD "\"response\":\"a " KEY "\",\"done\":false}\n" HEAD
             "\"response\":\"\",\"done\":true,\"done_reason\":\"stop\",\"context\":[1,2,3]}\n");
    (void)state;
    r.path = "/api/generate";
    assert_any_cutting(r, HEAD "\"response\":\"a " KEY_LABEL "\",\"done\":false}\n" HEAD
                               "\"response\":\"\",\"done\":true,\"done_reason\":\"stop\"}\n");
}

static void a_body_is_rewritten_in_place(void **state)
{
    struct answer_request r = lines_of(HEAD "\"message\":{\"role\":\"assistant\",\"content\":\"" KEY
                                            "\"},\"done\":true}");
    (void)state;
    r.body = "{\"stream\":false}";
    r.type = "application/json; charset=utf-8";
    assert_any_cutting(r, HEAD "\"message\":{\"role\":\"assistant\",\"content\":\"" KEY_LABEL
                               "\"},\"done\":true}");
    r.upstream =
        HEAD "\"message\":{\"role\":\"assistant\",\"content\":\"" PEM("\\n") "\"},\"done\":true}";
    assert_any_cutting(r, HEAD "\"message\":{\"role\":\"assistant\",\"content\":\"" NOTICE
                               "\"},\"done\":true,\"done_reason\":\"content_filter\"}");
}

#define COST                                                                                       \
    "\"prompt_eval_count\":26,\"eval_count\":7,\"total_duration\":10706818083,\"load_duration\":6338219291,"  \
    "\"prompt_eval_duration\":130079000,\"eval_duration\":4232710000"

static void a_blocked_body_still_tells_what_it_cost(void **state)
{
    struct answer_request r =
        lines_of(HEAD "\"message\":{\"role\":\"assistant\",\"content\":\"" PEM("\\n") "\"},\"done\":true," COST "}");
    (void)state;
    r.body = "{\"stream\":false}";
    r.type = "application/json";
    assert_any_cutting(r, HEAD "\"message\":{\"role\":\"assistant\",\"content\":\"" NOTICE "\"}," COST
                               ",\"done\":true,\"done_reason\":\"content_filter\"}");
    r.upstream = HEAD "\"message\":{\"role\":\"assistant\",\"content\":\"" PEM("\\n") "\"},\"done\":true,"
                      "\"prompt_eval_count\":12345678,\"eval_count\":\"7\",\"total_duration\":12345678901234,"
                      "\"load_duration\":-6,\"prompt_eval_duration\":1.5,\"eval_duration\":0}";
    assert_any_cutting(r, HEAD "\"message\":{\"role\":\"assistant\",\"content\":\"" NOTICE "\"},"
                               "\"eval_duration\":0,\"done\":true,\"done_reason\":\"content_filter\"}");
}

/* The last line has the counts: a block that it brings about repeats them, an earlier one has none. */
static void a_block_by_the_last_line_tells_what_it_cost(void **state)
{
    (void)state;
    assert_any_cutting(lines_of(CHAT("\"content\":\" " PEM("\\n") "\"", "\"done\":true,\"done_reason\":\"stop\"," COST)),
                       HEAD "\"message\":{\"role\":\"assistant\",\"content\":\"" NOTICE "\"},\"done\":false}\n"
                       HEAD "\"message\":{\"role\":\"assistant\",\"content\":\"\"}," COST ",\"done\":true,"
                            "\"done_reason\":\"content_filter\"}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean_text_and_counts_pass),
        cmocka_unit_test(a_key_cut_over_lines_is_redacted),
        cmocka_unit_test(a_block_ends_softly),
        cmocka_unit_test(arguments_are_redacted_in_place),
        cmocka_unit_test(a_withheld_call_is_left_out),
        cmocka_unit_test(a_cut_answer_is_closed),
        cmocka_unit_test(errors_and_unknown_members_are_judged),
        cmocka_unit_test(what_is_kept_of_an_unknown_member_is_a_whole_line),
        cmocka_unit_test(generate_loses_its_context),
        cmocka_unit_test(a_body_is_rewritten_in_place),
        cmocka_unit_test(a_blocked_body_still_tells_what_it_cost),
        cmocka_unit_test(a_block_by_the_last_line_tells_what_it_cost),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
