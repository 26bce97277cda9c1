/* The terms of a priority, and Wilson's bound: figures from the formula worked out elsewhere. */
#include "testing.h"

#include "base/span.h"
#include "review/item_priority.h"

static void each_term_has_its_share(void **state)
{
    static const struct {
        struct item_circumstances c;
        struct item_priority p;
    } cases[] = {
        {{.severity = 4, .confidence = 10000, .is_new = true}, {400, 0, 30, 0, 0, 430}},
        {{.severity = 1, .confidence = 5000, .has_rule = true}, {100, 0, 0, 20, 20, 140}},
        {{.confidence = 7500, .agent = 2500}, {0, 10, 0, 10, 0, 20}},
        {{.agent = 99999, .confidence = 99999}, {0, 40, 0, 0, 0, 40}},
        /* 95 of 100: the bound is 0.8882, so 2 points of 20 are left. */
        {{.has_rule = true, .true_positives = 95, .false_positives = 5, .confidence = 0}, {0, 0, 0, 0, 2, 2}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct item_priority p = item_priority_of(&cases[i].c);
        assert_memory_equal(&p, &cases[i].p, sizeof(p));
    }
}

static void the_bound_is_wilsons(void **state)
{
    (void)state;
    assert_int_equal(item_lower_bound(0, 0), 0);
    assert_int_equal(item_lower_bound(0, 10), 0);
    assert_int_equal(item_lower_bound(10, 10), 7224);
    assert_int_equal(item_lower_bound(5, 10), 2365);
    assert_int_equal(item_lower_bound(95, 100), 8882);
    for (uint64_t n = 1; n < 200; n++) {
        for (uint64_t hits = 1; hits <= n; hits++) {
            unsigned bound = item_lower_bound(hits, n);
            assert_true(bound >= item_lower_bound(hits - 1, n));
            assert_true(bound <= 10000 * hits / n);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_term_has_its_share),
        cmocka_unit_test(the_bound_is_wilsons),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
