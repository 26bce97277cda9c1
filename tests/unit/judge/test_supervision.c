/* test_supervision.c - every outcome has a name and a reason of its own, and zero is a failure. */
#include "testing.h"

#include <string.h>

#include "judge/supervision.h"

static void each_outcome_has_a_name_and_a_reason_of_its_own(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SUPERVISION_OUTCOME_COUNT; i++) {
        assert_non_null(supervision_outcome_name(i));
        assert_non_null(supervision_outcome_reason(i));
        for (unsigned k = 0; k < i; k++) {
            assert_string_not_equal(supervision_outcome_name(i), supervision_outcome_name(k));
            assert_string_not_equal(supervision_outcome_reason(i), supervision_outcome_reason(k));
        }
    }
}

static void a_zeroed_supervision_was_not_answered(void **state)
{
    const struct supervision zero = {0};

    (void)state;
    assert_int_equal(zero.outcome, SUPERVISION_NOT_ASKED);
    assert_string_equal(supervision_outcome_name(zero.outcome), "not-asked");
    assert_string_equal(supervision_outcome_name(SUPERVISION_ANSWERED), "answered");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_outcome_has_a_name_and_a_reason_of_its_own),
        cmocka_unit_test(a_zeroed_supervision_was_not_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
