/* guest.h - one registered jail, from its hello to the moment when nothing of it is left. For agents_door.c; its thread's
 * alone. */
#ifndef FILTERD_HTTP_GUEST_H
#define FILTERD_HTTP_GUEST_H

#include <sys/types.h>

#include "enforce/agents.h"
#include "http/identities.h"
#include "jail/lease/agent_wire.h"

enum { GUESTS_MAX = KILLER_PLACES_DEFAULT, GUEST_LEASES = 4 /* renewals in each lease */ };

enum guest_stage {
    GUEST_NONE,
    GUEST_NEW,     /* has not said hello */
    GUEST_LIVE,
    GUEST_DETACHED, /* processes outside a jail: no lease, no connection */
    GUEST_LEAVING, /* has gone; its place is given back when the killer is done with it */
};

struct guest {
    enum guest_stage stage;
    int fd;                /* the connection */
    int launcher;          /* its pidfd */
    int init;              /* pidfd of the first process; the place's own */
    int place;             /* -1: none */
    uid_t uid;
    uint64_t lease_ns, due_ns; /* of LIVE: when to renew; of NEW: when to lose patience */
    char agent[AGENT_WIRE_NAME], tenant[AGENT_WIRE_NAME], jail[AGENT_WIRE_NAME];
};

struct guests {
    struct guest items[GUESTS_MAX];
};

struct guest_context {
    struct agents *agents;
    const struct violations *violations;
    struct identities *identities;
    const struct snapshot *snapshot;
    const struct guests *all;
    uint64_t now_ns; /* monotonic */
    int64_t utc_ns;
};

/* Takes the connection over; false when there is no room. */
MUST_CHECK bool guests_add(struct guests *all, int fd, uint64_t now_ns);
void guests_deinit(struct guests *all);
/* NULL: none is there, or no longer. */
struct guest *guests_at_place(struct guests *all, int place);
/* Until the next lease is due, at most `other`. */
int guests_wait_ms(const struct guests *all, uint64_t now_ns, int other);

/* Whatever is due: its messages, its lease, its launcher's death. Never waits. */
void guest_serve(struct guest *g, const struct guest_context *c);
/* A kill was ordered: the jail's launcher ends it, too. */
void guest_tell_kill(const struct guest *g, const char *why);
/* The way out was cut. */
void guest_tell_outcome(const struct guest *g, const struct kill_outcome *o);

#endif
