/* shifted_clock.h - a clock that a test sets: UTC is ahead by `utc_shift_s` in all of its program. */
#ifndef FILTERD_TESTS_UNIT_SHIFTED_CLOCK_H
#define FILTERD_TESTS_UNIT_SHIFTED_CLOCK_H

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static time_t utc_shift_s;

int clock_gettime(clockid_t clock, struct timespec *t)
{
    int code = (int)syscall(SYS_clock_gettime, clock, t);

    t->tv_sec += clock == CLOCK_REALTIME ? utc_shift_s : 0;
    return code;
}

#endif
