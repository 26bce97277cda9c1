#include "supervisor-llm/breaker.h"

bool breaker_may(const struct breaker *b, uint64_t now_ns)
{
    return b->open_until_ns == 0 || (now_ns >= b->open_until_ns && !b->is_probing);
}

void breaker_begin(struct breaker *b, uint64_t now_ns)
{
    b->is_probing = b->open_until_ns != 0 && now_ns >= b->open_until_ns;
}

void breaker_succeed(struct breaker *b)
{
    *b = (struct breaker){0};
}

static void open(struct breaker *b, uint64_t now_ns, uint64_t pause_ns)
{
    b->pause_ns = pause_ns < BREAKER_PAUSE_MAX_NS ? pause_ns : BREAKER_PAUSE_MAX_NS;
    b->open_until_ns = now_ns + b->pause_ns;
    b->is_probing = false;
}

/* Late failures of requests that went before it opened keep it open no longer. */
void breaker_fail(struct breaker *b, uint64_t now_ns)
{
    b->failures++;
    if (b->is_probing) {
        open(b, now_ns, b->pause_ns * 2);
    } else if (b->open_until_ns == 0 && b->failures >= BREAKER_FAILURES) {
        open(b, now_ns, BREAKER_PAUSE_NS);
    }
}

void breaker_forget(struct breaker *b)
{
    b->is_probing = false;
}

void breaker_wait(struct breaker *b, uint64_t now_ns, uint64_t pause_ns)
{
    b->failures++;
    if (now_ns + pause_ns > b->open_until_ns || b->is_probing) {
        open(b, now_ns, pause_ns > BREAKER_PAUSE_NS ? pause_ns : BREAKER_PAUSE_NS);
    }
}
