/* status.h - what was last heard of all nodes and of policy bundles: for operators. Any thread. */
#ifndef FILTERD_FLEET_STATUS_H
#define FILTERD_FLEET_STATUS_H

#include <pthread.h>

#include "fleet/fleet.h"
#include "link/wire.h"

/* Zeroed but for the lock: nothing was heard. */
struct status {
    pthread_mutex_t lock;
    struct fleet_status now, next; /* next: of a list that is not whole yet */
};

/* HELLO, NODE and BUNDLE of filterd-link. */
void status_learn(struct status *s, const struct link_message *m);

#endif
