/* The phases of a translation: which moves are legal. What an answer goes through on its way is in the dialects' tests,
 * which a debug build runs with every move checked. */
#include "base/transition.h"
#include "protocol/dialect.h"
#include "testing.h"

static void the_legal_moves_are_these(void **state)
{
    static const uint32_t expected[TRANSLATION_PHASES] = {
        [TRANSLATION_NEW] = PHASE(TRANSLATION_FLOWING) | PHASE(TRANSLATION_OVER),
        [TRANSLATION_FLOWING] = PHASE(TRANSLATION_AWAITING_COST) | PHASE(TRANSLATION_OVER),
        [TRANSLATION_AWAITING_COST] = PHASE(TRANSLATION_OVER),
        [TRANSLATION_OVER] = PHASE(TRANSLATION_FLOWING),
    };

    (void)state;
    for (unsigned from = 0; from < TRANSLATION_PHASES; from++) {
        for (unsigned to = 0; to < TRANSLATION_PHASES; to++) {
            assert_int_equal(translation_phase_may(from, to), (expected[from] & PHASE(to)) != 0);
        }
    }
}

static void an_answer_that_is_read_for_its_cost_is_never_shown_again(void **state)
{
    (void)state;
    assert_false(translation_phase_may(TRANSLATION_AWAITING_COST, TRANSLATION_FLOWING));
    assert_false(translation_phase_may(TRANSLATION_OVER, TRANSLATION_AWAITING_COST));
}

static void zeroed_memory_is_an_answer_of_which_nothing_has_come(void **state)
{
    (void)state;
    assert_int_equal(TRANSLATION_NEW, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_legal_moves_are_these),
        cmocka_unit_test(an_answer_that_is_read_for_its_cost_is_never_shown_again),
        cmocka_unit_test(zeroed_memory_is_an_answer_of_which_nothing_has_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
