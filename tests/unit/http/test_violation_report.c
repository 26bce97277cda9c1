#include "testing.h"

#include "http/violation_report.h"

static struct violation_report report;
static struct filter_fault fault;

static bool read_body(struct span body)
{
    struct arena arena;

    arena_init(&arena, 0, 4 * VIOLATION_REPORT_MAX);
    fault = (struct filter_fault){0};
    bool is_read = violation_report_read(&arena, body, &report, &fault);
    if (is_read) {
        assert_true(report.why.len <= VIOLATION_WHY_MAX);
    }
    report.why = is_read ? span_of("", report.why.len > 0) : (struct span){0};
    arena_deinit(&arena);
    return is_read;
}

static void every_kind_of_violation_can_be_reported(void **state)
{
    (void)state;
    char body[80];

    for (unsigned i = 0; i < VIOLATION_COUNT; i++) {
        (void)snprintf(body, sizeof(body), "{\"kind\":\"%s\"}", violation_name((enum violation)i));
        assert_true(read_body(span_str(body)));
        assert_int_equal(report.kind, i);
    }
}

static void the_reason_is_optional_and_of_one_line(void **state)
{
    (void)state;
    static char body[200];

    assert_true(read_body(span_str("{\"why\":\"in the \\u00e4rchive\",\"kind\":\"path\"}")));
    assert_int_equal(report.why.len, 1);
    assert_true(read_body(span_str("{\"kind\":\"path\",\"why\":\"\"}")));
    assert_int_equal(report.why.len, 0);
    for (int len = VIOLATION_WHY_MAX; len <= VIOLATION_WHY_MAX + 1; len++) {
        (void)snprintf(body, sizeof(body), "{\"kind\":\"path\",\"why\":\"%0*d\"}", len, 0);
        assert_int_equal(read_body(span_str(body)), len == VIOLATION_WHY_MAX);
    }
}

static void anything_else_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        unsigned status;
        const char *pointer, *detail;
    } cases[] = {
        {"", 400, "", NULL},
        {"{\"kind\":\"path\"} x", 400, "", NULL},
        {"{\"kind\":\"path\",\"kind\":\"path\"}", 400, "/kind", "each member once expected"},
        {"{\"why\":\"a\",\"wh\\u0079\":\"a\",\"kind\":\"path\"}", 400, "/why", "each member once expected"},
        {"[]", 422, "", "an object expected"},
        {"\"path\"", 422, "", "an object expected"},
        {"{\"kind\":\"path\",\"weight\":9}", 422, "/weight", "only the members kind and why expected"},
        {"{}", 422, "/kind",
         "one of secret, pii, injection, content, block, egress, network, dns, honeytoken, path, syscall, limit, output expected"},
        {"{\"kind\":\"Path\"}", 422, "/kind", NULL},
        {"{\"kind\":\"path\\u0000\"}", 422, "/kind", NULL},
        {"{\"kind\":null}", 422, "/kind", NULL},
        {"{\"kind\":\"path\",\"why\":null}", 422, "/why",
         "a string of at most 100 bytes without control characters expected"},
        {"{\"kind\":\"path\",\"why\":\"a\\nb\"}", 422, "/why", NULL},
        {"{\"kind\":\"path\",\"why\":\"a\\u007f\"}", 422, "/why", NULL},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_false(read_body(span_str(cases[i].body)));
        assert_int_equal(fault.status, cases[i].status);
        assert_string_equal(fault.pointer, cases[i].pointer);
        if (cases[i].detail != NULL) {
            assert_string_equal(fault.detail, cases[i].detail);
        }
    }
}

static void a_large_body_is_not_read(void **state)
{
    (void)state;
    static char body[VIOLATION_REPORT_MAX + 1];

    memset(body, ' ', sizeof(body));
    memcpy(body, "{\"kind\":\"path\"}", 15);
    assert_true(read_body(span_of(body, sizeof(body) - 1)));
    assert_false(read_body(span_of(body, sizeof(body))));
    assert_int_equal(fault.status, 413);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_violation_can_be_reported),
        cmocka_unit_test(the_reason_is_optional_and_of_one_line),
        cmocka_unit_test(anything_else_is_refused_with_its_place),
        cmocka_unit_test(a_large_body_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
