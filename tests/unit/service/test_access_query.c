#include "testing.h"

#include "service/access.h"

static struct error err;

static const struct caller acme = {.name = "anna", .roles = ROLE_REVIEWER, .tenant = "acme", .how = CALLER_TOKEN};
static const struct caller everybody = {.name = "ben", .roles = ROLE_REVIEWER, .how = CALLER_TOKEN};
static const struct caller nobody = {0};

static bool matches(const struct caller *c, const char *text, const char *line)
{
    struct query *q = access_query(c, span_str(text), 0, &err);

    assert_non_null(q);
    bool does = query_matches(q, span_str(line));
    query_free(q);
    return does;
}

static const char *const texts[] = {
    "",         "tenant:acme",      "tenant:beta",          "tenant:acme,beta",        "-tenant:acme",        "tenant:*",
    "type:decision", "tenant:\"acme\"", "agent:\"a b\" seq:1..", "-agent:\"tenant:acme\"", "tenant:b* tenant:be*", "action:block -rule:x",
};

static void no_text_reaches_another_tenant(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_false(matches(&acme, texts[i], "{\"seq\":7,\"type\":\"decision\",\"action\":\"block\",\"tenant\":\"beta\",\"agent\":\"a b\"}"));
        assert_false(matches(&acme, texts[i], "{\"seq\":7,\"type\":\"decision\",\"action\":\"block\",\"agent\":\"a b\"}"));
        assert_false(matches(&acme, texts[i], "{\"seq\":7,\"type\":\"access\",\"by\":\"ben\",\"query\":\"tenant:acme\"}"));
        assert_false(matches(&acme, texts[i], "{\"seq\":7,\"type\":\"decision\",\"tenant\":\"acme2\"}"));
    }
    assert_true(matches(&acme, "", "{\"seq\":7,\"type\":\"decision\",\"tenant\":\"acme\"}"));
    assert_true(matches(&acme, "seq:7", "{\"seq\":7,\"type\":\"decision\",\"tenant\":\"acme\"}"));
    assert_true(matches(&everybody, "tenant:beta", "{\"seq\":7,\"type\":\"decision\",\"tenant\":\"beta\"}"));
}

/* A text that ends within a quote would swallow the limit: it is no query, and stays none. */
static void what_is_no_query_does_not_become_one(void **state)
{
    (void)state;
    static const char *const broken[] = {"agent:\"x", "\"", "tenant:", "agent:x,", "-", "agent:\"x\\", "nonsense", "tenant:\"acme\" agent:\""};

    for (size_t i = 0; i < COUNT(broken); i++) {
        struct error alone;
        assert_null(query_compile(span_str(broken[i]), 0, &alone));
        assert_null(access_query(&acme, span_str(broken[i]), 0, &err));
        assert_string_equal(err.text, alone.text); /* with its own columns */
    }
}

static void a_tenant_with_signs_is_itself(void **state)
{
    (void)state;
    static const char *const names[] = {"a*", "a\\\"b", "a,b", "a tenant:beta", "\" tenant:\"beta"};
    struct caller c = acme;

    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(c.tenant, sizeof(c.tenant), "%s", names[i]);
        assert_false(matches(&c, "", "{\"seq\":7,\"type\":\"decision\",\"tenant\":\"beta\"}"));
        assert_false(matches(&c, "", "{\"seq\":7,\"type\":\"decision\",\"tenant\":\"abc\"}"));
        assert_false(matches(&c, "", "{\"seq\":7,\"type\":\"decision\",\"tenant\":\"a\"}"));
    }
    (void)snprintf(c.tenant, sizeof(c.tenant), "a,b");
    assert_true(matches(&c, "", "{\"seq\":7,\"type\":\"decision\",\"tenant\":\"a,b\"}"));
}

static void a_role_is_the_one_that_lets_them(void **state)
{
    (void)state;
    const struct caller both = {.roles = ROLE_REVIEWER | ROLE_APPROVER, .how = CALLER_PROXY},
                        admin = {.roles = ROLE_ADMIN, .how = CALLER_TOKEN};

    assert_string_equal(caller_role(&both, ROLE_APPROVER), "approver");
    assert_string_equal(caller_role(&both, ROLE_REVIEWER | ROLE_APPROVER), "reviewer");
    assert_string_equal(caller_role(&admin, ROLE_APPROVER), "admin");
}

static void an_unknown_caller_sees_nothing(void **state)
{
    (void)state;
    assert_null(access_query(&nobody, span_str(""), 0, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_false(caller_sees(&nobody, span_str("acme")));
    assert_false(caller_has(&nobody, ~(unsigned)ROLE_ADMIN));
    assert_true(caller_sees(&acme, span_str("acme")) && !caller_sees(&acme, span_str("beta")) && !caller_sees(&acme, span_of("", 0)));
    assert_true(caller_sees(&everybody, span_str("beta")) && caller_sees(&everybody, span_of(NULL, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_text_reaches_another_tenant),
        cmocka_unit_test(what_is_no_query_does_not_become_one),
        cmocka_unit_test(a_tenant_with_signs_is_itself),
        cmocka_unit_test(a_role_is_the_one_that_lets_them),
        cmocka_unit_test(an_unknown_caller_sees_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
