#include "page/chart.h"

#include "index/index_line.h"

enum {
    BAR = 20, /* units of width that an hour has */
    BAR_GAP = 4,
    CHART_HEIGHT = 100,
    SPARK_STEP = 4,
    SPARK_HEIGHT = 22,
    LINE_WIDTH = 800,
    LINE_STEP = 16,
    LINE_HEIGHT = 9,
    PART_HEIGHT = 15,
    PART_WIDTH = 6,      /* at least, so that it can be seen */
    BYTES_OF_A_LINE = 64, /* of a short text */
};

/* part / whole, scaled; at most `scale`. */
static uint64_t scale_to(uint64_t part, uint64_t whole, uint64_t scale)
{
    if (whole == 0) {
        return 0;
    }
    return part >= whole ? scale : (uint64_t)((double)part / (double)whole * (double)scale);
}

/* The height of a bar: at least 1 for a value above zero. */
static uint64_t bar_height(uint64_t n, uint64_t most)
{
    uint64_t height = scale_to(n, most, CHART_HEIGHT - 1);

    return height == 0 && n > 0 ? 1 : height;
}

/* Begins a chart up to its height; screen readers read the title. */
static void begin_svg(struct html *h, const char *kind, enum text title, uint64_t n, uint64_t width)
{
    HTML(h, "<svg role=\"img\" class=\"");
    html_attribute(h, span_str(kind));
    HTML(h, "\" aria-label=\"");
    html_count(h, title, n);
    if (strcmp(kind, "shape") != 0) {
        HTML(h, "\" preserveAspectRatio=\"none");
    }
    HTML(h, "\" viewBox=\"0 0 ");
    html_id(h, width);
    HTML(h, " ");
}

struct box {
    uint64_t x, y, width, height;
};

/* `kind` is a literal. */
static void put_box(struct html *h, const char *kind, const struct box *b)
{
    HTML(h, "<rect class=\"");
    html_attribute(h, span_str(kind));
    HTML(h, "\" x=\"");
    html_id(h, b->x);
    HTML(h, "\" y=\"");
    html_id(h, b->y);
    HTML(h, "\" width=\"");
    html_id(h, b->width);
    HTML(h, "\" height=\"");
    html_id(h, b->height);
    HTML(h, "\"/>");
}

/* --- bars ----------------------------------------------------------------------- */

static uint64_t highest_bar(const struct chart_bar *bars, size_t n)
{
    uint64_t most = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t sum = bars[i].block + bars[i].redact;
        most = sum > most ? sum : most;
    }
    return most;
}

void chart_bars(struct html *h, const struct chart_bar *bars, size_t n, enum text title)
{
    uint64_t most = highest_bar(bars, n);

    begin_svg(h, "chart", title, most, n * BAR);
    HTML(h, "100\">");
    for (size_t i = 0; i < n; i++) {
        uint64_t block = bar_height(bars[i].block, most), redact = bar_height(bars[i].redact, most);
        const struct box lower = {i * BAR + BAR_GAP / 2, CHART_HEIGHT - block, BAR - BAR_GAP, block};
        const struct box upper = {lower.x, lower.y - redact, lower.width, redact};
        if (block > 0) {
            put_box(h, "block", &lower);
        }
        if (redact > 0) {
            put_box(h, "redact", &upper);
        }
    }
    const struct box axis = {0, CHART_HEIGHT - 1, n * BAR, 1};
    put_box(h, "axis", &axis);
    HTML(h, "</svg>");
}

/* --- a line --------------------------------------------------------------------- */

void chart_spark(struct html *h, const uint64_t *values, size_t n, enum text title)
{
    uint64_t most = 0;

    for (size_t i = 0; i < n; i++) {
        most = values[i] > most ? values[i] : most;
    }
    begin_svg(h, "spark", title, values[n - 1], (n - 1) * SPARK_STEP);
    HTML(h, "24\">");
    HTML(h, "<polyline points=\"");
    for (size_t i = 0; i < n; i++) {
        html_id(h, i * SPARK_STEP);
        HTML(h, ",");
        html_id(h, SPARK_HEIGHT + 1 - scale_to(values[i], most, SPARK_HEIGHT));
        HTML(h, " ");
    }
    HTML(h, "\"/></svg>");
}

void chart_interval(struct html *h, const struct chart_interval *i)
{
    const struct box ground = {0, 0, CHART_THOUSAND, LINE_HEIGHT}, width = {i->low, 0, i->high - i->low, LINE_HEIGHT};
    const struct box value = {i->value < PART_WIDTH ? 0 : i->value - PART_WIDTH, 0, 2 * PART_WIDTH, LINE_HEIGHT};

    HTML(h, "<svg class=\"meter\" aria-hidden=\"true\" preserveAspectRatio=\"none\" viewBox=\"0 0 1000 9\">");
    put_box(h, "ground", &ground);
    put_box(h, "span", &width);
    put_box(h, "fill", &value);
    HTML(h, "</svg>");
}

/* --- a text ---------------------------------------------------------------------- */

/* The position of a byte on a line that begins at `first` and has `bytes`. */
static uint64_t place_on(uint64_t at, uint64_t first, uint64_t bytes)
{
    return at <= first ? 0 : scale_to(at - first, bytes, LINE_WIDTH);
}

/* The portion of the part on that line. */
static void put_part(struct html *h, const struct chart_part *part, uint64_t line, uint64_t of_line)
{
    uint64_t first = line * of_line;
    bool is_on = part->start < first + of_line && part->end > first;
    const char *kind = index_action_name(part->action);

    if (!is_on) {
        return;
    }
    uint64_t from = place_on(part->start, first, of_line), to = place_on(part->end, first, of_line);
    uint64_t width = to < from + PART_WIDTH ? PART_WIDTH : to - from;
    const struct box box = {from + width > LINE_WIDTH ? LINE_WIDTH - width : from, line * LINE_STEP, width, PART_HEIGHT};
    put_box(h, kind[0] == '\0' ? "allow" : kind, &box);
}

void chart_shape(struct html *h, uint64_t bytes, const struct chart_part *parts, size_t n, enum text title)
{
    uint64_t lines = 1 + (bytes == 0 ? 0 : (bytes - 1) / BYTES_OF_A_LINE);

    lines = lines > CHART_LINES ? CHART_LINES : lines;
    uint64_t of_line = lines < CHART_LINES ? BYTES_OF_A_LINE : bytes / lines + (bytes % lines != 0);
    begin_svg(h, "shape", title, n, LINE_WIDTH);
    html_id(h, lines * LINE_STEP);
    HTML(h, "\">");
    for (uint64_t line = 0; line < lines && bytes > 0; line++) {
        const struct box text = {0, line * LINE_STEP + (PART_HEIGHT - LINE_HEIGHT) / 2, place_on(bytes, line * of_line, of_line), LINE_HEIGHT};
        put_box(h, "text", &text);
        for (size_t i = 0; i < n && i < CHART_PARTS_MAX; i++) {
            put_part(h, &parts[i], line, of_line);
        }
    }
    HTML(h, "</svg>");
}
