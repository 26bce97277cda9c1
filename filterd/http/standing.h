/* standing.h - the agent's account on the way of an exchange: before it is judged, and after.
 *
 * An exchange that names no agent has no account. One of a stopped agent is not judged but blocked,
 * by filterd.agent-frozen, -killed or -revoked; one of a throttled agent is refused for now; one
 * whose violation could not be written down is blocked. */
#ifndef FILTERD_HTTP_STANDING_H
#define FILTERD_HTTP_STANDING_H

#include "http/service.h"

enum standing { STANDING_BLOCKED, STANDING_WAIT, STANDING_MAY };

/* Sets the exchange's agent_state and violations; BLOCKED: the verdict, too. *wait_s: whole seconds, of WAIT. */
enum standing standing_admit(struct service *s, struct exchange *x, unsigned *wait_s);
/* The judged exchange is counted; it may become a block. */
void standing_count(struct service *s, struct exchange *x);

/* What is said to a throttled agent. */
extern const char standing_throttled[];

#endif
