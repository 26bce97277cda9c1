/* review_orders.h - decisions of reviewers between nodes: orders of this console, and orders that this node carries out.
 *
 * Carrying one out takes as long as a step of the review does, so it has a thread of its own. What has no room is dropped: filterd-link
 * gives it again. Any thread. */
#ifndef FILTERD_FLEET_REVIEW_ORDERS_H
#define FILTERD_FLEET_REVIEW_ORDERS_H

#include "fleet/fleet.h"
#include "link/wire.h"

enum { REVIEW_ORDERS_WAITING = 32, REVIEW_ORDERS_KNOWN = 512 };

struct review_orders;

/* `wake` is called, with `waken`, when there is something to send. NULL with err. */
struct review_orders *review_orders_open(const struct fleet_reviews *owner, void (*wake)(void *), void *waken, struct error *err);
MUST_CHECK bool review_orders_start(struct review_orders *r, struct error *err);
/* Waits for the current order; nothing is carried out after it. */
void review_orders_stop(struct review_orders *r);
void review_orders_close(struct review_orders *r); /* accepts NULL */

/* HELLO of filterd-link: this node's name. */
void review_orders_greet(struct review_orders *r, const struct link_message *m);
/* REVIEW_TAKE and REVIEW_STATE of filterd-link. */
void review_orders_take(struct review_orders *r, const struct link_message *m);
void review_orders_learn(struct review_orders *r, const struct link_message *m);
/* What is to be sent next: false when there is nothing. It stays until it was sent. */
bool review_orders_next(struct review_orders *r, struct link_message *m);
void review_orders_set_sent(struct review_orders *r, const struct link_message *m);

/* See fleet.h. */
enum fleet_placed review_orders_place(struct review_orders *r, const char *note, unsigned settle_ms, struct fleet_review *out);
size_t review_orders_known(struct review_orders *r, struct span node, struct fleet_review *out, size_t max);

#endif
