#include "testing.h"

#include "jail/egress/describe.h"

static struct error err;
static struct buf text;

static struct egress_policy *read_policy(const char *yaml)
{
    struct egress_policy *p = egress_policy_read("p.yaml", span_str(yaml), &err);

    assert_non_null(p);
    buf_init(&text, 1 << 16);
    return p;
}

static void assert_text(const char *expected)
{
    assert_true(buf_append_char(&text, '\0', &err));
    assert_string_equal(text.data, expected);
    buf_deinit(&text);
}

static const char yaml[] =
    "credentials:\n  key: {file: /run/secrets/key, hosts: api.test, methods: GET, paths: /a/*, ttl: 1h, uses: 3}\n"
    "rules:\n"
    "  - {name: api, hosts: [api.test, '*.api.test'], scheme: https, tls: open, methods: [GET, POST], paths: /a/*, rate: 60/m}\n"
    "  - {name: tls, hosts: api.test, ports: [443, 8443], scheme: https, tls: passthrough, bytes_out: 1K}\n"
    "  - {name: plain, hosts: 192.0.2.1, scheme: http, methods: GET, paths: [/x, /y/**], judge: none}\n"
    "  - {name: via, hosts: llm.test, scheme: https, tls: open, methods: POST, paths: /v1/**, via: 'http://127.0.0.1:8470/llm'}\n";

static void a_policy_is_said_rule_by_rule_without_places_of_the_machine(void **state)
{
    struct egress_policy *p = read_policy(yaml);

    (void)state;
    assert_true(egress_describe(p, &text, &err));
    assert_text("- https to api.test, *.api.test, port 443: GET, POST of /a/*; requests and answers are judged; at most 60 in 60 s.\n"
                "- https to api.test, ports 443, 8443; not inspected; 1024 bytes out in all.\n"
                "- http to 192.0.2.1, port 80: GET of /x, /y/**; not judged.\n"
                "- https to llm.test, port 443: POST of /v1/**; requests and answers are judged, and values are masked.\n"
                "- Write filterd-credential-key into a header in place of its secret: for api.test, GET of /a/*, 3 times.\n");
    egress_policy_free(p);
}

static void without_rules_nothing_leaves(void **state)
{
    struct egress_policy *p = read_policy("rules: []\n");

    (void)state;
    assert_true(egress_describe(p, &text, &err));
    assert_text("- Nothing: there is no rule.\n");
    egress_policy_free(p);
}

static void a_host_has_all_rules_that_hold_for_it(void **state)
{
    struct egress_policy *p = read_policy(yaml);

    (void)state;
    assert_true(egress_explain(p, span_str("x.api.test"), &text, &err));
    assert_text("allowed by rule api:\n- https to api.test, *.api.test, port 443: GET, POST of /a/*; requests and answers are judged; "
                "at most 60 in 60 s.\n");
    buf_init(&text, 1 << 16);
    assert_true(egress_explain(p, span_str("evil.test"), &text, &err));
    assert_text("refused: no rule allows this host\n");
    assert_false(egress_explain(p, span_str("no host"), &text, &err));
    egress_policy_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_is_said_rule_by_rule_without_places_of_the_machine),
        cmocka_unit_test(without_rules_nothing_leaves),
        cmocka_unit_test(a_host_has_all_rules_that_hold_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
