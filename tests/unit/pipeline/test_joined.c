/* test_joined.c - values over two parts of one message, in documents. */
#include "testing.h"

#include "base/json.h"
#include "pipeline/document.h"
#include "pipeline/pipeline.h"
#include "support/shipped.h"

#define PARTS(name, a, b, c)                                                                                                    \
    "[{\"role\":\"assistant\",\"" name "\":[{\"type\":\"text\",\"text\":\"" a "\"},{\"type\":\"image\",\"url\":\"x\"},"         \
    "{\"type\":\"text\",\"text\":\"" b "\"},{\"type\":\"text\",\"text\":\"" c "\"}]}]"
#define MESSAGES(a, b)                                                                                                          \
    "[{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"" a "\"}]},"                                           \
    "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"" b "\"}]}]"

static struct exchange x;

static void assert_judged(const char *json, bool is_request, enum action action, const char *expected)
{
    struct document d;
    struct error err;
    struct buf out;

    buf_init(&out, 4096);
    if (!json_validate(span_str(json), &err) || !document_read(worker_begin(shipped_worker), span_str(json), span_str(""), &d, &err)) {
        fail_msg("%s", err.text);
    }
    x = (struct exchange){.snapshot = shipped,
                          .policy = snapshot_policy(shipped, (struct span){0}, (struct span){0}),
                          .channels = d.channels,
                          .n_channels = d.n,
                          .is_request = is_request};
    pipeline_judge(shipped_worker, &x);
    assert_int_equal(x.action, action);
    if (expected != NULL) {
        assert_true(document_write(&d, &out, &err));
        assert_true(span_is(buf_span(&out), expected));
    }
    buf_deinit(&out);
}

static void a_value_over_parts_is_redacted_in_each(void **state)
{
    (void)state;
    assert_judged(PARTS("content", "to DE3837", "0400440532", "013627."), false, ACTION_REDACT,
                  PARTS("content", "to [iban]", "[iban]", "[iban]."));
    for (size_t i = 0; i < x.n_findings; i++) {
        assert_true(x.findings[i].to <= x.channels[x.findings[i].channel].text.len);
    }
    assert_judged(PARTS("parts", "to DE3837", "0400440532", "013627."), false, ACTION_REDACT,
                  PARTS("parts", "to [iban]", "[iban]", "[iban]."));
    assert_judged(PARTS("content", "-----BEGIN RSA PRIV",
                        "ATE KEY-----\\nMIIEpAIBAAKCAQEA7bq4pNkJ3xRzJt0mV9dQk2yF8sHcWlXo1uZGvT5eYbP6nA4r\\n-----END", " RSA PRIVATE KEY-----"),
                  false, ACTION_BLOCK, NULL);
}

static void what_lies_in_one_part_is_found_once(void **state)
{
    (void)state;
    assert_judged(PARTS("content", "to DE38370400440532013627", " now", "."), false, ACTION_REDACT,
                  PARTS("content", "to [iban]", " now", "."));
    assert_int_equal(x.n_findings, 1);
}

static void clean_parts_stay(void **state)
{
    (void)state;
    assert_judged(PARTS("content", "Write to ", "the desk", "."), false, ACTION_ALLOW, PARTS("content", "Write to ", "the desk", "."));
    assert_int_equal(x.n_findings, 0);
}

static void other_messages_and_members_are_not_joined(void **state)
{
    (void)state;
    assert_judged(MESSAGES("to DE3837040044", "0532013627."), false, ACTION_ALLOW, MESSAGES("to DE3837040044", "0532013627."));
    assert_judged(PARTS("rows", "to DE3837", "0400440532", "013627."), false, ACTION_ALLOW,
                  PARTS("rows", "to DE3837", "0400440532", "013627."));
}

static void parts_of_a_request_are_joined_where_that_is_new(void **state)
{
    static char filler[3][6001], json[20000];
    (void)state;

    assert_judged(PARTS("content", "to DE3837", "0400440532", "013627."), true, ACTION_REDACT,
                  PARTS("content", "to [iban]", "[iban]", "[iban]."));
    for (size_t i = 0; i < COUNT(filler); i++) { /* longer than what is near a joint */
        for (size_t k = 0; k + 1 < sizeof(filler[i]); k++) {
            filler[i][k] = "a word, "[k % 8];
        }
    }
    (void)snprintf(json, sizeof(json), PARTS("content", "%s to DE3837", "0400440532013627. %s AKIAQWB5", "PDKHX6PYGPAN. %s"), filler[0], filler[1], filler[2]);
    assert_judged(json, true, ACTION_REDACT, NULL);
    assert_true(x.n_findings >= 4); /* two of each value */
    for (size_t i = 0; i < x.n_findings; i++) {
        const struct finding *f = &x.findings[i];
        assert_true(x.channels[f->channel].is_cut && f->to <= x.channels[f->channel].text.len && f->to - f->from < 30);
    }
}

#define OBJECTS(a, b, c) "[{\"c\":\"" a "\",\"n\":1},{\"d\":\"x\",\"c\":\"" b "\"},{\"c\":\"" c "\"}]"
#define CODE(n) "{\"c\":\"" #n "\"}"

/* [{"c":"AKIA…"},{"c":"…"}]: also letter by letter, and codes. */
static void a_token_over_the_objects_of_an_array_is_redacted_in_each(void **state)
{
    (void)state;
    assert_judged(OBJECTS("AKIAQWB5", "PDKHX6", "PYGPAN"), false, ACTION_REDACT,
                  OBJECTS("[aws-access-key-id]", "[aws-access-key-id]", "[aws-access-key-id]"));
    for (size_t i = 0; i < x.n_findings; i++) {
        assert_true(x.findings[i].to <= x.channels[x.findings[i].channel].text.len);
    }
    assert_judged("{\"a\":" OBJECTS("a \\\"b", "AKIAQWB5PD", "KHX6PYGPAN") "}", false, ACTION_REDACT,
                  "{\"a\":" OBJECTS("a \\\"b", "[aws-access-key-id]", "[aws-access-key-id]") "}");
    assert_judged("[" CODE(65) "," CODE(75) "," CODE(73) "," CODE(65) "," CODE(81) "," CODE(87) "," CODE(66) "," CODE(53) "," CODE(80) "," CODE(68)
                  "," CODE(75) "," CODE(72) "," CODE(88) "," CODE(54) "," CODE(80) "," CODE(89) "," CODE(71) "," CODE(80) "," CODE(65) "," CODE(78) "]",
                  false, ACTION_REDACT, NULL);
}

static void columns_are_apart_and_tokens_alone_count_in_them(void **state)
{
    static const char *const clean[] = {
        OBJECTS("4111", "11111111", "1111"),
        "[{\"c\":\"AKIAQWB5PD\",\"d\":\"KHX6PYGPAN\"},{\"c\":\"x\",\"d\":\"y\"}]",
        "{\"a\":{\"c\":\"AKIAQWB5PD\"},\"b\":{\"c\":\"KHX6PYGPAN\"}}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(clean); i++) {
        assert_judged(clean[i], false, ACTION_ALLOW, clean[i]);
    }
    assert_judged(OBJECTS("AKIAQWB5", "PDKHX6", "PYGPAN"), true, ACTION_ALLOW, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_over_parts_is_redacted_in_each),
        cmocka_unit_test(what_lies_in_one_part_is_found_once),
        cmocka_unit_test(clean_parts_stay),
        cmocka_unit_test(other_messages_and_members_are_not_joined),
        cmocka_unit_test(parts_of_a_request_are_joined_where_that_is_new),
        cmocka_unit_test(a_token_over_the_objects_of_an_array_is_redacted_in_each),
        cmocka_unit_test(columns_are_apart_and_tokens_alone_count_in_them),
    };

    return cmocka_run_group_tests(tests, shipped_worker_open, shipped_worker_close);
}
