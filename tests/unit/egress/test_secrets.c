#include "testing.h"

#include "jail/egress/secrets.h"

static const uint64_t second = 1000000000;

static const char yaml[] = "rules: []\ncredentials:\n"
                           "  one: {env: EGRESS_TEST_ONE, hosts: a.test, methods: GET, paths: /x, ttl: 10s, uses: 2}\n"
                           "  one.two: {env: EGRESS_TEST_TWO, hosts: a.test, methods: GET, paths: /x, ttl: 1h, uses: 9}\n";

struct fixture {
    struct egress_policy *policy;
    struct egress_secrets secrets;
    struct egress_target target;
    struct buf out;
};

static int set_up(void **state)
{
    static struct fixture f;
    struct error err = {0};

    (void)setenv("EGRESS_TEST_ONE", "first-value\n", 1);
    (void)setenv("EGRESS_TEST_TWO", "second value", 1);
    f.policy = egress_policy_read("e", span_str(yaml), &err);
    assert_non_null(f.policy);
    assert_true(egress_secrets_init(&f.secrets, f.policy, 0, &err));
    f.target = (struct egress_target){
        .scheme = EGRESS_HTTPS, .port = 443, .method = span_str("GET"), .path = span_str("/x")};
    assert_true(egress_host_read(span_str("a.test"), &f.target.host, &err));
    buf_init(&f.out, 4096);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    buf_deinit(&f->out);
    egress_secrets_deinit(&f->secrets);
    egress_policy_free(f->policy);
    return 0;
}

static bool fill(struct fixture *f, const char *value, uint64_t now_ns, struct error *err)
{
    buf_clear(&f->out);
    return egress_secrets_fill(&f->secrets, &f->target, span_str(value), now_ns, &f->out, err);
}

static void placeholders_become_values(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};

    assert_true(fill(f, "Bearer filterd-credential-one", 0, &err));
    assert_true(span_is(buf_span(&f->out), "Bearer first-value"));
    assert_true(fill(f, "a=filterd-credential-one.two, b=filterd-credential-one;", 0, &err));
    assert_true(span_is(buf_span(&f->out), "a=second value, b=first-value;"));
    assert_true(egress_secrets_wants(span_str("x filterd-credential-")));
    assert_false(egress_secrets_wants(span_str("filterd-credentia")));
    assert_false(egress_secrets_wants(span_str("")));
}

static void uses_are_counted(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};

    assert_true(fill(f, "filterd-credential-one", 0, &err));
    assert_false(fill(f, "filterd-credential-one filterd-credential-one", 0, &err));
    assert_string_equal(err.text, "the credential is used up");
    assert_false(fill(f, "filterd-credential-one", 0, &err));
}

static void old_credentials_are_refused(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};

    assert_true(fill(f, "filterd-credential-one", 10 * second - 1, &err));
    assert_false(fill(f, "filterd-credential-one", 10 * second, &err));
    assert_string_equal(err.text, "the credential is too old");
}

static void other_places_and_names_are_refused(void **state)
{
    static const char *const wrong[] = {"filterd-credential-", "filterd-credential-on", "filterd-credential-onex",
                                        "filterd-credential-ONE"};
    struct fixture *f = *state;
    struct error err = {0};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_false(fill(f, wrong[i], 0, &err));
        assert_string_equal(err.text, "there is no such credential");
    }
    f->target.method = span_str("POST");
    assert_false(fill(f, "filterd-credential-one", 0, &err));
    assert_string_equal(err.text, "the credential is for other places");
    f->target.method = span_str("GET");
    f->target.scheme = EGRESS_HTTP;
    assert_false(fill(f, "filterd-credential-one", 0, &err));
    assert_int_equal(f->secrets.items[0].uses_left, 2);
}

static void what_is_revoked_is_wiped_and_refused(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};
    char nothing[EGRESS_SECRET_MAX + 1] = {0};

    assert_true(fill(f, "filterd-credential-one", 0, &err));
    assert_int_equal(egress_secrets_revoke(&f->secrets), 2);
    for (size_t i = 0; i < f->secrets.n; i++) {
        assert_memory_equal(f->secrets.items[i].value, nothing, sizeof(nothing));
    }
    assert_false(fill(f, "a filterd-credential-one.two", 0, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_string_equal(err.text, "the credentials were revoked");
    assert_null(f->out.len == 0 ? NULL : memmem(f->out.data, f->out.len, "second", 6));
    assert_true(fill(f, "no placeholder", 0, &err));
    assert_int_equal(egress_secrets_revoke(&f->secrets), 0);
}

static void values_that_would_break_a_header_are_refused(void **state)
{
    static const char *const wrong[] = {"", "\n", "a\r\nX: y", "a\tb", "\xc3\xa4"};
    struct fixture *f = *state;
    struct error err = {0};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct egress_secrets s;
        (void)setenv("EGRESS_TEST_ONE", wrong[i], 1);
        assert_false(egress_secrets_init(&s, f->policy, 0, &err));
        assert_int_equal(err.kind, ERROR_INVALID);
        egress_secrets_deinit(&s);
    }
    struct egress_secrets s;
    (void)unsetenv("EGRESS_TEST_ONE");
    assert_false(egress_secrets_init(&s, f->policy, 0, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    egress_secrets_deinit(&s);
}

static void answers_are_searched(void **state)
{
    struct fixture *f = *state;

    assert_true(egress_secrets_are_in(&f->secrets, span_str("first-value")));
    assert_true(egress_secrets_are_in(&f->secrets, span_str("so: second value.")));
    assert_true(egress_secrets_are_in(&f->secrets, span_str("First-Value")));
    assert_true(egress_secrets_are_in(&f->secrets, span_str("first-va...")));
    assert_false(egress_secrets_are_in(&f->secrets, span_str("second  value, first-v")));
    assert_false(egress_secrets_are_in(&f->secrets, span_of(NULL, 0)));
    assert_int_equal(egress_secrets_begun(&f->secrets, span_str("the first-v")), 7);
    assert_int_equal(egress_secrets_begun(&f->secrets, span_str("the first-value.")), 0); /* whole: it is in */
    assert_int_equal(egress_secrets_begun(&f->secrets, span_str("f")), 1);
    assert_int_equal(egress_secrets_begun(&f->secrets, span_str("s, fi")), 2);
    assert_int_equal(egress_secrets_begun(&f->secrets, span_of(NULL, 0)), 0);
    (void)egress_secrets_revoke(&f->secrets);
    assert_true(egress_secrets_are_in(&f->secrets, span_str("first-value"))); /* an answer that was on its way */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(placeholders_become_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(uses_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(old_credentials_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_places_and_names_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_revoked_is_wiped_and_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(answers_are_searched, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_that_would_break_a_header_are_refused, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
