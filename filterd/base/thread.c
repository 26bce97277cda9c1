#include "base/thread.h"

#include <stdatomic.h>
#include <time.h>

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
