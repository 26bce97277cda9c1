/* test_pieces.c - values that go on from one part of a message to the next. */
#include "answer.h"

#define PART_1 "see AKIAQWB5PD"
#define PART_2 "KHX6PYGPAN."
#define OPENAI(a, b)                                                                                                            \
    "{\"id\":\"c\",\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":["  \
    "{\"type\":\"text\",\"text\":\"" a "\"},{\"type\":\"text\",\"text\":\"" b "\"}]},\"finish_reason\":\"stop\"}]}"
#define CHOICES(a, b)                                                                                                           \
    "{\"id\":\"c\",\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":["  \
    "{\"type\":\"text\",\"text\":\"" a "\"}]},\"finish_reason\":\"stop\"},{\"index\":1,\"message\":{\"role\":\"assistant\","    \
    "\"content\":[{\"type\":\"text\",\"text\":\"" b "\"}]},\"finish_reason\":\"stop\"}]}"
#define RESPONSES(a, b)                                                                                                         \
    "{\"id\":\"r\",\"object\":\"response\",\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"id\":\"m\","            \
    "\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"" a "\"}]},{\"type\":\"message\",\"id\":\"n\","   \
    "\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"" b "\"}]}]}"
#define ANTHROPIC(a, b)                                                                                                         \
    "{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"" a "\"},"            \
    "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"look\",\"input\":{}},{\"type\":\"text\",\"text\":\"" b "\"}],"              \
    "\"stop_reason\":\"end_turn\"}"
#define COHERE(a, b)                                                                                                            \
    "{\"id\":\"c\",\"finish_reason\":\"COMPLETE\",\"message\":{\"role\":\"assistant\",\"content\":["                            \
    "{\"type\":\"text\",\"text\":\"" a "\"},{\"type\":\"text\",\"text\":\"" b "\"}]}}"

static const struct form {
    const char *protocol, *path;
    const char *whole, *cut, *redacted, *blocks;
} forms[] = {
#define FORM(protocol, path, OF)                                                                                                \
    {protocol, path, OF("see " KEY, "."), OF(PART_1, PART_2), OF("see " KEY_LABEL, "."),                                        \
     OF("-----BEGIN RSA PRIV", "ATE KEY-----\\nMIIEpAIBAAKCAQEA7bq4pNkJ3xRzJt0mV9dQk2yF8sHcWlXo1uZGvT5eYbP6nA4r\\n-----END "    \
                               "RSA PRIVATE KEY-----")}
    FORM("openai", "/v1/chat/completions", OPENAI),
    FORM("openai", "/v1/responses", RESPONSES),
    FORM("anthropic", "/v1/messages", ANTHROPIC),
    FORM("cohere", "/v2/chat", COHERE),
#undef FORM
};

/* --- streams --- */

#define EVENT(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define BLOCK(index, text)                                                                                                      \
    EVENT("content_block_start", ",\"index\":" index ",\"content_block\":{\"type\":\"text\",\"text\":\"\"}")                   \
    EVENT("content_block_delta", ",\"index\":" index ",\"delta\":{\"type\":\"text_delta\",\"text\":\"" text "\"}")               \
    EVENT("content_block_stop", ",\"index\":" index)
#define BLOCKS(a, b, c)                                                                                                         \
    EVENT("message_start", ",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}")             \
    BLOCK("0", a) BLOCK("1", b) BLOCK("2", c) EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}")               \
    EVENT("message_stop", "")
#define CONTENT(index, text)                                                                                                    \
    EVENT("content-start", ",\"index\":" index ",\"delta\":{\"message\":{\"content\":{\"type\":\"text\",\"text\":\"\"}}}")       \
    EVENT("content-delta", ",\"index\":" index ",\"delta\":{\"message\":{\"content\":{\"text\":\"" text "\"}}}")               \
    EVENT("content-end", ",\"index\":" index)
#define CONTENTS(a, b, c)                                                                                                       \
    EVENT("message-start", ",\"id\":\"c\",\"delta\":{\"message\":{\"role\":\"assistant\",\"content\":[]}}")                    \
    CONTENT("0", a) CONTENT("1", b) CONTENT("2", c) EVENT("message-end", ",\"delta\":{\"finish_reason\":\"COMPLETE\"}")
#define AT(type, n, rest)                                                                                                       \
    EVENT(type, ",\"sequence_number\":" n rest)
#define OUTPUT(type, n, index, member, text)                                                                                    \
    AT(type, n, ",\"item_id\":\"m\",\"output_index\":0,\"content_index\":" index ",\"" member "\":\"" text "\"")
#define ITEM(index, n, m, text)                                                                                                 \
    OUTPUT("response.output_text.delta", n, index, "delta", text) OUTPUT("response.output_text.done", m, index, "text", text)
#define MESSAGE(status, content)                                                                                                \
    "{\"type\":\"message\",\"id\":\"m\",\"status\":\"" status "\",\"role\":\"assistant\",\"content\":[" content "]}"
#define OUTPUT_TEXT(text) "{\"type\":\"output_text\",\"text\":\"" text "\"}"
#define CONTENTS_OF(a, b, c) OUTPUT_TEXT(a) "," OUTPUT_TEXT(b) "," OUTPUT_TEXT(c)
#define ITEMS(a, b, c)                                                                                                          \
    AT("response.created", "0", ",\"response\":{\"id\":\"r\",\"object\":\"response\",\"status\":\"in_progress\",\"output\":[]}")  \
    AT("response.output_item.added", "1", ",\"output_index\":0,\"item\":" MESSAGE("in_progress", ""))                           \
    ITEM("0", "2", "3", a) ITEM("1", "4", "5", b) ITEM("2", "6", "7", c)                                                        \
    AT("response.output_item.done", "8", ",\"output_index\":0,\"item\":" MESSAGE("completed", CONTENTS_OF(a, b, c)))            \
    AT("response.completed", "9", ",\"response\":{\"id\":\"r\",\"object\":\"response\",\"status\":\"completed\",\"output\":["   \
                                  MESSAGE("completed", CONTENTS_OF(a, b, c)) "]}")

static const char *const text_deltas[] = {"delta/text", "delta/message/content/text", "delta", NULL};

static struct answer_request stream_of(const char *protocol, const char *path, const char *upstream)
{
    return (struct answer_request){.protocol = protocol,
                                   .path = path,
                                   .body = "{\"stream\":true}",
                                   .type = "text/event-stream",
                                   .upstream = upstream,
                                   .deltas = text_deltas};
}

static const struct streamed {
    const char *protocol, *path;
    const char *cut, *redacted, *clean;
} streams[] = {
#define STREAMED(protocol, path, OF)                                                                                            \
    {protocol, path, OF("see AKIAQWB5PD", "KHX6", "PYGPAN. Then go"), OF("see AKIAQWB5PD", "KHX6", KEY_LABEL ". Then go"),      \
     OF("Write to ", "the desk", ", or go.")}
    STREAMED("anthropic", "/v1/messages", BLOCKS),
    STREAMED("cohere", "/v2/chat", CONTENTS),
    STREAMED("openai", "/v1/responses", ITEMS),
#undef STREAMED
};

/* Of what came before the joint nothing can be taken back. */
static void what_goes_on_over_a_joint_is_redacted(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(streams); i++) {
        const struct streamed *s = &streams[i];
        assert_any_cutting(stream_of(s->protocol, s->path, s->cut), s->redacted);
        assert_int_equal(last.action, ACTION_REDACT);
        assert_string_equal(last.rule, "aws-access-key-id");
        assert_any_cutting(stream_of(s->protocol, s->path, s->clean), s->clean);
        assert_int_equal(last.action, ACTION_ALLOW);
        assert_int_equal(last.n_findings, 0);
    }
}

/* Each text by itself: a value with a name in the text before, and one that its own text alone shows. */
static void findings_on_one_side_are_of_their_text(void **state)
{
    (void)state;
    assert_any_cutting(stream_of("anthropic", "/v1/messages", BLOCKS("The password is ", "Kx4vbN82tQ", " today")),
                       BLOCKS("The password is ", "Kx4vbN82tQ", " today"));
    assert_any_cutting(stream_of("anthropic", "/v1/messages", BLOCKS("see", KEY " and", " go")),
                       BLOCKS("see", KEY_LABEL " and", " go"));
}

static void a_block_over_a_joint_ends_the_stream(void **state)
{
    (void)state;
    const struct answer_request r = stream_of(
        "anthropic", "/v1/messages",
        BLOCKS("-----BEGIN RSA PRIV", "ATE KEY-----\\nMIIEpAIBAAKCAQEA7bq4pNkJ3xRzJt0mV9dQk2yF8sHcWlXo1uZGvT5eYbP6nA4r\\n-----",
               "END RSA PRIVATE KEY-----"));
    for (size_t cut = 0; cut < 200; cut++) {
        struct answer_request cutting = r;
        cutting.cut = cut;
        assert_lacks(translate(&cutting), "MIIE");
        assert_true(last.is_blocked);
    }
}

/* Assistants: the parts of a message have their end together. */
#define THREAD_DELTA(index, text)                                                                                               \
    "event: thread.message.delta\ndata: {\"id\":\"m\",\"delta\":{\"content\":[{\"index\":" index ",\"type\":\"text\",\"text\":{\"value\":\"" text "\"}}]}}\n\n"
#define THREAD_PART(text) "{\"type\":\"text\",\"text\":{\"value\":\"" text "\",\"annotations\":[]}}"
#define THREAD(a, b, c)                                                                                                         \
    THREAD_DELTA("0", a) THREAD_DELTA("1", b) THREAD_DELTA("2", c)                                                              \
    "event: thread.message.completed\ndata: {\"id\":\"m\",\"content\":[" THREAD_PART(a) "," THREAD_PART(b) "," THREAD_PART(c) "]}\n\n"  \
    "event: done\ndata: [DONE]\n\n"

static void what_goes_on_over_parts_of_an_assistant_is_redacted(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < 100; cut++) {
        struct answer_request r = stream_of("openai", "/v1/threads/runs", THREAD("see AKIAQWB5PD", "KHX6", "PYGPAN. Then go"));
        r.cut = cut;
        assert_lacks(translate(&r), "PYGPAN");
        assert_holds(last.text, KEY_LABEL ". Then go");
        assert_int_equal(last.action, ACTION_REDACT);
        r.upstream = THREAD("Write to ", "the desk", ", or go.");
        assert_holds(translate(&r), "\"value\":\"the desk\"");
        assert_int_equal(last.action, ACTION_ALLOW);
    }
}

/* --- whole answers --- */

static struct answer_request body_of(const struct form *f, const char *body)
{
    return (struct answer_request){
        .protocol = f->protocol, .path = f->path, .body = "{\"stream\":false}", .type = "application/json", .upstream = body};
}

static void a_value_over_two_parts_is_redacted(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        assert_any_cutting(body_of(&forms[i], forms[i].whole), forms[i].redacted);
        assert_any_cutting(body_of(&forms[i], forms[i].cut), forms[i].redacted);
        assert_int_equal(last.action, ACTION_REDACT);
        assert_string_equal(last.rule, "aws-access-key-id");
    }
}

static void a_value_over_two_parts_blocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        const struct answer_request r = body_of(&forms[i], forms[i].blocks);
        assert_lacks(translate(&r), "BEGIN");
        assert_true(last.is_blocked);
    }
}

/* What has its own label in a part does not come back with that of the value that goes on. */
static void a_part_with_a_label_is_left_out(void **state)
{
    const char *out;
    const struct answer_request r = body_of(&forms[2], ANTHROPIC(KEY " and " PART_1, PART_2));

    (void)state;
    out = translate(&r);
    assert_lacks(out, "AKIA");
    assert_lacks(out, "KHX6");
    assert_holds(out, KEY_LABEL);
}

/* Their places are those of the texts as they came, and tokens say once more what was redacted. */
static void what_points_into_the_parts_leaves_with_the_value(void **state)
{
    struct answer_request r = body_of(&forms[3], "{\"id\":\"c\",\"finish_reason\":\"COMPLETE\",\"message\":{\"role\":\"assistant\",\"content\":["
                                                 "{\"type\":\"text\",\"text\":\"" PART_1 "\"},{\"type\":\"text\",\"text\":\"" PART_2 "\"}],"
                                                 "\"citations\":[{\"start\":0,\"end\":3,\"text\":\"see\",\"sources\":[]}]}}");

    (void)state;
    assert_lacks(translate(&r), "citations");
    r = body_of(&forms[0], "{\"id\":\"c\",\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":["
                           "{\"type\":\"text\",\"text\":\"" PART_1 "\"},{\"type\":\"text\",\"text\":\"" PART_2 "\"}]},\"logprobs\":{\"content\":["
                           "{\"token\":\"" PART_1 "\",\"logprob\":-1,\"bytes\":null,\"top_logprobs\":[]},"
                           "{\"token\":\"" PART_2 "\",\"logprob\":-1,\"bytes\":null,\"top_logprobs\":[]}]},\"finish_reason\":\"stop\"}]}");
    assert_lacks(translate(&r), "AKIA");
    assert_lacks(last.text, "KHX6");
    r = body_of(&forms[1], "{\"id\":\"r\",\"object\":\"response\",\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"id\":\"m\","
                           "\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"" PART_1 "\",\"annotations\":["
                           "{\"type\":\"url_citation\",\"start_index\":0,\"end_index\":3,\"url\":\"https://a.org\",\"title\":\"t\"}]},"
                           "{\"type\":\"output_text\",\"text\":\"" PART_2 "\"}]}]}");
    assert_lacks(translate(&r), "end_index");
    assert_holds(last.text, "\"annotations\":[]");
}

static void answers_of_other_messages_are_not_joined(void **state)
{
    (void)state;
    assert_any_cutting(body_of(&forms[0], CHOICES(PART_1, PART_2)), CHOICES(PART_1, PART_2));
    assert_int_equal(last.action, ACTION_ALLOW);
}

static void parts_without_findings_are_unchanged(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        const char *clean = i == 0   ? OPENAI("Write to ", "the desk.")
                            : i == 1 ? RESPONSES("Write to ", "the desk.")
                            : i == 2 ? ANTHROPIC("Write to ", "the desk.")
                                     : COHERE("Write to ", "the desk.");
        assert_any_cutting(body_of(&forms[i], clean), clean);
        assert_int_equal(last.action, ACTION_ALLOW);
        assert_int_equal(last.n_findings, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_over_two_parts_is_redacted),
        cmocka_unit_test(a_value_over_two_parts_blocks),
        cmocka_unit_test(a_part_with_a_label_is_left_out),
        cmocka_unit_test(what_points_into_the_parts_leaves_with_the_value),
        cmocka_unit_test(answers_of_other_messages_are_not_joined),
        cmocka_unit_test(parts_without_findings_are_unchanged),
        cmocka_unit_test(what_goes_on_over_a_joint_is_redacted),
        cmocka_unit_test(what_goes_on_over_parts_of_an_assistant_is_redacted),
        cmocka_unit_test(findings_on_one_side_are_of_their_text),
        cmocka_unit_test(a_block_over_a_joint_ends_the_stream),
    };

    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
