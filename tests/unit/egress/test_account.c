#include "testing.h"

#include "jail/egress/account.h"

static const uint64_t second = 1000000000;

static void a_bucket_empties_and_fills(void **state)
{
    const struct egress_rule rule = {.rate = {.count = 60, .window = 60000}};
    struct egress_account a;

    (void)state;
    egress_account_init(&a, &rule, 0);
    for (int i = 0; i < 60; i++) {
        assert_true(egress_account_take(&a, 0));
    }
    assert_false(egress_account_take(&a, second / 2));
    assert_true(egress_account_take(&a, second + second / 10));
    assert_false(egress_account_take(&a, second + second / 5));
    for (int i = 0; i < 60; i++) {
        assert_true(egress_account_take(&a, 1000 * second)); /* never fuller than at the start */
    }
    assert_false(egress_account_take(&a, 1000 * second));
    egress_account_deinit(&a);
}

static void a_clock_set_back_gives_nothing(void **state)
{
    const struct egress_rule rule = {.rate = {.count = 1, .window = 1000}};
    struct egress_account a;

    (void)state;
    egress_account_init(&a, &rule, 10 * second);
    assert_true(egress_account_take(&a, 10 * second));
    assert_false(egress_account_take(&a, second));
    assert_true(egress_account_take(&a, 11 * second));
    egress_account_deinit(&a);
}

static void zero_lets_nothing_pass_and_none_everything(void **state)
{
    const struct egress_rule zero = {.rate = {.count = 0, .window = 1000}};
    const struct egress_rule none = {.rate = {.count = EGRESS_NONE, .window = 1}};
    struct egress_account a;

    (void)state;
    egress_account_init(&a, &zero, 0);
    assert_false(egress_account_take(&a, 1000 * second));
    egress_account_deinit(&a);
    egress_account_init(&a, &none, 0);
    for (int i = 0; i < 1000; i++) {
        assert_true(egress_account_take(&a, 0));
    }
    egress_account_deinit(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_empties_and_fills),
        cmocka_unit_test(a_clock_set_back_gives_nothing),
        cmocka_unit_test(zero_lets_nothing_pass_and_none_everything),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
