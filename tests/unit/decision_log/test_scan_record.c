/* test_scan_record.c - what is put on record about an archive that was judged elsewhere. */
#include "testing.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "decision_log/scan_record.h"
#include "support/line_schema.h"

static const char digest[] = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static struct scan_event event(const struct scan_rule *rules, size_t n)
{
    return (struct scan_event){.source = span_str("answers/2026-11"), .snapshot = span_str("v7"), .digest = span_str(digest),
                               .engine = span_str("0.1.0"), .rows = 9, .nulls = 1, .unjudged = 1, .bytes = 120, .actions = {2, 1, 5},
                               .rules = rules, .n_rules = n, .by = "olga", .role = "operator", .now_ns = 1};
}

static void the_counts_are_in_the_line(void **state)
{
    const struct scan_rule rules[] = {{span_str("iban"), 1}, {span_str("aws-access-key-id"), 3}};
    struct scan_event e = event(rules, 2);
    struct buf line;
    struct error err;

    (void)state;
    buf_init(&line, DECISION_RECORD_MAX);
    assert_true(scan_record_format(&e, &line, &err));
    assert_line(buf_span(&line));
    assert_true(span_is(buf_span(&line),
                        "{\"v\":2,\"type\":\"scan\",\"ts\":\"1970-01-01T00:00:00.000000001Z\",\"source\":\"answers/2026-11\",\"snapshot\":\"v7\","
                        "\"digest\":\"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\",\"engine\":\"0.1.0\","
                        "\"rows\":9,\"nulls\":1,\"unjudged\":1,\"bytes\":120,\"actions\":{\"block\":2,\"redact\":1,\"allow\":5},"
                        "\"rules\":[{\"rule\":\"iban\",\"findings\":1},{\"rule\":\"aws-access-key-id\",\"findings\":3}],"
                        "\"by\":\"olga\",\"role\":\"operator\"}"));
    buf_deinit(&line);
}

static void the_longest_line_fits_the_log(void **state)
{
    static struct scan_rule rules[SCAN_RULES_MAX];
    static char id[64];
    struct scan_event e = event(rules, SCAN_RULES_MAX);
    struct buf line;
    struct error err;

    (void)state;
    memset(id, 'r', sizeof(id));
    for (size_t i = 0; i < SCAN_RULES_MAX; i++) {
        rules[i] = (struct scan_rule){span_of(id, sizeof(id)), 999999999};
    }
    e.snapshot = span_of("", 0);
    buf_init(&line, DECISION_RECORD_MAX);
    assert_true(scan_record_format(&e, &line, &err));
    assert_line(buf_span(&line));
    buf_deinit(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counts_are_in_the_line),
        cmocka_unit_test(the_longest_line_fits_the_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
