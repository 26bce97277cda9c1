/* Values in place of pseudonyms: each text, choice and call by itself, copies like the texts, and nothing that is signed.
 * tests/properties/test_restored_answers.c has all protocols and cuttings. */
#include "unit/protocol/answer.h"

#define VALUE   "zofia@company-of-hers.org"
#define CHAT(index, delta, finish)                                                                                         \
    "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":" index \
    ",\"delta\":{" delta "},\"finish_reason\":" finish "}]}\n\n"
#define SAY(index, text) CHAT(index, "\"content\":\"" text "\"", "null")
#define ARGUMENTS(call, text) CHAT("0", "\"tool_calls\":[{\"index\":" call ",\"function\":{\"arguments\":\"" text "\"}}]", "null")
#define CALL(call)                                                                                                         \
    CHAT("0", "\"tool_calls\":[{\"index\":" call ",\"id\":\"call_" call "\",\"type\":\"function\",\"function\":{\"name\":\"send\"," \
              "\"arguments\":\"\"}}]", "null")
#define DONE "data: [DONE]\n\n"

static char pseudonym[MASKING_PSEUDONYM_MAX + 1], shouted[MASKING_PSEUDONYM_MAX + 1];

static int open_masking(void **state)
{
    struct masked_value v = {.kind = span_str("email-address"), .categories = 1U << CATEGORY_PII, .form = MASKING_EMAIL, .value = span_str(VALUE)};
    struct error err;
    struct span p;

    if (open_setting(state) != 0 || (setting.masking = masking_new(NULL, &masking_limits_default, &err)) == NULL ||
        !masking_pseudonym(setting.masking, &v, NULL, 0, &p, &err)) {
        return 1;
    }
    (void)snprintf(pseudonym, sizeof(pseudonym), SPAN_FMT, SPAN_ARG(p));
    for (size_t i = 0; i <= p.len; i++) {
        shouted[i] = pseudonym[i] >= 'a' && pseudonym[i] <= 'z' ? (char)(pseudonym[i] - 32) : pseudonym[i];
    }
    return 0;
}

static int close_masking(void **state)
{
    masking_unref(setting.masking);
    setting.masking = NULL;
    return close_setting(state);
}

/* The template with the pseudonym for '@', its first half for '<' and its second for '>'. */
static const char *with_pseudonyms(const char *template)
{
    static char text[ANSWER_MAX];
    size_t half = strlen(pseudonym) / 2, n = 0;

    for (; *template != '\0'; template++) {
        const char *part = *template == '@' || *template == '<' ? pseudonym : *template == '>' ? pseudonym + half : template;
        size_t len = *template == '@' ? strlen(pseudonym) : *template == '<' ? half : *template == '>' ? strlen(part) : 1;
        memcpy(text + n, part, len);
        n += len;
    }
    text[n] = '\0';
    return text;
}

static struct answer_request chat(const char *template, const char *body, const char *type)
{
    return (struct answer_request){.protocol = "openai",
                                   .path = "/v1/chat/completions",
                                   .body = body,
                                   .type = type,
                                   .upstream = with_pseudonyms(template)};
}

static size_t count_of(const char *text, const char *part)
{
    size_t n = 0;

    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        n++;
    }
    return n;
}

static void assert_restored(const char *out, size_t times)
{
    if (count_of(out, VALUE) != times || strstr(out, pseudonym) != NULL || last.n_findings > 0 || last.action != ACTION_ALLOW) {
        fail_msg("%zu of %zu values, %zu findings in: %s", count_of(out, VALUE), times, last.n_findings, out);
    }
    assert_holds(last.record, "\"restored\":");
    assert_lacks(last.record, VALUE);
}

static void each_choice_and_call_has_its_own_pieces(void **state)
{
    struct answer_request r = chat(CHAT("0", "\"role\":\"assistant\",\"content\":\"\"", "null") SAY("0", "to <") SAY("1", "for <") SAY("0", "> now")
                                       SAY("1", "> then") CALL("0") CALL("1") ARGUMENTS("0", "{\\\"a\\\":\\\"<") ARGUMENTS("1", "{\\\"b\\\":\\\"<")
                                           ARGUMENTS("0", ">\\\"}") ARGUMENTS("1", ">\\\"}") CHAT("0", "", "\"tool_calls\"")
                                               CHAT("1", "", "\"stop\"") DONE,
                                   "{\"stream\":true,\"n\":2}", "text/event-stream");
    (void)state;

    assert_restored(translate(&r), 4);
    assert_holds(last.text, "{\\\"a\\\":\\\"" VALUE "\\\"}");
    assert_holds(last.record, "\"restored\":4");
    assert_lacks(last.record, "unknown_pseudonyms");
}

static void case_may_change_and_what_is_unfinished_stays(void **state)
{
    char upstream[2000];
    struct answer_request r;
    (void)state;

    (void)snprintf(upstream, sizeof(upstream),
                   "{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"role\":"
                   "\"assistant\",\"content\":\"%s and email-\"},\"finish_reason\":\"stop\"}]}",
                   shouted);
    r = chat(upstream, "{}", "application/json");
    r.upstream = upstream;
    assert_restored(translate(&r), 1);
    assert_holds(last.text, VALUE " and email-\"");
}

#define RESPONSES(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"," rest "}\n\n"
#define PLACE "\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0"
#define PART  "{\"type\":\"output_text\",\"text\":\"to @.\",\"annotations\":[{\"type\":\"url_citation\",\"start_index\":3,\"end_index\":9," \
              "\"url\":\"https://example.org/\",\"title\":\"t\"}]}"
#define ITEM(status, content) "{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"" status "\",\"role\":\"assistant\",\"content\":[" content "]}"
#define RESPONSE(status, output)                                                                                           \
    "\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\"created_at\":1,\"model\":\"m\",\"status\":\"" status "\",\"output\":[" output "]}"

/* The text is said five times. Places in it would lead elsewhere. */
static void copies_are_restored_like_their_text(void **state)
{
    struct answer_request r = chat(
        RESPONSES("response.created", RESPONSE("in_progress", ""))
            RESPONSES("response.output_item.added", "\"output_index\":0,\"item\":" ITEM("in_progress", ""))
                RESPONSES("response.content_part.added", PLACE ",\"part\":{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[]}")
                    RESPONSES("response.output_text.delta", PLACE ",\"delta\":\"to <\"") RESPONSES("response.output_text.delta", PLACE ",\"delta\":\">.\"")
                        RESPONSES("response.output_text.done", PLACE ",\"text\":\"to @.\"") RESPONSES("response.content_part.done", PLACE ",\"part\":" PART)
                            RESPONSES("response.output_item.done", "\"output_index\":0,\"item\":" ITEM("completed", PART))
                                RESPONSES("response.completed", RESPONSE("completed", ITEM("completed", PART))),
        "{\"stream\":true}", "text/event-stream");
    (void)state;

    r.path = "/v1/responses";
    assert_restored(translate(&r), 5);
    assert_lacks(last.text, "url_citation");
    assert_holds(last.record, "\"restored\":1");
}

#define CUSTOM(status, input)                                                                                               \
    "{\"id\":\"ctc_1\",\"type\":\"custom_tool_call\",\"status\":\"" status "\",\"call_id\":\"call_1\",\"name\":\"send\",\"input\":\"" input "\"}"

/* The value says the pseudonym of another one, and stays as it is: in a text, in an argument, and in what stands in several events. */
static void a_value_that_says_a_pseudonym_is_restored_once(void **state)
{
    char says[200], upstream[4000];
    struct masked_value v = {.kind = span_str("password"), .categories = 1U << CATEGORY_SECRET, .value = span_of(says, 0)};
    struct answer_request r;
    struct error err;
    struct span p;
    (void)state;

    v.value.len = (size_t)snprintf(says, sizeof(says), "user=%s;", pseudonym);
    assert_true(masking_pseudonym(setting.masking, &v, NULL, 0, &p, &err));
    (void)snprintf(upstream, sizeof(upstream),
                   RESPONSES("response.created", RESPONSE("in_progress", ""))
                       RESPONSES("response.output_item.added", "\"output_index\":0,\"item\":" CUSTOM("in_progress", ""))
                           RESPONSES("response.output_item.done", "\"output_index\":0,\"item\":" CUSTOM("completed", "%.*s"))
                               RESPONSES("response.completed", RESPONSE("completed", CUSTOM("completed", "%.*s"))),
                   (int)p.len, p.ptr, (int)p.len, p.ptr);
    r = chat("", "{\"stream\":true}", "text/event-stream");
    r.upstream = upstream;
    r.path = "/v1/responses";
    const char *out = translate(&r);
    assert_int_equal(count_of(out, says), count_of(out, "user="));
    assert_int_equal(count_of(out, says), 4);
    assert_lacks(out, VALUE);
    (void)snprintf(upstream, sizeof(upstream), SAY("0", "to %.*s") CALL("0") ARGUMENTS("0", "{\\\"a\\\":\\\"%.*s\\\"}") CHAT("0", "", "\"tool_calls\"") DONE,
                   (int)p.len, p.ptr, (int)p.len, p.ptr);
    r.path = "/v1/chat/completions";
    out = translate(&r);
    assert_int_equal(count_of(out, says), 2);
    assert_lacks(out, VALUE);
}

/* It comes back as history, with its signature: it must be what the upstream wrote. */
static void signed_thinking_keeps_its_pseudonyms(void **state)
{
    struct answer_request r = chat("{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[{\"type\":\"thinking\","
                                   "\"thinking\":\"of @\",\"signature\":\"c2lnbmVk\"},{\"type\":\"text\",\"text\":\"to @\"}],\"stop_reason\":"
                                   "\"end_turn\",\"stop_sequence\":null,\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}",
                                   "{}", "application/json");
    (void)state;

    r.protocol = "anthropic";
    r.path = "/v1/messages";
    const char *out = translate(&r);
    assert_int_equal(count_of(out, VALUE), 1);
    assert_int_equal(count_of(out, pseudonym), 1);
    assert_holds(out, "\"signature\":\"c2lnbmVk\"");
    assert_holds(out, "\"text\":\"to " VALUE "\"");
}

/* Its own secrets are judged as before, beside what is restored. */
static void what_the_model_itself_says_is_judged(void **state)
{
    struct answer_request r = chat(SAY("0", "to @ and AKIAQWB5PD") SAY("0", "KHX6PYGPAN.") CHAT("0", "", "\"stop\"") DONE, "{\"stream\":true}",
                                   "text/event-stream");
    (void)state;

    assert_holds(translate(&r), VALUE);
    assert_holds(last.text, KEY_LABEL);
    assert_int_equal(last.action, ACTION_REDACT);
    assert_lacks(last.record, "email-address");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_choice_and_call_has_its_own_pieces),
        cmocka_unit_test(case_may_change_and_what_is_unfinished_stays),
        cmocka_unit_test(copies_are_restored_like_their_text),
        cmocka_unit_test(a_value_that_says_a_pseudonym_is_restored_once),
        cmocka_unit_test(signed_thinking_keeps_its_pseudonyms),
        cmocka_unit_test(what_the_model_itself_says_is_judged),
    };
    return cmocka_run_group_tests(tests, open_masking, close_masking);
}
