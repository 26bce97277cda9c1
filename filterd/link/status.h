/* status.h - what the database says of all nodes and of policy bundles, for filterctl fleet: every five seconds to filterd. One thread. */
#ifndef FILTERD_LINK_STATUS_H
#define FILTERD_LINK_STATUS_H

#include "link/fleet_store.h"

struct link_status {
    int64_t given_ms; /* monotonic; 0: never */
};

/* NODE for each node, BUNDLE for the newest policy bundles, when it is time. False: the connection is lost. */
MUST_CHECK bool link_status_step(struct link_status *l, struct fleet_store *s, fleet_give *give, void *context, struct error *err);

#endif
