#include "testing.h"

#include "base/clock.h"
#include "budget/budgets.h"
#include "unit/shifted_clock.h"

enum { DAY = 86400 };
static const int64_t second = 1000000000;

static void setting_the_clock_does_not_change_the_time_of_windows(void **state)
{
    static const time_t shifts[] = {DAY, -DAY, 0};
    int64_t before = budgets_now_ns();

    (void)state;
    assert_true(clock_utc_ns() - before < 10 * second);
    for (size_t i = 0; i < COUNT(shifts); i++) {
        utc_shift_s = shifts[i];
        int64_t now = budgets_now_ns();
        assert_true(now >= before && now - before < 10 * second);
        before = now;
    }
}

static void the_clock_advances(void **state)
{
    int64_t before = budgets_now_ns();

    (void)state;
    while (budgets_now_ns() < before + second / 100) {
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_the_clock_does_not_change_the_time_of_windows),
        cmocka_unit_test(the_clock_advances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
