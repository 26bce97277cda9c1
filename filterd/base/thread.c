#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

bool thread_start(pthread_t *thread, void *(*run)(void *context), void *context, struct error *err)
{
    sigset_t all, before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(thread, NULL, run, context);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return code == 0 || error_errno(err, "thread");
}

unsigned thread_number(void)
{
    static atomic_uint n_threads;
    static _Thread_local unsigned number_from_1;

    if (number_from_1 == 0) {
        number_from_1 = atomic_fetch_add_explicit(&n_threads, 1, memory_order_relaxed) + 1;
    }
    return number_from_1 - 1;
}

bool condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    if (pthread_condattr_init(&attributes) != 0) {
        return false;
    }
    bool is_made = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
                   pthread_cond_init(condition, &attributes) == 0;
    (void)pthread_condattr_destroy(&attributes);
    return is_made;
}
