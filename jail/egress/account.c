#include "jail/egress/account.h"

static const double ns_per_ms = 1e6;

void egress_account_init_rate(struct egress_account *a, const struct egress_rate *rate, uint64_t now_ns)
{
    atomic_init(&a->bytes_in, 0);
    atomic_init(&a->bytes_out, 0);
    (void)pthread_mutex_init(&a->lock, NULL);
    a->rate = *rate;
    a->tokens = (double)rate->count;
    a->filled_ns = now_ns;
}

void egress_account_init(struct egress_account *a, const struct egress_rule *rule, uint64_t now_ns)
{
    egress_account_init_rate(a, &rule->rate, now_ns);
    atomic_store(&a->bytes_in, rule->bytes_in);
    atomic_store(&a->bytes_out, rule->bytes_out);
}

void egress_account_deinit(struct egress_account *a)
{
    (void)pthread_mutex_destroy(&a->lock);
}

bool egress_account_take(struct egress_account *a, uint64_t now_ns)
{
    if (a->rate.count == EGRESS_NONE) {
        return true;
    }
    (void)pthread_mutex_lock(&a->lock);
    double count = (double)a->rate.count;
    if (now_ns > a->filled_ns) {
        a->tokens += (double)(now_ns - a->filled_ns) / ns_per_ms * count / (double)a->rate.window;
        a->tokens = a->tokens < count ? a->tokens : count;
        a->filled_ns = now_ns;
    }
    bool is_left = a->tokens >= 1;
    a->tokens -= is_left ? 1 : 0;
    (void)pthread_mutex_unlock(&a->lock);
    return is_left;
}
