#include "testing.h"

#include <arpa/inet.h>

#include "jail/egress/address.h"
#include "jail/egress/wire/path.h"
#include "jail/egress/policy.h"

#define RULE(more) "rules:\n  - {name: r, hosts: api.example, scheme: http, methods: GET, paths: /v1/**" more "}\n"

static struct egress_policy *read_policy(const char *yaml, struct error *err)
{
    return egress_policy_read("e.yaml", span_str(yaml), err);
}

static void a_policy_is_read_whole(void **state)
{
    struct error err = {0};
    struct egress_policy *p = read_policy("limits: {connections: 8, head: 16K, idle: 5s, total: 2m, connect: 300ms}\n"
                                          "credentials:\n"
                                          "  github: {file: /run/gh, hosts: api.github.com, methods: [GET, POST],\n"
                                          "           paths: [/repos/acme/**], ttl: 15m, uses: 300}\n"
                                          "rules:\n"
                                          "  - name: pip\n"
                                          "    hosts: [packages.example, '*.files.example']\n"
                                          "    ports: [8443, 443]\n"
                                          "    scheme: https\n"
                                          "    tls: passthrough\n"
                                          "    rate: 300/m\n"
                                          "    bytes_in: 2G\n"
                                          "  - name: models\n"
                                          "    hosts: models.example\n"
                                          "    scheme: http\n"
                                          "    methods: [POST]\n"
                                          "    paths: [/v1/messages]\n"
                                          "    may_reach: [loopback, private]\n"
                                          "    addresses: [127.0.0.1, '::1']\n"
                                          "    judge: requests\n"
                                          "    on_response: annotate\n"
                                          "    request_max: 64K\n"
                                          "    policy: strict\n",
                                          &err);

    (void)state;
    if (p == NULL) {
        fail_msg("%s", err.text);
        return;
    }
    assert_int_equal(p->limits.connections, 8);
    assert_int_equal(p->limits.head, 16 * 1024);
    assert_int_equal(p->limits.total, 120000);
    assert_int_equal(p->limits.connect, 300);
    assert_int_equal(p->limits.drain, 5000);
    assert_int_equal(p->n_credentials, 1);
    assert_true(span_is(p->credentials[0].name, "github"));
    assert_int_equal(p->credentials[0].ttl, 900000);
    assert_int_equal(p->n_rules, 2);
    assert_int_equal(p->rules[0].n_hosts, 2);
    assert_int_equal(p->rules[0].n_ports, 2);
    assert_int_equal(p->rules[0].rate.count, 300);
    assert_int_equal(p->rules[0].rate.window, 60000);
    assert_true(p->rules[0].bytes_in == INT64_C(2) << 30);
    assert_true(p->rules[0].bytes_out == EGRESS_NONE);
    assert_int_equal(p->rules[0].judge, EGRESS_JUDGE_NONE);
    assert_int_equal(p->rules[1].ports[0], 80);
    assert_int_equal(p->rules[1].may_reach, EGRESS_LOOPBACK | EGRESS_PRIVATE);
    assert_int_equal(p->rules[1].n_addresses, 2);
    assert_int_equal(p->rules[1].addresses[1].ss_family, AF_INET6);
    assert_int_equal(p->rules[1].on_response, EGRESS_RESPONSE_ANNOTATE);
    assert_true(egress_judges_requests(&p->rules[1]) && !egress_judges_responses(&p->rules[1]));
    assert_true(span_is(p->rules[1].policy, "strict"));
    egress_policy_free(p);
}

static void what_is_left_out_is_strict(void **state)
{
    struct error err = {0};
    struct egress_policy *p = read_policy(RULE(""), &err);

    (void)state;
    assert_non_null(p);
    assert_int_equal(p->rules[0].may_reach, 0);
    assert_int_equal(p->rules[0].judge, EGRESS_JUDGE_BOTH);
    assert_int_equal(p->rules[0].on_response, EGRESS_RESPONSE_REFUSE);
    egress_policy_free(p);
}

static void filterds_proxy_judges_what_goes_via_it(void **state)
{
    struct error err = {0};
    struct egress_policy *p = read_policy(RULE(", via: 'http://127.0.0.1:8470/openai', policy: strict"), &err);

    (void)state;
    assert_non_null(p);
    assert_true(egress_via_is_set(&p->rules[0].via));
    assert_true(egress_judges_requests(&p->rules[0]) && !egress_judges_responses(&p->rules[0]));
    egress_policy_free(p);
}

static const struct {
    const char *yaml, *error;
} wrong[] = {
    {"", "e.yaml:1:1: 'rules' expected"},
    {"limits: {}\n", "e.yaml:1:1: 'rules' expected"},
    {"rules:\n", "e.yaml:1:7: rules: a list expected"},
    {"rules: []\nrule: []\n", "e.yaml:2:1: key 'rule' is not known here (did you mean rules?)"},
    {"rules: []\nrules: []\n", "e.yaml:2:1: key 'rules' occurs twice, first in line 1"},
    {"rules:\n  - {hosts: a.example, scheme: https}\n", "e.yaml:2:5: 'name' expected"},
    {"rules:\n  - {name: a, scheme: https}\n", "e.yaml:2:5: 'hosts' expected"},
    {"rules:\n  - {name: a, hosts: a.example}\n", "e.yaml:2:5: 'scheme' expected"},
    {"rules:\n  - {name: a, hosts: [], scheme: https}\n", "e.yaml:2:22: hosts: 1 to 256 entries expected"},
    {"rules:\n  - {name: a, hosts: a.example, scheme: http, paths: /}\n",
     "e.yaml:2:5: 'methods' and 'paths' expected with scheme http and with tls: open"},
    {"rules:\n  - {name: a, hosts: a.example, scheme: http, methods: [], paths: /}\n",
     "e.yaml:2:56: methods: 1 to 256 entries expected"},
    {"rules:\n  - {name: a, hosts: a.example, scheme: https, tls: passthrough, paths: /}\n",
     "e.yaml:2:66: no 'paths' expected with tls: passthrough, whose content is not seen"},
    {"rules:\n  - {name: a, hosts: a.example, scheme: https, tls: passthrough, judge: none}\n",
     "e.yaml:2:66: no 'judge' expected with tls: passthrough, whose content is not seen"},
    {"rules:\n  - {name: a, hosts: '*.com', scheme: https}\n", "e.yaml:2:22: two labels or more expected behind '*.'"},
    {"rules:\n  - {name: a, hosts: a_b, scheme: https}\n",
     "e.yaml:2:22: a host expected: labels of letters, digits and '-', or an IP address"},
    {"rules:\n  - {name: a, hosts: [[a]], scheme: https}\n", "e.yaml:2:23: a text expected"},
    {"rules:\n  - {name: a, hosts: a, scheme: ftp}\n", "e.yaml:2:33: scheme: one of http, https expected"},
    {"rules:\n  - {name: a, hosts: a, scheme: https, ports: [0]}\n",
     "e.yaml:2:48: a whole number from 1 to 65535 expected"},
    {"rules:\n  - {name: a, hosts: a, scheme: https}\n", "e.yaml:2:5: 'tls' expected with scheme https, and with no other"},
    {RULE(", ca: /x"), "e.yaml:2:5: 'ca' with tls: open expected, and with no other"},
    {RULE(", tls: open"), "e.yaml:2:5: 'tls' expected with scheme https, and with no other"},
    {"rules:\n  - {name: a, hosts: a, scheme: https, tls: open}\n",
     "e.yaml:2:5: 'methods' and 'paths' expected with scheme http and with tls: open"},
    {"rules:\n  - {name: a, hosts: a, scheme: https, tls: passthrough}\n  - {name: a, hosts: b, scheme: https, tls: passthrough}\n",
     "e.yaml:3:5: another name expected, this one occurs twice"},
    {"rules:\n  - {name: A, hosts: a, scheme: https}\n",
     "e.yaml:2:12: name: a name of 1 to 64 of a-z, 0-9, '-', '_' and '.' expected"},
    {RULE(", methods: GET"), "e.yaml:2:78: key 'methods' occurs twice, first in line 2"},
    {RULE(", colour: red"), "e.yaml:2:78: key 'colour' is not known here: expected name, hosts, ports, scheme, tls, ca, methods, paths, may_reach, addresses, rate, bytes_out, bytes_in, request_max, response_max, judge, on_response, policy, via"},
    {RULE(", via: 'http://10.0.0.1/openai'"), "e.yaml:2:83: via: https:// expected, or a loopback address"},
    {RULE(", via: 'http://127.0.0.1/openai', judge: none"),
     "e.yaml:2:110: no 'judge' expected with via, where filterd's proxy does it"},
    {RULE(", may_reach: private, via: 'http://127.0.0.1/openai'"),
     "e.yaml:2:78: no 'may_reach' expected with via, where filterd's proxy does it"},
    {"rules:\n  - {name: a, hosts: a, scheme: https, tls: open, ca: /x, methods: GET, paths: /, via: 'http://127.0.0.1/b'}\n",
     "e.yaml:2:5: no 'ca' expected with a plain 'via'"},
    {"rules:\n  - {name: a, hosts: a, scheme: https, tls: passthrough, via: 'http://127.0.0.1/b'}\n",
     "e.yaml:2:58: no 'via' expected with tls: passthrough, whose content is not seen"},
    {RULE(", rate: fast"), "e.yaml:2:84: rate: a rate as 5/s, 60/m or 1000/h, of 0 to 2147483647, expected"},
    {RULE(", rate: -1/s"), "e.yaml:2:84: rate: a rate as 5/s, 60/m or 1000/h, of 0 to 2147483647, expected"},
    {RULE(", bytes_out: 2048T"),
     "e.yaml:2:89: bytes_out: a size from 0 to 1024T, or none, expected"},
    {RULE(", request_max: 65M"),
     "e.yaml:2:91: request_max: a size from 0 to 64M expected"},
    {RULE(", may_reach: everything"), "e.yaml:2:89: may_reach: one of loopback, private, link_local, metadata, shared, multicast, reserved, embedded expected"},
    {RULE(", addresses: localhost"), "e.yaml:2:89: addresses: an IPv4 or IPv6 address expected"},
    {"rules: []\nlimits: {idle: 0s}\n",
     "e.yaml:2:16: idle: a time from 1ms to 1h expected"},
    {"rules: []\nlimits: {idle: 60}\n",
     "e.yaml:2:16: idle: a time from 1ms to 1h expected"},
    {"rules: []\ncredentials: {a: {hosts: a, methods: GET, paths: /, ttl: 1m, uses: 1}}\n",
     "e.yaml:2:18: 'file' or 'env' expected"},
    {"rules: []\ncredentials: {a: {file: x, env: y, hosts: a, methods: GET, paths: /, ttl: 1m, uses: 1}}\n",
     "e.yaml:2:18: 'file' or 'env' expected"},
    {"rules: []\ncredentials: {a: {file: x, hosts: a, methods: GET, paths: /, uses: 1}}\n",
     "e.yaml:2:18: 'ttl' expected"},
    {"rules: []\ncredentials: {A b: {file: x}}\n",
     "e.yaml:2:15: a name of 1 to 64 of a-z, 0-9, '-', '_' and '.' expected"},
};

static void faults_have_a_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct error err = {0};
        struct egress_policy *p = read_policy(wrong[i].yaml, &err);
        if (p != NULL || strcmp(err.text, wrong[i].error) != 0) {
            fail_msg("%s\n%s\nexpected: %s", wrong[i].yaml, p != NULL ? "(read)" : err.text, wrong[i].error);
        }
    }
}

static void methods_and_paths_are_strict(void **state)
{
    static const char *const bad[] = {"methods: get, paths: /",    "methods: CONNECT, paths: /", "methods: TRACE, paths: /",
                                      "methods: '', paths: /",     "methods: G-T, paths: /",     "methods: GET, paths: v1",
                                      "methods: GET, paths: /a*b", "methods: GET, paths: /../a", "methods: GET, paths: ''"};

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        char yaml[200];
        struct error err = {0};
        (void)snprintf(yaml, sizeof(yaml), "rules:\n  - {name: a, hosts: a, scheme: http, %s}\n", bad[i]);
        assert_null(read_policy(yaml, &err));
        assert_memory_equal(err.text, "e.yaml:2:", 9);
    }
}

static const char several[] = "rules:\n"
                              "  - {name: read, hosts: [api.example, '*.api.example'], scheme: http, methods: [GET, HEAD],\n"
                              "     paths: [/repos/acme/**, /status]}\n"
                              "  - {name: write, hosts: api.example, scheme: http, methods: POST, paths: /repos/acme/x}\n"
                              "  - {name: other, hosts: api.example, ports: 8080, scheme: http, methods: GET, paths: /**}\n"
                              "  - {name: tunnel, hosts: git.example, scheme: https, tls: passthrough}\n"
                              "  - {name: opened, hosts: open.example, scheme: https, tls: open, methods: GET, paths: /a}\n";

static const struct {
    const char *host, *method, *path;
    uint16_t port;
    enum egress_scheme scheme;
    const char *expected; /* a rule, or what misses, with '!' */
} lookups[] = {
    {"api.example", "GET", "/status", 80, EGRESS_HTTP, "read"},
    {"eu.api.example", "HEAD", "/repos/acme/a/b", 80, EGRESS_HTTP, "read"},
    {"api.example", "POST", "/repos/acme/x", 80, EGRESS_HTTP, "write"},
    {"api.example", "GET", "/any", 8080, EGRESS_HTTP, "other"},
    {"git.example", "", "", 443, EGRESS_HTTPS, "tunnel"},
    {"git.example", "GET", "/", 443, EGRESS_HTTPS, "!method"},
    {"open.example", "", "", 443, EGRESS_HTTPS, "opened"},
    {"open.example", "GET", "/a", 443, EGRESS_HTTPS, "opened"},
    {"open.example", "GET", "/b", 443, EGRESS_HTTPS, "!path"},
    {"open.example", "PUT", "/a", 443, EGRESS_HTTPS, "!method"},
    {"evil.test", "GET", "/status", 80, EGRESS_HTTP, "!host"},
    {"xapi.example", "GET", "/status", 80, EGRESS_HTTP, "!host"},
    {"api.example", "GET", "/status", 81, EGRESS_HTTP, "!port"},
    {"api.example", "", "", 80, EGRESS_HTTPS, "!scheme"},
    {"git.example", "GET", "/", 443, EGRESS_HTTP, "!scheme"},
    {"git.example", "", "", 22, EGRESS_HTTPS, "!port"},
    {"api.example", "DELETE", "/repos/acme/x", 80, EGRESS_HTTP, "!method"},
    {"api.example", "get", "/status", 80, EGRESS_HTTP, "!method"},
    {"api.example", "GET", "/repos/other/x", 80, EGRESS_HTTP, "!path"},
    {"api.example", "POST", "/repos/acme/y", 80, EGRESS_HTTP, "!path"},
};

static void the_first_rule_that_allows_counts(void **state)
{
    struct error err = {0};
    struct egress_policy *p = read_policy(several, &err);

    (void)state;
    assert_non_null(p);
    for (size_t i = 0; i < COUNT(lookups); i++) {
        struct egress_target t = {.scheme = lookups[i].scheme,
                                  .port = lookups[i].port,
                                  .method = span_str(lookups[i].method),
                                  .path = span_str(lookups[i].path)};
        const char *missed = "";
        assert_true(egress_host_read(span_str(lookups[i].host), &t.host, &err));
        const struct egress_rule *r = egress_policy_find(p, &t, &missed);
        bool is_refused = lookups[i].expected[0] == '!';
        assert_int_equal(r == NULL, is_refused);
        assert_true(is_refused ? strcmp(missed, lookups[i].expected + 1) == 0 : span_is(r->name, lookups[i].expected));
    }
    egress_policy_free(p);
}

static void an_empty_list_lets_nothing_out(void **state)
{
    static const struct egress_policy zero;
    struct egress_target t = {.scheme = EGRESS_HTTPS, .port = 443};
    const char *missed = NULL;
    struct error err = {0};
    struct egress_policy *p = read_policy("rules: []\n", &err);

    (void)state;
    assert_non_null(p);
    assert_true(egress_host_read(span_str("a.example"), &t.host, &err));
    assert_null(egress_policy_find(p, &t, &missed));
    assert_null(egress_policy_find(&zero, &t, &missed));
    assert_string_equal(missed, "host");
    egress_policy_free(p);
}

static void credentials_fit_their_scope_alone(void **state)
{
    static const struct {
        const char *host, *method, *path;
        enum egress_scheme scheme;
        bool fits, fits_plain;
    } cases[] = {
        {"api.example", "GET", "/repos/acme/x", EGRESS_HTTPS, true, true},
        {"api.example", "GET", "/repos/acme/x", EGRESS_HTTP, false, true},
        {"evil.test", "GET", "/repos/acme/x", EGRESS_HTTPS, false, false},
        {"api.example", "POST", "/repos/acme/x", EGRESS_HTTPS, false, false},
        {"api.example", "GET", "/repos/other/x", EGRESS_HTTPS, false, false},
    };
    struct error err = {0};
    struct egress_policy *p =
        read_policy("rules: []\ncredentials:\n"
                    "  tls: {env: X, hosts: api.example, methods: GET, paths: /repos/acme/**, ttl: 1m, uses: 1}\n"
                    "  plain: {env: X, hosts: api.example, methods: GET, paths: /repos/acme/**, ttl: 1m, uses: 1,"
                    " plain: true}\n",
                    &err);

    (void)state;
    assert_non_null(p);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct egress_target t = {
            .scheme = cases[i].scheme, .method = span_str(cases[i].method), .path = span_str(cases[i].path)};
        assert_true(egress_host_read(span_str(cases[i].host), &t.host, &err));
        assert_int_equal(egress_credential_fits(&p->credentials[0], &t), cases[i].fits);
        assert_int_equal(egress_credential_fits(&p->credentials[1], &t), cases[i].fits_plain);
    }
    egress_policy_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_is_read_whole),
        cmocka_unit_test(what_is_left_out_is_strict),
        cmocka_unit_test(filterds_proxy_judges_what_goes_via_it),
        cmocka_unit_test(faults_have_a_place),
        cmocka_unit_test(methods_and_paths_are_strict),
        cmocka_unit_test(the_first_rule_that_allows_counts),
        cmocka_unit_test(an_empty_list_lets_nothing_out),
        cmocka_unit_test(credentials_fit_their_scope_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
