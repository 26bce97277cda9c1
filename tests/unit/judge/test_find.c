/* test_find.c - from a text to findings: where they are, what they are worth, and what of them may still change. */
#include "searching.h"

static const char rules[] = "rules:\n" TEST_RULE("code", "secret", "high", "0.5",
                                                 "pattern: 'code-[0-9]{6}', context: {words: [pin], within: 16, raise: 0.3}")
    TEST_RULE("key", "secret", "high", "0.9", "pattern: 'key-(?<secret>[a-z]{8})', allow: ['testonly']")
    TEST_RULE("luhn", "pii", "high", "0.5", "pattern: 'no [0-9]{8}', checks: [{luhn: {on_fail: lower, lower: 0.2}}]")
    TEST_RULE("number", "pii", "high", "0.5", "pattern: 'nr (?<secret>[0-9]{8})', checks: [{luhn: {on_fail: lower, lower: 0.2}}]")
    TEST_RULE("unnamed", "secret", "high", "0.5", "pattern: '~ (?<secret>[0-9]{6})', boundary: none, checks: [{not_named: {words: [public]}}]")
    TEST_RULE("named", "secret", "high", "0.5",
              "pattern: ':= (?<secret>[A-Za-z0-9]{16})', "
              "checks: [{assigned_secret: {min: 0.1}}, {assigned_secret: {min: 0.6, on_fail: lower, lower: 0.2}}]");

static struct searching s;

static int set_up(void **state)
{
    (void)state;
    return searching_init(&s, rules);
}

static int tear_down(void **state)
{
    (void)state;
    return searching_deinit(&s);
}

static void prose_holds_nothing(void **state)
{
    (void)state;
    search(&s, "");
    assert_int_equal(s.list.n, 0);
    search(&s, "A sentence without any of them.");
    assert_int_equal(s.list.n, 0);
}

static void a_finding_is_its_group_and_its_match_begins_before(void **state)
{
    (void)state;
    search(&s, "a key-abcdefgh here");
    assert_int_equal(s.list.n, 1);
    assert_found(&s.list.items[0], "key", 6, 14, 90);
    assert_int_equal(s.list.items[0].match_from, 2);
    assert_true(span_is(s.list.items[0].value, "abcdefgh"));
    assert_string_equal(finding_view(&s.list.items[0]), "raw");
}

static void an_allowed_value_is_no_finding(void **state)
{
    (void)state;
    search(&s, "a key-testonly here");
    assert_int_equal(s.list.n, 0);
}

static void a_check_that_fails_lowers(void **state)
{
    (void)state;
    search(&s, "no 12345674 and no 12345675");
    assert_int_equal(s.list.n, 2);
    assert_found(&s.list.items[0], "luhn", 0, 11, 30);
    assert_int_equal(s.list.items[0].checks_passed, 0);
}

/* Checks are not asked again about the same value behind the same text, and only then. */
static void what_a_text_repeats_is_judged_as_at_first(void **state)
{
    (void)state;
    search(&s, "nr 12345674 and nr 12345674 and nr 12345675 and nr 12345675 and nr 12345674");
    assert_int_equal(s.list.n, 5);
    for (size_t i = 0; i < s.list.n; i++) {
        bool is_right = i == 0 || i == 1 || i == 4;
        assert_int_equal(s.list.items[i].checks_passed, is_right ? 1 : 0);
        assert_found(&s.list.items[i], "number", 3 + 16 * i, 11 + 16 * i, is_right ? 50 : 30);
    }
    search(&s, "password := k8Jx2Lq9Zr4TwB7n\nrevision := k8Jx2Lq9Zr4TwB7n\npassword := k8Jx2Lq9Zr4TwB7n\npassword := k8Jx2Lq9Zr4TwB7n\n");
    assert_int_equal(s.list.items[0].checks_passed, 3);
    assert_int_equal(s.list.items[s.list.n - 1].checks_passed, 3);
    assert_true(s.list.n == 3 || s.list.items[1].checks_passed != 3); /* a revision is none */
}

/* A check reads CHECK_BEFORE bytes in front of the match, or from the beginning of its line on. */
static void a_check_reads_a_line_before_the_match(void **state)
{
    static const char name[] = "public_";
    char text[256];

    (void)state;
    search(&s, "of a line\npublic_key~ 123456");
    assert_int_equal(s.list.n, 0);
    search(&s, "public\nkey~ 123456");
    assert_int_equal(s.list.n, 1);
    for (size_t more = 0; more < 2; more++) {
        const size_t n = CHECK_BEFORE + more;
        memset(text, 'x', n);
        memcpy(text, name, sizeof(name) - 1);
        (void)snprintf(text + n, sizeof(text) - n, "~ 123456");
        search(&s, text);
        assert_int_equal(s.list.n, more); /* the first letter of the name is too far away */
    }
}

static void words_nearby_raise(void **state)
{
    (void)state;
    search(&s, "code-123456");
    assert_found(&s.list.items[0], "code", 0, 11, 50);
    search(&s, "pin: code-123456");
    assert_found(&s.list.items[0], "code", 5, 16, 80);
    assert_int_equal(s.list.items[0].contexts_found, 1);
    search(&s, "a pin, much further away: code-123456");
    assert_found(&s.list.items[0], "code", 26, 37, 50);
}

static void a_key_is_context_and_never_part_of_a_finding(void **state)
{
    const struct find_request request = {.key = span_str("pin"), .text = span_str("code-123456")};

    (void)state;
    assert_true(search_as(&s, &request));
    assert_int_equal(s.list.n, 1);
    assert_found(&s.list.items[0], "code", 0, 11, 80);
}

/* "key-abcdefgh" in base64. */
static void a_decoded_finding_has_its_place_in_the_text_as_sent(void **state)
{
    (void)state;
    search(&s, "see a2V5LWFiY2RlZmdo now");
    assert_int_equal(s.list.n, 1);
    assert_string_equal(s.list.items[0].transform, "base64");
    assert_int_equal(s.list.items[0].view, VIEW_DECODED);
    /* The quanta that hold a byte of it. */
    assert_found(&s.list.items[0], "key", 8, 20, 90);
}

static void rules_that_a_policy_leaves_out_find_nothing(void **state)
{
    const bool has_rule[] = {true, false, true};
    const struct find_request request = {.has_rule = has_rule, .text = span_str("key-abcdefgh code-123456")};

    (void)state;
    assert_true(search_as(&s, &request));
    assert_int_equal(s.list.n, 1);
    assert_true(span_is(s.list.items[0].rule->id, "code"));
}

static void past_the_limit_of_findings_it_fails(void **state)
{
    const struct find_request request = {.text = span_str("key-abcdefgh key-bcdefghi")};
    struct finder *f = worker_finder(s.judge.worker);
    size_t max = f->findings_max;

    (void)state;
    f->findings_max = 1;
    assert_false(search_as(&s, &request));
    f->findings_max = max;
    assert_int_equal(s.err.kind, ERROR_LIMIT);
}

/* The finding is worth 0.5, and 0.8 with a word behind it. */
static void what_words_may_still_change_is_open_where_the_policy_cares(void **state)
{
    static const char *const policies[] = {
        "policies: {default: {rules: [local], actions: [{category: secret, confidence: '>=0.7', action: redact}]}}",
        "policies: {default: {rules: [local], actions: [{category: secret, confidence: '>=0.4', action: redact}]}}"};
    static const size_t expected[] = {2, SIZE_MAX};
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(policies); i++) {
        struct snapshot *snapshot = snapshot_load(s.judge.rules, "policy.yaml", span_str(policies[i]), &err);
        assert_non_null(snapshot);
        const struct exchange x = {.snapshot = snapshot, .policy = snapshot_policy(snapshot, (struct span){0}, (struct span){0})};
        struct find_open open = {.from = SIZE_MAX, .limit = SIZE_MAX, .exchange = &x};
        const struct find_request request = {.text = span_str("a code-123456 "), .open = &open};
        assert_true(search_as(&s, &request));
        assert_int_equal(open.from, expected[i]);
        snapshot_unref(snapshot);
    }
}

static void a_list_keeps_the_most_confident_of_what_is_equal(void **state)
{
    struct finder *f = searching_finder(&s);
    const struct rule *rule = &s.judge.rules->rules[0];
    const struct finding later = {.rule = rule, .from = 9, .to = 12, .confidence = 0.5};
    const struct finding weak = {.rule = rule, .from = 2, .to = 5, .confidence = 0.5};
    const struct finding strong = {.rule = rule, .from = 2, .to = 5, .confidence = 0.8};
    struct finding_list list = {0};

    (void)state;
    assert_true(finding_list_add(f, &list, &later, &s.err) && finding_list_add(f, &list, &weak, &s.err) &&
                finding_list_add(f, &list, &strong, &s.err));
    finding_list_settle(&list);
    assert_int_equal(list.n, 2);
    assert_found(&list.items[0], "code", 2, 5, 80);
    assert_found(&list.items[1], "code", 9, 12, 50);
    assert_true(finding_list_has(&list, list.n, &weak));
    assert_false(finding_list_has(&list, 1, &later));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prose_holds_nothing),
        cmocka_unit_test(a_finding_is_its_group_and_its_match_begins_before),
        cmocka_unit_test(an_allowed_value_is_no_finding),
        cmocka_unit_test(a_check_that_fails_lowers),
        cmocka_unit_test(what_a_text_repeats_is_judged_as_at_first),
        cmocka_unit_test(a_check_reads_a_line_before_the_match),
        cmocka_unit_test(words_nearby_raise),
        cmocka_unit_test(a_key_is_context_and_never_part_of_a_finding),
        cmocka_unit_test(a_decoded_finding_has_its_place_in_the_text_as_sent),
        cmocka_unit_test(rules_that_a_policy_leaves_out_find_nothing),
        cmocka_unit_test(past_the_limit_of_findings_it_fails),
        cmocka_unit_test(what_words_may_still_change_is_open_where_the_policy_cares),
        cmocka_unit_test(a_list_keeps_the_most_confident_of_what_is_equal),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
