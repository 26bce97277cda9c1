/* sandbox.h - drops permissions that filterd-egress no longer needs: its user, files, system calls.
 *
 * Call it once everything is open; the proxy can still resolve names and connect to the ports of its rules. Mechanisms
 * that the machine lacks are logged (sandbox/sandbox.h). */
#ifndef FILTERD_JAIL_EGRESS_SANDBOX_H
#define FILTERD_JAIL_EGRESS_SANDBOX_H

#include <sys/types.h>

#include "jail/egress/server.h"

/* Sets no_new_privs, disables core dumps, since memory has credentials, and raises the limit of descriptors to two for every
 * connection that the policy allows. */
MUST_CHECK bool egress_sandbox_settle(const struct egress_limits *limits, struct error *err);
/* Switches from root to a user without groups; 0: no change. */
MUST_CHECK bool egress_sandbox_become(uid_t user, struct error *err);
/* Call it before the first thread. Unix sockets among the listeners can still be removed. */
void egress_sandbox_lock_files(const struct egress_policy *p, const struct egress_listener *listeners, size_t n);
/* Call it when everything is open. */
void egress_sandbox_lock_calls(void);

#endif
