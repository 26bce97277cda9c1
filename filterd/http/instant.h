/* instant.h - the two clocks: one for durations, one for dates. Nanoseconds both. */
#ifndef FILTERD_HTTP_INSTANT_H
#define FILTERD_HTTP_INSTANT_H

#include <stdint.h>
#include <time.h>

static inline int64_t instant_read(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Since some fixed moment; never goes back. */
static inline uint64_t instant_ns(void)
{
    return (uint64_t)instant_read(CLOCK_MONOTONIC);
}

static inline int64_t instant_utc_ns(void)
{
    return instant_read(CLOCK_REALTIME);
}

#endif
