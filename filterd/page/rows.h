/* rows.h - what screens show of one thing, from what they have read: rows of tables, the quality of a rule, a chart. All but
 * hours_show work on struct html alone. */
#ifndef FILTERD_PAGE_ROWS_H
#define FILTERD_PAGE_ROWS_H

#include "index/index_find.h"
#include "page/chart.h"
#include "page/line_view.h"
#include "page/page.h"
#include "review/quality_find.h"

/* Of the table of records. */
void records_row(struct html *h, const struct line_view *l);
/* Of the table of groups; hits of each day. */
void groups_row(struct html *h, const struct review_group *g, const uint64_t trend[REVIEW_DAYS]);
/* What reviewers said of a rule, how many decisions it made by action, and how many texts were allowed. */
void rules_put_quality(struct html *h, struct span rule, const struct quality *q, const uint64_t hits[INDEX_BLOCK + 1], uint64_t allowed);

/* --- what was held back in each of the last hours -------------------------------- */

enum { HOURS_SHOWN = 48 };

struct hours {
    int64_t first; /* since 1970 */
    struct chart_bar bars[HOURS_SHOWN];
};

/* Of the caller's tenant, and of that rule; `rule` ptr NULL: of all. Nothing is shown when nothing was held back. */
MUST_CHECK bool hours_show(struct page *p, struct index_reader *r, struct span rule, struct error *err);
/* The same from numbers. */
void hours_put(struct html *h, const struct hours *hours);

#endif
