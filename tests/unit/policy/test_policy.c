#include "testing.h"

#include "support/judge.h"

static const char rules[] = "rules:\n" TEST_RULE("one", "secret", "critical", "0.9", "pattern: 'one-[a-z0-9]{8}', tags: [cloud]")
    TEST_RULE("two", "pii", "medium", "0.7", "pattern: 'two-[a-z0-9]{8}'")
        TEST_RULE("dark", "secret", "high", "0.9", "pattern: 'dark-[a-z0-9]{8}', shadow: true");

static struct judge j;

static void use(const char *policy)
{
    judge_deinit(&j);
    if (!judge_init(&j, rules, policy, false)) {
        fail_msg("%s", j.err.text);
    }
}

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

#define POLICY(entries) "policies:\n  default:\n    rules: [local]\n    actions:\n" entries

static void the_strictest_entry_wins_whatever_the_order(void **state)
{
    (void)state;
    use(POLICY("      - {category: secret, action: block}\n      - {category: secret, action: allow}\n"));
    judge_text(&j, span_str("one-abcdefgh"));
    assert_int_equal(j.x.action, ACTION_BLOCK);
    assert_true(span_is(j.x.rule, "one"));
    use(POLICY("      - {category: secret, action: allow}\n      - {category: secret, action: block}\n"));
    judge_text(&j, span_str("one-abcdefgh"));
    assert_int_equal(j.x.action, ACTION_BLOCK);
}

static void what_no_entry_covers_is_reported_and_allowed(void **state)
{
    (void)state;
    use(POLICY("      - {category: secret, action: block}\n"));
    struct span out = judge_text(&j, span_str("x two-abcdefgh"));
    assert_int_equal(j.x.action, ACTION_ALLOW);
    assert_int_equal(j.x.n_findings, 1);
    assert_true(span_is(out, "x two-abcdefgh"));
}

static void confidence_severity_tag_and_who_are_conditions(void **state)
{
    static const struct {
        const char *entry, *agent;
        enum action expected;
    } cases[] = {
        {POLICY("      - {confidence: '>=0.9', action: redact}\n"), "", ACTION_REDACT},
        {POLICY("      - {confidence: '>=0.91', action: redact}\n"), "", ACTION_ALLOW},
        {POLICY("      - {confidence: '<0.9', action: redact}\n"), "", ACTION_ALLOW},
        {POLICY("      - {confidence: '0.5..1', action: redact}\n"), "", ACTION_REDACT},
        {POLICY("      - {severity: [low, medium], action: redact}\n"), "", ACTION_ALLOW},
        {POLICY("      - {severity: critical, action: redact}\n"), "", ACTION_REDACT},
        {POLICY("      - {tag: cloud, action: redact}\n"), "", ACTION_REDACT},
        {POLICY("      - {tag: ai, action: redact}\n"), "", ACTION_ALLOW},
        {POLICY("      - {rules: [two], action: redact}\n"), "", ACTION_ALLOW},
        {POLICY("      - {agent: support-7, action: redact}\n"), "support-7", ACTION_REDACT},
        {POLICY("      - {agent: support-7, action: redact}\n"), "support-8", ACTION_ALLOW},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        use(cases[i].entry);
        j.x.who.agent = span_str(cases[i].agent);
        judge_text(&j, span_str("one-abcdefgh"));
        assert_int_equal(j.x.action, cases[i].expected);
    }
}

/* "no" is Norway here, not a false. */
static void a_policy_chooses_countries(void **state)
{
    static const char national[] =
        "rules:\n" TEST_RULE("two-no", "pii", "high", "0.9", "pattern: 'nor-[a-z0-9]{8}', tags: [identity, country-no]")
            TEST_RULE("two-cz", "pii", "high", "0.9", "pattern: 'cze-[a-z0-9]{8}', tags: [country-cz, country-sk]")
                TEST_RULE("two-any", "pii", "high", "0.9", "pattern: 'any-[a-z0-9]{8}', tags: [country]");
    static const struct {
        const char *rules;
        bool expected[3]; /* by id: two-any, two-cz, two-no */
    } cases[] = {
        {"rules: [local]", {true, true, true}},
        {"rules: [local], countries: [no]", {true, false, true}},
        {"rules: [local], countries: [sk, no]", {true, true, true}},
        {"rules: [local], countries: cz", {true, true, false}},
        {"rules: [local, two-no], countries: cz", {true, true, true}},
        {"rules: [two-no, local], countries: cz", {true, true, true}},
        {"rules: [two-any], countries: cz", {true, false, false}},
    };
    static const char *const texts[3] = {"any-abcdefgh", "cze-abcdefgh", "nor-abcdefgh"};
    char digest[COUNT(cases)][80];

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char policy[256];
        (void)snprintf(policy, sizeof(policy), "policies:\n  default: {%s, actions: [{action: redact}]}\n", cases[i].rules);
        judge_deinit(&j);
        if (!judge_init(&j, national, policy, false)) {
            fail_msg("%s", j.err.text);
        }
        for (size_t k = 0; k < COUNT(texts); k++) {
            judge_text(&j, span_str(texts[k]));
            if ((j.x.n_findings == 1) != cases[i].expected[k]) {
                fail_msg("%s: %s", cases[i].rules, texts[k]);
            }
        }
        (void)snprintf(digest[i], sizeof(digest[i]), SPAN_FMT, SPAN_ARG(j.x.policy->digest));
        assert_true(i == 0 || strcmp(digest[i], digest[i - 1]) != 0);
    }
}

static void an_exception_holds_until_its_day(void **state)
{
    (void)state;
    use(POLICY("      - {category: secret, action: block}\n"
               "    exceptions:\n"
               "      - {rule: one, matches: 'abc', until: 2027-01-01, why: test}\n"));
    j.x.now_ns = 1798761599LL * 1000000000; /* 2026-12-31T23:59:59Z */
    judge_text(&j, span_str("one-abcdefgh"));
    assert_int_equal(j.x.action, ACTION_ALLOW);
    assert_true(j.x.findings[0].is_excepted);
    judge_text(&j, span_str("one-xxxxxxxx"));
    assert_int_equal(j.x.action, ACTION_BLOCK);
    j.x.now_ns = 1798761600LL * 1000000000;
    judge_text(&j, span_str("one-abcdefgh"));
    assert_int_equal(j.x.action, ACTION_BLOCK);
}

static void shadow_is_recorded_and_never_acted_on(void **state)
{
    (void)state;
    use(POLICY("      - {category: secret, action: block}\n      - {category: pii, action: block, shadow: true}\n"));
    judge_text(&j, span_str("dark-abcdefgh two-abcdefgh"));
    assert_int_equal(j.x.action, ACTION_ALLOW);
    assert_int_equal(j.x.n_findings, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_true(j.x.findings[i].is_shadow);
        assert_int_equal(j.x.findings[i].action, ACTION_BLOCK);
    }
}

static void a_tenant_has_its_own_policy(void **state)
{
    (void)state;
    use("policies:\n"
        "  default: {rules: [local], actions: [{category: secret, action: block}]}\n"
        "  easy: {rules: [two], actions: []}\n"
        "tenants:\n"
        "  acme: {policy: easy}\n");
    judge_text(&j, span_str("one-abcdefgh"));
    assert_int_equal(j.x.action, ACTION_BLOCK);
    j.x.who.tenant = span_str("acme");
    judge_text(&j, span_str("one-abcdefgh"));
    assert_int_equal(j.x.action, ACTION_ALLOW);
    assert_int_equal(j.x.n_findings, 0);
    assert_null(snapshot_policy(j.snapshot, span_str("none"), (struct span){0}));
}

/* What the record says of a value under that key. */
static void format_token(const char *id, const uint8_t key[DIGEST_KEY], const char *value, char out[80])
{
    char hex[DIGEST_TOKEN_HEX + 1];

    assert_true(digest_token(key, span_str(value), hex, &j.err));
    (void)snprintf(out, 80, "%s:%s", id, hex);
}

static void use_token(const char *token)
{
    char policy[512];

    (void)snprintf(policy, sizeof(policy), POLICY("      - {category: secret, action: block}\n"
                                                  "    exceptions:\n      - {rule: one, value_tok: '%s', why: test}\n"), token);
    use(policy);
}

static void an_exception_of_one_value_covers_no_other(void **state)
{
    static const uint8_t key[DIGEST_KEY] = {1, 2, 3}, other[DIGEST_KEY] = {9};
    char token[80];

    (void)state;
    format_token("e1-aa", key, "one-abcdefgh", token);
    use_token(token);
    snapshot_give_key(j.snapshot, span_str("e1-aa"), key);
    snapshot_give_key(j.snapshot, span_str("e2-bb"), other);
    judge_text(&j, span_str("one-abcdefgh"));
    assert_int_equal(j.x.action, ACTION_ALLOW);
    assert_true(j.x.findings[0].is_excepted);
    judge_text(&j, span_str("one-abcdefgh one-xxxxxxxx"));
    assert_int_equal(j.x.action, ACTION_BLOCK);
}

static void a_token_without_its_key_covers_nothing(void **state)
{
    static const uint8_t key[DIGEST_KEY] = {1, 2, 3}, other[DIGEST_KEY] = {9};
    char token[80];

    (void)state;
    format_token("e1-aa", key, "one-abcdefgh", token);
    use_token(token);
    judge_text(&j, span_str("one-abcdefgh"));
    assert_int_equal(j.x.action, ACTION_BLOCK);
    snapshot_give_key(j.snapshot, span_str("e2-bb"), key);
    snapshot_give_key(j.snapshot, span_str("e1-aa"), other);
    judge_text(&j, span_str("one-abcdefgh"));
    assert_int_equal(j.x.action, ACTION_BLOCK);
}

static void faults_are_named_with_their_place(void **state)
{
    static const struct {
        const char *policy, *expected;
    } cases[] = {
        {"policies:\n  other: {rules: [local], actions: []}\n", "policy.yaml:2:3: a policy 'default' expected"},
        {POLICY("      - {category: secret}\n"), "policy.yaml:5:9: 'action' expected"},
        {POLICY("      - {category: secrets, action: block}\n"), "policy.yaml:5:20: category: one of"},
        {POLICY("      - {action: block, colour: red}\n"), "policy.yaml:5:25: key 'colour' is not known here"},
        {POLICY("      - {action: block, confidence: high}\n"), "'>=0.9'"},
        {POLICY("      - {action: block, rules: [none]}\n"), "there is no rule 'none'"},
        {POLICY("      - {action: redact, with: {mask: {keep_last: 99}}}\n"), "a whole number from 0 to 8 expected"},
        {POLICY("      - {action: redact, with: replace}\n"), "{replace: 'text'} expected"},
        {POLICY("      - {action: block, tags: []}\n"), "policy.yaml:5:31: tags: at least one value expected"},
        {POLICY("      - {action: block, rule: one, rules: [two]}\n"), "either the singular or the plural of 'rules'"},
        {"policies:\n  default: {rules: [none], actions: []}\n", "there is no pack or rule 'none'"},
        {"policies:\n  default: {rules: [local], actions: [], exceptions: [{rule: one}]}\n", "'why' expected"},
        {"policies:\n  default: {rules: [local], actions: [], exceptions: [{category: pii, why: x}]}\n", "whole category"},
        {"policies:\n  default: {rules: [local], actions: [], exceptions: [{rule: one, why: x, until: 2027-02-30}]}\n",
         "a date as"},
        {"policies:\n  default: {rules: [local], actions: [], exceptions: [{value_tok: 'e1:12', why: x}]}\n", "a value_tok of the record"},
        {"policies:\n  default: {rules: [local], countries: [uk], actions: []}\n", "there is no rule of country 'uk'"},
        {"policies:\n  default: {rules: [local], countries: [], actions: []}\n", "at least one value expected"},
        {"policies:\n  default: {rules: [local], actions: []}\ntenants:\n  a: {policy: z}\n", "there is no policy 'z'"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        judge_deinit(&j);
        assert_false(judge_init(&j, rules, cases[i].policy, false));
        if (strstr(j.err.text, cases[i].expected) == NULL) {
            fail_msg("case %zu: %s", i, j.err.text);
        }
    }
}

static void values_of_some_categories_stay_masked(void **state)
{
    (void)state;
    use(POLICY("      - {category: secret, action: redact}\n"));
    judge_text(&j, span_str("a"));
    assert_int_equal(j.x.policy->withheld, 0);
    use("policies:\n  default: {rules: [local], actions: [], keep_masked: secret}\n");
    judge_text(&j, span_str("a"));
    assert_int_equal(j.x.policy->withheld, 1U << CATEGORY_SECRET);
    use("policies:\n  default: {rules: [local], actions: [], keep_masked: [pii, secret]}\n");
    judge_text(&j, span_str("a"));
    assert_int_equal(j.x.policy->withheld, 1U << CATEGORY_SECRET | 1U << CATEGORY_PII);
    judge_deinit(&j);
    assert_false(judge_init(&j, rules, "policies:\n  default: {rules: [local], actions: [], keep_masked: [names]}\n", false));
    assert_non_null(strstr(j.err.text, "secret"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_strictest_entry_wins_whatever_the_order),
        cmocka_unit_test(what_no_entry_covers_is_reported_and_allowed),
        cmocka_unit_test(confidence_severity_tag_and_who_are_conditions),
        cmocka_unit_test(a_policy_chooses_countries),
        cmocka_unit_test(an_exception_holds_until_its_day),
        cmocka_unit_test(an_exception_of_one_value_covers_no_other),
        cmocka_unit_test(a_token_without_its_key_covers_nothing),
        cmocka_unit_test(shadow_is_recorded_and_never_acted_on),
        cmocka_unit_test(a_tenant_has_its_own_policy),
        cmocka_unit_test(faults_are_named_with_their_place),
        cmocka_unit_test(values_of_some_categories_stay_masked),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
