/* budget_clock.c - the time of windows. */
#include <pthread.h>

#include "base/clock.h"
#include "budget/budgets.h"

static int64_t began_ns; /* what is added to the time since the machine's start */

static void begin(void)
{
    began_ns = clock_utc_ns() - clock_read_ns(CLOCK_BOOTTIME);
}

int64_t budgets_now_ns(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, begin);
    return began_ns + clock_read_ns(CLOCK_BOOTTIME);
}
