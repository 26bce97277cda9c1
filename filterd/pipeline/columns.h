/* columns.h - the strings of a document that are at one place, whatever their positions in arrays: a column, see joined_columns.h.
 *
 * A place is a hash of the steps to it. */
#ifndef FILTERD_PIPELINE_COLUMNS_H
#define FILTERD_PIPELINE_COLUMNS_H

#include <stdint.h>

#include "base/arena.h"

/* Into a member of that name; empty: into an array. 0 has no steps. */
uint64_t column_step(uint64_t place, struct span name);

/* Zeroed: no column. */
struct column_table {
    struct column_slot *slots;
    size_t cap;
    uint32_t n; /* columns */
};

/* The column of a place, from 1; 0: there are too many. */
MUST_CHECK bool column_number(struct arena *a, struct column_table *t, uint64_t place, uint32_t *number, struct error *err);

#endif
