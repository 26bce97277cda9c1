/* bases.h - contents by their place in a pack, those that were used last, as bases for deltas. Used by one thread. */
#ifndef FILTERD_CTL_SOURCE_BASES_H
#define FILTERD_CTL_SOURCE_BASES_H

#include <stdint.h>

#include "ctl/source/contents.h"

struct bases_place {
    const void *pack;
    size_t offset;
};

struct bases {
    uint8_t secret[CONTENTS_SECRET]; /* of the hash of places */
    struct base **buckets;
    struct base *oldest, *newest;
    size_t n, bytes, max_bytes;
    size_t near_bytes; /* more is only kept while they are a few; may be set once it is open */
};

MUST_CHECK bool bases_init(struct bases *b, size_t max_bytes, struct error *err);
void bases_deinit(struct bases *b); /* of a zeroed one, too */
/* Both hold it for the caller; NULL: it is not there, or not any more. bases_take: it is not kept any longer. */
struct content *bases_hold(struct bases *b, struct bases_place place);
struct content *bases_take(struct bases *b, struct bases_place place);
/* Keeps it, unless it is larger than all the room or there is no memory. It may displace older ones. The place is not there yet. */
void bases_put(struct bases *b, struct bases_place place, struct content *content);

#endif
