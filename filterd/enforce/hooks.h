/* hooks.h - what ends agents outside a jail: a command, or a POST to a URL. For the helper, which is one thread.
 *
 * Each hook runs in a process of its own, with a time limit, and says how it went on the channel
 * (WIRE_HOOKED): word is "verified" when the hook's `verify` has seen the agent gone, "unverified" when it worked but nobody
 * looked, else "failed"; text says more. */
#ifndef FILTERD_ENFORCE_HOOKS_H
#define FILTERD_ENFORCE_HOOKS_H

#include "jail/lease/agent_wire.h"
#include "policy/violations.h"

/* Starts every hook for the agent of the message; how many. The caller reaps. */
unsigned hooks_start(const struct violations *v, const struct agent_message *m, int channel);

#endif
