/* test_identities.c - names of callers, as they may be shown. */
#include "testing.h"

#include "http/identities.h"
#include "support/judge.h"

static const char rules[] = "rules:\n" TEST_RULE("key-x", "secret", "high", "0.9", "pattern: 'KEY-[0-9]{8}'")
    TEST_RULE("bomb-x", "injection", "critical", "0.9", "pattern: 'BOMB[0-9]{4}'");
static const char policy[] = "policies:\n"
                             "  default:\n"
                             "    rules: [key-x, bomb-x]\n"
                             "    actions:\n"
                             "      - {category: secret, action: redact}\n"
                             "      - {category: injection, action: block}\n"
                             "  tried:\n"
                             "    rules: [key-x]\n"
                             "    shadow: true\n"
                             "    actions:\n"
                             "      - {category: secret, action: redact}\n"
                             "  lax:\n"
                             "    rules: [key-x]\n"
                             "    actions:\n"
                             "      - {category: pii, action: redact}\n"
                             "tenants:\n"
                             "  trying: {policy: tried}\n"
                             "  calm: {policy: lax}\n";

static const struct keys keys = {.decision = {.token = {1, 2, 3}, .key_id = "k1"}};
static struct judge judge;
static struct identities *identities;
static struct arena memory;
static struct filter_fault fault;
static struct error err;

static int set_up(void **state)
{
    (void)state;
    arena_init(&memory, 0, 1 << 16);
    identities = identities_new(&keys, &err);
    if (!judge_init(&judge, rules, policy, false) || identities == NULL) {
        print_error("%s\n", judge.err.text);
        return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    identities_free(identities);
    judge_deinit(&judge);
    arena_deinit(&memory);
    return 0;
}

static struct identity show(const char *tenant, const char *app, const char *agent)
{
    struct identity who = {.tenant = span_str(tenant), .app = span_str(app), .agent = span_str(agent)};

    assert_true(identity_show(identities, judge.snapshot, &memory, &who, &fault));
    return who;
}

static bool is_token(struct span name)
{
    return name.len == 40 && span_starts_with(name, span_str("~tok:k1:"));
}

static void ordinary_names_are_shown(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) { /* judged, and remembered */
        struct identity who = show("acme", "web", "support-7");
        assert_true(span_is(who.tenant, "acme") && span_is(who.app, "web") && span_is(who.agent, "support-7"));
        assert_int_equal(who.given.tenant.len + who.given.app.len + who.given.agent.len, 0);
        assert_true(span_is(identity_agent(&who), "support-7"));
    }
}

static void a_name_with_a_finding_becomes_its_token(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct identity who = show("KEY-12345678", "an app of BOMB1234", "bot-KEY-12345678");
        assert_true(is_token(who.tenant) && is_token(who.app) && is_token(who.agent));
        assert_false(span_equal(who.tenant, who.agent));
        assert_true(span_is(identity_tenant(&who), "KEY-12345678"));
        assert_true(span_is(identity_app(&who), "an app of BOMB1234"));
        assert_true(span_is(identity_agent(&who), "bot-KEY-12345678"));
    }
    struct identity a = show("", "", "KEY-12345678"), b = show("acme", "web", "KEY-12345678");
    assert_true(span_equal(a.agent, b.agent)); /* one account */
    assert_true(span_is(b.app, "web"));
    for (size_t i = 0; i < judge.rules->n_rules; i++) { /* what no record lists is counted nowhere */
        assert_int_equal(atomic_load(&judge.rules->findings[i]), 0);
    }
}

/* Content is delivered under a policy that is only tried; the record holds none all the same. */
static void a_policy_that_is_only_tried_hides_names_too(void **state)
{
    (void)state;
    assert_true(is_token(show("trying", "", "KEY-12345678").agent));
}

static void a_name_is_what_the_tenants_policy_says(void **state)
{
    (void)state;
    assert_true(span_is(show("calm", "", "KEY-12345678").agent, "KEY-12345678"));
    assert_true(is_token(show("acme", "", "KEY-12345678").agent)); /* nothing is remembered across policies */
}

static void a_fault_names_the_member_and_not_the_name(void **state)
{
    const struct {
        struct identity who;
        const char *pointer;
    } faults[] = {
        {{.agent = span_str("support-7\xe2\x80\x8b")}, "/agent"}, {{.app = span_str("we\tb")}, "/app"},
        {{.tenant = span_str("\xe2\x80\xae" "acme")}, "/tenant"},  {{.session = span_str("\xff")}, "/session"},
        {{.agent = span_str("~tok:k1:00112233445566778899aabbccddeeff")}, "/agent"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(faults); i++) {
        struct identity who = faults[i].who;
        assert_false(identity_show(identities, judge.snapshot, &memory, &who, &fault));
        assert_int_equal(fault.status, 422);
        assert_string_equal(fault.pointer, faults[i].pointer);
        assert_null(strstr(fault.detail, "support"));
    }
}

static void a_reason_is_a_token_when_it_holds_something(void **state)
{
    struct span clean = span_str("asked the mail server"), found = span_str("sent KEY-12345678 out");

    (void)state;
    assert_true(identity_show_text(identities, judge.snapshot, &memory, &clean, &fault));
    assert_true(span_is(clean, "asked the mail server"));
    assert_true(identity_show_text(identities, judge.snapshot, &memory, &found, &fault));
    assert_true(is_token(found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_names_are_shown),
        cmocka_unit_test(a_name_with_a_finding_becomes_its_token),
        cmocka_unit_test(a_policy_that_is_only_tried_hides_names_too),
        cmocka_unit_test(a_name_is_what_the_tenants_policy_says),
        cmocka_unit_test(a_fault_names_the_member_and_not_the_name),
        cmocka_unit_test(a_reason_is_a_token_when_it_holds_something),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
