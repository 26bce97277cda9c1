/* preview.h - what an exception would have let through in the last days: counted in the index and in review.db. */
#ifndef FILTERD_REVIEW_PREVIEW_H
#define FILTERD_REVIEW_PREVIEW_H

#include "index/index_find.h"
#include "review/exception.h"
#include "review/review_find.h"

enum { PREVIEW_DAYS = 30, PREVIEW_ROWS_MAX = 50000 /* looked at, of each */ };

/* Counts findings of the scope's rule that the policy acted on, and items that were decided by that rule and found to be true
 * positives, before now_ms. Of a pattern both are upper bounds, as the index has no texts. `is_cut`: there may be more. */
MUST_CHECK bool exception_preview(struct index_reader *index, struct review_reader *review, const struct exception_scope *scope,
                                  int64_t now_ms, struct exception_preview *out, struct error *err);

#endif
