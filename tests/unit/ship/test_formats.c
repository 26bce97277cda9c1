/* What sinks get of a line: nothing invented, nothing that the line does not have, every escape right. */
#include "testing.h"

#include <jansson.h>
#include <stdlib.h>

#include "ship/format.h"
#include "ship/send.h"

static const char head[] = "{\"seq\":7,\"node\":\"web-1\",\"boot_id\":\"b\",\"v\":1,";
static const char finding[] = "{\"source\":\"rule\",\"rule\":\"%s\",\"category\":\"%s\",\"severity\":\"%s\",\"channel\":0,\"path\":\"\","
                              "\"start\":1,\"end\":5,\"len\":4,\"view\":\"raw\",\"score\":0.9500,\"action\":\"%s\","
                              "\"value_tok\":\"k1:aa\"}";

static char *decision(char line[4096], const char *action, const char *rule, const char *findings)
{
    (void)snprintf(line, 4096,
                   "%s\"type\":\"decision\",\"ts\":\"2026-11-23T07:00:00.123456789Z\",\"req_id\":\"01a1\",\"tenant\":\"acme\","
                   "\"app\":\"chat\",\"agent\":\"a=|\\\\\\n1\",\"policy\":{\"name\":\"default\",\"digest\":\"sha256:ab\"},"
                   "\"engine\":\"0.1.0\",\"action\":\"%s\",\"rule\":\"%s\",\"in_bytes\":9007199254740993,\"judged_bytes\":4,"
                   "\"out_bytes\":4,\"channels\":[{\"channel\":0}],\"findings\":[%s],\"elapsed_us\":3}",
                   head, action, rule, findings);
    return line;
}

static const char *format(struct ship_batch *b, unsigned kind, const char *const *lines, size_t n)
{
    const struct ship_format *f = ship_format(kind);
    struct error err = {.text = ""};

    bool is_made = ship_batch_begin(b, f, &err);
    for (size_t i = 0; i < n && is_made; i++) {
        is_made = ship_batch_add(b, f, span_str(lines[i]), &err);
    }
    if (!is_made || !ship_batch_end(b, f, &err) || !buf_append_char(&b->body, '\0', &err)) {
        fail_msg("%s", err.text);
    }
    return b->body.data;
}

static json_t *parse(const char *text)
{
    json_error_t why;
    json_t *root = json_loads(text, JSON_DISABLE_EOF_CHECK, &why);

    if (root == NULL) {
        fail_msg("%s in %s", why.text, text);
    }
    return root;
}

/* --- OTLP ----------------------------------------------------------------------- */

static json_t *records_of(json_t *root, size_t resource)
{
    json_t *scope = json_object_get(json_array_get(json_object_get(root, "resourceLogs"), resource), "scopeLogs");

    return json_object_get(json_array_get(scope, 0), "logRecords");
}

/* The value of an attribute; NULL: it is not there. */
static json_t *attribute(json_t *record, const char *key)
{
    json_t *list = json_object_get(record, "attributes");

    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *one = json_array_get(list, i);
        if (strcmp(json_string_value(json_object_get(one, "key")), key) == 0) {
            return json_object_get(one, "value");
        }
    }
    return NULL;
}

static const char *text_of(json_t *value, const char *kind)
{
    const char *text = json_string_value(json_object_get(value, kind));

    return text == NULL ? "" : text;
}

static void otlp_has_the_line_and_its_members(void **state)
{
    struct ship_batch b;
    char line[4096], one[512];

    (void)state;
    (void)snprintf(one, sizeof(one), finding, "iban", "pii", "high", "redact");
    const char *lines[] = {decision(line, "redact", "iban", one)};
    ship_batch_init(&b);
    json_t *root = parse(format(&b, SHIP_OTLP, lines, 1)), *record = json_array_get(records_of(root, 0), 0);
    assert_string_equal(json_string_value(json_object_get(record, "timeUnixNano")), "1795417200123456789");
    assert_string_equal(json_string_value(json_object_get(record, "eventName")), "filterd.decision");
    assert_int_equal(json_integer_value(json_object_get(record, "severityNumber")), 13);
    assert_string_equal(text_of(json_object_get(record, "body"), "stringValue"), line);
    assert_string_equal(text_of(attribute(record, "filterd.in_bytes"), "intValue"), "9007199254740993");
    assert_string_equal(text_of(attribute(record, "filterd.policy.name"), "stringValue"), "default");
    assert_string_equal(text_of(attribute(record, "filterd.agent"), "stringValue"), "a=|\\\n1");
    assert_string_equal(text_of(attribute(record, "filterd.findings"), "intValue"), "1");
    json_t *rules = json_object_get(json_object_get(attribute(record, "filterd.rules"), "arrayValue"), "values");
    assert_string_equal(text_of(json_array_get(rules, 0), "stringValue"), "iban");
    assert_int_equal(strlen(text_of(attribute(record, "filterd.leaf"), "stringValue")), 64);
    json_decref(root);
    ship_batch_deinit(&b);
}

static void otlp_writes_ids_of_traces_in_hexadecimal_or_not_at_all(void **state)
{
    static const char *const lines[] = {
        "{\"seq\":1,\"type\":\"decision\",\"trace_id\":\"5b8efff798038103d269b633813fc60c\",\"span_id\":\"eee19b7ec3c1b174\"}",
        "{\"seq\":2,\"type\":\"decision\",\"trace_id\":\"not hexadecimal, thirty-two byte\",\"span_id\":\"eee1\"}",
    };
    struct ship_batch b;

    (void)state;
    ship_batch_init(&b);
    json_t *root = parse(format(&b, SHIP_OTLP, lines, 2)), *records = records_of(root, 0);
    assert_string_equal(json_string_value(json_object_get(json_array_get(records, 0), "traceId")),
                        "5b8efff798038103d269b633813fc60c");
    assert_string_equal(json_string_value(json_object_get(json_array_get(records, 0), "spanId")), "eee19b7ec3c1b174");
    assert_null(json_object_get(json_array_get(records, 1), "traceId"));
    assert_null(json_object_get(json_array_get(records, 1), "spanId"));
    json_decref(root);
    ship_batch_deinit(&b);
}

/* --- OTLP traces ---------------------------------------------------------------------- */

#define TRACE "\"trace_id\":\"5b8efff798038103d269b633813fc60c\",\"span_id\":\"eee19b7ec3c1b174\",\"parent_span_id\":\"eee19b7ec3c1b173\""
#define SPAN "\"span\":{\"start\":\"2026-11-23T07:00:00.000000001Z\",\"us\":90,\"parts\":[{\"name\":\"receive\",\"at_us\":0,\"us\":40}," \
             "{\"name\":\"upstream\",\"at_us\":40,\"us\":50}]}"

static json_t *spans_of(json_t *root, size_t resource)
{
    json_t *scope = json_object_get(json_array_get(json_object_get(root, "resourceSpans"), resource), "scopeSpans");

    return json_object_get(json_array_get(scope, 0), "spans");
}

static const char *member_of(json_t *spans, size_t i, const char *name)
{
    const char *text = json_string_value(json_object_get(json_array_get(spans, i), name));

    return text == NULL ? "" : text;
}

static void a_trace_has_a_span_of_the_line_and_of_each_part(void **state)
{
    static const char *const lines[] = {"{\"seq\":1,\"node\":\"a\",\"type\":\"decision\",\"req_id\":\"01a1\"," TRACE
                                        ",\"policy\":{\"name\":\"strict\"},\"action\":\"block\",\"rule\":\"iban\",\"protocol\":\"openai\","
                                        "\"upstream\":\"ai\",\"agent\":\"x\"," SPAN "}"};
    struct ship_batch b;

    (void)state;
    ship_batch_init(&b);
    json_t *root = parse(format(&b, SHIP_TRACES, lines, 1)), *spans = spans_of(root, 0), *own = json_array_get(spans, 0);
    assert_int_equal(b.n_records, 3);
    assert_int_equal(json_array_size(spans), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(member_of(spans, i, "traceId"), "5b8efff798038103d269b633813fc60c");
        assert_int_equal(strlen(member_of(spans, i, "spanId")), 16);
        assert_string_equal(member_of(spans, i, "parentSpanId"), i == 0 ? "eee19b7ec3c1b173" : "eee19b7ec3c1b174");
    }
    assert_string_equal(member_of(spans, 0, "spanId"), "eee19b7ec3c1b174");
    assert_string_not_equal(member_of(spans, 1, "spanId"), member_of(spans, 2, "spanId"));
    assert_string_equal(member_of(spans, 0, "name"), "filterd.exchange");
    assert_string_equal(member_of(spans, 2, "name"), "filterd.upstream");
    assert_string_equal(member_of(spans, 0, "startTimeUnixNano"), "1795417200000000001");
    assert_string_equal(member_of(spans, 0, "endTimeUnixNano"), "1795417200000090001");
    assert_string_equal(member_of(spans, 2, "startTimeUnixNano"), "1795417200000040001");
    assert_string_equal(text_of(attribute(own, "filterd.action"), "stringValue"), "block");
    assert_string_equal(text_of(attribute(own, "filterd.rule"), "stringValue"), "iban");
    assert_string_equal(text_of(attribute(own, "filterd.policy"), "stringValue"), "strict");
    assert_string_equal(text_of(attribute(own, "filterd.protocol"), "stringValue"), "openai");
    assert_string_equal(text_of(attribute(own, "filterd.upstream"), "stringValue"), "ai");
    assert_null(attribute(own, "filterd.agent"));
    assert_null(json_object_get(own, "status"));
    json_decref(root);
    ship_batch_deinit(&b);
}

static void a_line_sent_again_has_the_same_spans(void **state)
{
    static const char *const lines[] = {"{\"seq\":1,\"type\":\"decision\"," TRACE "," SPAN "}",
                                        "{\"seq\":1,\"type\":\"decision\"," TRACE "," SPAN "}"};
    struct ship_batch b;

    (void)state;
    ship_batch_init(&b);
    json_t *root = parse(format(&b, SHIP_TRACES, lines, 2)), *spans = spans_of(root, 0);
    assert_int_equal(json_array_size(spans), 6);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(member_of(spans, i, "spanId"), member_of(spans, i + 3, "spanId"));
    }
    json_decref(root);
    ship_batch_deinit(&b);
}

static void the_span_of_a_request_is_a_child_of_its_answers(void **state)
{
    static const char *const lines[] = {
        "{\"seq\":1,\"type\":\"decision\"," TRACE ",\"direction\":\"request\",\"answer_id\":\"01a2\",\"rule\":\"filterd.unjudged\"," SPAN "}",
    };
    struct ship_batch b;

    (void)state;
    ship_batch_init(&b);
    json_t *root = parse(format(&b, SHIP_TRACES, lines, 1)), *spans = spans_of(root, 0);
    assert_string_equal(member_of(spans, 0, "name"), "filterd.request");
    assert_string_equal(member_of(spans, 0, "parentSpanId"), "eee19b7ec3c1b174");
    assert_string_equal(member_of(spans, 1, "parentSpanId"), member_of(spans, 0, "spanId"));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(json_array_get(spans, 0), "status"), "code")), 2);
    json_decref(root);
    ship_batch_deinit(&b);
}

static void lines_without_a_span_are_skipped(void **state)
{
    static const char *const lines[] = {
        "{\"seq\":1,\"type\":\"rotation\"}",
        "not json",
        "{\"seq\":2,\"type\":\"decision\"," TRACE "}",
        "{\"seq\":3,\"type\":\"decision\",\"trace_id\":\"x\",\"span_id\":\"eee19b7ec3c1b174\"," SPAN "}",
        "{\"seq\":4,\"type\":\"decision\"," TRACE ",\"span\":{\"start\":\"soon\",\"us\":1,\"parts\":[]}}",
        "{\"seq\":5,\"type\":\"decision\"," TRACE ",\"span\":7}",
    };
    struct ship_batch b;

    (void)state;
    ship_batch_init(&b);
    assert_string_equal(format(&b, SHIP_TRACES, lines, COUNT(lines)), "{\"resourceSpans\":[]}");
    assert_int_equal(b.n_skipped, COUNT(lines));
    ship_batch_deinit(&b);
}

static void otlp_groups_by_node_and_takes_every_line(void **state)
{
    static const char *const lines[] = {
        "{\"seq\":1,\"node\":\"a\",\"type\":\"rotation\"}", "{\"seq\":2,\"node\":\"a\",\"type\":\"loss\",\"lines_lost\":3}",
        "{\"seq\":3,\"node\":\"b\",\"type\":\"agent\",\"event\":\"killed\",\"kill\":{\"verified\":true,\"steps\":[\"freeze\"]}}",
        "no JSON at all \xff",
    };
    struct ship_batch b;

    (void)state;
    ship_batch_init(&b);
    json_t *root = parse(format(&b, SHIP_OTLP, lines, 4));
    assert_int_equal(json_array_size(json_object_get(root, "resourceLogs")), 3);
    assert_int_equal(json_array_size(records_of(root, 0)), 2);
    json_t *killed = json_array_get(records_of(root, 1), 0);
    assert_true(json_is_true(json_object_get(attribute(killed, "filterd.kill.verified"), "boolValue")));
    assert_int_equal(json_integer_value(json_object_get(killed, "severityNumber")), 17);
    assert_string_equal(json_string_value(json_object_get(json_array_get(records_of(root, 2), 0), "eventName")),
                        "filterd.unreadable");
    assert_int_equal(b.n_records, 4);
    json_decref(root);
    ship_batch_deinit(&b);
}

/* --- OCSF ------------------------------------------------------------------------ */

static void ocsf_has_an_event_for_each_rule(void **state)
{
    struct ship_batch b;
    char line[4096], first[512], second[512], all[2048];

    (void)state;
    (void)snprintf(first, sizeof(first), finding, "iban", "pii", "critical", "redact");
    (void)snprintf(second, sizeof(second), finding, "jailbreak", "injection", "low", "block");
    (void)snprintf(all, sizeof(all), "%s,%s,%s", second, first, first);
    const char *lines[] = {decision(line, "block", "jailbreak", all)};
    ship_batch_init(&b);
    const char *text = format(&b, SHIP_OCSF, lines, 1);
    json_t *detection = parse(text), *data = parse(strchr(text, '\n') + 1);
    assert_int_equal(b.n_records, 2);
    assert_int_equal(json_integer_value(json_object_get(detection, "type_uid")), 200401);
    assert_int_equal(json_integer_value(json_object_get(detection, "disposition_id")), 2);
    assert_true(json_is_true(json_object_get(detection, "is_alert")));
    assert_null(json_object_get(detection, "data_security"));
    assert_int_equal(json_integer_value(json_object_get(data, "type_uid")), 200601);
    assert_int_equal(json_integer_value(json_object_get(data, "disposition_id")), 11);
    assert_int_equal(json_integer_value(json_object_get(data, "severity_id")), 5);
    assert_int_equal(json_integer_value(json_object_get(data, "count")), 2);
    assert_int_equal(json_integer_value(json_object_get(data, "confidence_score")), 95);
    assert_int_equal(json_integer_value(json_object_get(data, "time")), 1795417200123);
    assert_string_equal(json_string_value(json_object_get(json_object_get(data, "finding_info"), "uid")), "01a1:iban");
    assert_string_equal(json_string_value(json_object_get(json_object_get(data, "data_security"), "detection_pattern")), "iban");
    assert_null(strstr(text, "pattern_match"));
    assert_null(strstr(text, "k1:aa"));
    json_decref(detection);
    json_decref(data);
    ship_batch_deinit(&b);
}

static void ocsf_skips_what_is_no_finding(void **state)
{
    char allowed[4096], unjudged[4096];
    const char *const lines[] = {
        decision(allowed, "allow", "", ""),
        "{\"seq\":2,\"type\":\"rotation\"}",
        "{\"seq\":3,\"type\":\"agent\",\"event\":\"register\",\"agent\":\"a\"}",
        "{\"seq\":4,\"type\":\"decision\",\"phase\":\"open\"}",
        "{\"seq\":5,\"type\":\"review\",\"to\":\"closed\"}",
        "not JSON",
    };
    const char *const held[] = {
        decision(unjudged, "block", "filterd.unjudged", ""),
        "{\"seq\":3,\"type\":\"agent\",\"event\":\"kill\",\"tenant\":\"t\",\"agent\":\"a\"}",
        "{\"seq\":4,\"type\":\"agent\",\"event\":\"not_killed\",\"agent\":\"a\"}",
        "{\"seq\":5,\"type\":\"agent\",\"event\":\"killed\",\"agent\":\"a\"}",
    };
    struct ship_batch b;

    (void)state;
    ship_batch_init(&b);
    (void)format(&b, SHIP_OCSF, lines, COUNT(lines));
    assert_int_equal(b.n_records, 0);
    assert_int_equal(b.n_skipped, COUNT(lines));
    const char *text = format(&b, SHIP_OCSF, held, COUNT(held));
    assert_int_equal(b.n_records, COUNT(held));
    static const int types[] = {200401, 200401, 200402, 200403};
    for (size_t i = 0; i < COUNT(types); i++) {
        json_t *event = parse(text);
        assert_int_equal(json_integer_value(json_object_get(event, "type_uid")), types[i]);
        if (i > 0) {
            assert_string_equal(json_string_value(json_object_get(json_object_get(event, "finding_info"), "uid")), "a:agent-kill");
        }
        json_decref(event);
        text = strchr(text, '\n') + 1;
    }
    ship_batch_deinit(&b);
}

/* --- CEF ---------------------------------------------------------------------------- */

static void cef_escapes_names_that_are_markup(void **state)
{
    char line[4096];
    const char *const lines[] = {decision(line, "allow", "pipe|rule", "")};
    struct ship_batch b;

    (void)state;
    ship_batch_init(&b);
    const char *text = format(&b, SHIP_CEF, lines, 1);
    static const char start[] = "<110>1 2026-11-23T07:00:00.123456Z web-1 filterd - decision - CEF:0|filterd|filterd|";
    assert_memory_equal(text, start, strlen(start));
    assert_non_null(strstr(text, "|pipe\\|rule|decision allow|1|"));
    assert_non_null(strstr(text, " suser=a\\=|\\\\\\n1 "));
    assert_non_null(strstr(text, " in=9007199254740993 "));
    assert_non_null(strstr(text, " cs1=acme cs1Label=tenant "));
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    ship_batch_deinit(&b);
}

static void cef_never_ends_a_line_within_a_message(void **state)
{
    const char *const lines[] = {
        "{\"seq\":1,\"type\":\"agent\",\"event\":\"kill\\nforged\",\"node\":\"a b\\u0007\",\"agent\":\"x\\u0000\\r\\ny\\u2028\"}"};
    struct ship_batch b;

    (void)state;
    ship_batch_init(&b);
    const char *text = format(&b, SHIP_CEF, lines, 1);
    assert_int_equal(strlen(text), b.body.len - 1); /* no NUL */
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    assert_non_null(strstr(text, " - a_b_ filterd - agent - "));
    assert_non_null(strstr(text, "|kill forged|agent kill forged|"));
    assert_non_null(strstr(text, "suser=x \\r\\ny\xe2\x80\xa8"));
    ship_batch_deinit(&b);
}

static void cef_in_syslog_is_framed_by_its_length(void **state)
{
    char line[4096];
    const char *const lines[] = {decision(line, "block", "r", ""), "{\"seq\":8,\"type\":\"loss\",\"lines_lost\":2}"};
    struct ship_batch b;
    char *end = NULL;

    (void)state;
    ship_batch_init(&b);
    b.is_framed = true;
    const char *text = format(&b, SHIP_CEF, lines, 2);
    size_t len = strtoul(text, &end, 10);
    assert_int_equal(end[0], ' ');
    assert_int_equal(end[1], '<');
    const char *second = end + 1 + len;
    size_t second_len = strtoul(second, &end, 10);
    assert_int_equal(end[0], ' ');
    assert_int_equal(end + 1 + second_len - text, b.body.len - 1);
    ship_batch_deinit(&b);
}

static void records_are_the_lines(void **state)
{
    const char *const lines[] = {"{\"seq\":1}", "{\"seq\":2}"};
    struct ship_batch b;

    (void)state;
    ship_batch_init(&b);
    assert_string_equal(format(&b, SHIP_RECORD, lines, 2), "{\"seq\":1}\n{\"seq\":2}\n");
    ship_batch_deinit(&b);
}

static void rejected_records_are_read_from_any_answer(void **state)
{
    static const struct {
        const char *answer;
        uint64_t rejected;
    } rows[] = {
        {"{\"partialSuccess\":{\"rejectedLogRecords\":\"12\",\"errorMessage\":\"x\"}}", 12},
        {"{\"partialSuccess\":{\"rejectedLogRecords\":3}}", 3},
        {"{\"partialSuccess\":{}}", 0},
        {"{\"partialSuccess\":{\"rejectedLogRecords\":-1}}", 0},
        {"{\"partialSuccess\":{\"rejectedLogRecords\":\"99999999999999999999999\"}}", 0},
        {"{\"partialSuccess\":[1]}", 0},
        {"", 0},
        {"<html>", 0},
        {"{\"partialSuccess\":{\"rejectedLogRecords\":\"12\"", 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(ship_otlp_rejected(span_str(rows[i].answer)), rows[i].rejected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(otlp_has_the_line_and_its_members),
        cmocka_unit_test(otlp_writes_ids_of_traces_in_hexadecimal_or_not_at_all),
        cmocka_unit_test(a_trace_has_a_span_of_the_line_and_of_each_part),
        cmocka_unit_test(a_line_sent_again_has_the_same_spans),
        cmocka_unit_test(the_span_of_a_request_is_a_child_of_its_answers),
        cmocka_unit_test(lines_without_a_span_are_skipped),
        cmocka_unit_test(otlp_groups_by_node_and_takes_every_line),
        cmocka_unit_test(ocsf_has_an_event_for_each_rule),
        cmocka_unit_test(ocsf_skips_what_is_no_finding),
        cmocka_unit_test(cef_escapes_names_that_are_markup),
        cmocka_unit_test(cef_never_ends_a_line_within_a_message),
        cmocka_unit_test(cef_in_syslog_is_framed_by_its_length),
        cmocka_unit_test(records_are_the_lines),
        cmocka_unit_test(rejected_records_are_read_from_any_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
