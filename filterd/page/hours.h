/* hours.h - a chart of what was held back in each of the last hours, with the same as a table. */
#ifndef FILTERD_PAGE_HOURS_H
#define FILTERD_PAGE_HOURS_H

#include "index/index_find.h"
#include "page/chart.h"
#include "page/page.h"

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
