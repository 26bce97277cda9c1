/* fleet.h - between filterd's socket (link/wire.h) and what nodes share in the database (link/fleet_store.h), in a thread of its own.
 *
 * It connects to filterd, which it greets once it has the database, and gives both up when one fails: filterd's connection
 * says that this node is in contact with the fleet. It tries again after 0.2 to 2 seconds. Counters may be read by any thread. */
#ifndef FILTERD_LINK_FLEET_H
#define FILTERD_LINK_FLEET_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "link/bundles.h"
#include "link/config.h"
#include "link/fleet_store.h"
#include "link/reviews.h"
#include "link/status.h"

struct link_fleet {
    const char *socket;
    struct fleet_store store;
    int stop, filterd; /* filterd -1: not connected */
    pthread_t thread;
    bool is_running;
    struct link_message said; /* the last BEAT of filterd */
    int64_t lease_ns, beat_ms, notified_ms, tidied_ms, looked_ms, complained_ms, pause_ms; /* monotonic, but for lease_ns */
    bool has_open, is_due, has_left;
    struct link_message batch[FLEET_BATCH_MAX];
    size_t n;
    struct link_bundles bundles;
    struct link_reviews reviews;
    struct link_status status;
    /* For metrics. */
    atomic_bool is_connected;
    _Atomic uint64_t parts, orders, acknowledged, failures;
};

/* Nothing is done where the configuration names no socket. */
MUST_CHECK bool link_fleet_start(struct link_fleet *f, const struct link_config *config, const struct link_database *database,
                                 struct error *err);
/* Accepts one that was not started. */
void link_fleet_stop(struct link_fleet *f);
/* Appends its metrics, where there is a socket. */
MUST_CHECK bool link_fleet_put_metrics(const struct link_fleet *f, struct buf *out, struct error *err);

#endif
