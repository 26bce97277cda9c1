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

static void answers_of_other_messages_are_not_joined(void **state)
{
    (void)state;
    assert_any_cutting(body_of(&forms[0], CHOICES(PART_1, PART_2)), CHOICES(PART_1, PART_2));
    assert_int_equal(last.action, ACTION_ALLOW);
}

static void clean_parts_stay(void **state)
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
        cmocka_unit_test(answers_of_other_messages_are_not_joined),
        cmocka_unit_test(clean_parts_stay),
    };

    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
