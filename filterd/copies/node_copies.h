/* node_copies.h - the thread that keeps the copies of a fleet's logs verified and folded (node_copy.h), and what is known of each.
 *
 * Each folder below that of the copies is a node's. At most NODE_COPIES_MAX nodes; the first by name. Any thread but for open and close. */
#ifndef FILTERD_COPIES_NODE_COPIES_H
#define FILTERD_COPIES_NODE_COPIES_H

#include "copies/node_copy.h"

enum { NODE_COPIES_MAX = 256 };

struct node_copies;

/* NULL with err. Starts nothing yet. */
struct node_copies *node_copies_open(const char *folder, struct error *err);
MUST_CHECK bool node_copies_start(struct node_copies *c, struct error *err);
void node_copies_close(struct node_copies *c); /* accepts NULL */

const char *node_copies_folder(const struct node_copies *c);
/* The states of all nodes, by name. */
size_t node_copies_states(struct node_copies *c, struct node_copy_state out[NODE_COPIES_MAX]);
/* False: there is no such node. */
bool node_copies_find(struct node_copies *c, struct span node, struct node_copy_state *out);

#endif
