/* rollouts.h - policy bundles of the fleet: a thread of its own takes and withdraws them when filterd-link says so.
 *
 * Loading rules takes seconds, so the fleet's thread only queues it here. The fleet judges a rollout by the counts of exchanges
 * under the bundle in force. Any thread. */
#ifndef FILTERD_FLEET_ROLLOUTS_H
#define FILTERD_FLEET_ROLLOUTS_H

#include "fleet/fleet.h"
#include "link/wire.h"

struct rollouts;

/* NULL with err. The owner outlives it. */
struct rollouts *rollouts_open(const struct fleet_bundles *owner, struct error *err);
MUST_CHECK bool rollouts_start(struct rollouts *r, struct error *err);
/* Waits for the current bundle. Accepts NULL, as what follows. */
void rollouts_close(struct rollouts *r);

/* Fills a message LINK_POLICY. False: rules do not come in bundles. */
bool rollouts_state(struct rollouts *r, struct link_message *m);
/* That version is in the folder, or is withdrawn. They do not wait. */
void rollouts_fetched(struct rollouts *r, uint64_t version);
void rollouts_withdraw(struct rollouts *r, uint64_t version);

#endif
