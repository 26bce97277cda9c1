/* cells_find.h - finds cells of a table in a text, and rows of which several cells are near each other.
 *
 * A value is found where its words (or the parts of a code) are in the text one after another with little between them.
 * All values are found, those inside others, too. In a text that may go on, the last word is no word yet.
 *
 * Text is valid UTF-8; offsets are bytes. Thread-safe. */
#ifndef FILTERD_DATASET_CELLS_FIND_H
#define FILTERD_DATASET_CELLS_FIND_H

#include "dataset/cell.h"

struct cell_hit {
    size_t from, to;
    struct table_range range; /* the entries of the value */
};

typedef bool cell_hit_fn(void *context, const struct cell_hit *hit, struct error *err);

/* Calls on_hit for each value, in no order; stops at its first false. *open_from, which may be NULL: where the first value begins that
 * more text could complete; text.len: none. */
MUST_CHECK bool cells_find(const struct table *t, struct span text, bool is_open, cell_hit_fn *on_hit, void *context,
                           size_t *open_from, struct error *err);

/* What of a table's cells is a finding. */
struct cells_wanted {
    uint64_t alone;   /* bit per column: a cell of it is a finding, if it says enough */
    unsigned columns; /* so many columns of one row; 0: no */
    size_t within;    /* bytes from the beginning of the first to the end of the last */
};

enum { ROW_HITS_MAX = 32 }; /* values that are looked at from one on; more within `within` bytes are not */

/* Sets is_found of each hit that is a finding. Hits are in order of from, then to; O(n). */
void cells_match(const struct table *t, const struct cells_wanted *wanted, const struct cell_hit *hits, size_t n, bool *is_found);

#endif
