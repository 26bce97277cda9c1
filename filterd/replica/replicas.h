/* replicas.h - the thread that keeps the replicas of a fleet's logs verified and folded (replica.h), and the state of each.
 *
 * Each folder below that of the option `copies` is the replica of one node. At most REPLICAS_MAX nodes; the first by name. Any thread but for open and close. */
#ifndef FILTERD_REPLICA_REPLICAS_H
#define FILTERD_REPLICA_REPLICAS_H

#include "replica/replica.h"

enum { REPLICAS_MAX = 256 };

struct replicas;

/* NULL with err. Starts nothing yet. */
struct replicas *replicas_open(const char *folder, struct error *err);
MUST_CHECK bool replicas_start(struct replicas *c, struct error *err);
void replicas_close(struct replicas *c); /* accepts NULL */

const char *replicas_folder(const struct replicas *c);
/* The states of all nodes, by name. */
size_t replicas_states(struct replicas *c, struct replica_state out[REPLICAS_MAX]);
/* False: there is no such node. */
bool replicas_find(struct replicas *c, struct span node, struct replica_state *out);

#endif
