/* fleet.h - this node's side of the fleet: shares scores of agents and orders with other nodes, through filterd-link.
 *
 * A thread serves the socket that filterd-link connects to (link/wire.h). No exchange waits for it: violations are counted in this
 * node's ledger at once, together with what was last known of the others, and kills are carried out here first. What the others
 * have counted and ordered arrives within milliseconds; while there is no contact the node goes on by what it knows (FLEET_LOST) or,
 * where that is strict, blocks what names an agent and ends the jails (FLEET_BLOCKS).
 *
 * A threshold that several nodes see crossed is recorded by one: the line waits for the database's answer, for a quarter of a
 * second at most. What stands here and not in the database, because it was crossed without contact or the database was restored, is
 * ordered again at the next contact; what was lifted there meanwhile is lifted here. */
#ifndef FILTERD_FLEET_FLEET_H
#define FILTERD_FLEET_FLEET_H

#include "base/address.h"
#include "enforce/agents.h"
#include "pipeline/bundled.h"
#include "policy/policy.h"

struct fleet;

/* Exchanges since the start of the process. */
struct fleet_counts {
    uint64_t answers, blocked, unjudged;
};

/* Policy bundles that come over the fleet (bundle/store.h). reload takes the newest one, too. */
struct fleet_bundles {
    const struct bundled *bundled;
    void *context;
    bool (*reload)(void *context, struct error *err);
    bool (*withdraw)(void *context, uint64_t version, struct error *err);
    void (*count)(void *context, struct fleet_counts *out);
};

struct fleet_owner {
    struct agents *agents;                       /* outlives the fleet */
    struct snapshot *(*snapshot)(void *context); /* the current one; the caller releases the reference */
    void *context;
    struct fleet_bundles bundles; /* bundled NULL: rules do not come in bundles */
    int64_t lease_ns; /* without contact for so long, it is lost */
    bool is_strict;
};

/* Binds the socket, for this user alone, and tells the agents. NULL with err. */
struct fleet *fleet_open(const struct fleet_owner *owner, const struct address *a, struct error *err);
MUST_CHECK bool fleet_start(struct fleet *f, struct error *err);
/* The node leaves the fleet. Before the agents are closed. Accepts NULL. */
void fleet_close(struct fleet *f);

/* Strictest first. Where there is no fleet it is FINE. Any thread. */
enum fleet_contact { FLEET_BLOCKS, FLEET_LOST, FLEET_FINE };
enum fleet_contact fleet_contact(const struct fleet *f);
/* It is not FINE; the log says so once, and once when it is again. */
bool fleet_is_lost(struct fleet *f);

extern const char fleet_lost_rule[];   /* blocks what names an agent, when it BLOCKS */
extern const char fleet_lost_reason[]; /* why */

/* Appends its metrics; of none nothing. */
MUST_CHECK bool fleet_metrics(const struct fleet *f, struct buf *out, struct error *err);

#endif
