/* clock.h - the two clocks: one for durations, one for dates.
 *
 * The monotonic clock counts from an unspecified time and never goes back; it stops while the machine is suspended.
 * The UTC clock counts from 1970 and may be set. Signed values are for deadlines, where a difference may be negative. */
#ifndef FILTERD_BASE_CLOCK_H
#define FILTERD_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_read_ns(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline uint64_t clock_monotonic_ns(void)
{
    return (uint64_t)clock_read_ns(CLOCK_MONOTONIC);
}

static inline int64_t clock_monotonic_us(void)
{
    return clock_read_ns(CLOCK_MONOTONIC) / 1000;
}

static inline int64_t clock_monotonic_ms(void)
{
    return clock_read_ns(CLOCK_MONOTONIC) / 1000000;
}

static inline int64_t clock_utc_ns(void)
{
    return clock_read_ns(CLOCK_REALTIME);
}

/* Converts to a timespec of the same clock. */
static inline struct timespec clock_timespec(int64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
}

#endif
