#include "supervisor-llm/budget.h"

#define MINUTE_NS 60e9

void budget_init(struct budget *b, double per_minute, double most, uint64_t now_ns)
{
    *b = (struct budget){.per_minute = per_minute, .most = most, .level = most, .filled_ns = now_ns};
}

static void cap(struct budget *b)
{
    b->level = b->level < b->most ? b->level : b->most;
}

static void fill(struct budget *b, uint64_t now_ns)
{
    if (now_ns > b->filled_ns) {
        b->level += b->per_minute * ((double)(now_ns - b->filled_ns) / MINUTE_NS);
        b->filled_ns = now_ns;
        cap(b);
    }
}

bool budget_take(struct budget *b, double n, uint64_t now_ns)
{
    if (b->per_minute <= 0) {
        return true;
    }
    fill(b, now_ns);
    if (b->level < n) {
        return false;
    }
    b->level -= n;
    return true;
}

void budget_settle(struct budget *b, double n)
{
    if (b->per_minute > 0) {
        b->level += n;
        cap(b);
    }
}
