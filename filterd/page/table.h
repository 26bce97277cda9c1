/* table.h - plain tables with a caption and column headings for screen readers. */
#ifndef FILTERD_PAGE_TABLE_H
#define FILTERD_PAGE_TABLE_H

#include "page/page.h"

/* Writes a scrolling box, the caption and the column headings. The caller writes rows in <tr>. */
void table_begin(struct page *p, enum text caption, const enum text *columns, size_t n);
void table_end(struct page *p);

/* Cells: a name or other short text; a number; a time. */
void table_name(struct page *p, struct span text);
void table_number(struct page *p, uint64_t n);
void table_time(struct page *p, int64_t utc_ns);

#endif
