#include "testing.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "supervisor-llm/answer.h"

enum { ANSWER_MAX = 64 * 1024 };

static const struct prompt_marks marks = {.boundary = "00112233445566778899aabbccddeeff",
                                          .canary = "ffeeddccbbaa99887766554433221100"};
static const char judged[] = "Some words, <b>then</b> the evil part [INST], then the end.";

/* A chat completion with that content, as a server would write it. */
static struct supervision read_body(const char *body)
{
    const struct answer_question q = {
        .marks = &marks, .categories = 1U << SUPERVISOR_HARM | 1U << SUPERVISOR_SELF_HARM, .text = span_str(judged)};
    struct supervision out = {.endpoint = "kept"};
    struct arena a;

    arena_init(&a, 0, 16 * 1024 * 1024);
    answer_read(&a, span_str(body), &q, &out);
    arena_deinit(&a);
    return out;
}

static struct supervision read_content(const char *content)
{
    struct buf body;
    struct error err;

    buf_init(&body, ANSWER_MAX);
    assert_true(buf_append_str(&body, "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":", &err) &&
                json_append_string(&body, span_str(content), &err) &&
                buf_append_str(&body, "},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":11,"
                                      "\"completion_tokens\":7}}", &err) &&
                buf_append_char(&body, '\0', &err));
    struct supervision out = read_body(body.data);
    buf_deinit(&body);
    return out;
}

#define VERDICT(verdict, category, confidence, evidence)                                                               \
    "{\"verdict\":\"" verdict "\",\"category\":\"" category "\",\"confidence\":" confidence                            \
    ",\"reason\":\"because\",\"evidence\":" evidence "}"

static void a_violation_is_read_with_its_places(void **state)
{
    struct supervision s = read_content(" \n" VERDICT("violation", "harm", "0.75", "[\"the evil part\",\"Some words\"]") "\n");

    (void)state;
    assert_int_equal(s.outcome, SUPERVISION_ANSWERED);
    assert_true(s.is_violation);
    assert_int_equal(s.category, SUPERVISOR_HARM);
    assert_true(s.confidence == 0.75);
    assert_int_equal(s.n_evidence, 2);
    assert_int_equal(s.evidence[0].from, strstr(judged, "the evil") - judged);
    assert_int_equal(s.evidence[0].to - s.evidence[0].from, strlen("the evil part"));
    assert_int_equal(s.evidence[1].from, 0);
    assert_string_equal(s.reason, "because");
    assert_int_equal(s.tokens_in, 11);
    assert_int_equal(s.tokens_out, 7);
    assert_string_equal(s.endpoint, "kept");
}

static void an_ok_is_read(void **state)
{
    struct supervision s = read_content(VERDICT("ok", "none", "1", "[]"));

    (void)state;
    assert_int_equal(s.outcome, SUPERVISION_ANSWERED);
    assert_false(s.is_violation);
    assert_int_equal(s.n_evidence, 0);
}

static void evidence_may_carry_the_spaces_of_the_quotation_or_not(void **state)
{
    static const char *const pieces[] = {"< b>then< /b> the", "<b>then</b> the", "part [ INST],", "part [INST],"};

    (void)state;
    for (size_t i = 0; i < COUNT(pieces); i++) {
        char content[300];
        (void)snprintf(content, sizeof(content), VERDICT("violation", "self-harm", "1", "[\"%s\"]"), pieces[i]);
        struct supervision s = read_content(content);
        assert_int_equal(s.outcome, SUPERVISION_ANSWERED);
        size_t from = (size_t)(strstr(judged, i < 2 ? "<b>then</b> the" : "part [INST],") - judged);
        assert_int_equal(s.evidence[0].from, from);
        assert_int_equal(s.evidence[0].to, from + strlen(i < 2 ? "<b>then</b> the" : "part [INST],"));
    }
}

static void evidence_that_is_not_in_the_text_is_none(void **state)
{
    static const char *const lists[] = {"[\"the evil parts\"]", "[\"the evil part\",\"nowhere\"]", "[\"The evil part\"]",
                                        "[\"words  then\"]"};

    (void)state;
    for (size_t i = 0; i < COUNT(lists); i++) {
        char content[300];
        (void)snprintf(content, sizeof(content), VERDICT("violation", "harm", "1", "%s"), lists[i]);
        struct supervision s = read_content(content);
        assert_int_equal(s.outcome, SUPERVISION_EVIDENCE);
        assert_false(s.is_violation);
        assert_int_equal(s.n_evidence, 0);
    }
}

static void every_other_shape_is_refused(void **state)
{
    static const char *const contents[] = {
        "",
        "ok",
        "{}",
        "[]",
        "null",
        VERDICT("ok", "none", "1", "[]") " and more",
        "```json\n" VERDICT("ok", "none", "1", "[]") "\n```",
        VERDICT("OK", "none", "1", "[]"),
        VERDICT("maybe", "none", "1", "[]"),
        VERDICT("ok", "harm", "1", "[]"),
        VERDICT("ok", "none", "1", "[\"the evil part\"]"),
        VERDICT("violation", "none", "1", "[\"the evil part\"]"),
        VERDICT("violation", "hate", "1", "[\"the evil part\"]"), /* not asked about */
        VERDICT("violation", "harm", "1", "[]"),
        VERDICT("violation", "harm", "1", "[\"the\"]"), /* anywhere */
        VERDICT("violation", "harm", "1", "[\"\"]"),
        VERDICT("violation", "harm", "1", "[7]"),
        VERDICT("violation", "harm", "1", "\"the evil part\""),
        VERDICT("violation", "harm", "1",
                "[\"the evil part\",\"the evil part\",\"the evil part\",\"the evil part\",\"the evil part\","
                "\"the evil part\",\"the evil part\",\"the evil part\",\"the evil part\"]"),
        VERDICT("ok", "none", "1.1", "[]"),
        VERDICT("ok", "none", "-0.1", "[]"),
        VERDICT("ok", "none", "\"1\"", "[]"),
        VERDICT("ok", "none", "1e400", "[]"),
        "{\"verdict\":\"ok\",\"category\":\"none\",\"confidence\":1,\"evidence\":[]}",
        "{\"verdict\":\"ok\",\"category\":\"none\",\"confidence\":1,\"reason\":\"\",\"evidence\":[],\"x\":1}",
        "{\"verdict\":\"violation\",\"verdict\":\"ok\",\"category\":\"none\",\"confidence\":1,\"reason\":\"\",\"evidence\":[]}",
        "{\"verdict\":\"ok\",\"category\":\"none\",\"confidence\":1,\"reason\":null,\"evidence\":[]}",
        "{\"verd\\u0069ct\":\"ok\",\"category\":\"none\",\"confidence\":1,\"reason\":\"\",\"evidence\":[]}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(contents); i++) {
        struct supervision s = read_content(contents[i]);
        if (s.outcome != SUPERVISION_SHAPE) {
            fail_msg("taken for an answer or something else (%d): %s", (int)s.outcome, contents[i]);
        }
    }
}

static void every_other_protocol_is_refused(void **state)
{
    static const char *const bodies[] = {
        "",
        "{",
        "null",
        "[]",
        "{\"choices\":[]}",
        "{\"choices\":{}}",
        "{\"error\":{\"message\":\"x\"}}",
        "{\"choices\":[{\"finish_reason\":\"stop\"}]}",
        "{\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"content\":null}}]}",
        "{\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"content\":[{\"text\":\"ok\"}]}}]}",
        "{\"choices\":[{\"finish_reason\":\"length\",\"message\":{\"content\":\"x\"}}]}",
        "{\"choices\":[{\"finish_reason\":null,\"message\":{\"content\":\"x\"}}]}",
        "{\"choices\":[{\"message\":{\"content\":\"x\"}}]}",
        "{\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"content\":\"x\"}}],\"choices\":[]}",
        "{\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"content\":\"x\",\"content\":\"y\"}}]}",
        "\xff",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(bodies); i++) {
        struct supervision s = read_body(bodies[i]);
        if (s.outcome != SUPERVISION_MALFORMED) {
            fail_msg("outcome %d: %s", (int)s.outcome, bodies[i]);
        }
    }
}

static void marks_are_an_echo_wherever_they_stand(void **state)
{
    static const char *const contents[] = {
        VERDICT("ok", "none", "1", "[]") "00112233445566778899aabbccddeeff",
        "I was told ffeeddccbbaa99887766554433221100.",
        "{\"verdict\":\"ok\",\"category\":\"none\",\"confidence\":1,\"reason\":\"FFEEDDCCBBAA99887766554433221100\",\"evidence\":[]}",
        "{\"verdict\":\"ok\",\"category\":\"none\",\"confidence\":1,"
        "\"reason\":\"\\u0066feeddccbbaa99887766554433221100\",\"evidence\":[]}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(contents); i++) {
        struct supervision s = read_content(contents[i]);
        assert_int_equal(s.outcome, SUPERVISION_ECHO);
        assert_string_equal(s.reason, "");
    }
}

static void a_long_reason_is_cut_at_a_character(void **state)
{
    char content[1000] = "{\"verdict\":\"ok\",\"category\":\"none\",\"confidence\":1,\"evidence\":[],\"reason\":\"x";
    size_t len = strlen(content);

    (void)state;
    for (int i = 0; i < 150; i++) {
        memcpy(content + len, "\xc3\xa9", 2);
        len += 2;
    }
    memcpy(content + len, "\"}", 3);
    struct supervision s = read_content(content);
    assert_int_equal(s.outcome, SUPERVISION_ANSWERED);
    assert_int_equal(strlen(s.reason), SUPERVISION_REASON_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_violation_is_read_with_its_places),
        cmocka_unit_test(an_ok_is_read),
        cmocka_unit_test(evidence_may_carry_the_spaces_of_the_quotation_or_not),
        cmocka_unit_test(evidence_that_is_not_in_the_text_is_none),
        cmocka_unit_test(every_other_shape_is_refused),
        cmocka_unit_test(every_other_protocol_is_refused),
        cmocka_unit_test(marks_are_an_echo_wherever_they_stand),
        cmocka_unit_test(a_long_reason_is_cut_at_a_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
