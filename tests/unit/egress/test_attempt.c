#include "testing.h"

#include "base/cleanup.h"
#include "jail/egress/attempt.h"

static struct buf line;

static const char *print(const struct egress_attempt *a)
{
    const struct egress_log log = {.jail = "j"};
    struct error err = {0};

    buf_clear(&line);
    assert_true(egress_attempt_print(a, &log, a->started_ns + 7, &line, &err));
    assert_true(buf_append_char(&line, '\0', &err));
    return line.data;
}

static void expect_path(const char *target, const char *printed)
{
    struct egress_attempt a = {.kind = "http", .target = span_str(target)};
    char wanted[200];

    (void)snprintf(wanted, sizeof(wanted), "\"path\":\"%s\",", printed);
    if (strstr(print(&a), wanted) == NULL) {
        fail_msg("%s: %s", target, line.data);
    }
}

static void a_line_says_all_of_it(void **state)
{
    struct egress_attempt a = {
        .kind = "http",
        .time_ns = INT64_C(1700000000123456789),
        .started_ns = 100,
        .outcome = EGRESS_ALLOWED,
        .host = "api.example",
        .port = 80,
        .method = "GET",
        .target = span_str("/v1/models?limit=5&x"),
        .rule = span_str("api"),
        .address = "93.184.216.34",
        .status = 200,
        .bytes_out = 12,
        .bytes_in = 34,
    };

    (void)state;
    assert_string_equal(print(&a),
                        "{\"time\":\"2023-11-14T22:13:20.123456789Z\",\"jail\":\"j\",\"kind\":\"http\","
                        "\"host\":\"api.example\",\"port\":80,\"method\":\"GET\",\"path\":\"/v1/models?limit=*&x\","
                        "\"address\":\"93.184.216.34\",\"verdict\":\"allowed\",\"rule\":\"api\",\"status\":200,"
                        "\"bytes_out\":12,\"bytes_in\":34,\"duration_ns\":7}\n");
}

static void nothing_said_is_a_refusal(void **state)
{
    static const struct egress_attempt zero = {.kind = "http"};

    (void)state;
    assert_non_null(strstr(print(&zero), "\"verdict\":\"refused\""));
}

static void what_looks_like_more_than_a_name_is_a_star(void **state)
{
    (void)state;
    expect_path("/", "/");
    expect_path("/repos/acme/some-long-repository-name", "/repos/acme/some-long-repository-name");
    expect_path("/AKIA0000000000000000/x", "/*/x");
    expect_path("/a%41%42%43%44%45%46/x", "/*/x");
    expect_path("/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "/*");
    expect_path("/a?b=c", "/a?b=*");
    expect_path("/a?b=c=d&e=f", "/a?b=*&e=*");
    expect_path("/a?b=&c", "/a?b=&c");
    expect_path("/a?AKIA0000000000000000", "/a?*");
    expect_path("/a?x;y=z", "/a?x;y=*");
}

static void a_path_with_a_finding_is_not_shown(void **state)
{
    struct egress_attempt a = {.kind = "http", .target = span_str("/secret"), .is_target_secret = true};

    (void)state;
    assert_non_null(strstr(print(&a), "\"path\":\"*\""));
}

static void labels_of_refused_hosts_are_masked(void **state)
{
    struct egress_attempt a = {.kind = "connect", .host = "4a6f686e3132333435363738.evil.test"};

    (void)state;
    assert_non_null(strstr(print(&a), "\"host\":\"*.evil.test\""));
    a.rule = span_str("a rule allows it");
    assert_non_null(strstr(print(&a), "\"host\":\"4a6f686e3132333435363738.evil.test\""));
}

static void a_record_that_cannot_be_written_is_noticed(void **state)
{
    static const struct egress_attempt zero = {.kind = "http"};
    struct egress_log log = {.fd = -1};
    struct error err = {0};

    (void)state;
    assert_true(egress_log_open(&log, "/dev/full", 1, &err));
    assert_false(log.is_broken);
    egress_log_write(&log, &zero);
    assert_true(log.is_broken);
    egress_log_close(&log);
    assert_false(egress_log_open(&log, "/nonexistent/record", 1, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_says_all_of_it),
        cmocka_unit_test(nothing_said_is_a_refusal),
        cmocka_unit_test(what_looks_like_more_than_a_name_is_a_star),
        cmocka_unit_test(a_path_with_a_finding_is_not_shown),
        cmocka_unit_test(labels_of_refused_hosts_are_masked),
        cmocka_unit_test(a_record_that_cannot_be_written_is_noticed),
    };

    buf_init(&line, 64 * 1024);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    buf_deinit(&line);
    return failed;
}
