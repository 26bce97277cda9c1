/* data.h - cells of tables and copies of documents in a text, as findings like any rule's (policy/rule_data.h).
 *
 * Cells are found in each view; those of a row may be in different ones, as their places in the text as sent count. Data is
 * looked for in the text as it was sent, not in a redacted one, so that the bytes between cells of a row are those of the
 * sender. For find.c and streams. */
#ifndef FILTERD_JUDGE_DATA_H
#define FILTERD_JUDGE_DATA_H

#include "judge/find_parts.h"
#include "judge/hold.h"

enum { DATA_HITS_MAX = 1 << 20 };

struct data_search;

/* *out is NULL when no rule of the request is data; data_view and data_end accept it. */
MUST_CHECK bool data_begin(struct search *s, struct data_search **out, struct error *err);
/* Searches the search's present view. */
MUST_CHECK bool data_view(struct data_search *d, struct error *err);
/* Adds the findings, when all views were searched. */
MUST_CHECK bool data_end(struct data_search *d, struct error *err);

/* Lowers hold->to to the first byte of what may become data with more text. `text` is valid UTF-8, released up to `from`.
 * Sets *has_data when a value begins behind `from`: then the text needs a closer look. */
MUST_CHECK bool data_hold(const struct rule_set *rules, const bool *has_rule, struct span text, size_t from, struct hold *hold,
                          bool *has_data, struct error *err);

#endif
