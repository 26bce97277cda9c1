/* line_parts.h - lines of the log on a page: read from the index within what the caller may see, and what a screen shows of one. */
#ifndef FILTERD_PAGE_LINE_PARTS_H
#define FILTERD_PAGE_LINE_PARTS_H

#include "page/line_view.h"
#include "page/lines.h"
#include "page/parts.h"

/* Line `seq`, in the page's memory. NULL with an error; NOT_FOUND: there is none, or it is not the caller's to see. */
const struct line_view *line_parts_read(struct page *p, struct index_reader *r, uint64_t seq, struct error *err);

/* Its text alone, whoever's it is: for what checks by itself. */
MUST_CHECK bool line_parts_text(struct page *p, struct index_reader *r, uint64_t seq, struct span *text, struct error *err);

/* --- parts of a screen over one line; they work on struct page alone ---------------------------------- */

/* What was found and where: each channel as the shape of its text, and the findings as a table. */
void line_parts_put_found(struct page *p, const struct line_view *l);
/* Who, when, by which policy; `is_blind`: without what would tell the verdict. */
void line_parts_put_facts(struct page *p, const struct line_view *l, bool is_blind);
/* Where more like it is: the same agent, session and value. */
void line_parts_put_links(struct page *p, const struct line_view *l);
/* The line as it was written. */
void line_parts_put_raw(struct page *p, const struct line_view *l);

/* A link to a search for one value of a field. */
void line_parts_link(struct html *h, const char *field, struct span value, enum text text, const char *key);

#endif
