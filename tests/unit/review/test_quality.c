#include "testing.h"

#include <math.h>

#include "base/span.h"
#include "review/quality.h"

static void assert_near(double is, double expected)
{
    if (fabs(is - expected) > 5e-4) {
        fail_msg("%.6f, not %.6f", is, expected);
    }
}

/* Of the score interval's formula, by hand: (2k + z2 +- z sqrt(z2 + 4k(1 - k/n))) / 2(n + z2). */
static void proportions_have_wilson_intervals(void **state)
{
    static const struct {
        uint64_t k, n;
        double low, high;
    } cases[] = {
        {0, 10, 0, 0.2775}, {10, 10, 0.7225, 1},     {5, 10, 0.2366, 0.7634},
        {1, 2, 0.0945, 0.9055}, {400, 412, 0.9498, 0.9833},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct estimate e = quality_proportion(cases[i].k, cases[i].n);
        assert_near(e.value, (double)cases[i].k / (double)cases[i].n);
        assert_near(e.low, cases[i].low);
        assert_near(e.high, cases[i].high);
    }
}

static void nothing_reviewed_says_nothing(void **state)
{
    (void)state;
    struct estimate e = quality_proportion(0, 0);
    assert_true(e.low == 0 && e.high == 1);
    assert_false(quality_suggests_shadow(0, 0));
}

/* For all k of n: the value is inside, the interval is of [0, 1], narrows with n and grows with k. */
static void intervals_hold_their_value_and_are_ordered(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 120; n++) {
        double low = -1, high = -1;
        for (uint64_t k = 0; k <= n; k++) {
            struct estimate e = quality_proportion(k, n), more = quality_proportion(k * 4, n * 4);
            assert_true(0 <= e.low && e.low <= e.value && e.value <= e.high && e.high <= 1);
            assert_true(e.low >= low && e.high >= high);
            assert_true(more.high - more.low < e.high - e.low);
            low = e.low;
            high = e.high;
        }
    }
}

static void shadow_needs_thirty_and_an_upper_bound_below_a_half(void **state)
{
    (void)state;
    assert_false(quality_suggests_shadow(0, 29));
    assert_true(quality_suggests_shadow(0, 30));
    assert_true(quality_suggests_shadow(9, 21));
    assert_false(quality_suggests_shadow(10, 20));
    assert_false(quality_suggests_shadow(500, 500));
    assert_true(quality_suggests_shadow(400, 600));
}

static void misses_are_of_the_population_and_a_week(void **state)
{
    (void)state;
    struct estimate e = quality_misses_per_week(2, 100, 70000, 14);
    struct estimate share = quality_proportion(2, 100);
    assert_near(e.value, 700);
    assert_near(e.low, share.low * 35000);
    assert_near(e.high, share.high * 35000);
    e = quality_misses_per_week(0, 0, 1000, 7);
    assert_near(e.high, 1000);
    assert_near(quality_misses_per_week(1, 2, 1000, 0).high, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proportions_have_wilson_intervals),
        cmocka_unit_test(nothing_reviewed_says_nothing),
        cmocka_unit_test(intervals_hold_their_value_and_are_ordered),
        cmocka_unit_test(shadow_needs_thirty_and_an_upper_bound_below_a_half),
        cmocka_unit_test(misses_are_of_the_population_and_a_week),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
