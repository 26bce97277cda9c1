#include "testing.h"

#include <signal.h>

#include <errno.h>

#include "base/clock.h"
#include "base/thread.h"

enum { WAIT_NS = 20 * 1000000 };

static void a_timespec_is_the_same_moment_in_two_parts(void **state)
{
    (void)state;
    const struct timespec zero = clock_timespec(0), later = clock_timespec(1500000001);

    assert_int_equal(zero.tv_sec, 0);
    assert_int_equal(zero.tv_nsec, 0);
    assert_int_equal(later.tv_sec, 1);
    assert_int_equal(later.tv_nsec, 500000001);
}

/* By the date the moment would have passed long ago: the monotonic clock counts from the start of the machine. */
static void a_condition_waits_by_the_monotonic_clock(void **state)
{
    (void)state;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition;
    int64_t end = clock_read_ns(CLOCK_MONOTONIC) + WAIT_NS;
    const struct timespec until = clock_timespec(end);
    int code = 0;

    assert_true(condition_init(&condition));
    (void)pthread_mutex_lock(&lock);
    while (code == 0) {
        code = pthread_cond_timedwait(&condition, &lock, &until);
    }
    (void)pthread_mutex_unlock(&lock);
    assert_int_equal(code, ETIMEDOUT);
    assert_true(clock_read_ns(CLOCK_MONOTONIC) >= end);
    assert_int_equal(pthread_cond_destroy(&condition), 0);
}

static void *number_of(void *out)
{
    unsigned *numbers = out;

    numbers[0] = thread_number();
    numbers[1] = thread_number();
    return NULL;
}

static void each_thread_has_a_number_of_its_own(void **state)
{
    (void)state;
    unsigned theirs[2] = {0}, ours = thread_number();
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, number_of, theirs), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(theirs[0], theirs[1]);
    assert_int_not_equal(theirs[0], ours);
    assert_int_equal(thread_number(), ours);
}

static void *mask_of(void *out)
{
    (void)pthread_sigmask(SIG_SETMASK, NULL, out);
    return NULL;
}

static void a_started_thread_takes_no_signals(void **state)
{
    (void)state;
    sigset_t theirs, before, after;
    pthread_t thread;
    struct error err;

    (void)pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_true(thread_start(&thread, mask_of, &theirs, &err));
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(sigismember(&theirs, SIGTERM), 1);
    assert_int_equal(sigismember(&theirs, SIGHUP), 1);
    assert_int_equal(sigismember(&after, SIGTERM), sigismember(&before, SIGTERM));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timespec_is_the_same_moment_in_two_parts),
        cmocka_unit_test(a_condition_waits_by_the_monotonic_clock),
        cmocka_unit_test(each_thread_has_a_number_of_its_own),
        cmocka_unit_test(a_started_thread_takes_no_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
