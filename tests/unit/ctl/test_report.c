#include "testing.h"

#include <jansson.h>

#include "ctl/report.h"

/* A document of two strings, a member name among them that holds a secret. */
struct sample {
    struct rule rule;
    struct policy policy;
    struct channel channels[2];
    struct finding findings[2];
    struct judging judging;
    struct report_item item;
};

static void sample_init(struct sample *s)
{
    *s = (struct sample){0};
    s->rule = (struct rule){
        .id = span_str("some-rule"), .title = span_str("Some \"rule\""), .severity = SEVERITY_HIGH};
    s->channels[0] = (struct channel){.path = span_str("/secretsecret~1x"),
                                      .text = span_str("secretsecret/x"),
                                      .is_member_name = true};
    s->channels[1] =
        (struct channel){.path = span_str("/secretsecret~1x"), .text = span_str("topsecretvalue")};
    for (uint32_t i = 0; i < 2; i++) {
        s->findings[i] = (struct finding){.rule = &s->rule,
                                          .channel = i,
                                          .to = 14,
                                          .transform = "raw",
                                          .confidence = 0.9,
                                          .action = ACTION_REDACT};
    }
    s->judging.exchange = (struct exchange){
        .channels = s->channels, .n_channels = 2, .findings = s->findings, .n_findings = 2};
    s->item = (struct report_item){.file = "a b.json",
                                   .line = 1,
                                   .column = 2,
                                   .end_line = 1,
                                   .end_column = 16,
                                   .judging = &s->judging,
                                   .finding = &s->findings[1]};
}

static struct buf format(const struct report_format *f, const struct sample *s)
{
    struct buf out;
    struct error err;

    buf_init(&out, 65536);
    assert_true(f->finding(&out, &s->item, &err));
    return out;
}

static void text_masks_match_and_path(void **state)
{
    struct sample s;

    (void)state;
    sample_init(&s);
    struct buf out = format(&report_text, &s);
    assert_true(
        span_is(buf_span(&out), "a b.json:1:2  redact  some-rule  0.90  tops…ue  at /secr…/x\n") ||
        span_is(buf_span(&out), "a b.json:1:2  redact  some-rule  0.90  tops…ue  at /secr…1x\n"));
    buf_deinit(&out);
}

static void no_format_shows_a_secret(void **state)
{
    static const struct report_format *const formats[] = {&report_text, &report_json,
                                                          &report_ndjson, &report_sarif};
    struct sample s;

    (void)state;
    sample_init(&s);
    for (size_t i = 0; i < COUNT(formats); i++) {
        struct buf out = format(formats[i], &s);
        assert_null(memmem(out.data, out.len, "secretsecret", 12));
        assert_null(memmem(out.data, out.len, "secretvalue", 11));
        buf_deinit(&out);
    }
}

static void json_and_sarif_findings_are_valid(void **state)
{
    struct sample s;

    (void)state;
    sample_init(&s);
    struct buf out = format(&report_json, &s);
    json_t *finding = json_loadb(out.data, out.len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(finding);
    assert_string_equal(json_string_value(json_object_get(finding, "file")), "a b.json");
    json_decref(finding);
    buf_deinit(&out);

    out = format(&report_sarif, &s);
    finding = json_loadb(out.data, out.len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(finding);
    const json_t *location = json_array_get(json_object_get(finding, "locations"), 0);
    const json_t *file =
        json_object_get(json_object_get(location, "physicalLocation"), "artifactLocation");
    assert_string_equal(json_string_value(json_object_get(file, "uri")), "a%20b.json");
    json_decref(finding);
    buf_deinit(&out);
}

static void a_report_with_nothing_in_it_is_valid(void **state)
{
    static const struct report_format *const formats[] = {&report_json, &report_sarif};
    struct report_problem problem = {.kind = PROBLEM_UNJUDGED, .line = 3, .reason = "a \"reason\""};
    struct report_totals totals = {.problems = &problem, .n_problems = 1, .unjudged = 1};
    struct rule_set rules = {0};
    struct snapshot snapshot = {.rules = &rules};
    struct policy policy = {.name = span_str("p"), .digest = span_str("sha256:0")};
    struct session session = {.snapshot = &snapshot, .policy = &policy};
    char file[] = "x";

    (void)state;
    problem.file = file;
    for (size_t i = 0; i < COUNT(formats); i++) {
        struct buf out;
        struct error err;
        buf_init(&out, 65536);
        assert_true(formats[i]->head(&out, &session, &err) &&
                    formats[i]->tail(&out, &session, &totals, &err));
        json_t *report = json_loadb(out.data, out.len, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(report);
        json_decref(report);
        buf_deinit(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_masks_match_and_path),
        cmocka_unit_test(no_format_shows_a_secret),
        cmocka_unit_test(json_and_sarif_findings_are_valid),
        cmocka_unit_test(a_report_with_nothing_in_it_is_valid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
