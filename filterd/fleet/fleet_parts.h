/* fleet_parts.h - what the files of filterd/fleet share. Only the thread uses what is not atomic or under a lock. */
#ifndef FILTERD_FLEET_FLEET_PARTS_H
#define FILTERD_FLEET_FLEET_PARTS_H

#include <stdatomic.h>

#include "fleet/claims.h"
#include "fleet/fleet.h"
#include "fleet/review_orders.h"
#include "fleet/rollouts.h"
#include "fleet/status.h"

/* GREETED: sends what happened here meanwhile. SYNCING: gets the reactions in force. CURRENT: in contact. */
enum fleet_stage { FLEET_NONE, FLEET_ACCEPTED, FLEET_GREETED, FLEET_SYNCING, FLEET_CURRENT };

/* A kill whose jails are not known to be over. */
struct fleet_ending {
    uint64_t order; /* 0: free */
    int64_t begun_us;
    char tenant[LEDGER_NAME_MAX + 1], agent[LEDGER_NAME_MAX + 1];
};

/* Of the account in a slot of the ledger. */
struct fleet_seen {
    unsigned standing; /* the reactions in force according to the database, at this sync */
    int64_t first_ns;  /* which account it is */
    int64_t until_ns;  /* claimed */
};

struct fleet {
    struct fleet_owner owner;
    struct address address;
    int listener, connection, stop, wake;
    pthread_t thread;
    bool is_running;
    enum fleet_stage stage;
    bool is_full; /* the send buffer of the connection is full */
    int64_t beat_ms, looked_ms;
    uint32_t looking_at; /* slot; LEDGER_MAX_DEFAULT: the round is over */
    struct claims claims;
    struct rollouts *rollouts; /* NULL: rules do not come in bundles */
    struct review_orders *reviews; /* NULL: there are none */
    struct status status;
    struct fleet_ending endings[KILLER_SLOTS_DEFAULT];
    unsigned n_endings;
    struct fleet_seen *seen; /* by slot */
    atomic_bool is_current;
    atomic_bool is_lost; /* the log says so */
    _Atomic int64_t contact_ns; /* monotonic; 0: none yet */
    _Atomic uint32_t nodes;
    _Atomic uint64_t orders, claims_won, claims_lost, claims_late, unclaimed;
};

/* --- fleet.c --- */

/* False: not now; the thread comes back to it, or the connection is gone. */
bool fleet_send(struct fleet *f, const struct link_message *m);
void fleet_disconnect(struct fleet *f, const char *why);

/* --- shared.c: scores and what thresholds claim --- */

/* For struct agents_fleet. */
bool fleet_claim(void *context, unsigned reaction, const struct agent_event *cause);
void fleet_lift(void *context, bool is_revival, const struct agent_event *cause);
/* Parts that changed, and once a second those that are watched. */
void fleet_send_parts(struct fleet *f);
void fleet_look(struct fleet *f, int64_t now_ms);
void fleet_record_claim(struct fleet *f, const struct claim *c);

/* --- orders.c: what the database says --- */

/* False: it is not for here. */
bool fleet_take(struct fleet *f, const struct link_message *m);
/* Kills that are over. */
void fleet_acknowledge(struct fleet *f);

#endif
