/* admission.h - whether an exchange may be judged now: its agent's account and its budgets, before it is judged and after.
 *
 * An exchange that names no agent has no account. One of a stopped agent is not judged but blocked,
 * by filterd.agent-frozen, -killed or -revoked; one of a throttled agent is refused until its score falls; one
 * whose violation could not be written down is blocked. Nothing is judged with a policy bundle that has expired, where that blocks.
 * Where a budget throttles, the next exchanges of its subject are refused until its window has room again. */
#ifndef FILTERD_SERVICE_ADMISSION_H
#define FILTERD_SERVICE_ADMISSION_H

#include "service/service.h"
#include "pipeline/stream.h"

/* The accounts of disclosure budgets. Their file is opened, and what it has taken over, with the first snapshot that has budgets:
 * at the start or at a reload, before others have the snapshot. */
MUST_CHECK bool admission_open_budgets(struct service *s, const struct snapshot *snapshot, struct error *err);
void admission_close_budgets(struct service *s);

/* The node's side of the fleet, where the options have one; after the agents. */
MUST_CHECK bool admission_open_fleet(struct service *s, struct error *err);

enum admission { ADMISSION_BLOCKED, ADMISSION_WAIT, ADMISSION_GRANTED };

/* Sets the exchange's budgets, agent_state and violations; BLOCKED: the verdict, too. *wait_s: whole seconds, of WAIT. */
enum admission admission_check(struct service *s, struct exchange *x, unsigned *wait_s);
/* Seconds until an exchange of that sender is accepted again, because a budget of the policy throttles it; 0: now. */
unsigned admission_wait_for_budget(struct service *s, const struct policy *policy, const struct identity *who);
/* The judged exchange is counted; it may become a block. */
void admission_count(struct service *s, struct exchange *x);

/* Of an exchange that has no text yet, in a stream or to an upstream: what is refused is put on record here. BLOCKED:
 * 403, and *why is the text to answer with; WAIT: 429. */
enum admission admission_open(struct service *s, const struct snapshot *snapshot, const struct identity *who,
                            unsigned *wait_s, const char **why);
/* Blocks the stream of an agent that was stopped meanwhile. */
void admission_watch(struct service *s, struct stream *stream);
/* The stream has ended: it is counted, and may become a block; *x is what became of it. */
void admission_count_stream(struct service *s, struct stream *stream, struct exchange *x);

/* `review` of agents.h, by the policy of the agent's tenant; the context is the service. */
struct review_mark admission_mark_event(void *context, const struct agent_event *e);

/* Before others have the snapshot: keys of its exceptions, and the quota of samples of rules. */
void admission_equip(struct service *s, struct snapshot *snapshot);

/* What is said to a throttled agent's caller. */
extern const char admission_throttled[];

#endif
