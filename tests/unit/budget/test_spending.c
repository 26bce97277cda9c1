#include "testing.h"

#include "budget/spending.h"

enum { KEYS, MAILS, SEEN, BUDGETS };

static const int64_t now_ns = INT64_C(1000000000000);
static const uint8_t secret[BUDGET_SECRET] = "a key that only tests have";
static const struct policy_budget entries[BUDGETS] = {
    [KEYS] = {.name = {"keys", 4}, .per = BUDGET_PER_USER, .values = 2, .window_ns = INT64_C(3600000000000), .then = BUDGET_REDACT},
    [MAILS] = {.name = {"mails", 5}, .per = BUDGET_PER_SESSION, .values = 1, .window_ns = INT64_C(3600000000000), .then = BUDGET_BLOCK},
    [SEEN] = {.name = {"seen", 4}, .per = BUDGET_PER_TENANT, .values = 1, .window_ns = INT64_C(3600000000000), .then = BUDGET_THROTTLE},
};
static const struct policy policy = {.name = {"p", 1}, .budgets = entries, .n_budgets = BUDGETS};
static const struct identity ann = {.tenant = {"acme", 4}, .session = {"s1", 2}, .user = {"ann", 3}},
                             bob = {.tenant = {"acme", 4}, .session = {"s2", 2}, .user = {"bob", 3}},
                             stranger = {.tenant = {"bank", 4}, .session = {"s1", 2}, .user = {"ann", 3}};

static struct budgets *b;
static struct arena memory;

static int set_up(void **state)
{
    struct error err;

    (void)state;
    arena_init(&memory, 0, 1 << 20);
    b = budgets_new(1 << 22, secret, &err);
    return b == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    budgets_free(b);
    arena_deinit(&memory);
    return 0;
}

static struct spending *begin(const struct identity *who)
{
    struct error err;
    struct spending *s = spending_new(&memory, b, &policy, who, now_ns, &err);

    assert_non_null(s);
    return s;
}

static unsigned charge(struct spending *s, unsigned covering, const char *value)
{
    return spending_charge(s, covering, span_str(value));
}

static struct spent report(const struct spending *s, size_t budget)
{
    struct spent spent;

    (void)spending_report(s, budget, &spent);
    return spent;
}

static void a_verdict_is_the_same_for_the_rest_of_the_exchange(void **state)
{
    struct spending *s = begin(&ann);

    (void)state;
    assert_int_equal(charge(s, 1U << KEYS, "a"), 0);
    assert_int_equal(charge(s, 1U << KEYS, "b"), 0);
    assert_int_equal(charge(s, 1U << KEYS, "c"), 1U << KEYS);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(charge(s, 1U << KEYS, "b"), 0);
        assert_int_equal(charge(s, 1U << KEYS, "c"), 1U << KEYS);
        spending_commit(s);
    }
    assert_int_equal(report(s, KEYS).values, 2);
    assert_int_equal(report(s, KEYS).disclosed, 2);
    assert_int_equal(report(s, KEYS).over, 1);
}

static void what_is_rewound_is_charged_again_in_any_order(void **state)
{
    struct spending *s = begin(&ann);

    (void)state;
    assert_int_equal(charge(s, 1U << KEYS, "a"), 0);
    spending_commit(s);
    assert_int_equal(charge(s, 1U << KEYS, "x"), 0);
    assert_int_equal(charge(s, 1U << KEYS, "y"), 1U << KEYS);
    spending_rewind(s);
    assert_int_equal(report(s, KEYS).values, 1);
    assert_int_equal(charge(s, 1U << KEYS, "y"), 0);
    assert_int_equal(charge(s, 1U << KEYS, "x"), 1U << KEYS);
    assert_int_equal(charge(s, 1U << KEYS, "a"), 0);
    spending_rewind(s);
    struct spending *other = begin(&ann);
    assert_int_equal(charge(other, 1U << KEYS, "z"), 0);
}

static void a_blocked_exchange_discloses_nothing_and_says_what_was_too_much(void **state)
{
    struct spending *s = begin(&ann);

    (void)state;
    assert_int_equal(charge(s, 1U << KEYS, "a"), 0);
    assert_int_equal(charge(s, 1U << KEYS, "b"), 0);
    assert_int_equal(charge(s, 1U << KEYS, "c"), 1U << KEYS);
    spending_withdraw(s);
    assert_int_equal(report(s, KEYS).values, 0);
    assert_int_equal(report(s, KEYS).disclosed, 0);
    assert_int_equal(report(s, KEYS).over, 1);
}

static void a_value_that_one_budget_withholds_is_charged_to_none(void **state)
{
    struct spending *s = begin(&ann);
    unsigned both = 1U << KEYS | 1U << MAILS, all = both | 1U << SEEN;

    (void)state;
    assert_int_equal(charge(s, both, "a"), 0);
    assert_int_equal(charge(s, all, "b"), 1U << MAILS);
    spending_commit(s);
    assert_int_equal(report(s, KEYS).values, 1);
    assert_int_equal(report(s, SEEN).values, 0);
    assert_int_equal(charge(s, 1U << KEYS, "b"), 0); /* where that budget does not count it */
    assert_int_equal(charge(s, both, "b"), 1U << MAILS);
    spending_commit(s);
    assert_int_equal(charge(s, 1U << KEYS, "c"), 0);
}

static void a_value_that_only_redaction_shows_exceeds_what_withholds(void **state)
{
    struct spending *s = begin(&ann);
    unsigned both = 1U << KEYS | 1U << SEEN;

    (void)state;
    assert_int_equal(charge(s, both, "a"), 0);
    assert_int_equal(spending_charge_redacted(s, both, span_str("a")), 0);
    assert_int_equal(spending_charge_redacted(s, both, span_str("b")), 1U << KEYS);
    assert_int_equal(charge(s, 1U << KEYS, "b"), 1U << KEYS); /* when the text is judged again */
    spending_commit(s);
    assert_int_equal(report(s, KEYS).values, 1);
}

static void each_subject_has_its_own_account(void **state)
{
    struct spending *s = begin(&ann), *t = begin(&bob), *other = begin(&stranger);

    (void)state;
    assert_int_equal(charge(s, 1U << KEYS, "a"), 0);
    assert_int_equal(charge(s, 1U << KEYS, "b"), 0);
    spending_commit(s);
    assert_int_equal(charge(t, 1U << KEYS, "c"), 0);
    assert_int_equal(charge(other, 1U << KEYS, "c"), 0); /* the same name in another tenant */
    assert_int_equal(charge(begin(&ann), 1U << KEYS, "c"), 1U << KEYS);
}

static void a_throttled_subject_waits(void **state)
{
    struct spending *s = begin(&ann);

    (void)state;
    assert_int_equal(charge(s, 1U << SEEN, "a"), 0);
    spending_commit(s);
    assert_int_equal(spending_wait(b, &policy, &bob, now_ns), 0);
    assert_int_equal(charge(s, 1U << SEEN, "b"), 1U << SEEN);
    spending_commit(s);
    assert_int_equal(spending_wait(b, &policy, &bob, now_ns), 3600); /* the budget is the tenant's */
    assert_int_equal(spending_wait(b, &policy, &bob, now_ns + INT64_C(3599000000000)), 1);
    assert_int_equal(spending_wait(b, &policy, &bob, now_ns + INT64_C(3600000000000)), 0);
    assert_int_equal(spending_wait(b, &policy, &stranger, now_ns), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_verdict_is_the_same_for_the_rest_of_the_exchange, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_rewound_is_charged_again_in_any_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_blocked_exchange_discloses_nothing_and_says_what_was_too_much, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_value_that_one_budget_withholds_is_charged_to_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_value_that_only_redaction_shows_exceeds_what_withholds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_subject_has_its_own_account, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_throttled_subject_waits, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
