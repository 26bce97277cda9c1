/* parts.h - shared by several screens: verdicts, tables, buttons, searches, durations.
 *
 * A table becomes cards on a narrow screen. So its cells have their column's title and explicit ARIA roles, which browsers drop
 * from a table with another `display`. Each row has one header cell with the row's link. Depends only on struct page. */
#ifndef FILTERD_PAGE_PARTS_H
#define FILTERD_PAGE_PARTS_H

#include "page/frame.h"
#include "review/item.h"

/* A verdict as sign and word; enum index_action. */
void part_verdict(struct html *h, int action);
/* 0 none, 1 low to 4 critical. */
void part_severity(struct html *h, unsigned severity);
/* html_name, truncated; for lists. */
void part_name(struct html *h, struct span name);
void part_disposition(struct html *h, enum item_disposition disposition);

/* --- tables --------------------------------------------------------------------- */

/* `columns` ends with TEXT_NONE; with `has_choice` a column of check boxes comes before them. */
void part_table_begin(struct html *h, enum text caption, const enum text *columns, bool has_choice);
void part_table_end(struct html *h);
void part_row_begin(struct html *h);
void part_row_end(struct html *h);
/* <td>; part_number_begin aligns right. */
void part_cell_begin(struct html *h, enum text column);
void part_number_begin(struct html *h, enum text column);
void part_cell_end(struct html *h);
/* <th scope="row">, which contains the row's link. */
void part_lead_begin(struct html *h);
void part_lead_end(struct html *h);
/* The check box `item` with that number as value. */
void part_choice(struct html *h, uint64_t number);

/* A list whose table begins with its first row. */
struct part_list {
    struct page *page;
    int64_t now_ms;
    bool has_some;
};
void part_list_row(struct part_list *l, enum text caption, const enum text *columns); /* before each row */
/* The end of the table, or the empty state; a link to older rows at `path`, a literal, if `next` is not 0. */
void part_list_end(const struct part_list *l, enum text empty, enum text help, const char *path, uint64_t next);

/* --- time ------------------------------------------------------------------------ */

/* "2 h", "9 min", rounded down. */
void part_duration(struct html *h, int64_t ms);
/* The time until due_ms, or "overdue". */
void part_due(struct html *h, int64_t due_ms, int64_t now_ms);

/* --- facts: rows of <dl class="facts">; empty and zero values are omitted ------------------------------------ */

void part_fact(struct html *h, enum text name, struct span value);
void part_fact_number(struct html *h, enum text name, uint64_t n);

/* --- forms ------------------------------------------------------------------------ */

struct part_button {
    const char *name, *value; /* literals */
    enum text text;
    const char *key;  /* keyboard shortcut in review.js; NULL: none */
    const char *kind; /* class; NULL: none */
};
void part_button(struct html *h, const struct part_button *b);
/* The five dispositions and the other steps of a reviewer: buttons named "do". */
void part_answers(struct html *h, bool has_claim);

/* A search form for lines, with method GET, to that path. */
void part_search(struct page *p, const char *path, struct span query);

/* After a change, if the address has the parameter `line`: "Recorded as line N", with a button to undo it. */
void part_recorded(struct page *p);

/* An empty state: a title and what to do. */
void part_empty(struct html *h, enum text title, enum text help);
/* The list of keyboard shortcuts, and the switch that turns them off. */
void part_keys(struct html *h);

/* One tab of a row of links, one of which is the current. `query` is appended to the path unchanged. */
struct part_tab {
    const char *path, *query;
    enum text text;
    bool is_current, has_count;
    uint64_t count;
};
void part_tabs(struct html *h, enum text label, const struct part_tab *tabs, size_t n);

#endif
