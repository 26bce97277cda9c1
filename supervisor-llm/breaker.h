/* breaker.h - a circuit breaker: stops requests to a failing service, and probes when it works again.
 *
 * Closed, it permits all requests. After BREAKER_FAILURES failures in a row it opens for a
 * pause, which doubles each time it opens again. Then it is half open: it permits one request,
 * whose result closes or opens it. Its only state is the struct; the caller passes
 * times, in nanoseconds of a monotonic clock. Not thread-safe. */
#ifndef FILTERD_SUPERVISOR_LLM_BREAKER_H
#define FILTERD_SUPERVISOR_LLM_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

enum { BREAKER_FAILURES = 5 };
#define BREAKER_PAUSE_NS (1000 * 1000000ULL)
#define BREAKER_PAUSE_MAX_NS (60000 * 1000000ULL)

/* Zeroed: closed. */
struct breaker {
    unsigned failures;      /* in a row */
    uint64_t pause_ns;      /* the last pause; 0: none since the last success */
    uint64_t open_until_ns; /* 0: closed */
    bool is_probing;        /* the one request of a half-open breaker is active */
};

/* Whether a request is permitted now. Report its start with breaker_begin, and its end with
 * breaker_succeed, breaker_fail or breaker_forget. */
bool breaker_may(const struct breaker *b, uint64_t now_ns);
void breaker_begin(struct breaker *b, uint64_t now_ns);
void breaker_succeed(struct breaker *b);
void breaker_fail(struct breaker *b, uint64_t now_ns);
/* The request was abandoned for a reason unrelated to the service. */
void breaker_forget(struct breaker *b);
/* Opens the breaker for the pause that the service requested, at most BREAKER_PAUSE_MAX_NS; counts as a failure. */
void breaker_wait(struct breaker *b, uint64_t now_ns, uint64_t pause_ns);

#endif
