/* chart.h - charts as SVG, without inline script or style: colours come from classes in web/review.css.
 *
 * Each has a title that says the same in words; if single values matter, the screen also has a table. Coordinates are integers.
 * Depends only on struct html. */
#ifndef FILTERD_PAGE_CHART_H
#define FILTERD_PAGE_CHART_H

#include "page/html.h"

enum { CHART_BARS_MAX = 168, CHART_LINES = 8, CHART_PARTS_MAX = 64, CHART_THOUSAND = 1000 };

/* Decisions that withheld text in one hour. */
struct chart_bar {
    uint64_t block, redact;
};
/* Stacked bars, blocks at the bottom; `n` is 1 to CHART_BARS_MAX. The %s of `title` is the highest sum. */
void chart_bars(struct html *h, const struct chart_bar *bars, size_t n, enum text title);

/* A sparkline, scaled from zero to the maximum; the %s of `title` is the last value. At least two values. */
void chart_spark(struct html *h, const uint64_t *values, size_t n, enum text title);

/* A proportion and its interval, in thousandths, on a scale from 0 to 1. Decorative: the numbers are next to it. */
struct chart_interval {
    unsigned low, value, high;
};
void chart_interval(struct html *h, const struct chart_interval *interval);

/* A part of a text, in bytes; half-open. Parts beyond the end of the text are not drawn. */
struct chart_part {
    uint64_t start, end;
    int action; /* enum index_action */
};
/* A text of `bytes` as up to CHART_LINES lines of bars, with its parts in the colours of their verdicts. */
void chart_shape(struct html *h, uint64_t bytes, const struct chart_part *parts, size_t n, enum text title);

#endif
