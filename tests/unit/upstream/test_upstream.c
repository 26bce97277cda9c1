#include "testing.h"

#include <unistd.h>

#include "base/file.h"
#include "upstream/upstream.h"

static struct error err;
static struct upstreams *set;

static struct upstreams *parse(const char *yaml)
{
    upstreams_unref(set);
    err.text[0] = '\0';
    set = upstreams_parse("up.yaml", span_str(yaml), &err);
    return set;
}

static int tear_down(void **state)
{
    (void)state;
    upstreams_unref(set);
    set = NULL;
    return 0;
}

#define ONE(entries) "upstreams:\n  ai:\n    protocol: openai\n    url: https://api.example.com\n" entries

static void an_upstream_needs_little_and_gets_defaults(void **state)
{
    (void)state;
    assert_non_null(parse(ONE("")));
    const struct upstream *u = upstreams_find(set, span_str("ai"));
    assert_non_null(u);
    assert_string_equal(u->url, "https://api.example.com");
    assert_int_equal(u->port, 443);
    assert_int_equal(u->block, BLOCK_AUTO);
    assert_int_equal(u->heartbeat, 10);
    assert_true(u->http2);
    assert_null(u->credential);
    assert_string_equal(u->header->name, "Authorization");
    assert_null(upstreams_find(set, span_str("other")));
    assert_null(upstreams_find(NULL, span_str("ai")));
}

static void every_key_is_read(void **state)
{
    (void)state;
    assert_non_null(parse(ONE("    credential: /etc/key\n    ca: /etc/ca.pem\n    block: hard\n"
                              "    policy: strict\n    tenant: acme\n    http2: false\n"
                              "    connect_timeout: 1\n    first_byte_timeout: 2\n"
                              "    idle_timeout: 3\n    heartbeat: 0\n    request_max: 2M\n"
                              "    answer_max: 3M\n    event_max: 64K\n")));
    const struct upstream *u = &set->items[0];
    assert_string_equal(u->credential_file, "/etc/key");
    assert_string_equal(u->ca, "/etc/ca.pem");
    assert_int_equal(u->block, BLOCK_HARD);
    assert_true(span_is(u->policy, "strict"));
    assert_true(span_is(u->tenant, "acme"));
    assert_false(u->http2);
    assert_int_equal(u->connect_timeout, 1);
    assert_int_equal(u->first_byte_timeout, 2);
    assert_int_equal(u->idle_timeout, 3);
    assert_int_equal(u->heartbeat, 0);
    assert_int_equal(u->request_max, 2 * 1024 * 1024);
    assert_int_equal(u->answer_max, 3 * 1024 * 1024);
    assert_int_equal(u->event_max, 64 * 1024);
}

static void a_base_url_is_scheme_host_port_and_path(void **state)
{
    (void)state;
    static const struct {
        const char *url, *expected; /* NULL: refused */
        unsigned port;
    } cases[] = {
        {"http://127.0.0.1:11434", "http://127.0.0.1:11434", 11434},
        {"https://api.example.com/", "https://api.example.com", 443},
        {"https://api.example.com/base/path//", "https://api.example.com/base/path", 443},
        {"http://[::1]:80", "http://[::1]:80", 80},
        {"https://key@api.example.com", NULL, 0},
        {"https://me:key@api.example.com", NULL, 0},
        {"https://api.example.com?key=1", NULL, 0},
        {"https://api.example.com?", NULL, 0},
        {"https://api.example.com/#x", NULL, 0},
        {"ftp://api.example.com", NULL, 0},
        {"file:///etc/passwd", NULL, 0},
        {"api.example.com", NULL, 0},
        {"https://", NULL, 0},
        {"https://api example.com", NULL, 0},
        {"https://api.example.com:99999", NULL, 0},
        {"", NULL, 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char yaml[200];
        (void)snprintf(yaml, sizeof(yaml), "upstreams:\n  ai: {protocol: openai, url: '%s'}\n",
                       cases[i].url);
        if ((parse(yaml) != NULL) != (cases[i].expected != NULL)) {
            fail_msg("%s: %s", cases[i].url, err.text);
        }
        if (set != NULL) {
            assert_string_equal(set->items[0].url, cases[i].expected);
            assert_int_equal(set->items[0].port, cases[i].port);
            assert_true(upstreams_has_port(set, cases[i].port));
        } else {
            assert_non_null(strstr(err.text, "up.yaml:2:31: url: http:// or https://"));
        }
    }
}

static void a_version_in_both_paths_counts_once(void **state)
{
    static const struct {
        const char *url, *path, *expected;
    } cases[] = {
        {"https://a.test/v1", "/v1/chat/completions", "https://a.test"},
        {"https://a.test/v1", "/chat/completions", "https://a.test/v1"},
        {"https://a.test", "/v1/responses", "https://a.test"},
        {"https://a.test", "/responses", "https://a.test"},
        {"https://a.test/api/v1", "/v1/models", "https://a.test/api"},
        {"https://a.test/v2", "/v1/models", "https://a.test"},
        {"https://a.test/v1beta", "/v1beta/models/m:generateContent", "https://a.test"},
        {"https://a.test/versions", "/v1/models", "https://a.test/versions"},
        {"https://v1", "/v1/models", "https://v1"},
        {"http://[::1]:80", "/v1/models", "http://[::1]:80"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct upstream u = {.url = cases[i].url};
        size_t len = upstream_base_length(&u, span_str(cases[i].path));
        if (!span_is(span_of(u.url, len), cases[i].expected)) {
            fail_msg("case %zu: %.*s", i, (int)len, u.url);
        }
    }
}

static void faults_are_named_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *expected;
    } cases[] = {
        {"", "up.yaml:1:1: 'upstreams' expected"},
        {"other: 1\n", "up.yaml:1:1: key 'other' is not known here"},
        {"upstreams: []\n", "up.yaml:1:12: upstreams: a mapping expected"},
        {"upstreams:\n  ai: 1\n", "up.yaml:2:7: ai: a mapping expected"},
        {"upstreams:\n  v1: {}\n", "up.yaml:2:3: a name of 1 to 64"},
        {"upstreams:\n  A: {}\n", "up.yaml:2:3: a name of 1 to 64"},
        {"upstreams:\n  a/b: {}\n", "up.yaml:2:3: a name of 1 to 64"},
        {"upstreams:\n  ai: {protocol: openai}\n", "up.yaml:2:7: 'url' expected"},
        {"upstreams:\n  ai: {protocol: telnet}\n", "up.yaml:2:18: protocol: one of openai"},
        {ONE("    colour: red\n"), "up.yaml:5:5: key 'colour' is not known here"},
        {ONE("    block: never\n"), "up.yaml:5:12: block: one of soft, hard, end_turn, refusal, auto expected"},
        {ONE("    heartbeat: -1\n"), "up.yaml:5:16: heartbeat: a whole number from 0 to 86400 expected"},
        {ONE("    idle_timeout: 0\n"), "up.yaml:5:19: idle_timeout: a whole number from 1 to 86400 expected"},
        {ONE("    event_max: 1\n"), "up.yaml:5:16: event_max: a size from 1K to 64M expected"},
        {ONE("    event_max: 65M\n"), "event_max: a size from 1K to 64M expected"},
        {ONE("    event_max: 9999999999G\n"), "event_max: a size from 1K to 64M expected"},
        {ONE("    event_max: []\n"), "event_max: a size from 1K to 64M expected"},
        {ONE("    http2: yes\n"), "up.yaml:5:12: http2: true or false expected"},
        {ONE("    policy: ''\n"), "policy: 1 to 256 characters expected"},
        {ONE("    credential: ''\n"), "credential: a file expected"},
        {ONE("    url: http://x\n"), "up.yaml:5:5:"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_null(parse(cases[i].yaml));
        if (strstr(err.text, cases[i].expected) == NULL) {
            fail_msg("case %zu: %s", i, err.text);
        }
    }
}

static struct upstreams *load_with_key(const char *key)
{
    char key_file[] = "/tmp/filterd-key-XXXXXX", file[] = "/tmp/filterd-up-XXXXXX";
    char yaml[300];

    close(mkstemp(key_file));
    close(mkstemp(file));
    (void)snprintf(yaml, sizeof(yaml), "upstreams:\n  ai: {protocol: openai, url: 'http://a', credential: %s}\n",
                   key_file);
    assert_true(file_write_atomic(key_file, span_str(key), 0600, &err));
    assert_true(file_write_atomic(file, span_str(yaml), 0600, &err));
    upstreams_unref(set);
    set = upstreams_load(file, &err);
    (void)unlink(key_file);
    (void)unlink(file);
    return set;
}

static void a_credential_is_one_printable_line_and_in_no_error(void **state)
{
    (void)state;
    assert_non_null(load_with_key(" sk-0123456789\n"));
    assert_string_equal(set->items[0].credential, "sk-0123456789");
    static const char *const bad[] = {"", "\n", "two sk-0123\nlines sk-0123\n", "sk-0123\x01", "sk-0123 4"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_null(load_with_key(bad[i]));
        assert_non_null(strstr(err.text, "one line of printable characters expected"));
        assert_null(strstr(err.text, "sk-0123"));
    }
}

static void routes_are_refused_judged_or_passed_by_their_paths(void **state)
{
    static const struct {
        const char *path;
        enum route_rule rule;
    } cases[] = {
        {"/v1/videos/v/content", ROUTE_RULE_PASS},     {"/videos/v/content", ROUTE_RULE_PASS}, {"/v1/videos/v", ROUTE_RULE_NONE},
        {"/v1/audio/speech", ROUTE_RULE_REFUSE},       {"/v1/evals/a/b", ROUTE_RULE_JUDGE},    {"/v1/evals", ROUTE_RULE_NONE},
        {"/v1/videos/v/w/content", ROUTE_RULE_NONE},
    };

    (void)state;
    assert_non_null(parse(ONE("    routes: {/v1/videos/*/content: pass, /v1/audio/speech: refuse, '/evals/*': pass, '/v1/evals/*': judge}\n")));
    const struct upstream *u = upstreams_find(set, span_str("ai"));
    for (size_t i = 0; i < COUNT(cases); i++) {
        enum route_rule rule = upstream_route_rule(u, span_str(cases[i].path));
        if (rule != cases[i].rule) {
            fail_msg("%s: %d", cases[i].path, (int)rule);
        }
    }
    assert_null(parse(ONE("    routes: {v1/videos: pass}\n")));
    assert_non_null(strstr(err.text, "a path of at most 512 bytes that begins with '/' expected"));
    assert_null(parse(ONE("    routes: {/v1/videos: maybe}\n")));
    assert_null(parse(ONE("    routes: [/v1/videos]\n")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_upstream_needs_little_and_gets_defaults),
        cmocka_unit_test(every_key_is_read),
        cmocka_unit_test(a_base_url_is_scheme_host_port_and_path),
        cmocka_unit_test(a_version_in_both_paths_counts_once),
        cmocka_unit_test(faults_are_named_with_their_place),
        cmocka_unit_test(a_credential_is_one_printable_line_and_in_no_error),
        cmocka_unit_test_teardown(routes_are_refused_judged_or_passed_by_their_paths, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
