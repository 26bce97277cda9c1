/* state.h - what a witness has signed of each log: the size and the root of the newest checkpoint.
 *
 * A folder with one file for each origin, named by the origin's SHA-256 in hex, that has the checkpoint's text. A file is
 * replaced atomically, and synced with its folder before the signature is returned; one that cannot be read or has another
 * origin is an error, never an empty state. The folder is locked: one process at a time uses it. One thread at a time. */
#ifndef FILTERD_WITNESS_STATE_H
#define FILTERD_WITNESS_STATE_H

#include <limits.h>

#include "record/checkpoint.h"

struct witness_state {
    char folder[PATH_MAX];
    int fd; /* of the folder, locked; -1: none */
};

/* Creates the folder, mode 0700. DENIED: another process uses it. */
MUST_CHECK bool witness_state_open(struct witness_state *s, const char *folder, struct error *err);
void witness_state_close(struct witness_state *s);
/* Size 0 and the root of the empty tree for an origin without a signed checkpoint. */
MUST_CHECK bool witness_state_read(const struct witness_state *s, struct span origin, uint64_t *size, struct tree_hash *root,
                                   struct error *err);
/* On disk when it returns true. */
MUST_CHECK bool witness_state_write(const struct witness_state *s, struct span origin, uint64_t size,
                                    const struct tree_hash *root, struct error *err);

#endif
