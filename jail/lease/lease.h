/* lease.h - a jail's registration with filterd, and the lease that filterd renews.
 *
 * Without `filter` in the policy there is no lease, and every call succeeds at once. Otherwise the jail is
 * registered before its command runs: filterd receives descriptors with which it can kill the jail, and the name under
 * which violations are counted. When filterd closes the connection, or sends nothing for the
 * policy's `lease`, the jail ends. For run.c and the monitor; not thread-safe. */
#ifndef FILTERD_JAIL_LEASE_LEASE_H
#define FILTERD_JAIL_LEASE_LEASE_H

#include "jail/lease/agent_wire.h"
#include "jail/policy/policy.h"

enum jail_lease_state {
    JAIL_LEASE_LOST,  /* filterd is gone, or sent nothing for a lease; strictest first */
    JAIL_LEASE_ENDED, /* filterd kills the jail; lease.why has the reason */
    JAIL_LEASE_CUT,   /* filterd orders the egress proxy closed */
    JAIL_LEASE_HELD,
};

enum { JAIL_LEASE_KINDS = 8 };

/* Violations of one kind that filterd has not taken yet. */
struct jail_lease_unsent {
    char kind[AGENT_WIRE_WORD], detail[AGENT_WIRE_TEXT - 32]; /* of the last one; the kind empty: none yet */
    unsigned n;
    int64_t next_ms; /* when the next one may be sent */
};

struct jail_lease {
    int fd; /* -1: none */
    int64_t bound_ms, renewed_ms;
    struct jail_lease_unsent unsent[JAIL_LEASE_KINDS];
    char why[AGENT_WIRE_TEXT];
};

void jail_lease_init(struct jail_lease *l);
/* Registers, and waits at most one lease for the answer. `cut`: a descriptor with which filterd closes the egress proxy
 * itself (agent_wire.h); -1: none. */
MUST_CHECK bool jail_lease_open(struct jail_lease *l, const struct jail_policy *p, const struct jail_kill_target *t,
                                int cut, struct error *err);
/* Unregisters the jail after an orderly end, when filterd has taken what was reported, for at most a second. */
void jail_lease_close(struct jail_lease *l);

/* Reads pending messages, and sends what could not be sent before; never waits. */
enum jail_lease_state jail_lease_look(struct jail_lease *l, int64_t now_ms);
/* The time until the lease expires; `other` when that is sooner or there is no lease. */
int jail_lease_wait_ms(const struct jail_lease *l, int64_t now_ms, int other);
/* Reports a violation to filterd: `kind` as in filterd-policy(5), `detail` for people. What filterd does not take now, or what are more than a
 * hundred of the kind in a second behind the first thousand, waits. */
void jail_lease_report(struct jail_lease *l, const char *kind, const char *detail);

#endif
