/* line_parts.h - one line of the log on a page: reads it from the index within the caller's tenant, and writes its parts. */
#ifndef FILTERD_PAGE_LINE_PARTS_H
#define FILTERD_PAGE_LINE_PARTS_H

#include "page/line_view.h"
#include "page/lines.h"
#include "page/parts.h"

/* Line `seq`, in the page's memory. NULL with an error; NOT_FOUND: no such line, or not visible to the caller. */
const struct line_view *line_parts_read(struct page *p, struct index_reader *r, uint64_t seq, struct error *err);

/* Its text, without an access check: the caller of this function must check. */
MUST_CHECK bool line_parts_text(struct page *p, struct index_reader *r, uint64_t seq, struct span *text, struct error *err);

/* --- parts of the screen of one line; they depend only on struct page ---------------------------------- */

/* The findings: each channel as the shape of its text, and a table. */
void line_parts_put_found(struct page *p, const struct line_view *l);
/* Identity, time, policy; `is_blind`: without members that reveal the verdict. */
void line_parts_put_facts(struct page *p, const struct line_view *l, bool is_blind);
/* Links to lines with the same agent, session, request or value. */
void line_parts_put_links(struct page *p, const struct line_view *l);
/* The raw line. */
void line_parts_put_raw(struct page *p, const struct line_view *l);

/* A link to a search for a value of a field. */
void line_parts_link(struct html *h, const char *field, struct span value, enum text text, const char *key);

#endif
