/* lease.h - the jail lives as long as filterd does: registration, and a lease that filterd renews.
 *
 * Without `filter` in the policy there is no lease, and every call succeeds at once. Else the jail is
 * registered before its command runs: filterd gets descriptors to end it with and a name to count
 * violations by. When filterd's end of the connection closes, or nothing comes from it for the
 * policy's `lease`, the jail ends. For run.c and the monitor; not thread-safe. */
#ifndef FILTERD_JAIL_LEASE_LEASE_H
#define FILTERD_JAIL_LEASE_LEASE_H

#include "jail/lease/agent_wire.h"
#include "jail/policy/policy.h"

enum jail_lease_state {
    JAIL_LEASE_LOST,  /* filterd is gone, or silent for too long: strictest first */
    JAIL_LEASE_ENDED, /* filterd ends the jail; lease.why says why */
    JAIL_LEASE_CUT,   /* filterd wants the egress proxy closed */
    JAIL_LEASE_HELD,
};

struct jail_lease {
    int fd; /* -1: there is none */
    int64_t bound_ms, heard_ms;
    char why[AGENT_WIRE_TEXT];
};

void jail_lease_init(struct jail_lease *l);
/* Registers, and waits for the answer at most for one lease. `cut`: a descriptor by which filterd closes the egress proxy
 * itself (agent_wire.h); -1: none. */
MUST_CHECK bool jail_lease_open(struct jail_lease *l, const struct jail_policy *p, const struct jail_kill_target *t,
                                int cut, struct error *err);
/* All is over: filterd lets go. */
void jail_lease_close(struct jail_lease *l);

/* Takes what came; never waits. */
enum jail_lease_state jail_lease_look(struct jail_lease *l, int64_t now_ms);
/* Until the lease runs out; `other` when that is sooner or there is no lease. */
int jail_lease_wait_ms(const struct jail_lease *l, int64_t now_ms, int other);
/* Tells filterd of a violation: `kind` as in filterd-policy(5), `detail` for people. */
void jail_lease_report(const struct jail_lease *l, const char *kind, const char *detail);

#endif
