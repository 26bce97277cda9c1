/* account.h - what a rule has left: requests of its rate, bytes of its budgets. Any thread. */
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
/* A rate alone; no byte may pass. */
void egress_account_init_rate(struct egress_account *a, const struct egress_rate *rate, uint64_t now_ns);
void egress_account_deinit(struct egress_account *a);

/* One request; false when the rate has none left at the moment. A bucket: full at the start, never fuller than the
 * rate's count, filled evenly over the window. */
MUST_CHECK bool egress_account_take(struct egress_account *a, uint64_t now_ns);

#endif
