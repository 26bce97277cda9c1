/* rows.h - what screens show of one thing; they work on struct page alone, without a service. */
#ifndef FILTERD_PAGE_ROWS_H
#define FILTERD_PAGE_ROWS_H

#include "page/line_view.h"
#include "page/page.h"
#include "review/quality_find.h"

/* Of the table of records. */
void records_row(struct html *h, const struct line_view *l);
/* Of the table of groups; hits of each day. */
void groups_row(struct html *h, const struct review_group *g, const uint64_t trend[REVIEW_DAYS]);
/* What reviewers said of a rule, how many decisions it made by action, and how many texts were allowed. */
void rules_put_quality(struct html *h, struct span rule, const struct quality *q, const uint64_t hits[INDEX_BLOCK + 1], uint64_t allowed);

#endif
