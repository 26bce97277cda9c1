/* fleet_store.h - what nodes share in PostgreSQL (packaging/postgresql/fleet.sql): parts of scores, orders, acknowledgements.
 *
 * One session of its own, because COPY holds the other for as long as a batch takes, and LISTEN needs one that stays. After a
 * failure the connection is gone. Rows become messages of link/wire.h, which the receiver of `give` checks. One thread. */
#ifndef FILTERD_LINK_FLEET_STORE_H
#define FILTERD_LINK_FLEET_STORE_H

#include "link/session.h"
#include "link/wire.h"

enum { FLEET_BATCH_MAX = 128 };

struct fleet_store {
    struct link_session session;
    char node[SHIP_NAME_MAX + 1], id[24];
    uint64_t newest; /* order that was read */
    int schema;      /* version */
};

void fleet_store_init(struct fleet_store *s, const struct link_database *database, struct span node);
/* Connected, alone with the node's name, listening. DENIED: its clock is too far from the database's. */
MUST_CHECK bool fleet_store_connect(struct fleet_store *s, struct error *err);
/* Whether an order, a policy bundle or a decision of a reviewer was announced. False with err: the connection is lost. */
MUST_CHECK bool fleet_store_hear(struct fleet_store *s, bool *is_announced, struct error *err);
/* The same for announcements that came with the answers to statements: the socket does not say so any more. */
void fleet_store_take_announcements(struct fleet_store *s, bool *is_announced);

/* The node lives; what it does outlives the loss of the database by lease_ns (0: for ever). *nodes: how many live. `said`: the last
 * BEAT of filterd. */
MUST_CHECK bool fleet_store_beat(struct fleet_store *s, int64_t lease_ns, const struct link_message *said, uint32_t *nodes, struct error *err);
/* It has stopped in order: no acknowledgement is waited for. */
MUST_CHECK bool fleet_store_leave(struct fleet_store *s, struct error *err);
/* New orders get numbers above it, also in a database that was restored from an older state. */
MUST_CHECK bool fleet_store_begin_after(struct fleet_store *s, uint64_t order, struct error *err);

/* Writes those that are LINK_PART, then reads the others' sums: each message becomes its OTHERS. */
MUST_CHECK bool fleet_store_exchange(struct fleet_store *s, struct link_message *messages, size_t n, struct error *err);
/* The message becomes its GRANT. */
MUST_CHECK bool fleet_store_claim(struct fleet_store *s, struct link_message *m, struct error *err);
MUST_CHECK bool fleet_store_acknowledge(struct fleet_store *s, const struct link_message *m, struct error *err);

typedef bool fleet_give(void *context, const struct link_message *m, struct error *err);
/* STANDING for each, SYNCED. */
MUST_CHECK bool fleet_store_sync(struct fleet_store *s, fleet_give *give, void *context, struct error *err);
/* ORDER for each that was not read. */
MUST_CHECK bool fleet_store_orders(struct fleet_store *s, fleet_give *give, void *context, struct error *err);
/* RESULT for each kill of this node that is over, or that some have not acknowledged in time. *is_open: one is neither. */
MUST_CHECK bool fleet_store_results(struct fleet_store *s, fleet_give *give, void *context, bool *is_open, struct error *err);
/* Parts that have faded, and orders and revivals of more than 30 days ago. */
MUST_CHECK bool fleet_store_tidy(struct fleet_store *s, struct error *err);

#endif
