/* gatherer.h - a thread that keeps the copies of all nodes' logs as files (link/gather.h), for a review console.
 *
 * Once a second, over a connection of its own. After a failure it tries again after 1 to 30 seconds. Counters may be read by any
 * thread. */
#ifndef FILTERD_LINK_GATHERER_H
#define FILTERD_LINK_GATHERER_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "link/config.h"
#include "link/gather.h"

struct link_gatherer {
    const char *folder; /* NULL: nothing is gathered */
    struct link_session session;
    struct gather_seen seen;
    pthread_t thread;
    bool is_running;
    int stop;
    int64_t pause_ms, complained_ms;
    /* For metrics. */
    _Atomic uint64_t lines, failures, missing;
};

/* Nothing is done where the configuration names no folder. */
MUST_CHECK bool link_gatherer_start(struct link_gatherer *g, const struct link_config *config, const struct link_database *database,
                                    struct error *err);
/* Accepts one that was not started. */
void link_gatherer_stop(struct link_gatherer *g);
MUST_CHECK bool link_gatherer_put_metrics(const struct link_gatherer *g, struct buf *out, struct error *err);

#endif
