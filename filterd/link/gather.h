/* gather.h - the copies of all nodes' logs as files again, for the review of a fleet (filterctl review fleet).
 *
 * <folder>/<node>/decisions.jsonl has the lines of a node byte for byte, <folder>/<node>/record/checkpoint the newest head of its tree
 * that it has signed. Nothing is verified here: who reads them does, with the key of the node. One thread. */
#ifndef FILTERD_LINK_GATHER_H
#define FILTERD_LINK_GATHER_H

#include <stdint.h>

#include "link/session.h"

struct gathered {
    const char *node;
    uint64_t added, last; /* lines; the number of the last one */
    uint64_t missing;     /* a number that the database does not have; 0: none */
};
typedef bool gathered_fn(void *context, const struct gathered *g, struct error *err);

/* What the database said of nodes at the last call, so that the files of one that has nothing new are not opened. Zeroed: nothing. */
enum { GATHER_SEEN_MAX = 256 };
struct gather_seen {
    uint8_t digests[GATHER_SEEN_MAX][32];
    unsigned n_calls;
};

/* Adds what the files lack. A node whose name is none is left out, and logged when there is something new. `take` is called for each node that may have something new. `seen` NULL: for each node. */
MUST_CHECK bool gather_all(const char *folder, struct link_session *s, struct gather_seen *seen, gathered_fn *take, void *context,
                           struct error *err);

#endif
