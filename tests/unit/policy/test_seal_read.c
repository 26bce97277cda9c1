#include "testing.h"

#include <ftw.h>
#include <stdio.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "judge/decide.h"
#include "policy/seal.h"
#include "support/judge.h"

static const char rules[] = "rules:\n"
                            TEST_RULE("weak", "content", "low", "0.5", "pattern: weak")
                            TEST_RULE("strong", "secret", "high", "0.9", "pattern: strong");

/* A group of new recipients; the last of `from` joins it when that is given. */
static void make_group(const char *name, size_t n, const char *extra)
{
    char path[64], text[8 * (AGE_RECIPIENT_TEXT + 1) + 1] = "";
    struct error err;
    size_t len = 0;

    for (size_t i = 0; i < n; i++) {
        struct age_identity identity;
        struct age_recipient recipient;
        char key[AGE_IDENTITY_TEXT + 1];
        age_identity_make(&identity, key);
        age_identity_recipient(&identity, &recipient);
        age_recipient_write(&recipient, text + len);
        len += AGE_RECIPIENT_TEXT;
        text[len++] = '\n';
    }
    if (extra != NULL) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s\n", extra);
    }
    (void)snprintf(path, sizeof(path), "recipients/%s", name);
    assert_true(file_write_atomic(path, span_of(text, len), 0600, &err));
}

#define SHARED "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"

static char folder[] = "/tmp/filterd-seal.XXXXXX";

static int set_up(void **state)
{
    (void)state;
    assert_true(sodium_init() >= 0);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("recipients", 0700), 0);
    make_group("compliance", 2, SHARED);
    make_group("legal", 1, SHARED);
    make_group("security", 2, NULL);
    make_group("lonely", 1, NULL);
    return 0;
}

static int drop(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info, (void)type, (void)at;
    return remove(path);
}

static int tear_down(void **state)
{
    (void)state;
    return chdir("/") == 0 ? nftw(folder, drop, 8, FTW_DEPTH | FTW_PHYS) : -1;
}

static bool load(struct judge *j, const char *seal)
{
    char policy[1000];

    (void)snprintf(policy, sizeof(policy),
                   "policies:\n  default:\n    rules: [local]\n    actions: [{rule: strong, action: block}]\n"
                   "    %s%s\n  other:\n    rules: [local]\n    actions: []\n", seal[0] != '\0' ? "seal: " : "", seal);
    return judge_init(j, rules, policy, false);
}

static const struct policy *policy_of(const struct judge *j)
{
    return snapshot_policy(j->snapshot, (struct span){0}, (struct span){0});
}

static void nothing_is_sealed_without_the_key(void **state)
{
    struct judge j;

    (void)state;
    assert_true(load(&j, ""));
    assert_null(policy_of(&j)->seal);
    assert_false(snapshot_seals(j.snapshot));
    judge_deinit(&j);
}

static void defaults_are_narrow_and_strict(void **state)
{
    struct judge j;

    (void)state;
    assert_true(load(&j, "{when: [{action: block}], to: compliance}"));
    const struct policy_seal *s = policy_of(&j)->seal;
    assert_true(snapshot_seals(j.snapshot));
    assert_int_equal(s->what, SEAL_SPAN);
    assert_int_equal(s->context, 200);
    assert_int_equal(s->to.n_all, 3);
    assert_int_equal(s->also.n_all, 0);
    assert_int_equal(s->keep_ns, INT64_C(30) * 86400 * 1000000000);
    assert_int_equal(s->on_failure, SEAL_FAILURE_BLOCK);
    assert_int_equal(s->n_when, 1);
    assert_int_equal(s->when[0].actions, 1U << ACTION_BLOCK);
    judge_deinit(&j);
}

static void all_keys_are_read(void **state)
{
    struct judge j;

    (void)state;
    assert_true(load(&j, "{when: [{action: [block, redact], severity: high}, {action: allow, agent: a, sample: 0.01}], what: exchange, "
                         "context: 0, to: [compliance, legal], also: [security], keep: 2d, on_failure: continue}"));
    const struct policy_seal *s = policy_of(&j)->seal;
    assert_int_equal(s->what, SEAL_EXCHANGE);
    assert_int_equal(s->context, 0);
    assert_int_equal(s->to.n_all, 4); /* one is in both groups */
    assert_int_equal(s->also.n_all, 2);
    assert_int_equal(s->on_failure, SEAL_FAILURE_CONTINUE);
    assert_int_equal(s->when[0].actions, 1U << ACTION_BLOCK | 1U << ACTION_REDACT);
    assert_true(s->when[0].sample == 1);
    assert_true(s->when[1].sample == 0.01);
    judge_deinit(&j);
}

static void wrong_ones_are_refused(void **state)
{
    static const struct {
        const char *seal, *expected;
    } wrong[] = {
        {"{when: [{action: block}]}", "'to'"},
        {"{to: compliance}", "'when'"},
        {"{when: [], to: compliance}", "policy.yaml:"},
        {"{when: [{severity: high}], to: compliance}", "'action'"},
        {"{when: [{action: block}], to: []}", "policy.yaml:"},
        {"{when: [{action: block}], to: lonely}", "recipients/lonely: at least 2 recipients"},
        {"{when: [{action: block}], to: nobody}", "recipients/nobody: No such file"},
        {"{when: [{action: block}], to: ../compliance}", "names of groups"},
        {"{when: [{action: block}], to: compliance, also: legal}", "not among those of 'to'"},
        {"{when: [{action: block}], to: compliance, context: 4097}", "policy.yaml:"},
        {"{when: [{action: block}], to: compliance, keep: 1m}", "policy.yaml:"},
        {"{when: [{action: block}], to: compliance, what: all}", "policy.yaml:"},
        {"{when: [{action: block}], to: compliance, on_failure: allow}", "policy.yaml:"},
        {"{when: [{action: block}], to: compliance, keys: 2}", "policy.yaml:"},
        {"{when: [{action: block, sample: 1.01}], to: compliance}", "policy.yaml:"},
        {"{when: [{action: block, sample: -1}], to: compliance}", "policy.yaml:"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct judge j;
        bool is_loaded = load(&j, wrong[i].seal);
        if (is_loaded || strstr(j.err.text, wrong[i].expected) == NULL) {
            print_message("%s: %s\n", wrong[i].seal, is_loaded ? "loaded" : j.err.text);
        }
        assert_false(is_loaded);
        assert_non_null(strstr(j.err.text, wrong[i].expected));
        judge_deinit(&j);
    }
}

/* The digest says who could open what was sealed under a policy. */
static void other_recipients_are_another_policy(void **state)
{
    struct judge a, b, c, d;

    (void)state;
    assert_true(load(&a, "{when: [{action: block}], to: security}"));
    assert_true(load(&b, "{when: [{action: block}], to: security}"));
    assert_true(span_equal(policy_of(&a)->digest, policy_of(&b)->digest));
    make_group("security", 2, NULL);
    assert_true(load(&c, "{when: [{action: block}], to: security}"));
    assert_false(span_equal(policy_of(&a)->digest, policy_of(&c)->digest));
    assert_false(span_equal(policy_of(&a)->seal->digest, policy_of(&c)->seal->digest));
    assert_true(load(&d, ""));
    judge_deinit(&a);
    judge_deinit(&b);
    judge_deinit(&c);
    judge_deinit(&d);
}

static void an_exchange_meets_a_condition_by_a_finding_or_its_speaker(void **state)
{
    struct judge j;
    struct policy_condition high = {.severities = 1U << SEVERITY_HIGH, .max_confidence = 1},
                            acme = {.max_confidence = 1}, any = {.max_confidence = 1};
    struct span name = span_str("acme");

    (void)state;
    assert_true(load(&j, ""));
    acme.tenants = (struct span_list){.items = &name, .n = 1};
    struct finding f = {.rule = rule_set_find(j.rules, span_str("strong")), .confidence = 0.9};
    struct exchange x = {.findings = &f, .n_findings = 0};
    assert_true(exchange_meets(&any, &x));
    assert_false(exchange_meets(&high, &x));
    assert_false(exchange_meets(&acme, &x));
    x.who.tenant = name;
    assert_true(exchange_meets(&acme, &x));
    x.n_findings = 1;
    assert_true(exchange_meets(&high, &x));
    f.is_excepted = true;
    assert_false(exchange_meets(&high, &x));
    judge_deinit(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_sealed_without_the_key),
        cmocka_unit_test(defaults_are_narrow_and_strict),
        cmocka_unit_test(all_keys_are_read),
        cmocka_unit_test(wrong_ones_are_refused),
        cmocka_unit_test(other_recipients_are_another_policy),
        cmocka_unit_test(an_exchange_meets_a_condition_by_a_finding_or_its_speaker),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
