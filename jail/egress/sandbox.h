/* sandbox.h - drops what filterd-egress no longer needs: its user, files, system calls.
 *
 * Everything it needs is open by then; it still resolves names and connects to the ports of its rules. Mechanisms
 * that the machine lacks are logged (sandbox/sandbox.h). */
#ifndef FILTERD_JAIL_EGRESS_SANDBOX_H
#define FILTERD_JAIL_EGRESS_SANDBOX_H

#include <sys/types.h>

#include "jail/egress/server.h"

/* Nothing that it opens later gives it more than it has; no memory with credentials gets into a file; and there are
 * descriptors for both sides of every connection that the policy allows. */
MUST_CHECK bool egress_sandbox_settle(const struct egress_limits *limits, struct error *err);
/* From root to a user without groups; 0: stays. */
MUST_CHECK bool egress_sandbox_become(uid_t user, struct error *err);
/* Before the first thread. Sockets of Unix among the listeners can still be taken away. */
void egress_sandbox_lock_files(const struct egress_policy *p, const struct egress_listener *listeners, size_t n);
/* When everything is open. */
void egress_sandbox_lock_calls(void);

#endif
