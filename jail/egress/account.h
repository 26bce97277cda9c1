/* account.h - the remaining rate and byte budgets of a rule. Any thread. */
#ifndef FILTERD_JAIL_EGRESS_ACCOUNT_H
#define FILTERD_JAIL_EGRESS_ACCOUNT_H

#include <pthread.h>

#include "jail/egress/wire/link.h"
#include "jail/egress/policy.h"

struct egress_account {
    egress_quota bytes_in, bytes_out;
    pthread_mutex_t lock; /* guards what follows */
    struct egress_rate rate;
    double tokens;
    uint64_t filled_ns;
};

void egress_account_init(struct egress_account *a, const struct egress_rule *rule, uint64_t now_ns);
/* An account with a rate and without any byte budget: no byte may pass. */
void egress_account_init_rate(struct egress_account *a, const struct egress_rate *rate, uint64_t now_ns);
void egress_account_deinit(struct egress_account *a);

/* Takes one request from the rate; false when none is left at the moment. The token bucket starts full, holds at most the
 * rate's count, and refills evenly over the window. */
MUST_CHECK bool egress_account_take(struct egress_account *a, uint64_t now_ns);

#endif
