#include "base/thread.h"

#include <stdatomic.h>

unsigned thread_number(void)
{
    static atomic_uint n_threads;
    static _Thread_local unsigned number_from_1;

    if (number_from_1 == 0) {
        number_from_1 = atomic_fetch_add_explicit(&n_threads, 1, memory_order_relaxed) + 1;
    }
    return number_from_1 - 1;
}
