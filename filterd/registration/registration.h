/* registration.h - one registered jail, from its first message until all of its processes are gone.
 *
 * Only the thread of registration_socket.c uses it. A registration has a slot in the killer (enforce/killer.h) from
 * its acceptance; the slot is released only when no order for it is pending. */
#ifndef FILTERD_REGISTRATION_REGISTRATION_H
#define FILTERD_REGISTRATION_REGISTRATION_H

#include <sys/types.h>

#include "enforce/agents.h"
#include "http/identities.h"
#include "jail/lease/agent_wire.h"

enum { REGISTRATIONS_MAX = KILLER_SLOTS_DEFAULT, REGISTRATION_LEASES = 4 /* renewals in each lease */ };

enum registration_stage {
    REGISTRATION_NONE,
    REGISTRATION_NEW,     /* connected; its first message is expected */
    REGISTRATION_LIVE,
    REGISTRATION_DETACHED, /* processes outside a jail: no lease, no connection */
    REGISTRATION_LEAVING, /* ended; its slot is released when the killer is done with it */
};

struct registration {
    enum registration_stage stage;
    int fd;                /* the connection */
    int launcher;          /* its pidfd */
    int init;              /* pidfd of the jail's init; owned by the slot */
    int slot;              /* -1: none */
    uid_t uid;
    uint64_t lease_ns, due_ns; /* LIVE: when to renew; NEW: the handshake timeout */
    char agent[AGENT_WIRE_NAME], tenant[AGENT_WIRE_NAME], jail[AGENT_WIRE_NAME];
};

struct registrations {
    struct registration items[REGISTRATIONS_MAX];
};

struct registration_context {
    struct agents *agents;
    const struct violations *violations;
    struct identities *identities;
    const struct snapshot *snapshot;
    const struct registrations *all;
    uint64_t now_ns; /* monotonic */
    int64_t utc_ns;
};

/* Takes ownership of the connection. False when REGISTRATIONS_MAX are in use. */
MUST_CHECK bool registrations_add(struct registrations *all, int fd, uint64_t now_ns);
void registrations_deinit(struct registrations *all);
/* The live registration at that slot of the killer, or NULL. */
struct registration *registrations_at_slot(struct registrations *all, int slot);
/* Milliseconds until the next lease or timeout is due, at most `other`. */
int registrations_wait_ms(const struct registrations *all, uint64_t now_ns, int other);

/* Handles pending messages, the lease, and the death of the launcher. Does not block. */
void registration_serve(struct registration *r, const struct registration_context *c);
/* Notifies the launcher that a kill was ordered, so that it ends the jail, too. */
void registration_notify_kill(const struct registration *r, const char *why);
/* Notifies the launcher that the network was cut. */
void registration_notify_outcome(const struct registration *r, const struct kill_outcome *o);

#endif
