/* budget.h - a token bucket: a rate per minute, with bursts up to a maximum.
 *
 * The bucket refills evenly; taking more than it contains fails, and returning what was not
 * used refills it. Its only state is the struct; the caller passes times, in nanoseconds of a
 * monotonic clock. Not thread-safe. */
#ifndef FILTERD_SUPERVISOR_LLM_BUDGET_H
#define FILTERD_SUPERVISOR_LLM_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget {
    double per_minute; /* 0: no limit */
    double most, level;
    uint64_t filled_ns;
};

/* Starts full. `most` is the maximum burst. */
void budget_init(struct budget *b, double per_minute, double most, uint64_t now_ns);
bool budget_take(struct budget *b, double n, uint64_t now_ns);
/* Returns `n`, or takes -n more when it is negative: the level may become negative. */
void budget_settle(struct budget *b, double n);

#endif
