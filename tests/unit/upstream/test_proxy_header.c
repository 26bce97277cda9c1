#include "testing.h"

#include "upstream/proxy_header.h"

static struct error err;

static bool up(const char *name, const char *value, bool has_credential)
{
    return header_goes_up(span_str(name), span_str(value), span_str("keep-alive, X-Hop , x-last"),
                          has_credential);
}

static void end_to_end_headers_go_up_and_others_stay(void **state)
{
    (void)state;
    static const char *const up_names[] = {"anthropic-version", "anthropic-beta", "Content-Type",
                                           "Accept",            "User-Agent",     "OpenAI-Project",
                                           "Authorization",     "x-api-key",      "X-Hopper"};
    static const char *const kept[] = {
        "Connection", "keep-alive", "TE",     "Trailer",           "Transfer-Encoding",
        "Upgrade",    "Host",       "Expect", "Content-Length",    "Accept-Encoding",
        "Cookie",     "x-hop",      "X-LAST", "x-filterd-token",   "X-Filterd-Agent",
        "Range",      "If-Match",   "",       "Proxy-Authorization"};

    for (size_t i = 0; i < COUNT(up_names); i++) {
        if (!up(up_names[i], "v", false)) {
            fail_msg("%s", up_names[i]);
        }
    }
    for (size_t i = 0; i < COUNT(kept); i++) {
        if (up(kept[i], "v", false)) {
            fail_msg("%s", kept[i]);
        }
    }
}

static void the_clients_key_stays_when_there_is_one_of_ours(void **state)
{
    (void)state;
    static const char *const names[] = {"authorization", "X-Api-Key", "x-goog-api-key", "api-key"};

    for (size_t i = 0; i < COUNT(names); i++) {
        assert_true(up(names[i], "k", false));
        assert_false(up(names[i], "k", true));
    }
}

static void a_value_cannot_begin_another_header(void **state)
{
    (void)state;
    assert_false(up("x", "a\r\nX-Other: b", false));
    assert_false(up("x", "a\nb", false));
    assert_true(up("x", "a\tb", false));
}

static void only_listed_headers_with_values_of_their_kind_come_down(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
        enum header_use use;
    } cases[] = {
        {"x-request-id", "req_011CSHoEeqs5C35K2UUqR7Fy", HEADER_JUDGED},
        {"X-Request-Id", "a b", HEADER_KEPT},
        {"x-request-id", "", HEADER_KEPT},
        {"request-id", "<script>", HEADER_KEPT},
        {"retry-after", "20", HEADER_PASSES},
        {"retry-after", "soon", HEADER_KEPT},
        {"x-ratelimit-remaining-tokens", "149984", HEADER_PASSES},
        {"x-ratelimit-reset-requests", "6m0s", HEADER_PASSES},
        {"anthropic-ratelimit-requests-reset", "2026-11-21T18:00:00Z", HEADER_PASSES},
        {"anthropic-ratelimit-note", "my text", HEADER_KEPT},
        {"x-ratelimit-note", "none", HEADER_KEPT},
        {"x-ratelimit-a b", "1", HEADER_KEPT},
        {"Set-Cookie", "a=1", HEADER_KEPT},
        {"Location", "1", HEADER_KEPT},
        {"x-other", "1", HEADER_KEPT},
        {"retry-after", "Sun, 06 Nov 1994 08:49:37 GMT", HEADER_PASSES},
        {"retry-after", "Sun, 06 Nov 1994 08:49:37 GMT+", HEADER_KEPT},
        {"openai-version", "2020-10-01", HEADER_PASSES},
        {"openai-processing-ms", "1234567", HEADER_PASSES},
        {"openai-processing-ms", "12345678", HEADER_JUDGED},
        {"openai-processing-ms", "123456789012345", HEADER_JUDGED},
        {"openai-processing-ms", "4539578763621486", HEADER_KEPT},
        {"x-ratelimit-reset-tokens", "0.5", HEADER_PASSES},
        {"x-ratelimit-reset-tokens", "1h2m3.5s", HEADER_PASSES},
        {"x-ratelimit-reset-tokens", "120ms", HEADER_PASSES},
        {"x-ratelimit-reset-tokens", "1.", HEADER_KEPT},
        {"x-ratelimit-reset-tokens", ".5", HEADER_KEPT},
        {"x-ratelimit-reset-tokens", "1m2h", HEADER_KEPT},
        {"x-ratelimit-reset-tokens", "1s1s1s1s1s1s", HEADER_KEPT},
        {"x-ratelimit-reset-tokens", "1s2", HEADER_KEPT},
        {"x-ratelimit-reset-tokens", "1a2b3c4d5e6f7a8b9c0d", HEADER_KEPT},
        {"x-ratelimit-reset-tokens", "", HEADER_KEPT},
        {"x-ratelimit-reset", "2026-11-21T18:00:00.123456+01:00", HEADER_PASSES},
        {"x-ratelimit-reset", "2026-11-21T18:00:00.1234567890Z", HEADER_KEPT},
        {"x-ratelimit-reset", "2026-11-21T18:00:00.Z", HEADER_KEPT},
        {"x-ratelimit-reset", "2026-11-21T18:00:00", HEADER_KEPT},
        {"x-ratelimit-limit-requests-day", "14400", HEADER_PASSES},
        {"x-ratelimit-AKIAQ3EGRVZ7MXK2PLWT", "1", HEADER_KEPT},
        {"x-ratelimit-limit--day", "1", HEADER_KEPT},
        {"anthropic-ratelimit-unified-5h-utilization", "0.62", HEADER_PASSES},
        {"Access-Control-Allow-Origin", "1", HEADER_KEPT},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        if (header_comes_down(span_str(cases[i].name), span_str(cases[i].value)) != cases[i].use) {
            fail_msg("%s: %s", cases[i].name, cases[i].value);
        }
    }
}

static void a_path_is_written_anew_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *path, *expected; /* NULL: refused */
    } cases[] = {
        {"/v1/chat/completions", "/v1/chat/completions"},
        {"/v1beta/models/gemini-2.5:generateContent", "/v1beta/models/gemini-2.5:generateContent"},
        {"/v1/models/a b?c#d%e", "/v1/models/a%20b%3Fc%23d%25e"},
        {"/v1/models/\xc3\xa9", "/v1/models/%C3%A9"},
        {"/v1/../admin", NULL},
        {"/v1/./a", NULL},
        {"/v1//a", NULL},
        {"/v1/", NULL},
        {"/", NULL},
        {"", NULL},
        {"/v1\\a", NULL},
        {"/v1/a\nb", NULL},
        {"/v1/..a", "/v1/..a"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf out;
        buf_init(&out, 200);
        bool is_written = target_add_path(&out, span_str(cases[i].path), &err);
        if (is_written != (cases[i].expected != NULL) ||
            (is_written && !span_is(buf_span(&out), cases[i].expected))) {
            fail_msg("%s", cases[i].path);
        }
        buf_deinit(&out);
    }
}

static void parameters_are_escaped(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, 200);
    assert_true(target_add_parameter(&out, true, span_str("alt"), span_str("sse"), true, &err));
    assert_true(target_add_parameter(&out, false, span_str("a&b"), span_str("c=d e+f"), true, &err));
    assert_true(target_add_parameter(&out, false, span_str("flag"), span_str(""), false, &err));
    assert_true(span_is(buf_span(&out), "?alt=sse&a%26b=c%3Dd%20e%2Bf&flag"));
    buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(end_to_end_headers_go_up_and_others_stay),
        cmocka_unit_test(the_clients_key_stays_when_there_is_one_of_ours),
        cmocka_unit_test(a_value_cannot_begin_another_header),
        cmocka_unit_test(only_listed_headers_with_values_of_their_kind_come_down),
        cmocka_unit_test(a_path_is_written_anew_or_refused),
        cmocka_unit_test(parameters_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
