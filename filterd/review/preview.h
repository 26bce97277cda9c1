/* preview.h - counts what an exception would have let through in the last days, from the index and review.db. */
#ifndef FILTERD_REVIEW_PREVIEW_H
#define FILTERD_REVIEW_PREVIEW_H

#include "index/index_find.h"
#include "review/exception.h"
#include "review/review_find.h"

enum { PREVIEW_DAYS = 30, PREVIEW_ROWS_MAX = 50000 /* examined in each database */ };

/* Counts findings of the scope's rule that the policy acted on, and items decided by that rule and closed as true positives, up
 * to now_ms. For a pattern both are upper bounds, since the index has no texts. `is_cut`: PREVIEW_ROWS_MAX was reached. */
MUST_CHECK bool exception_preview(struct index_reader *index, struct review_reader *review, const struct exception_scope *scope,
                                  int64_t now_ms, struct exception_preview *out, struct error *err);

#endif
