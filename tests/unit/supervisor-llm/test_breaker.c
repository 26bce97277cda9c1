#include "testing.h"

#include "supervisor-llm/breaker.h"

#define SECOND 1000000000ULL

static void fail_times(struct breaker *b, unsigned n, uint64_t now)
{
    for (unsigned i = 0; i < n; i++) {
        breaker_begin(b, now);
        breaker_fail(b, now);
    }
}

static void it_opens_after_failures_in_a_row(void **state)
{
    struct breaker b = {0};

    (void)state;
    fail_times(&b, BREAKER_FAILURES - 1, SECOND);
    assert_true(breaker_may(&b, SECOND));
    fail_times(&b, 1, SECOND);
    assert_false(breaker_may(&b, SECOND));
    assert_false(breaker_may(&b, SECOND + BREAKER_PAUSE_NS - 1));
}

static void a_success_begins_the_count_anew(void **state)
{
    struct breaker b = {0};

    (void)state;
    fail_times(&b, BREAKER_FAILURES - 1, SECOND);
    breaker_succeed(&b);
    fail_times(&b, BREAKER_FAILURES - 1, SECOND);
    assert_true(breaker_may(&b, SECOND));
}

static void half_open_it_lets_one_through(void **state)
{
    struct breaker b = {0};
    uint64_t later = SECOND + BREAKER_PAUSE_NS;

    (void)state;
    fail_times(&b, BREAKER_FAILURES, SECOND);
    assert_true(breaker_may(&b, later));
    breaker_begin(&b, later);
    assert_false(breaker_may(&b, later));
    breaker_succeed(&b);
    assert_true(breaker_may(&b, later));
    breaker_begin(&b, later);
    assert_true(breaker_may(&b, later));
}

static void each_time_it_opens_for_longer_up_to_a_bound(void **state)
{
    struct breaker b = {0};
    uint64_t now = SECOND, last = 0;

    (void)state;
    fail_times(&b, BREAKER_FAILURES, now);
    for (int i = 0; i < 12; i++) {
        uint64_t pause = b.open_until_ns - now;
        assert_true(pause >= last && pause <= BREAKER_PAUSE_MAX_NS);
        last = pause;
        now = b.open_until_ns;
        fail_times(&b, 1, now);
    }
    assert_int_equal(last, BREAKER_PAUSE_MAX_NS);
}

static void a_probe_that_is_given_up_leaves_room_for_the_next(void **state)
{
    struct breaker b = {0};
    uint64_t later = SECOND + BREAKER_PAUSE_NS;

    (void)state;
    fail_times(&b, BREAKER_FAILURES, SECOND);
    breaker_begin(&b, later);
    breaker_forget(&b);
    assert_true(breaker_may(&b, later));
}

static void a_pause_that_is_asked_for_is_kept_and_bounded(void **state)
{
    struct breaker b = {0};

    (void)state;
    breaker_wait(&b, SECOND, 30 * SECOND);
    assert_false(breaker_may(&b, 30 * SECOND));
    assert_true(breaker_may(&b, 31 * SECOND));
    breaker_wait(&b, 31 * SECOND, 86400 * SECOND);
    assert_true(breaker_may(&b, 31 * SECOND + BREAKER_PAUSE_MAX_NS));
}

static void late_failures_do_not_keep_it_open(void **state)
{
    struct breaker b = {0};

    (void)state;
    fail_times(&b, BREAKER_FAILURES, SECOND);
    uint64_t until = b.open_until_ns;
    breaker_fail(&b, SECOND + SECOND / 2);
    assert_int_equal(b.open_until_ns, until);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_opens_after_failures_in_a_row),
        cmocka_unit_test(a_success_begins_the_count_anew),
        cmocka_unit_test(half_open_it_lets_one_through),
        cmocka_unit_test(each_time_it_opens_for_longer_up_to_a_bound),
        cmocka_unit_test(a_probe_that_is_given_up_leaves_room_for_the_next),
        cmocka_unit_test(a_pause_that_is_asked_for_is_kept_and_bounded),
        cmocka_unit_test(late_failures_do_not_keep_it_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
