/* budget.h - so many per minute, at most so many at once saved up.
 *
 * A bucket that refills evenly; taking more than it holds is refused, and paying back what was not
 * used refills it. Pure but for its own state: times are the caller's, nanoseconds of a clock that
 * never goes back. Not thread-safe. */
#ifndef FILTERD_SUPERVISOR_LLM_BUDGET_H
#define FILTERD_SUPERVISOR_LLM_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget {
    double per_minute; /* 0: no limit */
    double most, level;
    uint64_t filled_ns;
};

/* Full. `most` is what may be taken at once after a quiet time. */
void budget_init(struct budget *b, double per_minute, double most, uint64_t now_ns);
bool budget_take(struct budget *b, double n, uint64_t now_ns);
/* Gives back `n`, or takes as much more when it is negative: the bucket may then owe. */
void budget_settle(struct budget *b, double n);

#endif
