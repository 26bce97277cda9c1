#include "classifiers/train/trial.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

static void sort(struct scores *s)
{
    if (s->n > 0) {
        qsort(s->items, s->n, sizeof(*s->items), compare);
    }
}

double area_under(struct scores *positive, struct scores *negative)
{
    size_t below = 0, not_above = 0;
    double sum = 0;

    if (positive->n == 0 || negative->n == 0) {
        return NAN;
    }
    sort(positive);
    sort(negative);
    for (size_t i = 0; i < positive->n; i++) {
        while (below < negative->n && negative->items[below] < positive->items[i]) {
            below++;
        }
        while (not_above < negative->n && negative->items[not_above] <= positive->items[i]) {
            not_above++;
        }
        sum += ((double)below + (double)not_above) / 2;
    }
    return sum / (double)positive->n / (double)negative->n;
}

double share_above(const struct scores *s, double z)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        n += s->items[i] >= z;
    }
    return s->n == 0 ? NAN : (double)n / (double)s->n;
}

double reached_by(struct scores *s, double share)
{
    size_t allowed = (size_t)(share * (double)s->n);

    sort(s);
    return s->n == 0 ? 0 : nextafter(s->items[s->n - 1 - (allowed < s->n ? allowed : s->n - 1)], INFINITY);
}
