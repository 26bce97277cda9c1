/* lines.h - lists the lines of the record that match a query, and reads members of a line. */
#ifndef FILTERD_PAGE_LINES_H
#define FILTERD_PAGE_LINES_H

#include "base/json.h"
#include "index/index_find.h"
#include "page/page.h"

struct index_reader;

/* A reader of the index; to be closed by index_reader_close. NULL after page_fault or with an error. */
struct index_reader *lines_reader(struct page *p, struct error *err);

/* One line: its object, and an arena for its texts that is cleared with the next line. */
struct record_line {
    uint64_t seq;
    struct json_value object;
    struct arena *memory;
};
/* Writes one line. */
typedef bool record_line_fn(struct page *p, const struct record_line *line, void *context, struct error *err);

struct lines_page {
    struct span query; /* as typed; lines_show limits it to the caller's tenant */
    uint64_t before;   /* 0: from the newest on */
    unsigned limit;    /* at most INDEX_PAGE_MAX */
    record_line_fn *show;
    void *context;
};

/* Records the access, then shows the lines, newest first. *next: `before` of the next page, 0: none; *n: number of lines shown.
 * INVALID: the query does not compile. */
MUST_CHECK bool lines_show(struct page *p, const struct lines_page *page, uint64_t *next, uint64_t *n, struct error *err);

/* <nav> with links to older and to the newest lines; `path` is the screen's. */
void lines_put_pages(struct page *p, const char *path, uint64_t before, uint64_t next);

/* A member of the line's object: a decoded string, or the text of a number; empty if it is absent or neither. */
struct span record_text(const struct record_line *line, const char *name);
/* A numeric member; false if it is absent or not a number. */
bool record_number(const struct record_line *line, const char *name, uint64_t *n);
/* A time, in nanoseconds, UTC; 0 if it is absent or not a time. */
int64_t record_time(const struct record_line *line, const char *name);

#endif
