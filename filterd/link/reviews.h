/* reviews.h - orders of review consoles (review/review_order.h) in PostgreSQL (packaging/postgresql/operations.sql).
 *
 * A carrier only: the node that an order is for verifies it, records the step and says so; until then it gets the order again and
 * again. A console is given every order that was placed or settled in the last hour, and all that wait. One thread. */
#ifndef FILTERD_LINK_REVIEWS_H
#define FILTERD_LINK_REVIEWS_H

#include "link/fleet_store.h"

enum { REVIEWS_CHANGED_TEXT = 40 };

struct link_reviews {
    bool is_console;
    bool is_able;  /* the database has the table, and this role may use it */
    int64_t asked_ms; /* when the database was last asked without an announcement; monotonic, 0: never */
    int64_t given;    /* the newest order that was given to filterd since then */
    char changed[REVIEWS_CHANGED_TEXT]; /* of the newest state that was given; "": none */
};

/* At a new contact. False: the connection is lost, as below. */
MUST_CHECK bool link_reviews_begin(struct link_reviews *r, struct fleet_store *s, struct error *err);
/* An order of this console: it is in the database, or a REVIEW_STATE says why not. */
MUST_CHECK bool link_reviews_place(struct link_reviews *r, struct fleet_store *s, const struct link_message *m, fleet_give *give, void *context,
                                   struct error *err);
/* What filterd says of an order for this node. */
MUST_CHECK bool link_reviews_settle(struct link_reviews *r, struct fleet_store *s, const struct link_message *m, struct error *err);
/* REVIEW_TAKE for each order that waits for this node; to a console REVIEW_STATE for what has changed. When something was announced, and
 * every five seconds. */
MUST_CHECK bool link_reviews_step(struct link_reviews *r, struct fleet_store *s, bool is_announced, fleet_give *give, void *context,
                                  struct error *err);
/* Those of more than 30 days ago: a node takes none that is older than REVIEW_ORDER_DAYS. */
MUST_CHECK bool link_reviews_tidy(const struct link_reviews *r, struct fleet_store *s, struct error *err);

#endif
