#include "testing.h"

#include "jail/egress/via.h"

static void the_address_of_an_upstream_is_read(void **state)
{
    static const struct {
        const char *text, *host, *path;
        enum egress_scheme scheme;
        uint16_t port;
    } good[] = {
        {"http://127.0.0.1:8470/openai", "127.0.0.1", "/openai", EGRESS_HTTP, 8470},
        {"http://[::1]/a-b_9", "::1", "/a-b_9", EGRESS_HTTP, 80},
        {"HTTPS://Filterd.Example/claude", "filterd.example", "/claude", EGRESS_HTTPS, 443},
        {"https://10.0.0.7:8470/x", "10.0.0.7", "/x", EGRESS_HTTPS, 8470},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        struct egress_via v = {.port = 0};
        struct error err = {0};
        assert_false(egress_via_is_set(&v));
        if (!egress_via_read(span_str(good[i].text), &v, &err)) {
            fail_msg("%s: %s", good[i].text, err.text);
        }
        assert_true(egress_via_is_set(&v));
        assert_string_equal(v.host.text, good[i].host);
        assert_true(span_is(v.path, good[i].path));
        assert_int_equal(v.scheme, good[i].scheme);
        assert_int_equal(v.port, good[i].port);
    }
}

/* Requests and keys of providers must not cross a network in clear. */
static void plain_http_is_for_loopback(void **state)
{
    static const char *const bad[] = {
        "http://10.0.0.7:8470/openai", "http://filterd.example/openai", "http://localhost/openai", "http://0.0.0.0:8470/openai",
        "http://[::ffff:127.0.0.1]/openai",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct egress_via v = {.port = 0};
        struct error err = {0};
        if (egress_via_read(span_str(bad[i]), &v, &err)) {
            fail_msg("%s was read", bad[i]);
        }
        assert_false(egress_via_is_set(&v));
    }
}

static void nothing_but_the_name_of_an_upstream_stands_behind_the_host(void **state)
{
    static const char *const bad[] = {
        "",
        "127.0.0.1:8470/openai",
        "ftp://127.0.0.1/openai",
        "http://127.0.0.1:8470",
        "http://127.0.0.1:8470/",
        "http://127.0.0.1:8470/openai/",
        "http://127.0.0.1:8470/openai/v1",
        "http://127.0.0.1:8470/../v1",
        "http://127.0.0.1:8470/openai?a",
        "http://127.0.0.1:8470/OpenAI",
        "http://127.0.0.1:0/openai",
        "http://127.0.0.1:99999/openai",
        "http://user@127.0.0.1/openai",
        "http:///openai",
        "http://127.0.0.1:8470/"
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct egress_via v = {.port = 0};
        struct error err = {0};
        if (egress_via_read(span_str(bad[i]), &v, &err)) {
            fail_msg("'%s' was read", bad[i]);
        }
    }
}

static void what_the_jail_says_of_itself_is_dropped(void **state)
{
    (void)state;
    assert_true(egress_via_drops(span_str("X-Filterd-Agent")));
    assert_true(egress_via_drops(span_str("x-filterd-session")));
    assert_true(egress_via_drops(span_str("X-FILTERD-anything")));
    assert_false(egress_via_drops(span_str("X-Filter")));
    assert_false(egress_via_drops(span_str("Authorization")));
}

static void the_caller_is_named(void **state)
{
    const struct egress_caller named = {.agent = "a1", .session = "s1"}, unnamed = {.session = "s1"};
    struct error err = {0};
    struct buf out;

    (void)state;
    buf_init(&out, 256);
    assert_true(egress_caller_check(&named, &err) && egress_caller_check(&unnamed, &err));
    assert_true(egress_via_write(&named, &out, &err));
    assert_true(span_is(buf_span(&out), "X-Filterd-Agent: a1\r\nX-Filterd-Session: s1\r\n"));
    buf_clear(&out);
    assert_true(egress_via_write(&unnamed, &out, &err));
    assert_true(span_is(buf_span(&out), "X-Filterd-Session: s1\r\n"));
    buf_deinit(&out);
}

static void a_name_with_a_line_end_is_no_agent(void **state)
{
    const struct egress_caller bad = {.agent = "a\r\nX-Filterd-Token: t", .session = "s"};
    struct error err = {0};

    (void)state;
    assert_false(egress_caller_check(&bad, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_address_of_an_upstream_is_read),
        cmocka_unit_test(plain_http_is_for_loopback),
        cmocka_unit_test(nothing_but_the_name_of_an_upstream_stands_behind_the_host),
        cmocka_unit_test(what_the_jail_says_of_itself_is_dropped),
        cmocka_unit_test(the_caller_is_named),
        cmocka_unit_test(a_name_with_a_line_end_is_no_agent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
