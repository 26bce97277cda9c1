/* parts.h - what several screens show in the same way: verdicts, tables, buttons, searches, time that is left.
 *
 * A table becomes cards on a narrow screen: its cells carry their column's title, and roles, as a browser forgets those of a table
 * that is laid out in another way. Each row has one cell that leads it: what it is, as a link. Works on struct page alone. */
#ifndef FILTERD_PAGE_PARTS_H
#define FILTERD_PAGE_PARTS_H

#include "page/frame.h"
#include "review/item.h"

/* A verdict with its sign and its word; enum index_action. */
void part_verdict(struct html *h, int action);
/* 0 none, 1 low to 4 critical. */
void part_severity(struct html *h, unsigned severity);
/* A name as html_name shows it, cut: in a list, where a long one would take the place of others. */
void part_name(struct html *h, struct span name);
void part_disposition(struct html *h, enum item_disposition disposition);

/* --- tables --------------------------------------------------------------------- */

/* `columns` ends with TEXT_NONE; with `has_choice` a column of check boxes comes before them. */
void part_table_begin(struct html *h, enum text caption, const enum text *columns, bool has_choice);
void part_table_end(struct html *h);
void part_row_begin(struct html *h);
void part_row_end(struct html *h);
/* <td>; of numbers at its right. */
void part_cell_begin(struct html *h, enum text column);
void part_number_begin(struct html *h, enum text column);
void part_cell_end(struct html *h);
/* <th scope="row">, within which is the row's link. */
void part_lead_begin(struct html *h);
void part_lead_end(struct html *h);
/* The check box `item` of that number. */
void part_choice(struct html *h, uint64_t number);

/* --- time ------------------------------------------------------------------------ */

/* "2 h", "9 min", rounded down. */
void part_duration(struct html *h, int64_t ms);
/* The same until then, or that it is overdue. */
void part_due(struct html *h, int64_t due_ms, int64_t now_ms);

/* --- facts: <dl class="facts">, of which these are rows; what is empty or zero is left out ------------------ */

void part_fact(struct html *h, enum text name, struct span value);
void part_fact_number(struct html *h, enum text name, uint64_t n);

/* --- forms ------------------------------------------------------------------------ */

struct part_button {
    const char *name, *value; /* literals of ours */
    enum text text;
    const char *key;  /* that review.js presses it by; NULL: none */
    const char *kind; /* class; NULL: none */
};
void part_button(struct html *h, const struct part_button *b);
/* The five answers and what goes with them: buttons named "do". */
void part_answers(struct html *h, bool has_claim);

/* A search for a query over lines, of GET, at that path. */
void part_search(struct page *p, const char *path, struct span query);

/* "Recorded as line N", with a button to take it back: after a change, when the address has `line`. */
void part_recorded(struct page *p);

/* Nothing to show, and what to do about it. */
void part_empty(struct html *h, enum text title, enum text help);
/* The keys, and the switch that turns them off. */
void part_keys(struct html *h);

/* One entry of a row of links, of which one is the current. `query` follows the path as written. */
struct part_tab {
    const char *path, *query;
    enum text text;
    bool is_current, has_count;
    uint64_t count;
};
void part_tabs(struct html *h, enum text label, const struct part_tab *tabs, size_t n);

#endif
