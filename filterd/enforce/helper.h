/* helper.h - a process beside filterd for what filterd's sandbox forbids itself: to make processes.
 *
 * Forked before the sandbox and before any thread; it lives as long as the channel. It makes the
 * victims of the kill's self-test: a child with children in a control group of their own where the
 * machine lets it, else a single child; filterd gets descriptors as of a jail and ends them by the
 * same escalation steps. It also runs the policy's hooks (hooks.h). What it is asked for are datagrams of jail/lease/agent_wire.h. */
#ifndef FILTERD_ENFORCE_HELPER_H
#define FILTERD_ENFORCE_HELPER_H

#include <sys/types.h>

#include "policy/violations.h"

struct helper {
    int channel; /* readable when it has an answer, or has died; -1: there is none */
    pid_t pid;
};

/* Before the first thread. `v` has the hooks that it will ever run: what filterd could ask for is settled here. It is
 * not needed afterwards; NULL: none. */
MUST_CHECK bool helper_start(struct helper *h, const struct violations *v, struct error *err);
/* It ends, with its victim. */
void helper_stop(struct helper *h);

/* Asks for a victim; the answer on the channel is WIRE_HELLO with its handles, or WIRE_REFUSED. */
MUST_CHECK bool helper_ask_victim(const struct helper *h);
/* Asks for every hook of that agent; an answer for each comes on the channel (WIRE_HOOKED). */
MUST_CHECK bool helper_ask_hooks(const struct helper *h, const char *tenant, const char *agent, const char *why);
/* The victim is dead, or was given up: what is left of it goes away. */
void helper_bury_victim(const struct helper *h);

#endif
