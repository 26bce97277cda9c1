/* items.h - shared by the screens of items: table rows, and the steps that forms request.
 *
 * Samples are reviewed blind: until a sample is closed its row shows neither verdict nor rule. */
#ifndef FILTERD_PAGE_ITEMS_H
#define FILTERD_PAGE_ITEMS_H

#include "page/parts.h"
#include "review/review_find.h"

/* The tenant to which the caller is limited; ptr NULL: none. */
struct span items_tenant(const struct page *p);
/* A reader of review.db. NULL after page_fault or with an error. */
struct review_reader *items_open(struct page *p, struct error *err);

/* An open sample. */
bool items_is_blind(const struct review_item *i);

/* The columns of items_row, for part_table_begin. */
extern const enum text items_columns[];
void items_row(struct page *p, const struct review_item *i, int64_t now_ms, bool has_choice);

/* Parts of a row: what it is called; the cells of verdict and confidence, of the source, and of time, due time and assignee. */
void items_put_name(struct page *p, const struct review_item *i);
void items_put_verdict(struct page *p, const struct review_item *i);
void items_put_from(struct page *p, const struct review_item *i);
void items_put_state(struct page *p, const struct review_item *i, int64_t now_ms);

/* What the fields `do`, `note`, `assignee`, `until`, `more` and `version` of a form say, for reviews.h. False: not a step. */
struct review_request;
MUST_CHECK bool items_read_step(struct page *p, struct review_request *q);

/* The step that a form requests. */
struct items_change {
    const uint64_t *items; /* none: the whole group */
    size_t n_items;
    bool has_group;
    uint8_t group[REVIEW_GROUP];
    const char *back; /* screen to redirect to; `part` replaces its braces */
    struct span part;
    const char *here; /* the same if the item has changed in the meantime */
    struct span here_part;
};
/* Performs the step. Ends the POST. */
bool items_change(struct page *p, const struct items_change *c);
/* The fields `item` of the form, ascending and distinct. False after page_fault: none, or too many. */
MUST_CHECK bool items_chosen(struct page *p, uint64_t numbers[REVIEW_ITEMS_MAX], size_t *n);

#endif
