/* score_svg.c - the curves of scores as one SVG. */
#include "ctl/lab/score_curve.h"

#include "text/utf8.h"

enum { PANEL = 260, TOP = 70, GAP = 70, LEFT = 60, WIDTH = LEFT + 3 * PANEL + 2 * GAP + 30, HEIGHT = TOP + PANEL + 110, BINS = 40 };

/* Coordinates in a panel are shares: 0, 0 is its lower left corner. */
struct drawing {
    const struct score_curves *curves;
    struct buf *out;
    struct error *err;
    int left; /* of the current panel */
    double last_x, last_y;
    bool is_ok, has_point;
};

static const char head[] =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
    "font-family=\"system-ui, sans-serif\" font-size=\"13\">\n"
    "<style>\n"
    ".back { fill: #fff } text { fill: #222 } .small { font-size: 11px; fill: #555 } .axis { stroke: #888; fill: none }\n"
    ".chance, .threshold { stroke: #888; stroke-dasharray: 4 4; fill: none }\n"
    ".quiet { stroke: #b35900 } .ordinary { stroke: #0b66b0 } .positive { stroke: #a3123a } .all { stroke: #5b3a9e }\n"
    "polyline { fill: none; stroke-width: 2 }\n"
    "@media (prefers-color-scheme: dark) {\n"
    ".back { fill: #181a1f } text { fill: #e6e6e6 } .small { fill: #aaa }\n"
    ".quiet { stroke: #f0a04b } .ordinary { stroke: #6db3f2 } .positive { stroke: #ff7d9c } .all { stroke: #b9a0f0 }\n"
    "}\n"
    "</style>\n";

#define PUT(d, ...) ((d)->is_ok = (d)->is_ok && buf_appendf((d)->out, (d)->err, __VA_ARGS__))

/* As text of XML: its five characters as entities; controls, which XML does not allow, and ill-formed bytes as U+FFFD. */
static void put_text(struct drawing *d, struct span text)
{
    static const struct {
        char c;
        const char *entity;
    } entities[] = {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}, {'\'', "&apos;"}};

    for (size_t at = 0, valid = 0; d->is_ok && at < text.len;) {
        struct span rest = span_slice(text, at, text.len);
        size_t len = 1;
        valid = valid > at ? valid : at + utf8_valid_prefix(rest);
        uint32_t code = valid > at ? utf8_decode(rest, &len) : 0;
        struct span bytes = span_slice(rest, 0, len);
        for (size_t i = 0; i < COUNT(entities); i++) {
            bytes = code == (unsigned char)entities[i].c ? span_str(entities[i].entity) : bytes;
        }
        bool is_allowed = code >= ' ' && code != 0xfffe && code != 0xffff;
        d->is_ok = buf_append(d->out, is_allowed ? bytes : span_str("\xef\xbf\xbd"), d->err);
        at += len;
    }
}

static double x_of(const struct drawing *d, double x)
{
    return d->left + x * PANEL;
}

static double y_of(double y)
{
    return TOP + (1 - y) * PANEL;
}

/* --- a panel ------------------------------------------------------------------ */

static void begin_panel(struct drawing *d, int number, const char *title, const char *x_label, const char *y_label)
{
    d->left = LEFT + number * (PANEL + GAP);
    PUT(d, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", d->left + PANEL / 2, TOP - 14, title);
    PUT(d, "<path class=\"axis\" d=\"M%d %dv%dh%d\"/>\n", d->left, TOP, PANEL, PANEL);
    for (int tick = 0; tick <= 4; tick++) {
        double share = tick / 4.0;
        PUT(d, "<text class=\"small\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.2f</text>\n", x_of(d, share), TOP + PANEL + 15, share);
    }
    PUT(d, "<text class=\"small\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", d->left + PANEL / 2, TOP + PANEL + 31, x_label);
    PUT(d, "<text class=\"small\" transform=\"translate(%d %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n", d->left - 38,
        TOP + PANEL / 2, y_label);
}

static void put_scale(struct drawing *d, double most)
{
    for (int tick = 0; tick <= 4; tick++) {
        PUT(d, "<text class=\"small\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.2f</text>\n", d->left - 5, y_of(tick / 4.0) + 4,
            most * tick / 4.0);
    }
}

static void begin_line(struct drawing *d, const char *class)
{
    PUT(d, "<polyline class=\"%s\" points=\"", class);
    d->has_point = false;
}

/* A step too small to be seen is left out, unless it is the last. */
static void put_point(struct drawing *d, double x, double y, bool is_last)
{
    enum { VISIBLE_PER_PANEL = 2 * PANEL };
    double moved = (x - d->last_x) * (x - d->last_x) + (y - d->last_y) * (y - d->last_y);

    if (d->has_point && !is_last && moved * VISIBLE_PER_PANEL * VISIBLE_PER_PANEL < 1) {
        return;
    }
    PUT(d, "%s%.1f,%.1f", d->has_point ? " " : "", x_of(d, x), y_of(y));
    d->last_x = x;
    d->last_y = y;
    d->has_point = true;
}

static void end_line(struct drawing *d)
{
    PUT(d, "\"/>\n");
}

static void put_legend(struct drawing *d, int row, const char *class, const char *format, double value)
{
    int y = TOP + PANEL + 52 + 18 * row;

    PUT(d, "<polyline class=\"%s\" points=\"%d,%d %d,%d\"/>\n<text x=\"%d\" y=\"%d\">", class, d->left, y - 4, d->left + 22, y - 4,
        d->left + 28, y);
    d->is_ok = d->is_ok && buf_appendf(d->out, d->err, "%s %.3f</text>\n", format, value);
}

/* --- the three ------------------------------------------------------------------ */

static size_t above(const struct score_list *list, size_t from, double threshold)
{
    while (from < list->n && list->items[from] >= threshold) {
        from++;
    }
    return from;
}

static void put_roc(struct drawing *d, enum score_class against, int row)
{
    const struct score_list *positive = &d->curves->of[SCORE_CLASS_POSITIVE], *other = &d->curves->of[against];
    double area = score_curves_area(d->curves, against);
    size_t found = 0, flagged = 0;

    if (area < 0) {
        return;
    }
    begin_line(d, score_class_names[against]);
    put_point(d, 0, 0, false);
    while (found < positive->n || flagged < other->n) {
        double next = found < positive->n ? positive->items[found] : -1;
        next = flagged < other->n && other->items[flagged] > next ? other->items[flagged] : next;
        found = above(positive, found, next);
        flagged = above(other, flagged, next);
        put_point(d, (double)flagged / (double)other->n, (double)found / (double)positive->n,
                  found == positive->n && flagged == other->n);
    }
    end_line(d);
    put_legend(d, row, score_class_names[against], against == SCORE_CLASS_QUIET ? "against quiet rows: AUC" : "against ordinary rows: AUC",
               area);
}

static void draw_roc(struct drawing *d)
{
    begin_panel(d, 0, "ROC", "share flagged", "share found");
    put_scale(d, 1);
    PUT(d, "<path class=\"chance\" d=\"M%d %dL%d %d\"/>\n", d->left, TOP + PANEL, d->left + PANEL, TOP);
    put_roc(d, SCORE_CLASS_QUIET, 0);
    put_roc(d, SCORE_CLASS_ORDINARY, 1);
}

/* The mean of the precisions at each row found: the area under this curve. */
static void draw_precision(struct drawing *d)
{
    const struct score_list *positive = &d->curves->of[SCORE_CLASS_POSITIVE];
    const struct score_list *others[] = {&d->curves->of[SCORE_CLASS_QUIET], &d->curves->of[SCORE_CLASS_ORDINARY]};
    size_t found = 0, flagged[COUNT(others)] = {0};
    double mean = 0;

    begin_panel(d, 1, "Precision and recall", "recall", "precision");
    put_scale(d, 1);
    if (positive->n == 0) {
        return;
    }
    begin_line(d, "all");
    while (found < positive->n) {
        double next = positive->items[found];
        size_t before = found, wrong = 0;
        found = above(positive, found, next);
        for (size_t i = 0; i < COUNT(others); i++) {
            flagged[i] = above(others[i], flagged[i], next);
            wrong += flagged[i];
        }
        double precision = (double)found / (double)(found + wrong);
        mean += precision * (double)(found - before) / (double)positive->n;
        put_point(d, (double)found / (double)positive->n, precision, found == positive->n);
    }
    end_line(d);
    put_legend(d, 0, "all", "average precision", mean);
}

static void count_bins(const struct score_list *list, double bins[BINS])
{
    for (size_t i = 0; i < list->n; i++) {
        int bin = (int)(list->items[i] * BINS);
        bins[bin < BINS ? bin : BINS - 1] += 1 / (double)list->n;
    }
}

static void draw_distribution(struct drawing *d, double threshold)
{
    static const char *const legends[SCORE_CLASSES] = {
        "", "found at the threshold", "quiet, at the threshold", "ordinary, at the threshold"};
    double bins[SCORE_CLASSES][BINS] = {{0}}, most = 0;
    int row = 0;

    for (int class = SCORE_CLASS_POSITIVE; class < SCORE_CLASSES; class++) {
        count_bins(&d->curves->of[class], bins[class]);
        for (int i = 0; i < BINS; i++) {
            most = bins[class][i] > most ? bins[class][i] : most;
        }
    }
    begin_panel(d, 2, "Distribution of scores", "score", "share of rows");
    put_scale(d, most);
    for (int class = SCORE_CLASS_POSITIVE; class < SCORE_CLASSES; class++) {
        if (d->curves->of[class].n == 0) {
            continue;
        }
        begin_line(d, score_class_names[class]);
        for (int i = 0; i < BINS; i++) {
            put_point(d, (double)i / BINS, bins[class][i] / most, true);
            put_point(d, (double)(i + 1) / BINS, bins[class][i] / most, true);
        }
        end_line(d);
        if (threshold >= 0) {
            put_legend(d, row++, score_class_names[class], legends[class],
                       score_curves_share(d->curves, (enum score_class)class, threshold));
        }
    }
    if (threshold >= 0 && threshold <= 1) {
        PUT(d, "<path class=\"threshold\" d=\"M%.1f %dv%d\"/>\n", x_of(d, threshold), TOP, PANEL);
    }
}

bool score_svg(const struct score_curves *c, struct span title, double threshold, struct buf *out, struct error *err)
{
    struct drawing d = {.curves = c, .out = out, .err = err, .is_ok = true};

    PUT(&d, head, WIDTH, HEIGHT, WIDTH, HEIGHT);
    PUT(&d, "<title>");
    put_text(&d, title);
    PUT(&d, "</title>\n<rect class=\"back\" width=\"%d\" height=\"%d\"/>\n<text x=\"%d\" y=\"28\" font-size=\"16\">", WIDTH, HEIGHT, LEFT);
    put_text(&d, title);
    PUT(&d, "</text>\n<text class=\"small\" x=\"%d\" y=\"28\" text-anchor=\"end\">%zu to be found, %zu quiet, %zu ordinary</text>\n",
        WIDTH - 30, c->of[SCORE_CLASS_POSITIVE].n, c->of[SCORE_CLASS_QUIET].n, c->of[SCORE_CLASS_ORDINARY].n);
    draw_roc(&d);
    draw_precision(&d);
    draw_distribution(&d, threshold);
    PUT(&d, "</svg>\n");
    return d.is_ok;
}
