#include "unit/protocol/answer.h"

#include "protocol/block_style.h"

/* --- which style ----------------------------------------------------------------------- */

static enum block_style style_of(const char *route, const char *body, const char *client, bool is_streaming,
                                 enum block_style wanted)
{
    struct arena memory;
    struct error err;

    arena_init(&memory, 0, 1 << 20);
    const struct asked_answer asked = {.route = route,
                                       .in = tree_read(&memory, span_str(body), &err),
                                       .client = span_str(client),
                                       .is_streaming = is_streaming};
    assert_non_null(asked.in);
    enum block_style style = block_style_of(&asked, wanted);
    arena_deinit(&memory);
    return style;
}

#define CHAT      "openai-chat"
#define RESPONSES "openai-responses"
#define MESSAGES  "anthropic-messages"
#define SCHEMA    "{\"response_format\":{\"type\":\"json_schema\"}}"
#define TEXT      "{\"text\":{\"format\":{\"type\":\"json_schema\"}}}"
#define OUTPUT    "{\"output_config\":{\"format\":{\"type\":\"json_schema\"}}}"
#define CODEX     "codex_cli_rs/0.169.0 (Debian 12; x86_64) xterm"
#define CLAUDE    "claude-cli/2.1.197 (external, cli)"
#define AGENTS    "Agents/Python 0.20.0"
#define AI_SDK    "ai/6.0.326 ai-sdk/openai/3.0.141 runtime/node.js/20"
#define AI_SDK_7  "ai-sdk-openai/4.0.118 ai-sdk-provider-utils/5.0.81 node.js/22"

static void what_suits_follows_from_route_request_and_client(void **state)
{
    static const struct {
        const char *route, *body, *client;
        bool is_streaming;
        enum block_style style;
    } cases[] = {
        {CHAT, "{}", "", false, BLOCK_SOFT},
        {CHAT, "{}", "", true, BLOCK_SOFT},
        {CHAT, SCHEMA, "", true, BLOCK_REFUSAL},
        {CHAT, "{\"response_format\":{\"type\":\"text\"}}", "", true, BLOCK_SOFT},
        {CHAT, "{\"response_format\":null}", "", true, BLOCK_SOFT},
        {CHAT, SCHEMA, AI_SDK, true, BLOCK_SOFT},
        {CHAT, SCHEMA, AI_SDK_7, true, BLOCK_SOFT},
        {RESPONSES, "{}", "", false, BLOCK_SOFT},
        {RESPONSES, "{}", "", true, BLOCK_END_TURN},
        {RESPONSES, "{}", AGENTS, false, BLOCK_END_TURN},
        {RESPONSES, TEXT, AGENTS, true, BLOCK_REFUSAL},
        {RESPONSES, TEXT, "", false, BLOCK_REFUSAL},
        {RESPONSES, TEXT, CODEX, true, BLOCK_END_TURN},
        {RESPONSES, "{}", CODEX, true, BLOCK_END_TURN},
        {MESSAGES, "{}", "", true, BLOCK_SOFT},
        {MESSAGES, "{}", CLAUDE, true, BLOCK_END_TURN},
        {MESSAGES, "{}", "a proxy claude-cli/2.1.197", true, BLOCK_END_TURN},
        {MESSAGES, "{}", "not-claude-cli/2", true, BLOCK_SOFT},
        {MESSAGES, OUTPUT, "", false, BLOCK_REFUSAL},
        {MESSAGES, OUTPUT, CLAUDE, false, BLOCK_END_TURN},
        {"gemini-stream", "{\"generationConfig\":{\"responseMimeType\":\"application/json\"}}", "", true, BLOCK_SOFT},
        {"openai-completions", SCHEMA, "", true, BLOCK_SOFT},
        {"cohere-chat", "{\"response_format\":{\"type\":\"json_object\"}}", "", true, BLOCK_SOFT},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        enum block_style style =
            style_of(cases[i].route, cases[i].body, cases[i].client, cases[i].is_streaming, BLOCK_AUTO);
        if (style != cases[i].style) {
            fail_msg("case %zu: %d", i, (int)style);
        }
    }
}

static void a_style_that_is_asked_for_stays_where_no_value_is_harmed(void **state)
{
    (void)state;
    assert_int_equal(style_of(RESPONSES, "{}", CODEX, true, BLOCK_SOFT), BLOCK_SOFT);
    assert_int_equal(style_of(MESSAGES, "{}", CLAUDE, true, BLOCK_REFUSAL), BLOCK_REFUSAL);
    assert_int_equal(style_of(CHAT, "{}", "", true, BLOCK_END_TURN), BLOCK_END_TURN);
    assert_int_equal(style_of(CHAT, SCHEMA, "", true, BLOCK_END_TURN), BLOCK_REFUSAL);
    assert_int_equal(style_of("ollama-chat", "{\"format\":\"json\"}", "", true, BLOCK_END_TURN), BLOCK_SOFT);
    assert_int_equal(style_of("ollama-chat", "{}", "", true, BLOCK_REFUSAL), BLOCK_SOFT);
    /* Once text has left, hard is what suits. */
    assert_int_equal(style_of(RESPONSES, "{}", CODEX, true, BLOCK_HARD), BLOCK_END_TURN);
}

static bool is_structured(const char *route, const char *body)
{
    struct arena memory;
    struct error err;

    arena_init(&memory, 0, 1 << 20);
    const struct asked_answer asked = {.route = route, .in = tree_read(&memory, span_str(body), &err)};
    bool is = asks_for_structure(&asked);
    arena_deinit(&memory);
    return is;
}

static void values_are_known_by_what_was_asked(void **state)
{
    (void)state;
    assert_true(is_structured("ollama-chat", "{\"format\":\"json\"}"));
    assert_true(is_structured("ollama-generate", "{\"format\":{\"type\":\"object\"}}"));
    assert_false(is_structured("ollama-chat", "{\"format\":\"\"}"));
    assert_false(is_structured("ollama-chat", "{}"));
    assert_true(is_structured("gemini-generate", "{\"generationConfig\":{\"responseSchema\":{\"type\":\"OBJECT\"}}}"));
    assert_true(is_structured("gemini-generate", "{\"generationConfig\":{\"responseMimeType\":\"text/x.enum\"}}"));
    assert_false(is_structured("gemini-generate", "{\"generationConfig\":{\"responseMimeType\":\"text/plain\"}}"));
    assert_true(is_structured(MESSAGES, "{\"output_format\":{\"type\":\"json_schema\"}}"));
    assert_false(is_structured(MESSAGES, SCHEMA));
}

/* --- answers --------------------------------------------------------------------------- */

/* A beginning that is let go at once, then what blocks. */
#define VALUE "[1, 2, so it goes on and on, and nobody knows how far it goes \\n"
#define SAID  "So it goes on and on, and nobody knows how far it goes.\\n"

#define CHAT_EVENT(content)                                                                        \
    "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\","      \
    "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" content "\"},\"finish_reason\":null}]}\n\n"
#define MESSAGE_EVENTS(text)                                                                       \
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":"  \
    "\"message\",\"role\":\"assistant\",\"content\":[],\"model\":\"m\"}}\n\n"                      \
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"             \
    "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"                                     \
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"   \
    "{\"type\":\"text_delta\",\"text\":\"" text "\"}}\n\n"                                         \
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"   \
    "{\"type\":\"text_delta\",\"text\":\"" PEM("\\n") "\"}}\n\n"
#define ITEM                                                                                       \
    "{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"in_progress\",\"role\":\"assistant\","    \
    "\"content\":[]}"
#define DELTA(text)                                                                                \
    "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\","           \
    "\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"" text "\"}\n\n"
#define RESPONSE_EVENTS(text)                                                                      \
    "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"r\","    \
    "\"object\":\"response\",\"created_at\":1,\"status\":\"in_progress\",\"model\":\"m\","         \
    "\"output\":[]}}\n\n"                                                                          \
    "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\","           \
    "\"output_index\":0,\"item\":" ITEM "}\n\n" DELTA(text) DELTA(PEM("\\n"))
#define GEMINI_EVENT(text)                                                                         \
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"" text                            \
    "\"}],\"role\":\"model\"},\"index\":0}]}\n\n"
#define OLLAMA_LINE(text)                                                                          \
    "{\"model\":\"m\",\"created_at\":\"t\",\"message\":{\"role\":\"assistant\",\"content\":\""     \
    text "\"},\"done\":false}\n"
#define COHERE_EVENTS(text)                                                                        \
    "event: message-start\ndata: {\"type\":\"message-start\",\"id\":\"c\",\"delta\":{\"message\":" \
    "{\"role\":\"assistant\"}}}\n\n"                                                               \
    "event: content-start\ndata: {\"type\":\"content-start\",\"index\":0,\"delta\":{\"message\":"  \
    "{\"content\":{\"type\":\"text\",\"text\":\"\"}}}}\n\n"                                        \
    "event: content-delta\ndata: {\"type\":\"content-delta\",\"index\":0,\"delta\":{\"message\":"  \
    "{\"content\":{\"text\":\"" text "\"}}}}\n\n"                                                  \
    "event: content-delta\ndata: {\"type\":\"content-delta\",\"index\":0,\"delta\":{\"message\":"  \
    "{\"content\":{\"text\":\"" PEM("\\n") "\"}}}}\n\n"

struct streamed {
    const char *protocol, *path, *query, *plain, *structured, *type, *said, *value;
    const char *of, *member; /* where a client reads the text */
    const char *mark;        /* of an answer that was blocked */
};

static const struct streamed streams[] = {
    {"openai", "/v1/chat/completions", "", "{\"stream\":true}",
     "{\"stream\":true,\"response_format\":{\"type\":\"json_object\"}}", "text/event-stream",
     CHAT_EVENT(SAID) CHAT_EVENT(PEM("\\n")), CHAT_EVENT(VALUE) CHAT_EVENT(PEM("\\n")), "delta", "\"content\":\"", "content_filter"},
    {"openai", "/v1/responses", "", "{\"stream\":true}", "{\"stream\":true,\"text\":{\"format\":{\"type\":\"json_object\"}}}",
     "text/event-stream", RESPONSE_EVENTS(SAID), RESPONSE_EVENTS(VALUE), "output_text.delta\",", "\"delta\":\"", "\"type\":\"response.completed\""},
    {"anthropic", "/v1/messages", "", "{\"stream\":true}", "{\"stream\":true,\"output_format\":{\"type\":\"json_schema\"}}",
     "text/event-stream", MESSAGE_EVENTS(SAID), MESSAGE_EVENTS(VALUE), "text_delta", "\"text\":\"", "\"stop_reason\":\"refusal\""},
    {"gemini", "/v1beta/models/m:streamGenerateContent", "alt=sse", "{}",
     "{\"generationConfig\":{\"responseMimeType\":\"application/json\"}}", "text/event-stream",
     GEMINI_EVENT(SAID) GEMINI_EVENT(PEM("\\n")), GEMINI_EVENT(VALUE) GEMINI_EVENT(PEM("\\n")), "parts", "\"text\":\"", "SPII"},
    {"ollama", "/api/chat", "", "{}", "{\"format\":\"json\"}", "application/x-ndjson",
     OLLAMA_LINE(SAID) OLLAMA_LINE(PEM("\\n")), OLLAMA_LINE(VALUE) OLLAMA_LINE(PEM("\\n")), "message", "\"content\":\"", "\"done_reason\":\"content_filter\""},
    {"cohere", "/v2/chat", "", "{\"stream\":true}", "{\"stream\":true,\"response_format\":{\"type\":\"json_object\"}}",
     "text/event-stream", COHERE_EVENTS(SAID), COHERE_EVENTS(VALUE), "content-delta", "\"text\":\"", "\"finish_reason\":\"ERROR\""},
};

static const char *play(const struct streamed *s, bool is_structured, enum block_style block)
{
    struct answer_request r = {.protocol = s->protocol,
                               .path = s->path,
                               .query = s->query,
                               .body = is_structured ? s->structured : s->plain,
                               .type = s->type,
                               .upstream = is_structured ? s->value : s->said,
                               .block = block};
    const char *out = translate(&r);
    assert_true(last.is_blocked && last.is_over);
    return text_of_all(out, s->of, s->member);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;

    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        n++;
    }
    return n;
}

static void a_notice_behind_a_text_begins_with_a_blank_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(streams); i++) {
        const char *said = play(&streams[i], false, BLOCK_AUTO);
        if (strcmp(said, SAID "\\n\\n" NOTICE) != 0) {
            fail_msg("%s: %s in %s", streams[i].path, said, last.text);
        }
        assert_holds(last.text, streams[i].mark);
        assert_int_equal(count(last.text, "\"type\":\"content_block_start\""),
                         count(last.text, "\"type\":\"content_block_stop\""));
        assert_int_equal(count(last.text, "\"type\":\"content-start\""), count(last.text, "\"type\":\"content-end\""));
    }
}

/* Whatever the style, nothing of the notice is where a reader of the value looks. */
static void no_notice_stands_in_a_value(void **state)
{
    static const enum block_style styles[] = {BLOCK_AUTO, BLOCK_SOFT, BLOCK_HARD, BLOCK_REFUSAL};

    (void)state;
    for (size_t i = 0; i < COUNT(streams); i++) {
        for (size_t j = 0; j < COUNT(styles); j++) {
            const char *said = play(&streams[i], true, styles[j]);
            if (strcmp(said, VALUE) != 0) {
                fail_msg("%s, style %d: %s", streams[i].path, (int)styles[j], said);
            }
        }
    }
}

static struct answer_request whole(const char *protocol, const char *path, const char *body, const char *upstream)
{
    return (struct answer_request){.protocol = protocol,
                                   .path = path,
                                   .body = body,
                                   .type = "application/json",
                                   .upstream = upstream,
                                   .block = BLOCK_AUTO};
}

static void refusals_stand_where_clients_read_them(void **state)
{
    struct answer_request r = whole("openai", "/v1/chat/completions", SCHEMA,
                                    "{\"id\":\"c\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
                                    "\"content\":\"" PEM("\\n") "\"},\"finish_reason\":\"stop\"}]}");
    (void)state;
    assert_holds(translate(&r), "{\"role\":\"assistant\",\"content\":null,\"refusal\":\"" NOTICE "\"}");
    assert_holds(last.text, "\"finish_reason\":\"stop\"");

    r = whole("openai", "/v1/responses", TEXT,
              "{\"id\":\"r\",\"status\":\"completed\",\"output\":[{\"id\":\"m\",\"type\":\"message\",\"status\":"
              "\"completed\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"" PEM("\\n") "\"}]}]}");
    assert_holds(translate(&r), "\"content\":[{\"type\":\"refusal\",\"refusal\":\"" NOTICE "\"}]");
    assert_holds(last.text, "],\"status\":\"completed\"}");

    r = whole("anthropic", "/v1/messages", OUTPUT,
              "{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[{\"type\":\"text\","
              "\"text\":\"" PEM("\\n") "\"}],\"stop_reason\":\"end_turn\"}");
    assert_holds(translate(&r), "\"content\":[],\"stop_reason\":\"refusal\"");
    assert_holds(last.text, "\"explanation\":\"" NOTICE "\"");
}

static void a_refusal_in_a_stream_leaves_no_copy_of_half_a_value(void **state)
{
    (void)state;
    (void)play(&streams[1], true, BLOCK_AUTO);
    assert_holds(last.text, "\"type\":\"response.refusal.delta\"");
    assert_holds(last.text, "\"type\":\"response.refusal.done\"");
    assert_holds(last.text, "\"type\":\"response.completed\"");
    assert_lacks(last.text, "response.output_text.done");
    const char *end = strstr(last.text, "event: response.completed");
    assert_non_null(end);
    assert_lacks(end, "so it goes");
    assert_holds(end, "{\"type\":\"refusal\",\"refusal\":\"" NOTICE "\"}");
}

/* --- choices --------------------------------------------------------------------------- */

#define TWO(role_of, text_of)                                                                      \
    "{\"id\":\"c\",\"choices\":[{\"index\":0," role_of PEM("\\n") text_of                          \
    ",\"finish_reason\":\"stop\"},{\"index\":1," role_of "fine" text_of ",\"finish_reason\":\"stop\"}]}"

static void a_block_has_as_many_choices_as_were_asked_for(void **state)
{
    struct answer_request r =
        whole("openai", "/v1/chat/completions", "{\"n\":3}",
              TWO("\"message\":{\"role\":\"assistant\",\"content\":\"", "\"}"));
    (void)state;
    assert_int_equal(count(translate(&r), NOTICE), 3);
    assert_holds(last.text, "\"index\":2");
    r.body = "{}"; /* the upstream sent two all the same */
    assert_int_equal(count(translate(&r), NOTICE), 2);

    r = whole("openai", "/v1/completions", "{\"n\":2,\"prompt\":[\"a\",\"b\"]}", TWO("\"text\":\"", "\""));
    assert_int_equal(count(translate(&r), NOTICE), 4);
    r.body = "{\"n\":2,\"prompt\":[1,2,3]}";
    assert_int_equal(count(translate(&r), NOTICE), 2);
    r.body = "{\"n\":100000}";
    assert_int_equal(count(translate(&r), NOTICE), CHOICES_MAX);

    r = whole("gemini", "/v1beta/models/m:generateContent", "{\"generationConfig\":{\"candidateCount\":2}}",
              "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"" PEM("\\n") "\"}],\"role\":\"model\"}}]}");
    assert_int_equal(count(translate(&r), "\"finishReason\":\"SPII\""), 2);
}

static void a_blocked_stream_ends_every_choice(void **state)
{
    struct answer_request r = {.protocol = "openai",
                               .path = "/v1/chat/completions",
                               .body = "{\"stream\":true,\"n\":2}",
                               .type = "text/event-stream",
                               .upstream = CHAT_EVENT(SAID) CHAT_EVENT(PEM("\\n"))};
    (void)state;
    assert_int_equal(count(translate(&r), "\"finish_reason\":\"content_filter\""), 2);
    assert_holds(last.text, "{\"index\":1,\"delta\":{\"role\":\"assistant\",\"content\":\"" NOTICE "\"}");
}

/* --- requests -------------------------------------------------------------------------- */

/* A response that runs in the background is fetched later: whole, or as a stream that the query asks for. */
static void stored_responses_are_answers(void **state)
{
    static const struct {
        const char *method, *path, *query;
        bool is_streaming;
    } cases[] = {
        {"GET", "/v1/responses/resp_1", "", false},
        {"GET", "/v1/responses/resp_1", "stream=true&starting_after=3", true},
        {"GET", "/responses/resp_1", "include=x&stream=true", true},
        {"GET", "/v1/responses/resp_1", "stream=truely", false},
        {"POST", "/v1/responses/resp_1/cancel", "", false},
    };
    const struct protocol *p = protocol_find(span_str("openai"));

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct translation_request request = {.path = span_str(cases[i].path),
                                              .query = span_str(cases[i].query),
                                              .stream = new_stream(),
                                              .event_max = ANSWER_MAX};
        struct error err = {0};
        assert_int_equal(protocol_route(p, span_str(cases[i].method), request.path, &request.route), ROUTE_JUDGED);
        struct translation *t = translation_new(&request, &err);
        assert_non_null(t);
        assert_int_equal(translation_is_streaming(t), cases[i].is_streaming);
        translation_free(t);
        stream_free(request.stream);
    }
}

static void other_routes_are_judged_as_json_or_refused(void **state)
{
    static const char *const plain[] = {"/v1/vector_stores", "/v1/files/f/content", "/x"};
    static const char *const ambiguous[] = {"", "x", "/v1/../admin", "//x", "/v1/%2e%2e/x", "/v1/x?y", "/a\\b"};

    (void)state;
    for (size_t k = 0; protocol_names[k] != NULL; k++) {
        const struct protocol *p = protocol_find(span_str(protocol_names[k]));
        const struct protocol_route *route = NULL;
        for (size_t i = 0; i < COUNT(plain); i++) {
            assert_int_equal(protocol_other_route(p, span_str(plain[i]), &route), ROUTE_PASSED);
            assert_non_null(strstr(protocol_route_name(route), "-other"));
        }
        for (size_t i = 0; i < COUNT(ambiguous); i++) {
            assert_int_equal(protocol_other_route(p, span_str(ambiguous[i]), &route), ROUTE_REFUSED);
        }
    }
}

static void routes_pass_with_and_without_their_version(void **state)
{
    static const struct {
        const char *protocol, *method, *path;
        enum route_use use;
    } cases[] = {
        {"openai", "POST", "/v1/responses", ROUTE_JUDGED},   {"openai", "POST", "/responses", ROUTE_JUDGED},
        {"openai", "POST", "/completions", ROUTE_JUDGED},    {"openai", "POST", "/chat/completions", ROUTE_JUDGED},
        {"openai", "POST", "/embeddings", ROUTE_PASSED},     {"openai", "GET", "/models", ROUTE_PASSED},
        {"openai", "GET", "/models/m", ROUTE_PASSED},        {"openai", "DELETE", "/v1/models/ft:m", ROUTE_PASSED},
        {"openai", "DELETE", "/v1/models", ROUTE_REFUSED},   {"anthropic", "POST", "/messages", ROUTE_JUDGED},
        {"anthropic", "POST", "/messages/count_tokens", ROUTE_PASSED},
        {"gemini", "POST", "/models/m:generateContent", ROUTE_JUDGED},
        {"cohere", "POST", "/chat", ROUTE_JUDGED},           {"openai", "POST", "/v2/responses", ROUTE_REFUSED},
        {"openai", "POST", "/v1/v1/responses", ROUTE_REFUSED}, {"openai", "POST", "/v1", ROUTE_REFUSED},
        {"openai", "POST", "/", ROUTE_REFUSED},              {"openai", "POST", "/v1/audio/speech", ROUTE_PASSED},
        {"openai", "POST", "/audio/speech", ROUTE_PASSED},  {"openai", "POST", "responses", ROUTE_REFUSED},
        {"anthropic", "POST", "/messages/batches", ROUTE_REFUSED},
        {"ollama", "POST", "/v1/chat/completions", ROUTE_JUDGED}, {"ollama", "POST", "/v1/responses", ROUTE_JUDGED},
        {"ollama", "GET", "/v1/models", ROUTE_PASSED},       {"ollama", "POST", "/api/pull", ROUTE_REFUSED},
        {"openai", "POST", "/api/chat", ROUTE_REFUSED},      {"openai", "GET", "/v1/realtime", ROUTE_UPGRADED},
        {"openai", "GET", "/responses", ROUTE_UPGRADED},     {"openai", "POST", "/realtime/event", ROUTE_REFUSED},
        {"openai", "POST", "/openai/v1/responses", ROUTE_JUDGED}, {"openai", "POST", "/openai/responses", ROUTE_JUDGED},
        {"openai", "GET", "/openai/v1/files/f/content", ROUTE_PASSED}, {"openai", "POST", "/openaix/v1/responses", ROUTE_REFUSED},
        {"openai", "POST", "/openai/openai/v1/responses", ROUTE_REFUSED}, {"anthropic", "POST", "/openai/v1/responses", ROUTE_REFUSED},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct protocol_route *route;
        enum route_use use = protocol_route(protocol_find(span_str(cases[i].protocol)), span_str(cases[i].method),
                                            span_str(cases[i].path), &route);
        if (use != cases[i].use) {
            fail_msg("%s %s: %d", cases[i].protocol, cases[i].path, (int)use);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_suits_follows_from_route_request_and_client),
        cmocka_unit_test(a_style_that_is_asked_for_stays_where_no_value_is_harmed),
        cmocka_unit_test(values_are_known_by_what_was_asked),
        cmocka_unit_test(a_notice_behind_a_text_begins_with_a_blank_line),
        cmocka_unit_test(no_notice_stands_in_a_value),
        cmocka_unit_test(refusals_stand_where_clients_read_them),
        cmocka_unit_test(a_refusal_in_a_stream_leaves_no_copy_of_half_a_value),
        cmocka_unit_test(a_block_has_as_many_choices_as_were_asked_for),
        cmocka_unit_test(a_blocked_stream_ends_every_choice),
        cmocka_unit_test(stored_responses_are_answers), cmocka_unit_test(other_routes_are_judged_as_json_or_refused),
        cmocka_unit_test(routes_pass_with_and_without_their_version),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
