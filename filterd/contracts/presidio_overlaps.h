/* presidio_overlaps.h - which results of an analysis others contain.
 *
 * Memory is the caller's; what is needed meanwhile comes from the arena. Time grows with n log n. No state; any thread. */
#ifndef FILTERD_CONTRACTS_PRESIDIO_OVERLAPS_H
#define FILTERD_CONTRACTS_PRESIDIO_OVERLAPS_H

#include "base/arena.h"

struct presidio_place {
    size_t from, to;
    struct span entity;
    bool is_repeated; /* set by presidio_mark_repeated */
};

/* Marks each place that an earlier one of the array with the same entity contains: a place that begins no later and ends no earlier. */
MUST_CHECK bool presidio_mark_repeated(struct presidio_place *places, size_t n, struct arena *a, struct error *err);

#endif
