/* Answers whose text ends within a secret. Where the answer was cut off, what is there of the
 * secret is redacted; where it was not, the text means what it says. */
#include "unit/protocol/endings.h"

static const struct ending_case templates[] = {
    {"chat",
     EVENTS("openai", "/v1/chat/completions", STREAM,
            CHAT("\"delta\":{\"content\":\"see " FIRST "\"}", "null")
                CHAT("\"delta\":{\"content\":\"" REST "\"}", "null")
                    CHAT("\"delta\":{}", "\"#\"") "data: [DONE]\n\n"),
     CHAT_REASONS},
    {"chat that thinks",
     EVENTS("openai", "/v1/chat/completions", STREAM,
            CHAT("\"delta\":{\"reasoning_content\":\"" SAYS "\"}", "null")
                CHAT("\"delta\":{\"reasoning_content\":\"\"}", "\"#\"") "data: [DONE]\n\n"),
     CHAT_REASONS},
    {"completions",
     EVENTS("openai", "/v1/completions", STREAM,
            CHAT("\"text\":\"see " FIRST "\"", "null")
                CHAT("\"text\":\"" REST "\"", "\"#\"") "data: [DONE]\n\n"),
     CHAT_REASONS},
    {"chat, whole",
     BODY("openai", "/v1/chat/completions",
          "{\"id\":\"c\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":"
          "\"" SAYS "\"},\"finish_reason\":\"#\"}]}"),
     CHAT_REASONS},
    {"chat, whole, the reason first",
     BODY("openai", "/v1/chat/completions",
          "{\"choices\":[{\"finish_reason\":\"#\",\"message\":{\"content\":\"" SAYS "\"}}]}"),
     CHAT_REASONS},
    {"chat, whole, in parts",
     BODY("openai", "/v1/chat/completions",
          "{\"choices\":[{\"finish_reason\":\"#\",\"message\":{\"content\":["
          "{\"type\":\"text\",\"text\":\"" SAYS "\"}]}}]}"),
     CHAT_REASONS},
    {"completions, whole",
     BODY("openai", "/v1/completions",
          "{\"choices\":[{\"index\":0,\"text\":\"" SAYS "\",\"finish_reason\":\"#\"}]}"),
     CHAT_REASONS},
    {"messages", ANTHROPIC(MESSAGE(TEXT_BLOCK)), ANTHROPIC_REASONS},
    {"messages, a ping behind the block", ANTHROPIC(MESSAGE(TEXT_BLOCK EVENT("ping", ""))),
     ANTHROPIC_REASONS},
    {"messages, something new behind the block",
     ANTHROPIC(MESSAGE(TEXT_BLOCK EVENT("new_event", ",\"note\":\"x\""))), ANTHROPIC_REASONS},
    {"messages, the block left open",
     ANTHROPIC(MESSAGE(START_TEXT("0") TEXT("0", SAYS))),
     {NULL},
     {"max_tokens", "end_turn"}},
    {"messages, thinking",
     ANTHROPIC(MESSAGE(START("0", "\"type\":\"thinking\",\"thinking\":\"\"") THINKING("see " FIRST)
                           THINKING(REST) STOP("0"))),
     ANTHROPIC_REASONS},
    {"messages, whole",
     BODY("anthropic", "/v1/messages",
          "{\"id\":\"msg_1\",\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"" SAYS
          "\"}],\"stop_reason\":\"#\"}"),
     ANTHROPIC_REASONS},
    {"messages, whole, the reason first",
     BODY("anthropic", "/v1/messages",
          "{\"stop_reason\":\"#\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
          "{\"type\":\"text\",\"text\":\"" SAYS "\"}]}"),
     ANTHROPIC_REASONS},
    {"messages, whole, with an index that means nothing",
     BODY("anthropic", "/v1/messages",
          "{\"index\":0,\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
          "{\"type\":\"text\",\"text\":\"" SAYS "\"}],\"stop_reason\":\"#\"}"),
     ANTHROPIC_REASONS},
    {"messages, whole, of one index",
     BODY("anthropic", "/v1/messages",
          "{\"content\":[{\"index\":0,\"type\":\"text\",\"text\":\"a \"},"
          "{\"index\":0,\"type\":\"text\",\"text\":\"" SAYS "\"}],\"stop_reason\":\"#\"}"),
     ANTHROPIC_REASONS},
    {"messages, whole, thinking",
     BODY("anthropic", "/v1/messages",
          "{\"content\":[{\"type\":\"thinking\",\"thinking\":\"" SAYS
          "\",\"signature\":\"c2ln\"}],\"stop_reason\":\"#\"}"),
     ANTHROPIC_REASONS},
    {"cohere",
     COHERE(COHERE_MESSAGE(CONTENT_START("0") CONTENT("0", "see " FIRST) CONTENT("0", REST)
                               CONTENT_END("0"))),
     COHERE_REASONS},
    {"cohere, a citation behind the text",
     COHERE(COHERE_MESSAGE(CONTENT_START("0") CONTENT("0", SAYS) CONTENT_END("0") EVENT(
         "citation-start", ",\"delta\":{\"message\":{\"citations\":{\"start\":1,\"end\":3}}}"))),
     COHERE_REASONS},
    {"cohere, a plan", COHERE(COHERE_MESSAGE(PLAN("see " FIRST) PLAN(REST))), COHERE_REASONS},
    {"cohere, whole",
     BODY("cohere", "/v2/chat",
          "{\"finish_reason\":\"#\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
          "{\"type\":\"text\",\"text\":\"" SAYS "\"}]}}"),
     COHERE_REASONS},
    {"cohere, whole, of one index",
     BODY("cohere", "/v2/chat",
          "{\"finish_reason\":\"#\",\"message\":{\"content\":[{\"index\":0,\"type\":\"text\","
          "\"text\":\"a \"},{\"index\":0,\"type\":\"text\",\"text\":\"" SAYS "\"}]}}"),
     COHERE_REASONS},
    {"cohere, a whole plan",
     BODY("cohere", "/v2/chat",
          "{\"message\":{\"tool_plan\":\"" SAYS "\"},\"finish_reason\":\"#\"}"),
     COHERE_REASONS},
    {"gemini",
     {.protocol = "gemini",
      .path = "/v1/models/m:streamGenerateContent",
      .query = "alt=sse",
      .body = "{}",
      .type = "text/event-stream",
      .upstream = "data: " CHUNK("{\"text\":\"see " FIRST "\"}", "") "\n\ndata: " CHUNK(
          "{\"text\":\"" REST "\"}", ",\"finishReason\":\"#\"") "\n\n"},
     GEMINI_REASONS},
    {"gemini, the reason alone, in an array",
     {.protocol = "gemini",
      .path = "/v1/models/m:streamGenerateContent",
      .body = "{}",
      .type = "application/json",
      .upstream =
          "[" CHUNK("{\"text\":\"" SAYS "\"}", "") ",{\"candidates\":[{\"finishReason\":\"#\"}]}]"},
     GEMINI_REASONS},
    {"gemini, whole",
     BODY("gemini", "/v1/models/m:generateContent",
          CHUNK("{\"text\":\"a \"},{\"text\":\"" SAYS "\"},{\"text\":\"\"}",
                ",\"finishReason\":\"#\"")),
     GEMINI_REASONS},
    {"gemini, whole, the reason first",
     BODY("gemini", "/v1/models/m:generateContent",
          "{\"candidates\":[{\"finishReason\":\"#\",\"content\":{\"parts\":[{\"text\":\"" SAYS
          "\"}]}}]}"),
     GEMINI_REASONS},
    {"ollama",
     {.protocol = "ollama",
      .path = "/api/chat",
      .body = "{}",
      .type = "application/x-ndjson",
      .upstream = "{\"message\":{\"content\":\"see " FIRST "\"},\"done\":false}\n"
                  "{\"message\":{\"content\":\"" REST "\"},\"done\":false}\n"
                  "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"#\"}\n"},
     OLLAMA_REASONS},
    {"ollama, generate",
     {.protocol = "ollama",
      .path = "/api/generate",
      .body = "{}",
      .type = "application/x-ndjson",
      .upstream = "{\"response\":\"" SAYS "\",\"done\":false}\n"
                  "{\"done_reason\":\"#\",\"done\":true,\"response\":\"\"}\n"},
     OLLAMA_REASONS},
    {"ollama, whole",
     BODY("ollama", "/api/chat",
          "{\"done\":true,\"done_reason\":\"#\",\"message\":{\"content\":\"" SAYS "\"}}"),
     OLLAMA_REASONS},
    {"ollama, whole, generate",
     BODY("ollama", "/api/generate",
          "{\"response\":\"" SAYS "\",\"done\":true,\"done_reason\":\"#\"}"),
     OLLAMA_REASONS},
    {"responses, the status of the response",
     RESPONSES(CREATED ADDED("0") OUTPUT("0", "see " FIRST) OUTPUT("0", REST) DONE(
         "0", "completed", SAYS) RESPONSE("response.completed", "#", ITEM("completed", SAYS))),
     {"completed"},
     {"incomplete", "failed", "x"}},
    {"responses, the type of the event",
     RESPONSES(CREATED ADDED("0") OUTPUT("0", "see " FIRST) OUTPUT("0", REST) DONE(
         "0", "completed", SAYS) RESPONSE("response.#", "completed", ITEM("completed", SAYS))),
     {"completed"},
     {"incomplete", "failed", "cancelled"}},
    {"responses, the status of the item",
     RESPONSES(CREATED ADDED("0") OUTPUT("0", "see " FIRST) OUTPUT("0", REST) EVENT(
         "response.output_item.done", ",\"output_index\":0,\"item\":" ITEM("#", SAYS))
                   RESPONSE("response.completed", "completed", ITEM("#", SAYS))),
     {"completed"},
     {"incomplete"}},
    {"responses, copies alone",
     RESPONSES(CREATED ADDED("0") DONE("0", "completed", SAYS)
                   RESPONSE("response.completed", "#", ITEM("completed", SAYS))),
     {"completed"},
     {"incomplete", "failed"}},
    {"responses, only in the response",
     RESPONSES(CREATED RESPONSE("response.completed", "#", ITEM("completed", SAYS))),
     {"completed"},
     {"incomplete", "failed"}},
    {"responses, whole",
     BODY(
         "openai", "/v1/responses",
         "{\"id\":\"r\",\"output\":[" ITEM("completed", "a") "," ITEM(
             "completed",
             SAYS) "],\"status\":\"#\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}"),
     {"completed"},
     {"incomplete", "failed", "cancelled"}},
    {"responses, whole, the reason first",
     BODY("openai", "/v1/responses", "{\"status\":\"#\",\"output\":[" ITEM("completed", SAYS) "]}"),
     {"completed"},
     {"incomplete"}},
};

static void a_part_of_a_secret_in_a_cut_answer_is_redacted(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(templates); i++) {
        for (const char *const *reason = templates[i].cut; *reason != NULL; reason++) {
            size_t cuts = reason == templates[i].cut ? SIZE_MAX : 3;
            const char *out = translate_cut(with(&templates[i], *reason), templates[i].name, cuts);
            assert_lacks(out, FIRST);
            assert_lacks(out, REST);
            assert_holds(out, KEY_LABEL);
            assert_int_equal(last.action, ACTION_REDACT);
        }
    }
}

static void the_same_text_of_a_complete_answer_stays(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(templates); i++) {
        for (const char *const *reason = templates[i].complete; *reason != NULL; reason++) {
            size_t cuts = reason == templates[i].complete ? SIZE_MAX : 3;
            const char *out = translate_cut(with(&templates[i], *reason), templates[i].name, cuts);
            assert_lacks(out, KEY_LABEL);
            assert_holds(out, REST);
            assert_int_equal(last.action, ACTION_ALLOW);
        }
    }
}

/* Until it has said why it ends it may say so of any answer. */
static void an_answer_that_breaks_off_anywhere_is_cut(void **state)
{
    char upstream[UPSTREAM_MAX];
    (void)state;
    for (size_t i = 0; i < COUNT(templates); i++) {
        const struct ending_case *from = &templates[i];
        struct answer_request r =
            with(from, from->complete[0] != NULL ? from->complete[0] : from->cut[0]);
        const char *whole = r.upstream;
        size_t behind_reason = strlen(strrchr(from->request.upstream, '#')) - 1;
        r.upstream = upstream;
        for (size_t n = 1; n <= strlen(whole) - behind_reason; n++) {
            (void)snprintf(upstream, sizeof(upstream), "%.*s", (int)n, whole);
            r.is_broken = true;
            assert_lacks(translate(&r), FIRST);
            if (whole[n - 1] == '\n') { /* in an event it is no answer at all */
                r.is_broken = false;
                assert_lacks(translate(&r), FIRST);
            }
        }
    }
}

/* --- answers that went on ------------------------------------------------------------ */

static const struct ending_case several[] = {
    {"messages",
     ANTHROPIC(MESSAGE(TEXT_BLOCK START_TEXT("1") TEXT("1", SAYS) STOP("1"))),
     {0},
     {0}},
    {"messages, whole",
     BODY("anthropic", "/v1/messages",
          "{\"content\":[{\"type\":\"text\",\"text\":\"" SAYS
          "\"},{\"type\":\"text\",\"text\":\"" SAYS "\"}],\"stop_reason\":\"#\"}"),
     {0},
     {0}},
    {"cohere",
     COHERE(COHERE_MESSAGE(CONTENT_START("0") CONTENT("0", SAYS) CONTENT_END("0") CONTENT_START("1")
                               CONTENT("1", SAYS) CONTENT_END("1"))),
     {0},
     {0}},
    {"cohere, whole",
     BODY("cohere", "/v2/chat",
          "{\"finish_reason\":\"#\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"" SAYS
          "\"},{\"type\":\"text\",\"text\":\"" SAYS "\"}]}}"),
     {0},
     {0}},
    {"responses",
     RESPONSES(CREATED ADDED("0") OUTPUT("0", SAYS) DONE("0", "completed", SAYS) ADDED("1")
                   OUTPUT("1", SAYS) DONE("1", "incomplete", SAYS)
                       RESPONSE("response.incomplete", "#",
                                ITEM("completed", SAYS) "," ITEM("incomplete", SAYS))),
     {0},
     {0}},
    {"responses, whole",
     BODY(
         "openai", "/v1/responses",
         "{\"status\":\"#\",\"output\":[" ITEM("completed", SAYS) "," ITEM("completed", SAYS) "]}"),
     {0},
     {0}},
};

static void only_the_last_text_can_be_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(several); i++) {
        const char *out = translate_any_cutting(with(&several[i], "max_tokens"), several[i].name);
        assert_holds(out, PART);
        const char *label = strstr(out, KEY_LABEL), *part = strstr(out, PART);
        assert_non_null(label);
        assert_true(part < label);
    }
}

/* --- the order of events ---------------------------------------------------------------- */

static void the_events_of_an_answer_keep_their_order(void **state)
{
#define TAIL                                                                                       \
    EVENT("new_event", ",\"note\":\"x\"")                                                          \
    EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"max_tokens\"}") EVENT("message_stop", "")
    static const char *const message_deltas[] = {"delta/text", NULL};
    static const char *const response_deltas[] = {"delta", NULL};
    struct answer_request r = ANTHROPIC(
        EVENT("message_start", ",\"message\":{\"id\":\"msg_1\",\"content\":[]}") TEXT_BLOCK TAIL);
    (void)state;
    r.deltas = message_deltas;
    assert_any_cutting(r, EVENT("message_start", ",\"message\":{\"id\":\"msg_1\",\"content\":[]}")
                              START_TEXT("0") TEXT("0", SHOWN) STOP("0") TAIL);
    r = (struct answer_request)RESPONSES(
        CREATED ADDED("0") OUTPUT("0", "see " FIRST) OUTPUT("0", REST) DONE("0", "incomplete", SAYS)
            RESPONSE("response.incomplete", "incomplete", ITEM("incomplete", SAYS)));
    r.deltas = response_deltas;
    assert_any_cutting(
        r, CREATED ADDED("0") OUTPUT("0", SHOWN) DONE("0", "incomplete", SHOWN)
               RESPONSE("response.incomplete", "incomplete", ITEM("incomplete", SHOWN)));
}

/* Something that blocks stands in an event that waits: the block still gets its end. */
static void a_block_in_what_waits_ends_the_answer(void **state)
{
    struct answer_request r = ANTHROPIC(MESSAGE(START_TEXT("0") TEXT("0", "so") STOP("0")
                                                    EVENT("new", ",\"n\":\"" PEM("\\n") "\"")));
    (void)state;
    for (r.cut = 0; r.cut < 9; r.cut++) {
        const char *out = translate(&r);
        assert_true(last.is_over && last.is_blocked);
        assert_non_null(strstr(strstr(out, "\"so\""), "content_block_stop"));
        assert_holds(out, NOTICE);
        assert_holds(out, "message_stop");
    }
}

static void what_waits_is_bounded(void **state)
{
    static char upstream[UPSTREAM_MAX];
    const struct answer_request head = ANTHROPIC(EVENT("message_start", ",\"message\":{}")
                                                     START_TEXT("0") TEXT("0", "so") STOP("0"));
    const char *tail = EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}")
        EVENT("message_stop", "");
    struct answer_request r = head;
    (void)state;
    r.upstream = upstream;
    r.event_max = 512;
    r.cut = 1;
    for (size_t n_events = 5; n_events <= 50; n_events += 45) {
        size_t len = (size_t)snprintf(upstream, sizeof(upstream), "%s", head.upstream);
        for (size_t i = 0; i < n_events; i++) {
            len += (size_t)snprintf(upstream + len, sizeof(upstream) - len, "%s",
                                    EVENT("new_event", ",\"index\":1"));
        }
        (void)snprintf(upstream + len, sizeof(upstream) - len, "%s", tail);
        (void)translate(&r);
        assert_true(last.is_over);
        assert_int_equal(last.is_blocked, n_events == 50);
        assert_true(last.waiting_max > 0 && last.waiting_max <= 2 * r.event_max);
    }
    assert_string_equal(last.rule, "filterd.unjudged");
}

/* Three events that repeat it wait, and none of it with them. */
static void no_copies_of_a_text_wait(void **state)
{
#define TEN(text) text text text text text text text text text text
#define LONG      TEN("a text of several words that is said three times once more. ")
    struct answer_request r = RESPONSES(CREATED ADDED("0") OUTPUT("0", LONG) DONE(
        "0", "completed", LONG) RESPONSE("response.completed", "completed", ""));
    (void)state;
    r.cut = 1;
    assert_holds(translate(&r), "\"text\":\"" LONG "\"");
    assert_true(last.waiting_max > 0 && last.waiting_max < strlen(LONG));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_of_a_secret_in_a_cut_answer_is_redacted),
        cmocka_unit_test(the_same_text_of_a_complete_answer_stays),
        cmocka_unit_test(an_answer_that_breaks_off_anywhere_is_cut),
        cmocka_unit_test(only_the_last_text_can_be_cut),
        cmocka_unit_test(the_events_of_an_answer_keep_their_order),
        cmocka_unit_test(a_block_in_what_waits_ends_the_answer),
        cmocka_unit_test(what_waits_is_bounded),
        cmocka_unit_test(no_copies_of_a_text_wait),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
