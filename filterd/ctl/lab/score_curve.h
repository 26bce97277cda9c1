/* score_curve.h - scores of labelled rows: areas under curves, shares above a threshold, and a picture of both.
 *
 * A row's score is in [0, 1]: that of a classifier's head (--classifier), otherwise the highest confidence of its findings, and 0
 * without one. Rows are to be found, are quiet by their label, or are ordinary: they have no label at all. No text is kept. */
#ifndef FILTERD_CTL_LAB_SCORE_CURVE_H
#define FILTERD_CTL_LAB_SCORE_CURVE_H

#include <stdint.h>

#include "base/buf.h"

enum score_class { SCORE_CLASS_NONE, SCORE_CLASS_POSITIVE, SCORE_CLASS_QUIET, SCORE_CLASS_ORDINARY, SCORE_CLASSES };
extern const char *const score_class_names[SCORE_CLASSES];

/* The scores of one class; sorted, highest first, by score_curves_sort. */
struct score_list {
    double *items;
    size_t n, cap;
};

struct score_curves {
    struct score_list of[SCORE_CLASSES];
};

/* A score that is no number counts as 0; SCORE_CLASS_NONE is not kept. */
MUST_CHECK bool score_curves_add(struct score_curves *c, enum score_class class, double score, struct error *err);
void score_curves_deinit(struct score_curves *c);

/* Before all that follow. */
void score_curves_sort(struct score_curves *c);
/* How often a random row to be found scores above a random one of the class; equal scores count half. Negative: one of the
 * two has no rows. */
double score_curves_area(const struct score_curves *c, enum score_class against);
/* The share of the class that scores at least so much; negative: no rows. */
double score_curves_share(const struct score_curves *c, enum score_class class, double threshold);

/* ROC curves, precision and recall, and the distribution of scores side by side, as one SVG that follows the reader's light or
 * dark scheme. The title may be any UTF-8; threshold: negative for none. */
MUST_CHECK bool score_svg(const struct score_curves *c, struct span title, double threshold, struct buf *out, struct error *err);

#endif
