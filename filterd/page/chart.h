/* chart.h - pictures of numbers as SVG, without scripts and styles of their own: colours come from classes of web/review.css.
 *
 * Each has a title that says the same in words; where single numbers matter, the screen has a table beside it. Coordinates are
 * integers. Works on struct html alone. */
#ifndef FILTERD_PAGE_CHART_H
#define FILTERD_PAGE_CHART_H

#include "page/html.h"

enum { CHART_BARS_MAX = 168, CHART_LINES = 8, CHART_PARTS_MAX = 64, CHART_THOUSAND = 1000 };

/* What was held back in an hour. */
struct chart_bar {
    uint64_t block, redact;
};
/* Bars beside each other, the blocks at the bottom; `n` is 1 to CHART_BARS_MAX. `title` takes the highest sum. */
void chart_bars(struct html *h, const struct chart_bar *bars, size_t n, enum text title);

/* A line through the values, from zero to the highest; `title` takes the last one. At least two values. */
void chart_spark(struct html *h, const uint64_t *values, size_t n, enum text title);

/* A proportion and its interval, in thousandths, on a line from 0 to 1. Decoration: the numbers are beside it. */
struct chart_interval {
    unsigned low, value, high;
};
void chart_interval(struct html *h, const struct chart_interval *interval);

/* A part of a text, in bytes; half-open. What lies behind the text's end is not drawn. */
struct chart_part {
    uint64_t start, end;
    int action; /* enum index_action */
};
/* A text of `bytes` as up to CHART_LINES lines of bars, its parts in the colours of their verdicts. */
void chart_shape(struct html *h, uint64_t bytes, const struct chart_part *parts, size_t n, enum text title);

#endif
