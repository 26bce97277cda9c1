/* item_parts.h - parts of the screens of one item: why it is in the queue, steps that were taken, the buttons for the next. */
#ifndef FILTERD_PAGE_ITEM_PARTS_H
#define FILTERD_PAGE_ITEM_PARTS_H

#include "page/line_view.h"
#include "page/page.h"
#include "review/review_find.h"

/* The address of a line, within the quotes of an attribute: of this service's record, or of the copy of a node's. */
void item_parts_address(struct html *h, struct span node, uint64_t seq);

void item_parts_priority(struct page *p, const struct review_item *i, int64_t now_ms);
/* <li>: a line of type review, of that node; empty: of this service. */
void item_parts_step(struct page *p, const struct line_view *l, struct span node);
/* The form with the next steps, to the screen at `path` with the page's part; `can_propose`: with a link to propose an exception. */
void item_parts_answers(struct page *p, const struct review_item *i, const char *path, bool can_propose);
/* The same for a whole group: dispositions where it has open items, and a step back where it is closed or snoozed. */
void item_parts_group_answers(struct page *p, const char *path, bool has_open, bool is_settled);

#endif
