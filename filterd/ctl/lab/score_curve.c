#include "ctl/lab/score_curve.h"

#include <stdlib.h>

const char *const score_class_names[SCORE_CLASSES] = {
    [SCORE_CLASS_NONE] = "", [SCORE_CLASS_POSITIVE] = "positive", [SCORE_CLASS_QUIET] = "quiet", [SCORE_CLASS_ORDINARY] = "ordinary"};

bool score_curves_add(struct score_curves *c, enum score_class class, double score, struct error *err)
{
    enum { FIRST = 1024 };
    struct score_list *list = &c->of[class];

    if (class == SCORE_CLASS_NONE) {
        return true;
    }
    if (list->n == list->cap) {
        size_t cap = list->cap == 0 ? FIRST : list->cap * 2;
        double *items = reallocarray(list->items, cap, sizeof(*items));
        if (items == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "scores: no memory");
        }
        list->items = items;
        list->cap = cap;
    }
    list->items[list->n++] = score > 0 ? (score < 1 ? score : 1) : 0;
    return true;
}

void score_curves_deinit(struct score_curves *c)
{
    for (size_t i = 0; i < SCORE_CLASSES; i++) {
        free(c->of[i].items);
    }
    *c = (struct score_curves){0};
}

static int highest_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

void score_curves_sort(struct score_curves *c)
{
    for (size_t i = 0; i < SCORE_CLASSES; i++) {
        if (c->of[i].n > 0) {
            qsort(c->of[i].items, c->of[i].n, sizeof(*c->of[i].items), highest_first);
        }
    }
}

double score_curves_area(const struct score_curves *c, enum score_class against)
{
    const struct score_list *positive = &c->of[SCORE_CLASS_POSITIVE], *other = &c->of[against];
    size_t above = 0, not_below = 0;
    double sum = 0;

    if (positive->n == 0 || other->n == 0) {
        return -1;
    }
    for (size_t i = 0; i < other->n; i++) {
        while (above < positive->n && positive->items[above] > other->items[i]) {
            above++;
        }
        while (not_below < positive->n && positive->items[not_below] >= other->items[i]) {
            not_below++;
        }
        sum += ((double)above + (double)not_below) / 2;
    }
    return sum / (double)positive->n / (double)other->n;
}

double score_curves_share(const struct score_curves *c, enum score_class class, double threshold)
{
    const struct score_list *list = &c->of[class];
    size_t n = 0;

    while (n < list->n && list->items[n] >= threshold) {
        n++;
    }
    return list->n == 0 ? -1 : (double)n / (double)list->n;
}
