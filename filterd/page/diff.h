/* diff.h - line-by-line difference of two texts. Pure. */
#ifndef FILTERD_PAGE_DIFF_H
#define FILTERD_PAGE_DIFF_H

#include "base/arena.h"

enum diff_kind { DIFF_SAME, DIFF_REMOVED, DIFF_ADDED, DIFF_GAP }; /* GAP: omitted equal lines; no text */

/* Called for each line of the result, in order. */
typedef void diff_fn(void *context, enum diff_kind kind, struct span line);

enum { DIFF_LINES_MAX = 20000, DIFF_CONTEXT = 3 };

/* Minimal for small differences; a large differing region is all lines removed, then all lines added. At most DIFF_CONTEXT
 * equal lines around a change are passed. *n: number of changed lines. LIMIT: more than DIFF_LINES_MAX lines. */
MUST_CHECK bool diff_texts(struct arena *a, struct span before, struct span after, diff_fn *take, void *context, size_t *n,
                           struct error *err);

#endif
