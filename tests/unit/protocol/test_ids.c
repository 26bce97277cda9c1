/* Ids, models, fingerprints, signatures: places where no text is expected, and any may stand. */
#include "unit/protocol/answer.h"

/* Made up; the policy blocks it, as it does in a text. */
#define TOKEN "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"

#define CHAT(id, choice)                                                                           \
    "data: {\"id\":\"" id "\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":[{" \
    "\"index\":0," choice "}]}\n\n"
#define TEXT(id, text) CHAT(id, "\"delta\":{\"content\":\"" text "\"},\"finish_reason\":null")
#define STOP(id)       CHAT(id, "\"delta\":{},\"finish_reason\":\"stop\"")
#define DONE           "data: [DONE]\n\n"

static const char *const deltas[] = {"choices/0/delta/content", NULL};

static struct answer_request chat_of(const char *upstream)
{
    return (struct answer_request){.protocol = "openai",
                                   .path = "/v1/chat/completions",
                                   .body = "{\"stream\":true}",
                                   .type = "text/event-stream",
                                   .upstream = upstream,
                                   .deltas = deltas};
}

/* Also in events that we build, as the last one is when an answer breaks off. */
static void an_id_is_redacted_alike_in_every_event(void **state)
{
#define ID  "chatcmpl-" KEY
#define OUT "chatcmpl-" KEY_LABEL
    (void)state;
    assert_any_cutting(chat_of(TEXT(ID, "Hello ") TEXT(ID, "world") STOP(ID) DONE),
                       TEXT(OUT, "Hello world") STOP(OUT) DONE);
    assert_int_equal(last.action, ACTION_REDACT);
    assert_int_equal(last.n_findings, 1);
    assert_string_equal(last.finding_path, "/id");
    assert_any_cutting(chat_of(TEXT(ID, "Hello world")),
                       TEXT(OUT, "Hello world")
                           CHAT(OUT, "\"delta\":{},\"finish_reason\":\"length\"") DONE);
}

static void what_blocks_in_a_text_blocks_in_an_id(void **state)
{
    struct answer_request r =
        chat_of(TEXT("chatcmpl-1", "Hello ") TEXT(TOKEN, "world") STOP("chatcmpl-1") DONE);
    (void)state;
    const char *out = translate(&r);
    assert_lacks(out, TOKEN);
    assert_string_equal(text_of_all(out, "chatcmpl-1", "\"content\":\""), "Hello \\n\\n" NOTICE);
    assert_holds(out, "\"finish_reason\":\"content_filter\"");
    assert_true(last.is_blocked && last.is_over && last.is_read);
    assert_string_equal(last.rule, "github-personal-token");
    assert_string_equal(last.finding_path, "/id");
}

static void more_ids_than_are_remembered_are_judged(void **state)
{
#define BARE(id) "data: {\"id\":\"" id "\",\"choices\":[]}\n\n"
    static char upstream[1 << 16], expected[1 << 16];
    size_t n = 0, m = 0;

    (void)state;
    for (int i = 0; i < 100; i++) {
        n +=
            (size_t)snprintf(upstream + n, sizeof(upstream) - n, BARE("chat-%d") BARE("c_" KEY), i);
        m += (size_t)snprintf(expected + m, sizeof(expected) - m,
                              BARE("chat-%d") BARE("c_" KEY_LABEL), i);
    }
    (void)snprintf(upstream + n, sizeof(upstream) - n, DONE);
    struct answer_request r = chat_of(upstream);
    assert_true(strncmp(translate(&r), expected, m) == 0);
    assert_int_equal(last.action, ACTION_REDACT);
}

/* --- side fields of all kinds of answers --------------------------------------------- */

#define EVENT(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"," rest "}\n\n"
#define BLOCK(index, block)                                                                        \
    EVENT("content_block_start", "\"index\":" index ",\"content_block\":{" block "}")
#define DELTA(index, delta)                                                                        \
    EVENT("content_block_delta", "\"index\":" index ",\"delta\":{" delta "}")
#define END(index) EVENT("content_block_stop", "\"index\":" index)
#define COHERE_CALL(id)                                                                            \
    "\"index\":0,\"delta\":{\"message\":{\"tool_calls\":{\"id\":\"" id                             \
    "\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}}}"

/* `KEY` stands in every member that is an id, a name of a model, a fingerprint or encrypted. */
static const struct answer_request side_fields[] = {
    {.protocol = "openai",
     .path = "/v1/chat/completions",
     .body = "{\"stream\":true}",
     .upstream =
         "data: {\"id\":\"" KEY "\",\"object\":\"" KEY "\",\"model\":\"" KEY
         "\",\"system_fingerprint\":\"fp_" KEY "\",\"service_tier\":\"" KEY
         "\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"" KEY
         "\",\"content\":\"Hi\",\"audio\":{\"id\":\"" KEY
         "\"},\"reasoning_details\":[{\"type\":\"" KEY "\",\"id\":\"" KEY "\",\"data\":\"gAAAA-" KEY
         "\"}],\"tool_calls\":[{\"index\":0,\"id\":\"call_" KEY
         "\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},"
         "\"finish_reason\":null,\"native_finish_reason\":\"" KEY "\"}],\"usage\":{\"tier\":"
         "\"" KEY "\"}}\n\n" STOP("x") DONE},
    {.protocol = "anthropic",
     .path = "/v1/messages",
     .body = "{\"stream\":true}",
     .upstream = EVENT("message_start",
                       "\"message\":{\"id\":\"msg_" KEY "\",\"model\":\"" KEY
                       "\",\"content\":[],\"usage\":{\"service_tier\":\"" KEY "\"}}")
         BLOCK("0", "\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"")
             DELTA("0", "\"type\":\"thinking_delta\",\"thinking\":\"so\"")
                 DELTA("0", "\"type\":\"signature_delta\",\"signature\":\"Eq/AKIAQWB5PD\"")
                     DELTA("0", "\"type\":\"signature_delta\",\"signature\":\"KHX6PYGPAN==\"")
                         END("0") BLOCK("1", "\"type\":\"redacted_thinking\",\"data\":\"" KEY "\"")
                             END("1") BLOCK("2", "\"type\":\"tool_use\",\"id\":\"toolu_" KEY
                                                 "\",\"name\":\"f\",\"input\":{}") END("2")
                                 EVENT("message_stop", "\"request_id\":\"" KEY "\"")},
    {.protocol = "openai",
     .path = "/v1/responses",
     .body = "{\"stream\":true}",
     .upstream = EVENT("response.created",
                       "\"response\":{\"id\":\"resp_" KEY "\",\"model\":\"" KEY "\",\"output\":[]}")
         EVENT("response.output_item.added",
               "\"output_index\":0,\"item\":{\"id\":\"" KEY
               "\",\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"gAAAA_" KEY "\"}")
             EVENT("response.output_item.done",
                   "\"output_index\":0,\"item\":{\"id\":\"" KEY
                   "\",\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"" KEY "\"}")
                 EVENT("response.output_item.added",
                       "\"output_index\":1,\"item\":{\"id\":\"fc_" KEY
                       "\",\"type\":\"function_call\",\"call_id\":\"" KEY "\",\"name\":\"f\"}")
                     EVENT("response.output_item.done",
                           "\"output_index\":1,\"item\":{\"id\":\"fc_" KEY
                           "\",\"type\":\"function_call\",\"call_id\":\"" KEY
                           "\",\"name\":\"f\",\"arguments\":\"{}\"}")
                         EVENT("response.web_search_call.searching", "\"item_id\":\"" KEY "\"")},
    {.protocol = "gemini",
     .path = "/v1beta/models/m:streamGenerateContent",
     .query = "alt=sse",
     .body = "{}",
     .upstream =
         "data: {\"responseId\":\"" KEY "\",\"modelVersion\":\"" KEY
         "\",\"candidates\":[{\"index\":0,\"content\":{\"role\":\"" KEY
         "\",\"parts\":[{\"text\":\"a\",\"thoughtSignature\":\"" KEY
         "\"},{\"functionCall\":{\"id\":\"" KEY "\",\"name\":\"f\",\"args\":{}}}]},"
         "\"finishReason\":\"" KEY "\",\"safetyRatings\":[{\"category\":\"" KEY "\"}]}]}\n\n"},
    {.protocol = "ollama",
     .path = "/api/chat",
     .body = "{}",
     .upstream =
         "{\"model\":\"" KEY "\",\"created_at\":\"" KEY "\",\"message\":{\"role\":\"" KEY
         "\",\"content\":\"a\",\"tool_calls\":[{\"id\":\"" KEY
         "\",\"function\":{\"name\":\"f\",\"arguments\":{}}}]},\"done\":true,\"done_reason\":"
         "\"" KEY "\"}\n"},
    {.protocol = "cohere",
     .path = "/v2/chat",
     .body = "{\"stream\":true}",
     .upstream = EVENT("message-start", "\"id\":\"" KEY "\"")
         EVENT("tool-call-start", COHERE_CALL(KEY)) EVENT("tool-call-end", "\"index\":0")
             EVENT("message-end", "\"delta\":{\"finish_reason\":\"" KEY "\"}")},
};

/* translate() looks for the key in all that leaves. */
static void no_side_field_lets_a_secret_pass(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(side_fields); i++) {
        struct answer_request r = side_fields[i];
        for (r.cut = 0; r.cut < 3; r.cut++) {
            assert_holds(translate(&r), KEY_LABEL);
            assert_true(last.is_read && last.is_over && !last.is_blocked);
            assert_int_equal(last.action, ACTION_REDACT);
        }
    }
}

/* Its signature would not fit a text that is not shown as it was: it goes, and thinking with it. */
static void thinking_with_a_secret_in_its_signature_becomes_a_text(void **state)
{
    (void)state;
    assert_holds(translate(&side_fields[1]), "{\"type\":\"text_delta\",\"text\":\"so\"}");
    assert_lacks(last.text, "Eq/");
}

/* --- what must not be touched --------------------------------------------------------- */

/* The forms of the vendors, with digits and letters by chance. */
static const char *const ordinary[] = {
    "chatcmpl-9MqzT4wVn2bKx7RjLdPfYc0HsAuEo",
    "chatcmpl-57ee05cd-e009-42c7-bebf-f20686734721",
    "chatcmpl-28263dfe574de739988b886e7577496a",
    "cmpl-7QmCSjPQXvE4kUoN1rT8yLwZbHdGf",
    "gen-1779774974-FLZDe1f8rESQedUStPKR",
    "msg_01XFDUDYJgAACzvnptvVoYEL",
    "msg_67c9a8ef0b3c8190a1f2d7e64b5c3d2e0f9a8b7c6d5e4f30",
    "msg_bdrk_01Qz7kT4mXwPn9RsVb2YcLdH",
    "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b",
    "call_DdmO9pD3xa9XTPNJ32zg2hcA",
    "toolu_01T1x1fJ34qAmk2tNTrN7Up6",
    "srvtoolu_01WYG3ziw53XMcoyKL4XcZmE",
    "fc_3cf575dcad6ba2b0aee0ca923732881584d8c4fa2815d280",
    "rs_6876cf02e0bc8192b74af0fb64b715ff06fa2fcced15a5ac",
    "ws_67c9fa0502748190b7dd390736892e100be649c1a5ff9609",
    "req_011CSHoEeqs5C35K2UUqR7Fy",
    "fp_44709d6fcb",
    "fp_eeff13170a_prod0225_fp8_kvcache",
    "file-6F2ksmvXxt4VdoqmHRw6kL",
    "container_01rfwA94hJ9WnywX0t0ZBfdT",
    "202609210605177cced9041dff02cee7",
    "4601952859003144",
    "1771101186419",
    "gpt-4o-mini-2024-07-18",
    "us.anthropic.claude-sonnet-4-20250514-v1:0",
    "llama3.3:70b-instruct-q4_K_M",
    "2026-07-27T15:08:59.520660Z",
};

static void ordinary_ids_pass(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ordinary); i++) {
        char upstream[1024];
        (void)snprintf(upstream, sizeof(upstream), TEXT("%s", "Hi.") STOP("%s") DONE, ordinary[i],
                       ordinary[i]);
        assert_any_cutting(chat_of(upstream), upstream);
        assert_int_equal(last.action, ACTION_ALLOW);
        assert_int_equal(last.n_findings, 0);
    }
}

static void encrypted_members_pass(void **state)
{
#define REASONING(content)                                                                         \
    "{\"id\":\"resp_1\",\"status\":\"completed\",\"output\":[{\"id\":\"rs_1\",\"type\":"           \
    "\"reasoning\",\"summary\":[],\"encrypted_content\":\"" content "\"}]}"
    const char *const contents[] = {
        "gAAAAAB01bQ7pSfiKmqtTGKhirhVbxSn6tDyhM5CimU-QM7c_-6sV0sy5oxB-tFdg6OF2e30jaX2nNQK5YdpcCU34V"
        "_-P12SjNuS0CogmES1bK0u1aop5RINWwItVZ7OCFEQotUuroyTHWiRWUXTzsJK82NE0l_42dIzGnSb--Rx4ol0T==",
        "EqoBbqz7nPBekV/862JEqlF3Iwcypy9V/9bdXoM4rVC6pQE2gJxWhlO2gFF0tnYd2/blzYrNmtdEsBTimIJVR6vkjf"
        "77tu/"
        "4xtyddqQ5sw8leApszmq6w20HYaC6XitnShe0xCw78pCkt3NUgobzVeKduRekLmymczsohRgeKyxe7jwWOiQN",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(contents); i++) {
        char body[1024];
        (void)snprintf(body, sizeof(body), REASONING("%s"), contents[i]);
        struct answer_request r = {.protocol = "openai",
                                   .path = "/v1/responses",
                                   .body = "{}",
                                   .type = "application/json",
                                   .upstream = body};
        assert_any_cutting(r, body);
        assert_int_equal(last.action, ACTION_ALLOW);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_is_redacted_alike_in_every_event),
        cmocka_unit_test(what_blocks_in_a_text_blocks_in_an_id),
        cmocka_unit_test(more_ids_than_are_remembered_are_judged),
        cmocka_unit_test(no_side_field_lets_a_secret_pass),
        cmocka_unit_test(thinking_with_a_secret_in_its_signature_becomes_a_text),
        cmocka_unit_test(ordinary_ids_pass),
        cmocka_unit_test(encrypted_members_pass),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
