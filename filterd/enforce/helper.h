/* helper.h - a process beside filterd that creates processes, which filterd's sandbox forbids to itself.
 *
 * It is forked before the sandbox and before any thread, and ends when the channel closes. It creates the victims of the
 * kill's self-test: a child with children in a control group of their own where the machine allows it, else a single
 * child. filterd gets the same descriptors as of a jail and kills them by the same escalation steps. The helper also
 * runs the policy's hooks (hooks.h). Requests and answers are datagrams of jail/lease/agent_wire.h. */
#ifndef FILTERD_ENFORCE_HELPER_H
#define FILTERD_ENFORCE_HELPER_H

#include <sys/types.h>

#include "policy/violations.h"

struct helper {
    int channel; /* readable when it has an answer or has ended; -1: no helper */
    pid_t pid;
};

/* Call it before the first thread. `v` (or NULL) has all hooks that it will ever run, so that a compromised filterd can
 * request no other. The child keeps its own copy. */
MUST_CHECK bool helper_start(struct helper *h, const struct violations *v, struct error *err);
/* Ends it and its victim. */
void helper_stop(struct helper *h);

/* Asks for a victim; the answer on the channel is WIRE_HELLO with its handles, or WIRE_REFUSED. */
MUST_CHECK bool helper_ask_victim(const struct helper *h);
/* Asks for every hook of that agent; an answer for each comes on the channel (WIRE_HOOKED). */
MUST_CHECK bool helper_ask_hooks(const struct helper *h, const char *tenant, const char *agent, const char *why);
/* Cleans up after a victim that is dead, or whose test was abandoned. */
void helper_bury_victim(const struct helper *h);

#endif
