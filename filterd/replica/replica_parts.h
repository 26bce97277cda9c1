/* replica_parts.h - what the files of this folder share. */
#ifndef FILTERD_REPLICA_REPLICA_PARTS_H
#define FILTERD_REPLICA_REPLICA_PARTS_H

#include "record/tiles.h"
#include "index/index_follow.h"
#include "replica/replica.h"

/* record/proven, which borrows from `note`. NOT_FOUND: nothing has been verified yet. */
MUST_CHECK bool replica_read_proven(const char *record, struct buf *note, struct checkpoint *c, struct error *err);

#endif
