/* The phases of a proxied exchange: which moves are legal, and what the orders of the phases promise. */
#include "proxy/proxy_phase.h"

#include "base/transition.h"
#include "base/span.h"
#include "testing.h"

struct move {
    unsigned from, to;
};

typedef bool may_fn(unsigned from, unsigned to);

static bool may(unsigned from, unsigned to)
{
    return proxy_phase_may(from, to);
}

static bool up_may(unsigned from, unsigned to)
{
    return proxy_up_may(from, to);
}

static bool down_may(unsigned from, unsigned to)
{
    return proxy_down_may(from, to);
}

static bool is_among(const struct move *moves, size_t n, unsigned from, unsigned to)
{
    for (size_t i = 0; i < n; i++) {
        if (moves[i].from == from && moves[i].to == to) {
            return true;
        }
    }
    return false;
}

static void assert_legal_are(may_fn *is_legal, unsigned n_phases, const struct move *moves, size_t n)
{
    for (unsigned from = 0; from < n_phases; from++) {
        for (unsigned to = 0; to < n_phases; to++) {
            assert_int_equal(is_legal(from, to), is_among(moves, n, from, to));
        }
    }
}

static void the_legal_moves_of_an_exchange_are_these(void **state)
{
    static const struct move moves[] = {
        {PROXY_NEW, PROXY_FLOWING},
        {PROXY_NEW, PROXY_CLOSED},
        {PROXY_FLOWING, PROXY_ASKING_PART},
        {PROXY_FLOWING, PROXY_ENDING},
        {PROXY_FLOWING, PROXY_CLOSING},
        {PROXY_FLOWING, PROXY_CLOSED},
        {PROXY_ASKING_PART, PROXY_FLOWING},
        {PROXY_ASKING_PART, PROXY_ASKING_LAST},
        {PROXY_ENDING, PROXY_ENDED},
        {PROXY_ENDING, PROXY_CLOSING},
        {PROXY_ENDED, PROXY_ASKING_TAIL},
        {PROXY_ENDED, PROXY_ENDING},
        {PROXY_ENDED, PROXY_CLOSING},
        {PROXY_ASKING_TAIL, PROXY_ENDED},
        {PROXY_ASKING_TAIL, PROXY_ASKING_LAST},
        {PROXY_CLOSING, PROXY_ASKING_LAST},
        {PROXY_CLOSING, PROXY_CLOSED},
        {PROXY_ASKING_LAST, PROXY_CLOSED},
        {PROXY_CLOSED, PROXY_OPENING},
        {PROXY_CLOSED, PROXY_RECORDING},
        {PROXY_OPENING, PROXY_RECORDING},
        {PROXY_RECORDING, PROXY_RECORDED},
    };

    (void)state;
    assert_legal_are(may, PROXY_PHASES, moves, COUNT(moves));
}

static void the_legal_moves_of_the_upstream_side_are_these(void **state)
{
    static const struct move moves[] = {{UP_NONE, UP_WAITING}, {UP_WAITING, UP_HEADED}, {UP_HEADED, UP_LINGERING}};

    (void)state;
    assert_legal_are(up_may, UP_PHASES, moves, COUNT(moves));
}

static void the_client_s_side_only_goes_forward(void **state)
{
    static const struct move moves[] = {
        {DOWN_NONE, DOWN_PROMISED},    {DOWN_NONE, DOWN_HEADED},     {DOWN_NONE, DOWN_LEFT},
        {DOWN_PROMISED, DOWN_HEADED},  {DOWN_PROMISED, DOWN_LEFT},   {DOWN_HEADED, DOWN_FINISHED},
        {DOWN_HEADED, DOWN_LEFT},      {DOWN_FINISHED, DOWN_LEFT},
    };

    (void)state;
    assert_legal_are(down_may, DOWN_PHASES, moves, COUNT(moves));
}

/* Phases that can follow `from` in any number of moves. */
static uint32_t reachable(unsigned from)
{
    uint32_t seen = PHASE(from);

    for (unsigned round = 0; round < PROXY_PHASES; round++) {
        for (unsigned at = 0; at < PROXY_PHASES; at++) {
            for (unsigned to = 0; to < PROXY_PHASES && (seen & PHASE(at)) != 0; to++) {
                seen |= proxy_phase_may(at, to) ? PHASE(to) : 0;
            }
        }
    }
    return seen;
}

static void from_every_phase_the_last_record_can_be_reached(void **state)
{
    (void)state;
    for (unsigned from = 0; from < PROXY_PHASES; from++) {
        assert_true((reachable(from) & PHASE(PROXY_RECORDED)) != 0);
    }
}

static void what_is_over_is_never_written_again(void **state)
{
    (void)state;
    for (unsigned from = PROXY_CLOSING; from < PROXY_PHASES; from++) {
        for (unsigned to = 0; to < PROXY_CLOSING; to++) {
            assert_true((reachable(from) & PHASE(to)) == 0);
        }
    }
}

static void nothing_follows_the_last_record(void **state)
{
    (void)state;
    assert_int_equal(reachable(PROXY_RECORDED), PHASE(PROXY_RECORDED));
    for (unsigned from = 0; from < PROXY_RECORDING; from++) {
        assert_false(proxy_phase_may(from, PROXY_RECORDED));
    }
}

static void zeroed_memory_is_an_exchange_that_has_sent_nothing(void **state)
{
    (void)state;
    assert_int_equal(PROXY_NEW, 0);
    assert_int_equal(UP_NONE, 0);
    assert_int_equal(DOWN_NONE, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_legal_moves_of_an_exchange_are_these),
        cmocka_unit_test(the_legal_moves_of_the_upstream_side_are_these),
        cmocka_unit_test(the_client_s_side_only_goes_forward),
        cmocka_unit_test(from_every_phase_the_last_record_can_be_reached),
        cmocka_unit_test(what_is_over_is_never_written_again),
        cmocka_unit_test(nothing_follows_the_last_record),
        cmocka_unit_test(zeroed_memory_is_an_exchange_that_has_sent_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
