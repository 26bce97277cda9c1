#include "testing.h"

#include "jail/egress/target.h"

static struct egress_head head;
static struct egress_target target;
static struct span path;

static bool read_target(const char *line, const char *host)
{
    static char text[400]; /* the head points into it */
    struct error err = {0};

    (void)snprintf(text, sizeof(text), "%s HTTP/1.1\r\n%s%s%s\r\n", line, host != NULL ? "Host: " : "",
                   host != NULL ? host : "", host != NULL ? "\r\n" : "");
    return egress_request_read(span_str(text), &head, &err) && egress_target_read(&head, &target, &path, &err);
}

static void requests_say_where_they_go(void **state)
{
    (void)state;
    assert_true(read_target("GET http://A.Example/b/c?d", "a.example"));
    assert_string_equal(target.host.text, "a.example");
    assert_int_equal(target.port, 80);
    assert_int_equal(target.scheme, EGRESS_HTTP);
    assert_true(span_is(path, "/b/c?d") && span_is(target.path, "/b/c") && span_is(target.method, "GET"));
    assert_true(read_target("GET HTTP://a.example:80", "a.example:80"));
    assert_true(span_is(path, "/"));
    assert_true(read_target("GET http://[::1]:8080/", "[0::1]:8080"));
    assert_string_equal(target.host.text, "::1");
    assert_int_equal(target.port, 8080);
    assert_true(read_target("GET http://[::1]/", "[::1]"));
    assert_true(read_target("CONNECT a.example:443", "a.example:443"));
    assert_int_equal(target.scheme, EGRESS_HTTPS);
    assert_true(target.method.len == 0 && target.path.len == 0 && path.len == 0);
    assert_true(read_target("CONNECT a.example:443", "a.example"));
    assert_true(read_target("CONNECT a.example:8443", NULL));
}

static void what_says_two_things_is_refused(void **state)
{
    static const struct {
        const char *line, *host;
    } wrong[] = {
        {"GET /", "a.example"},
        {"GET *", "a.example"},
        {"GET a.example", "a.example"},
        {"GET https://a.example/", "a.example"},
        {"GET ftp://a.example/", "a.example"},
        {"GET http:/a.example/", "a.example"},
        {"GET http:///", "a.example"},
        {"GET http://a.example", "b.example"},
        {"GET http://a.example", "a.example:81"},
        {"GET http://a.example:81", "a.example"},
        {"GET http://a.example", ""},
        {"GET http://a.example:0/", "a.example:0"},
        {"GET http://a.example:/", "a.example"},
        {"GET http://a.example:65536/", "a.example:65536"},
        {"GET http://a.example:080/", "a.example"},
        {"GET http://a.example:+80/", "a.example"},
        {"GET http://u@a.example/", "a.example"},
        {"GET http://u:p@a.example/", "a.example"},
        {"GET http://a.example?x", "a.example"},
        {"GET http://a.example#x", "a.example"},
        {"GET http://a.example/#x", "a.example"},
        {"GET http://a.example\\@b.example/", "a.example"},
        {"GET http://a.example%2f@b.example/", "b.example"},
        {"GET http://a.example/../b", "a.example"},
        {"GET http://127.1/", "127.1"},
        {"CONNECT a.example", "a.example"},
        {"CONNECT a.example:443", "b.example:443"},
        {"CONNECT a.example:443", "a.example:80"},
        {"CONNECT https://a.example:443", "a.example"},
        {"CONNECT a.example:443/", "a.example:443"},
        {"CONNECT :443", NULL},
        {"CONNECT ::1:443", NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        if (read_target(wrong[i].line, wrong[i].host)) {
            fail_msg("passes: %s with %s", wrong[i].line, wrong[i].host);
        }
    }
}

static void inside_a_tunnel_there_is_one_place(void **state)
{
    static const struct {
        const char *request;
        bool is_right;
    } cases[] = {
        {"GET /a?b HTTP/1.1\r\nHost: a.example\r\n\r\n", true},
        {"GET /a HTTP/1.1\r\nHost: A.Example:443\r\n\r\n", true},
        {"GET /a HTTP/1.1\r\nHost: b.example\r\n\r\n", false},
        {"GET /a HTTP/1.1\r\nHost: a.example:80\r\n\r\n", false},
        {"GET http://b.example/a HTTP/1.1\r\nHost: a.example\r\n\r\n", false},
        {"GET https://a.example/a HTTP/1.1\r\nHost: a.example\r\n\r\n", false},
        {"GET /../a HTTP/1.1\r\nHost: a.example\r\n\r\n", false},
        {"CONNECT b.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n", false},
        {"CONNECT /a HTTP/1.1\r\n\r\n", false},
    };
    struct egress_target tunnel;
    struct error err = {0};

    (void)state;
    assert_true(read_target("CONNECT a.example:443", NULL));
    tunnel = target;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(egress_request_read(span_str(cases[i].request), &head, &err));
        if (egress_target_read_inside(&head, &tunnel, &target, &path, &err) != cases[i].is_right) {
            fail_msg("%s", cases[i].request);
        }
    }
    assert_true(egress_request_read(span_str(cases[0].request), &head, &err));
    assert_true(egress_target_read_inside(&head, &tunnel, &target, &path, &err));
    assert_int_equal(target.scheme, EGRESS_HTTPS);
    assert_int_equal(target.port, 443);
    assert_true(span_is(target.path, "/a") && span_is(path, "/a?b") && span_is(target.method, "GET"));
}

static void a_tunnel_has_no_body(void **state)
{
    struct error err = {0};

    (void)state;
    assert_true(egress_request_read(span_str("CONNECT a:443 HTTP/1.1\r\nContent-Length: 1\r\n\r\n"), &head, &err));
    assert_false(egress_target_read(&head, &target, &path, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_say_where_they_go),
        cmocka_unit_test(what_says_two_things_is_refused),
        cmocka_unit_test(inside_a_tunnel_there_is_one_place),
        cmocka_unit_test(a_tunnel_has_no_body),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
