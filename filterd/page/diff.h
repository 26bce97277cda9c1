/* diff.h - what changed between two texts, line by line. Pure. */
#ifndef FILTERD_PAGE_DIFF_H
#define FILTERD_PAGE_DIFF_H

#include "base/arena.h"

enum diff_kind { DIFF_SAME, DIFF_REMOVED, DIFF_ADDED, DIFF_GAP }; /* GAP: same lines that are left out; without text */

/* Called in the order of the result. */
typedef void diff_fn(void *context, enum diff_kind kind, struct span line);

enum { DIFF_LINES_MAX = 20000, DIFF_CONTEXT = 3 };

/* The fewest changes where the parts that differ are small; of larger ones, all lines of the one and then of the other. Only
 * DIFF_CONTEXT same lines around a change are given. *n: the lines that changed. LIMIT: a text of more than DIFF_LINES_MAX. */
MUST_CHECK bool diff_texts(struct arena *a, struct span before, struct span after, diff_fn *take, void *context, size_t *n,
                           struct error *err);

#endif
