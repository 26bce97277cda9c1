/* fleet.h - this node's side of the fleet: shares scores of agents and orders with other nodes, through filterd-link.
 *
 * A thread serves the socket that filterd-link connects to (link/wire.h). No exchange waits for it: violations are counted in this
 * node's ledger at once, together with what was last known of the others, and kills are carried out here first. What the others
 * have counted and ordered arrives within milliseconds; without contact the node continues with what it knows (FLEET_LOST) or,
 * with on-loss strict, blocks exchanges that name an agent and ends the jails (FLEET_BLOCKS).
 *
 * A threshold that several nodes see crossed is recorded by one: the line waits for the database's answer, for a quarter of a
 * second at most. A reaction in force here and not in the database, because the threshold was crossed without contact or the
 * database was restored, is ordered again at the next contact; what was lifted there meanwhile is lifted here. */
#ifndef FILTERD_FLEET_FLEET_H
#define FILTERD_FLEET_FLEET_H

#include "base/address.h"
#include "enforce/agents.h"
#include "link/wire.h"
#include "pipeline/bundled.h"
#include "policy/policy.h"
#include "review/review_order.h"

struct fleet;

/* Exchanges since the start of the process. */
enum { FLEET_ELAPSED = 96 };
struct fleet_counts {
    uint64_t answers, blocked, unjudged;
    uint64_t elapsed[FLEET_ELAPSED]; /* exchanges by how long they took, as metrics.h of the service has it */
};

/* Policy bundles that come over the fleet (bundle/store.h). reload takes the newest one, too. */
struct fleet_bundles {
    const struct bundled *bundled;
    void *context;
    bool (*reload)(void *context, struct error *err);
    bool (*withdraw)(void *context, uint64_t version, struct error *err);
    void (*count)(void *context, struct fleet_counts *out);
};

/* A decision of a reviewer for the node that has the line, as a signed order (review/review_order.h). */
struct fleet_review {
    char id[REVIEW_ORDER_ID + 1], node[LINK_WIRE_NODE], by[ITEM_NAME + 1];
    uint64_t item; /* 0: `request`, or else `group` */
    uint8_t group[REVIEW_GROUP];
    char request[REVIEW_ORDER_REQUEST + 1], step[16]; /* id of an exception or a reveal, and the step; empty: none */
    enum item_verb verb;
    enum item_disposition disposition;
    int64_t at_ns;     /* UTC; 0: not placed yet */
    bool is_placed;    /* it is in the database */
    bool is_settled;   /* the node has answered, or it was not placed */
    uint64_t line;     /* of the node's record; 0: refused */
    char why[LINK_WIRE_TEXT]; /* it was refused */
};
struct fleet_outcome {
    uint64_t line; /* of the record; 0: refused */
    char why[LINK_WIRE_TEXT];
};
struct fleet_reviews {
    void *context;
    /* Fills in what the note says; false: no console has signed it. */
    bool (*read)(void *context, const char *note, struct fleet_review *out);
    /* On this node, whose name filterd-link has; may take seconds. False: not now. */
    bool (*carry_out)(void *context, const char *node, const char *note, struct fleet_outcome *out);
};

struct fleet_owner {
    struct agents *agents;                       /* outlives the fleet */
    struct snapshot *(*snapshot)(void *context); /* the current one; the caller releases the reference */
    void *context;
    struct fleet_bundles bundles; /* bundled NULL: rules do not come in bundles */
    struct fleet_reviews reviews; /* carry_out NULL: there are none */
    uint64_t (*lines)(void *context);            /* of the decision log, on disk; of `context` */
    const char *version;                         /* of this program */
    int64_t lease_ns; /* without contact for so long, it is lost */
    bool is_strict;
};

/* Binds the socket, for this user alone, and tells the agents. NULL with err. */
struct fleet *fleet_open(const struct fleet_owner *owner, const struct address *a, struct error *err);
MUST_CHECK bool fleet_start(struct fleet *f, struct error *err);
/* The node leaves the fleet. Before the agents are closed. Accepts NULL. */
void fleet_close(struct fleet *f);

/* Before what carries out decisions is closed: none is any more. Accepts NULL. */
void fleet_stop_reviews(struct fleet *f);
/* Gives a signed order to the fleet and waits until the database has it, then for settle_ms until the node has answered. */
enum fleet_placed { FLEET_NOT_PLACED, FLEET_MAY_BE_PLACED, FLEET_PLACED, FLEET_SETTLED };
enum fleet_placed fleet_place_review(struct fleet *f, const char *note, unsigned settle_ms, struct fleet_review *out);
/* Orders for that node (empty: any) that wait or were settled lately, in no order. */
size_t fleet_reviews(struct fleet *f, struct span node, struct fleet_review *out, size_t max);

/* Strictest first. Where there is no fleet it is FINE. Any thread. */
enum fleet_contact { FLEET_BLOCKS, FLEET_LOST, FLEET_FINE };
enum fleet_contact fleet_contact(const struct fleet *f);
/* It is not FINE; the log says so once, and once when it is again. */
bool fleet_is_lost(struct fleet *f);

extern const char fleet_lost_rule[];   /* blocks what names an agent, when it BLOCKS */
extern const char fleet_lost_reason[]; /* why */

/* What the database last said of nodes and policy bundles. */
enum { FLEET_NODES_MAX = 256, FLEET_BUNDLES_MAX = 8, FLEET_VERSION = 65 };
enum fleet_node_state { FLEET_NODE_LOST, FLEET_NODE_LEFT, FLEET_NODE_ALIVE }; /* left: it has stopped, or never took part */
enum fleet_bundle_state { FLEET_BUNDLE_STOPPED, FLEET_BUNDLE_STAGED, FLEET_BUNDLE_DONE };
struct fleet_node {
    char name[LINK_WIRE_NODE], version[FLEET_VERSION]; /* of filterd there; empty: not known */
    enum fleet_node_state state;
    int64_t at_ns;                   /* UTC, of the last heartbeat; 0: none */
    int64_t lease_ns;                /* on-loss: strict; 0: local */
    uint64_t lines, copied, covered; /* of its log; in the database; by the checkpoint there */
    uint64_t bundle, refused;        /* policy bundles: in force, not taken; 0: none */
    int64_t expires_ns;              /* UTC; 0: none */
    char why[LINK_WIRE_TEXT];        /* it was refused */
};
struct fleet_bundle {
    uint64_t version;
    enum fleet_bundle_state state;
    unsigned stage, stages;   /* stages 0: to all nodes at once */
    char why[LINK_WIRE_TEXT]; /* it was stopped */
};
struct fleet_status {
    char name[LINK_WIRE_NODE]; /* of this node; empty: not known yet */
    int64_t heard_ns;          /* UTC; 0: nothing was heard yet */
    size_t n_nodes, n_bundles;
    struct fleet_node nodes[FLEET_NODES_MAX];       /* by name */
    struct fleet_bundle bundles[FLEET_BUNDLES_MAX]; /* the newest first */
};
void fleet_look_at_status(struct fleet *f, struct fleet_status *out);

/* Appends its metrics; of none nothing. */
MUST_CHECK bool fleet_metrics(const struct fleet *f, struct buf *out, struct error *err);

#endif
