/* rows.h - writes table rows, the quality of a rule and the hourly chart. Those without struct page depend only on struct html. */
#ifndef FILTERD_PAGE_ROWS_H
#define FILTERD_PAGE_ROWS_H

#include "index/index_find.h"
#include "page/chart.h"
#include "page/line_view.h"
#include "page/page.h"
#include "review/exceptions.h"
#include "review/quality_find.h"
#include "review/reveals.h"

/* A row of the table of records. */
void records_row(struct html *h, const struct line_view *l);
/* The first cell of a group: its rule, with a link to `address`, a literal, and the group's id; the beginning of the id; the tenant. */
void groups_put_lead(struct html *h, const struct review_group *g, struct span address);
/* A row of the table of groups; `trend`: hits per day. */
void groups_row(struct html *h, const struct review_group *g, const uint64_t trend[REVIEW_DAYS]);
/* Cells of an exception: its state, scope, preview, end and people; of a request for an original: its state, purpose, people and end. */
void exceptions_put_cells(struct html *h, const struct exception_row *row, int64_t now_ms);
void reveals_put_cells(struct html *h, const struct reveal_row *row, int64_t now_ms);
/* Buttons for the steps that the caller may take, with forms to that address: a cell for an exception; without one for a request for an original, where
 * false says that it waits for nobody's decision. */
struct form_place {
    const char *path;
    struct span part;
};
void exceptions_put_steps(struct page *p, const struct exception_row *row, int64_t now_ms, const struct form_place *form);
bool reveals_put_decision(struct page *p, const struct reveal_row *row, const struct form_place *form);
/* The precision of items with these dispositions, with its interval, or that it is not known. */
void rules_put_precision(struct html *h, const uint64_t n[ITEM_DISPOSITIONS]);
/* The quality of a rule. `hits`: its decisions by action; `allowed`: allowed texts of all rules. */
void rules_put_quality(struct html *h, struct span rule, const struct quality *q, const uint64_t hits[INDEX_BLOCK + 1], uint64_t allowed);

/* --- decisions that withheld text, per hour --------------------------------------- */

enum { HOURS_SHOWN = 48 };

struct hours {
    int64_t first; /* hours since 1970, UTC */
    struct chart_bar bars[HOURS_SHOWN];
};

/* For the caller's tenant and that rule; `rule` ptr NULL: all rules. Shows nothing if nothing was withheld. */
MUST_CHECK bool hours_show(struct page *p, struct index_reader *r, struct span rule, struct error *err);
/* Writes the chart. */
void hours_put(struct html *h, const struct hours *hours);

#endif
