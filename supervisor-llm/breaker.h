/* breaker.h - stop asking a service that fails, and find out when it works again.
 *
 * Closed, it lets everything through. After BREAKER_FAILURES failures in a row it opens for a
 * while, which doubles with each time it opens again. Then it is half open: one request goes
 * through, whose end closes it or opens it anew. Pure but for its own state: times are the
 * caller's, nanoseconds of a clock that never goes back. Not thread-safe. */
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
    uint64_t pause_ns;      /* how long it opened last; 0: it never did since it worked */
    uint64_t open_until_ns; /* 0: closed */
    bool is_probing;        /* the one request of a half-open breaker is under way */
};

/* Whether a request may go now. One that goes is announced by breaker_begin, its end by one of the
 * three others. */
bool breaker_may(const struct breaker *b, uint64_t now_ns);
void breaker_begin(struct breaker *b, uint64_t now_ns);
void breaker_succeed(struct breaker *b);
void breaker_fail(struct breaker *b, uint64_t now_ns);
/* It was given up for a reason that says nothing about the service. */
void breaker_forget(struct breaker *b);
/* The service itself asks for a pause, which is bounded by BREAKER_PAUSE_MAX_NS; counts as a failure. */
void breaker_wait(struct breaker *b, uint64_t now_ns, uint64_t pause_ns);

#endif
