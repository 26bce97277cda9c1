#include "testing.h"

#include <math.h>

#include "budget/sketch.h"

static uint64_t mixed(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static void an_empty_sketch_has_nothing(void **state)
{
    const struct sketch s = {0};

    (void)state;
    assert_true(sketch_estimate(&s) == 0);
    assert_false(sketch_has(&s, mixed(1)));
}

/* Five standard errors of 2.3 %: one run in two million would fail, and the values are the same each time. */
static void an_estimate_is_near_the_number(void **state)
{
    (void)state;
    for (uint64_t n = 10; n <= 1000000; n *= 10) {
        struct sketch s = {0};
        for (uint64_t i = 1; i <= n; i++) {
            sketch_add(&s, mixed(i));
        }
        assert_true(fabs(sketch_estimate(&s) - (double)n) <= 0.115 * (double)n);
    }
}

static void what_was_added_is_there_and_changes_nothing_again(void **state)
{
    struct sketch s = {0};

    (void)state;
    for (uint64_t i = 1; i <= 5000; i++) {
        sketch_add(&s, mixed(i));
    }
    double before = sketch_estimate(&s);
    for (uint64_t i = 1; i <= 5000; i++) {
        assert_true(sketch_has(&s, mixed(i)));
        sketch_add(&s, mixed(i));
    }
    assert_true(sketch_estimate(&s) == before);
}

static void merging_is_adding_the_values_of_both(void **state)
{
    struct sketch a = {0}, b = {0}, both = {0};

    (void)state;
    for (uint64_t i = 1; i <= 9000; i++) {
        sketch_add(i % 3 == 0 ? &a : &b, mixed(i));
        sketch_add(&both, mixed(i));
    }
    sketch_merge(&a, &b);
    assert_memory_equal(&a, &both, sizeof(a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_sketch_has_nothing),
        cmocka_unit_test(an_estimate_is_near_the_number),
        cmocka_unit_test(what_was_added_is_there_and_changes_nothing_again),
        cmocka_unit_test(merging_is_adding_the_values_of_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
