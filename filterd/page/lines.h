/* lines.h - lines of the record on a page: those that a query means, and the members of one. */
#ifndef FILTERD_PAGE_LINES_H
#define FILTERD_PAGE_LINES_H

#include "base/json.h"
#include "index/index_find.h"
#include "page/page.h"

struct index_reader;

/* The index, with room for a page of it; closed by index_reader_close. NULL after page_fault or with an error. */
struct index_reader *lines_reader(struct page *p, struct error *err);

/* One line: its object, and memory for its texts until the next line. */
struct record_line {
    uint64_t seq;
    struct json_value object;
    struct arena *memory;
};
/* Writes one line. */
typedef bool record_line_fn(struct page *p, const struct record_line *line, void *context, struct error *err);

struct lines_page {
    struct span query; /* as people type it; limited to what the caller may see */
    uint64_t before;   /* 0: from the newest on */
    unsigned limit;    /* at most INDEX_PAGE_MAX */
    record_line_fn *show;
    void *context;
};

/* Puts on record that they are listed, then shows them, the newest first. *next: `before` of the next page, 0: there is none;
 * *n: how many there were. INVALID: the query is none. */
MUST_CHECK bool lines_show(struct page *p, const struct lines_page *page, uint64_t *next, uint64_t *n, struct error *err);

/* <nav> to the older ones and to the newest; `path` is the screen's. */
void lines_put_pages(struct page *p, const char *path, uint64_t before, uint64_t next);

/* A member of the line's object, decoded: a string, or the text of a number; empty when it is missing or neither. */
struct span record_text(const struct record_line *line, const char *name);
/* A member that is a number; false when it is missing or none. */
bool record_number(const struct record_line *line, const char *name, uint64_t *n);
/* A time, in nanoseconds of UTC; 0 when it is missing or none. */
int64_t record_time(const struct record_line *line, const char *name);

#endif
