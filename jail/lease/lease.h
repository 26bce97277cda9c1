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

struct jail_lease {
    int fd; /* -1: none */
    int64_t bound_ms, renewed_ms;
    char why[AGENT_WIRE_TEXT];
};

void jail_lease_init(struct jail_lease *l);
/* Registers, and waits at most one lease for the answer. `cut`: a descriptor with which filterd closes the egress proxy
 * itself (agent_wire.h); -1: none. */
MUST_CHECK bool jail_lease_open(struct jail_lease *l, const struct jail_policy *p, const struct jail_kill_target *t,
                                int cut, struct error *err);
/* Unregisters the jail after an orderly end. */
void jail_lease_close(struct jail_lease *l);

/* Reads pending messages; never waits. */
enum jail_lease_state jail_lease_look(struct jail_lease *l, int64_t now_ms);
/* The time until the lease expires; `other` when that is sooner or there is no lease. */
int jail_lease_wait_ms(const struct jail_lease *l, int64_t now_ms, int other);
/* Reports a violation to filterd: `kind` as in filterd-policy(5), `detail` for people. */
void jail_lease_report(const struct jail_lease *l, const char *kind, const char *detail);

#endif
