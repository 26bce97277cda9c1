#include "testing.h"

#include "policy/exceptions_file.h"
#include "support/judge.h"

static const char rules[] = "rules:\n" TEST_RULE("one", "secret", "critical", "0.9", "pattern: 'one-[a-z0-9]{8}'")
    TEST_RULE("two", "secret", "medium", "0.9", "pattern: 'two-[a-z0-9]{8}'");
static const char policy[] = "policies:\n"
                             "  default: {rules: [local], actions: [{category: secret, action: block}], review: {exceptions: live}}\n"
                             "  closed: {rules: [local], actions: [{category: secret, action: block}], review: {queue: [{action: block}]}}\n"
                             "tenants:\n"
                             "  shut: {policy: closed}\n";
enum { UNTIL = 1798761600 }; /* 2027-01-01 */

static struct judge j;

static int set_up(void **state)
{
    (void)state;
    memset(&j, 0, sizeof(j));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    judge_deinit(&j);
    return 0;
}

static struct live_exception entry(void)
{
    return (struct live_exception){.id = span_str("ex-1"), .rule = span_str("one"), .tenant = span_str("acme"), .until_s = UNTIL,
                                   .by = span_str("anna"), .approver = span_str("ben")};
}

static void use(const struct live_exception *items, size_t n)
{
    struct buf text;
    struct error err;

    judge_deinit(&j);
    memset(&j, 0, sizeof(j));
    if (!judge_init(&j, rules, policy, false)) {
        fail_msg("%s", j.err.text);
    }
    buf_init(&text, LIVE_FILE_MAX);
    bool is_taken = exceptions_file_write(items, n, &text, &err) &&
                    snapshot_add_exceptions(j.snapshot, "exceptions.yaml", buf_span(&text), &err);
    buf_deinit(&text);
    if (!is_taken) {
        fail_msg("%s", err.text);
    }
}

static enum action verdict(const char *tenant, const char *app, const char *text)
{
    j.x.who = (struct identity){.tenant = span_str(tenant), .app = span_str(app)};
    j.x.now_ns = (UNTIL - 1) * INT64_C(1000000000);
    judge_text(&j, span_str(text));
    return j.x.action;
}

static void one_of_an_application_covers_that_rule_tenant_and_application(void **state)
{
    struct live_exception e = entry();

    (void)state;
    e.app = span_str("web \"1\": x"); /* a name is written so that it is read as it was */
    use(&e, 1);
    assert_int_equal(verdict("acme", "web \"1\": x", "one-abcdefgh"), ACTION_ALLOW);
    assert_int_equal(verdict("acme", "web \"1\": x", "two-abcdefgh"), ACTION_BLOCK);
    assert_int_equal(verdict("other", "web \"1\": x", "one-abcdefgh"), ACTION_BLOCK);
    assert_int_equal(verdict("", "web \"1\": x", "one-abcdefgh"), ACTION_BLOCK);
    assert_int_equal(verdict("acme", "batch", "one-abcdefgh"), ACTION_BLOCK);
    assert_int_equal(verdict("acme", "", "one-abcdefgh"), ACTION_BLOCK);
    e.tenant = span_str("shut"); /* whose policy takes none */
    use(&e, 1);
    assert_int_equal(verdict("shut", "web \"1\": x", "one-abcdefgh"), ACTION_BLOCK);
}

static void one_of_no_tenant_covers_no_tenant(void **state)
{
    struct live_exception e = entry();

    (void)state;
    e.tenant = span_str("");
    e.app = span_str("web");
    use(&e, 1);
    assert_int_equal(verdict("", "web", "one-abcdefgh"), ACTION_ALLOW);
    assert_int_equal(verdict("acme", "web", "one-abcdefgh"), ACTION_BLOCK);
}

static void one_of_a_pattern_covers_what_it_matches_until_its_day(void **state)
{
    struct live_exception e = entry();

    (void)state;
    e.matches = span_str("^one-a[^']+$");
    use(&e, 1);
    assert_int_equal(verdict("acme", "", "one-abcdefgh"), ACTION_ALLOW);
    assert_int_equal(verdict("acme", "", "one-bbcdefgh"), ACTION_BLOCK);
    j.x.now_ns = UNTIL * INT64_C(1000000000);
    judge_text(&j, span_str("one-abcdefgh"));
    assert_int_equal(j.x.action, ACTION_BLOCK);
}

static void one_of_a_value_covers_that_value(void **state)
{
    static const uint8_t key[DIGEST_KEY] = {7};
    struct live_exception e = entry();
    char hex[DIGEST_TOKEN_HEX + 1], token[80];

    (void)state;
    assert_true(digest_token(key, span_str("one-abcdefgh"), hex, &j.err));
    (void)snprintf(token, sizeof(token), "e1-aa:%s", hex);
    e.value_tok = span_str(token);
    use(&e, 1);
    snapshot_give_key(j.snapshot, span_str("e1-aa"), key);
    assert_int_equal(verdict("acme", "", "one-abcdefgh"), ACTION_ALLOW);
    assert_int_equal(verdict("acme", "", "one-xxxxxxxx"), ACTION_BLOCK);
}

static void they_have_a_digest_of_their_own(void **state)
{
    struct live_exception e = entry();
    char policy_before[128], before[128];

    (void)state;
    e.app = span_str("web");
    use(NULL, 0);
    (void)snprintf(policy_before, sizeof(policy_before), SPAN_FMT, SPAN_ARG(j.snapshot->policies[0].digest));
    (void)snprintf(before, sizeof(before), SPAN_FMT, SPAN_ARG(j.snapshot->exceptions_digest));
    use(&e, 1);
    assert_true(span_is(j.snapshot->policies[0].digest, policy_before));
    assert_int_equal(j.snapshot->exceptions_digest.len, strlen("sha256:") + DIGEST_SHA256_HEX);
    assert_false(span_is(j.snapshot->exceptions_digest, before));
}

static void a_finding_names_the_one_that_let_it_through(void **state)
{
    struct live_exception e = entry();

    (void)state;
    e.app = span_str("web");
    use(&e, 1);
    assert_int_equal(verdict("acme", "web", "one-abcdefgh"), ACTION_ALLOW);
    assert_true(span_is(j.x.findings[0].exception, "ex-1"));
    assert_int_equal(verdict("acme", "batch", "one-abcdefgh"), ACTION_BLOCK);
    assert_int_equal(j.x.findings[0].exception.len, 0);
}

static void a_rule_that_is_gone_is_no_error(void **state)
{
    struct live_exception e = entry();

    (void)state;
    e.rule = span_str("removed");
    e.app = span_str("web");
    use(&e, 1);
    assert_int_equal(verdict("acme", "web", "one-abcdefgh"), ACTION_BLOCK);
}

static void faults_are_named_with_their_place(void **state)
{
#define ENTRY "exceptions:\n  - {id: a, rule: one, tenant: acme, until: 2027-01-01, by: anna, approver: "
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"", "'exceptions' expected"},
        {ENTRY "ben}\n", "x.yaml:2:5: one of 'value_tok', 'app' and 'matches' expected"},
        {ENTRY "ben, app: web, matches: x}\n", "one of 'value_tok'"},
        {ENTRY "anna, app: web}\n", "another person"},
        {ENTRY "ben, matches: '('}\n", "a pattern expected"},
        {ENTRY "ben, app: web, rules: x}\n", "not known here"},
        {"exceptions:\n  - {id: a, rule: one, tenant: acme, by: anna, approver: ben, app: web}\n", "'until' expected"},
        {"exceptions:\n  - {id: a, rule: one, until: 2027-01-01, by: anna, approver: ben, app: web}\n", "'tenant' expected"},
    };
    struct error err;

    (void)state;
    use(NULL, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_false(snapshot_add_exceptions(j.snapshot, "x.yaml", span_str(cases[i].text), &err));
        if (strstr(err.text, cases[i].expected) == NULL) {
            fail_msg("case %zu: %s", i, err.text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_an_application_covers_that_rule_tenant_and_application),
        cmocka_unit_test(one_of_no_tenant_covers_no_tenant),
        cmocka_unit_test(one_of_a_pattern_covers_what_it_matches_until_its_day),
        cmocka_unit_test(one_of_a_value_covers_that_value),
        cmocka_unit_test(they_have_a_digest_of_their_own),
        cmocka_unit_test(a_finding_names_the_one_that_let_it_through),
        cmocka_unit_test(a_rule_that_is_gone_is_no_error),
        cmocka_unit_test(faults_are_named_with_their_place),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
