/* items.h - what screens over items of the queue share: their rows, and the change that a form asks for.
 *
 * A sample of what was allowed is judged blind: until it is closed its row says neither verdict nor rule. */
#ifndef FILTERD_PAGE_ITEMS_H
#define FILTERD_PAGE_ITEMS_H

#include "page/parts.h"
#include "review/review_find.h"

/* What the caller may see; ptr NULL: all. */
struct span items_tenant(const struct page *p);
/* review.db, for this page; NULL after page_fault or with an error. */
struct review_reader *items_open(struct page *p, struct error *err);

/* It is judged blind, and was not judged yet. */
bool items_is_blind(const struct review_item *i);

/* The columns of items_row, for part_table_begin. */
extern const enum text items_columns[];
void items_row(struct page *p, const struct review_item *i, int64_t now_ms, bool has_choice);

/* What a form asks for. */
struct items_change {
    const uint64_t *items; /* or none: the group */
    size_t n_items;
    bool has_group;
    uint8_t group[REVIEW_GROUP];
    const char *back; /* the screen to go to then; its braces become `part` */
    struct span part;
    const char *here; /* likewise when the item was changed meanwhile */
    struct span here_part;
};
/* The step that the field `do` names, with `note`, `assignee`, `until`, `more` and `version` of the form. Ends the POST. */
bool items_change(struct page *p, const struct items_change *c);
/* The fields `item` of the form, in ascending order and each once. False after page_fault: none, or too many. */
MUST_CHECK bool items_chosen(struct page *p, uint64_t numbers[REVIEW_ITEMS_MAX], size_t *n);

#endif
