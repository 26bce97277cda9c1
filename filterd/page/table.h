/* table.h - tables of a page: one look, and headings that readers of screens announce. */
#ifndef FILTERD_PAGE_TABLE_H
#define FILTERD_PAGE_TABLE_H

#include "page/page.h"

/* With a caption, a scrolling box around it, and the headings of its columns; then rows between <tr> and </tr>. */
void table_begin(struct page *p, enum text caption, const enum text *columns, size_t n);
void table_end(struct page *p);

/* Cells: a name of others or any short text; a number; a time. */
void table_name(struct page *p, struct span text);
void table_number(struct page *p, uint64_t n);
void table_time(struct page *p, int64_t utc_ns);

#endif
