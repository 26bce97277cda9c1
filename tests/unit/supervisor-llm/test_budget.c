#include "testing.h"

#include "supervisor-llm/budget.h"

#define SECOND 1000000000ULL

static void what_is_not_there_cannot_be_taken(void **state)
{
    struct budget b;

    (void)state;
    budget_init(&b, 60, 10, SECOND);
    assert_true(budget_take(&b, 10, SECOND));
    assert_false(budget_take(&b, 1, SECOND));
}

static void it_refills_evenly_up_to_its_most(void **state)
{
    struct budget b;

    (void)state;
    budget_init(&b, 60, 10, SECOND);
    assert_true(budget_take(&b, 10, SECOND));
    assert_false(budget_take(&b, 3, 3 * SECOND));
    assert_true(budget_take(&b, 2, 3 * SECOND));
    assert_false(budget_take(&b, 11, 3600 * SECOND));
    assert_true(budget_take(&b, 10, 3600 * SECOND));
}

static void what_was_not_used_comes_back(void **state)
{
    struct budget b;

    (void)state;
    budget_init(&b, 60, 10, SECOND);
    assert_true(budget_take(&b, 10, SECOND));
    budget_settle(&b, 4);
    assert_true(budget_take(&b, 4, SECOND));
    budget_settle(&b, 100);
    assert_false(budget_take(&b, 11, SECOND));
}

static void more_than_was_taken_is_owed(void **state)
{
    struct budget b;

    (void)state;
    budget_init(&b, 60, 10, SECOND);
    assert_true(budget_take(&b, 10, SECOND));
    budget_settle(&b, -5);
    assert_false(budget_take(&b, 1, 5 * SECOND));
    assert_true(budget_take(&b, 1, 7 * SECOND));
}

static void without_a_limit_all_is_granted(void **state)
{
    struct budget b;

    (void)state;
    budget_init(&b, 0, 0, SECOND);
    assert_true(budget_take(&b, 1e12, SECOND));
    budget_settle(&b, -1e12);
    assert_true(budget_take(&b, 1e12, SECOND));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_there_cannot_be_taken), cmocka_unit_test(it_refills_evenly_up_to_its_most),
        cmocka_unit_test(what_was_not_used_comes_back),      cmocka_unit_test(more_than_was_taken_is_owed),
        cmocka_unit_test(without_a_limit_all_is_granted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
