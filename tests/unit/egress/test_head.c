#include "testing.h"

#include "jail/egress/wire/head.h"

static struct egress_head head;

static bool is_request(const char *text)
{
    struct error err = {0};

    return egress_request_read(span_str(text), &head, &err);
}

static bool is_response(const char *text, const char *method)
{
    struct error err = {0};

    return egress_response_read(span_str(text), span_str(method), &head, &err);
}

static void a_request_is_read_whole(void **state)
{
    (void)state;
    assert_true(is_request("POST http://a.example/b?c=d HTTP/1.1\r\nHost: a.example\r\nX-Empty:\r\n"
                           "Content-Length:  12 \t\r\nAccept: */*\r\n\r\n"));
    assert_true(span_is(head.method, "POST"));
    assert_true(span_is(head.target, "http://a.example/b?c=d"));
    assert_int_equal(head.minor, 1);
    assert_int_equal(head.n, 4);
    assert_true(span_is(head.headers[1].name, "X-Empty") && head.headers[1].value.len == 0);
    assert_true(span_is(*egress_head_find(&head, "accept"), "*/*"));
    assert_null(egress_head_find(&head, "cookie"));
    assert_int_equal(head.framing, EGRESS_BODY_LENGTH);
    assert_int_equal(head.length, 12);
}

static void framing_of_a_request_is_what_it_says(void **state)
{
    (void)state;
    assert_true(is_request("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    assert_int_equal(head.framing, EGRESS_BODY_NONE);
    assert_true(is_request("PUT / HTTP/1.1\r\nHost: a\r\ntransfer-encoding: Chunked\r\n\r\n"));
    assert_int_equal(head.framing, EGRESS_BODY_CHUNKED);
}

static void what_could_be_read_differently_is_refused(void **state)
{
    static const char *const lines[] = {
        "Content-Length: 1\r\nContent-Length: 1\r\n",
        "Content-Length: 1\r\ncontent-length: 2\r\n",
        "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked, chunked\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding:\r\n",
        "Transfer-Encoding\x0b: chunked\r\n",
        "Transfer-Encoding : chunked\r\n",
        " Transfer-Encoding: chunked\r\n",
        "Content-Length: +1\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 0x1\r\n",
        "Content-Length: 1, 1\r\n",
        "Content-Length: 1 1\r\n",
        "Content-Length:\r\n",
        "Content-Length: 1234567890123456\r\n",
        "A: b\r\n c\r\n",
        "A: b\r\n\tc\r\n",
        "A: b\nB: c\r\n",
        "A: b\rB: c\r\n",
        "A: \x01\r\n",
        "A: \x7f\r\n",
        "A\r\n",
        ": a\r\n",
        "A b: c\r\n",
        "A(: c\r\n",
        "\xc3\xa4: c\r\n",
        "Host: b\r\n",
        "Connection: close, Authorization\r\n",
        "Connection: ,\r\n",
        "A: b\r\n\r\nB: c\r\n",
    };
    char text[400];

    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        (void)snprintf(text, sizeof(text), "POST http://a/ HTTP/1.1\r\nHost: a\r\n%s\r\n", lines[i]);
        if (is_request(text)) {
            fail_msg("passes: %s", lines[i]);
        }
    }
}

static void request_lines_are_strict(void **state)
{
    static const char *const lines[] = {
        "",           "GET",           "GET /",          "GET / HTTP/2.0",  "GET / HTTP/1.2", "GET / http/1.1", "GET  / HTTP/1.1",
        "get / HTTP/1.1", "GET /a b HTTP/1.1", "GET /\t HTTP/1.1", "GET / HTTP/1.1 ", " GET / HTTP/1.1",  "G/T / HTTP/1.1",
        "GET /\xc3\xa4 HTTP/1.1", "GET / HTTP/1.1\n", "GET / HTTP/0.9", "\r\nGET / HTTP/1.1",
    };
    char text[200];

    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        (void)snprintf(text, sizeof(text), "%s\r\nHost: a\r\n\r\n", lines[i]);
        if (is_request(text)) {
            fail_msg("passes: %s", lines[i]);
        }
    }
    assert_false(is_request("GET / HTTP/1.1\r\n\r\n"));
    assert_false(is_request("GET / HTTP/1.1\r\nHost: a\r\n"));
    assert_true(is_request("CONNECT a:1 HTTP/1.0\r\n\r\n"));
    assert_false(is_request("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\nHost: a:1\r\n\r\n"));
    assert_false(is_request("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"));
    assert_true(is_request("POST / HTTP/1.0\r\nHost: a\r\nContent-Length: 1\r\n\r\n"));
}

static void nul_bytes_are_refused(void **state)
{
    static const char in_value[] = "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n";
    static const char in_name[] = "GET / HTTP/1.1\r\nHost: a\r\nB\0: c\r\n\r\n";
    static const char in_target[] = "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n";
    struct error err;

    (void)state;
    assert_false(egress_request_read(span_of(in_value, sizeof(in_value) - 1), &head, &err));
    assert_false(egress_request_read(span_of(in_name, sizeof(in_name) - 1), &head, &err));
    assert_false(egress_request_read(span_of(in_target, sizeof(in_target) - 1), &head, &err));
}

static void headers_are_counted(void **state)
{
    char text[4096] = "GET / HTTP/1.1\r\nHost: a\r\n";
    size_t len = strlen(text);
    struct error err;

    (void)state;
    for (size_t i = 1; i < EGRESS_HEADERS_MAX; i++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "a: b\r\n");
    }
    memcpy(text + len, "\r\n", 3);
    assert_true(egress_request_read(span_of(text, len + 2), &head, &err));
    memcpy(text + len, "a: b\r\n\r\n", 9);
    assert_false(egress_request_read(span_of(text, len + 8), &head, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
}

static void responses_know_where_they_end(void **state)
{
    (void)state;
    assert_true(is_response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "GET"));
    assert_int_equal(head.status, 200);
    assert_true(span_is(head.reason, "OK"));
    assert_int_equal(head.framing, EGRESS_BODY_LENGTH);
    assert_true(is_response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HEAD"));
    assert_int_equal(head.framing, EGRESS_BODY_NONE);
    assert_true(is_response("HTTP/1.1 204\r\n\r\n", "GET"));
    assert_int_equal(head.framing, EGRESS_BODY_NONE);
    assert_true(is_response("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "GET"));
    assert_int_equal(head.framing, EGRESS_BODY_NONE);
    assert_true(is_response("HTTP/1.0 200 \r\n\r\n", "GET"));
    assert_int_equal(head.framing, EGRESS_BODY_TO_END);
    assert_true(is_response("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "GET"));
    assert_int_equal(head.framing, EGRESS_BODY_CHUNKED);
}

static void responses_are_strict(void **state)
{
    static const char *const wrong[] = {
        "HTTP/1.1 20 OK\r\n\r\n",  "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 099 A\r\n\r\n", "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.1  200 OK\r\n\r\n", "ICY 200 OK\r\n\r\n",      "HTTP/1.1 200 \x01\r\n\r\n", "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "HTTP/1.1 200 OK\n\n",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        if (is_response(wrong[i], "GET")) {
            fail_msg("passes: %s", wrong[i]);
        }
    }
}

static void a_head_ends_with_an_empty_line(void **state)
{
    (void)state;
    assert_int_equal(egress_head_length(span_str("")), 0);
    assert_int_equal(egress_head_length(span_str("GET / HTTP/1.1\r\nHost: a\r\n\r")), 0);
    assert_int_equal(egress_head_length(span_str("GET / HTTP/1.1\n\nabc")), 0);
    assert_int_equal(egress_head_length(span_str("a\r\n\r\nbody")), 5);
}

static void headers_of_one_connection_stay_behind(void **state)
{
    (void)state;
    assert_true(egress_header_stays_behind(span_str("proxy-authorization")));
    assert_true(egress_header_stays_behind(span_str("UPGRADE")));
    assert_true(egress_header_stays_behind(span_str("Host")));
    assert_false(egress_header_stays_behind(span_str("Authorization")));
    assert_false(egress_header_stays_behind(span_str("Content-Type")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_read_whole),
        cmocka_unit_test(framing_of_a_request_is_what_it_says),
        cmocka_unit_test(what_could_be_read_differently_is_refused),
        cmocka_unit_test(request_lines_are_strict),
        cmocka_unit_test(nul_bytes_are_refused),
        cmocka_unit_test(headers_are_counted),
        cmocka_unit_test(responses_know_where_they_end),
        cmocka_unit_test(responses_are_strict),
        cmocka_unit_test(a_head_ends_with_an_empty_line),
        cmocka_unit_test(headers_of_one_connection_stay_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
