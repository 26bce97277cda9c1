/* console.h - decisions of reviewers over a fleet: made at a review console, carried out on the node that has the line.
 *
 * A console shows replicas of the nodes' logs (replica/replicas.h). A decision there becomes an order that the console signs
 * (review/review_order.h), and that filterd-link carries; the node verifies it and takes the step as if the person were there, with the
 * name of the console and the id of the order on record. Its answer comes back the same way. Blocks: only for threads of the pool, and
 * that of the fleet's orders. */
#ifndef FILTERD_CONSOLE_CONSOLE_H
#define FILTERD_CONSOLE_CONSOLE_H

#include "fleet/fleet.h"
#include "service/reviews.h"

/* An item of a node, as the person saw it, or a group there. */
struct console_item {
    struct span node;
    uint64_t seq, version;
    struct tree_hash leaf; /* of the line */
    const uint8_t *group;  /* NULL: the item */
};

struct console_answer {
    unsigned status; /* 200: recorded there; 202: placed, and the node has not answered yet; 403, 409, 422: refused; 503: not placed, or
                      * not known whether */
    char detail[REVIEWS_DETAIL];
    struct fleet_review order;
};

/* Whether the options of consoles go together, and their files are what they have to be. */
MUST_CHECK bool console_check(const struct service_options *o, struct error *err);
/* Before service_open: decisions of consoles are carried out here from then on, and where the options name a folder its copies are
 * those of a console. */
MUST_CHECK bool console_open(struct service *s, struct error *err);
MUST_CHECK bool console_start(struct service *s, struct error *err);
/* Before service_deinit. */
void console_close(struct service *s);
/* This service may decide for other nodes: it has a key. */
bool console_can_decide(const struct service *s);

/* An exception or a reveal of a node. */
struct console_request {
    struct span node, id, step; /* as the record has the step: "approved", "refused", "withdrawn" */
    enum review_order_kind kind;
};
/* Waits for some seconds for the node's answer. The node checks who may. */
void console_decide_request(struct service *s, const struct caller *caller, const struct console_request *request, struct console_answer *out);

/* `q` has the step; its items and its group are not looked at. `waits`: for some seconds for the node's answer, else 202 at once. */
void console_decide(struct service *s, const struct caller *caller, const struct console_item *item, const struct review_request *q,
                    bool waits, struct console_answer *out);

#endif
