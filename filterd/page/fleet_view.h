/* fleet_view.h - shared by the screens of a fleet: nodes, lines of their copies, and what proves them.
 *
 * A line is named "web-2.17": node and number. Depends on the copies alone (replica/replicas.h): the service's own log is not shown. */
#ifndef FILTERD_PAGE_FLEET_VIEW_H
#define FILTERD_PAGE_FLEET_VIEW_H

#include "replica/replicas.h"
#include "fleet/fleet.h"
#include "page/line_view.h"
#include "page/page.h"

/* The nodes, in the page's memory. False after page_fault (404: this service has no copies), or with an error. */
struct fleet_nodes {
    struct replica_state *list;
    size_t n;
};
MUST_CHECK bool fleet_nodes(struct page *p, struct fleet_nodes *out, struct error *err);

/* What follows does not show that node: its copy could not be read now. */
void fleet_nodes_set_unread(struct replica_state *node, const struct error *why);

/* From the parameter `before`, "web-1.123,web-2.77", the number of that node: where a list that goes on does so there; unchanged without one. False
 * after page_fault. */
MUST_CHECK bool fleet_read_before(struct page *p, struct span node, uint64_t *seq);

/* The link to what is older, at that path with a parameter: each node with its number (0: none) between begin and end. */
void fleet_older_begin(struct page *p, const char *path, const char *name, struct span value);
void fleet_older_node(struct page *p, struct span node, uint64_t seq);
void fleet_older_end(struct page *p);

/* A line of a node, and its text in the page's memory. */
struct fleet_line {
    struct replica_state state;
    struct replica_place place;
    struct span node; /* of `state` */
    uint64_t seq;
    struct span text;
    enum replica_proof how;
    const struct line_view *view;
};
/* Finds the node, the number and the place of "web-2.17", and no more. False: there is no such node. */
MUST_CHECK bool fleet_line_find(struct page *p, struct span name, struct fleet_line *out, struct error *err);
/* Reads "web-2.17". `proof`: for its proof, or NULL. False after page_fault; 404 also for a line of another tenant. */
MUST_CHECK bool fleet_line_read(struct page *p, struct span name, struct fleet_line *out, struct buf *proof, struct error *err);

/* What proves line `seq`, now; a line that is not there is broken. */
enum replica_proof fleet_prove(const struct replica_place *place, const struct replica_state *state, uint64_t seq);
/* Also for lines that were read otherwise: the caller may see it. */
bool fleet_may_see(struct page *p, struct span line);

/* A link to the line, with what it is called. */
void fleet_put_link(struct page *p, struct span node, uint64_t seq);
/* Proven, not signed yet, or broken, as a sign and a word. */
void fleet_put_proof(struct page *p, enum replica_proof how);
/* Orders of this console and what came of them, as a list; `with_node`: each says for which node it is. */
void fleet_orders_begin(struct page *p);
void fleet_put_order(struct page *p, const struct fleet_review *o, bool with_node);
void fleet_orders_end(struct page *p);
/* What is wrong with copies, or that nothing is: a table. */
void fleet_put_nodes(struct page *p, const struct fleet_nodes *nodes);

/* As page_record_access, for copies: of one node, or "*" for all. */
MUST_CHECK bool fleet_record_access(struct page *p, const char *what, uint64_t item, struct span query, struct span node, struct error *err);

#endif
