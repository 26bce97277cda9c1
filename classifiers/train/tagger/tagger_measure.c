/* tagger_measure.c - counts what a tagger finds in marked examples. */
#include "classifiers/train/tagger/tagger_train.h"

#include <stdlib.h>

static void keep(void *ctx, const struct tagger_entity *entity)
{
    struct finding_list *out = ctx;

    if (out->n < COUNT(out->items)) {
        out->items[out->n++] = *entity;
    }
}

void find_all(const struct tagger *t, unsigned class, struct tagger_scratch *scratch, struct span text,
              struct finding_list *out)
{
    const struct tagger_search search = {t, 1u << class};

    out->n = 0;
    tagger_find(&search, scratch, text, keep, out);
}

static bool overlap(const struct tagger_entity *f, const struct mark *m)
{
    return f->from < m->to && f->to > m->from;
}

/* Takes out what is found where nothing counts. */
static void drop_ignored(struct finding_list *found, const struct example *e)
{
    size_t n = 0;

    for (size_t k = 0; k < found->n; k++) {
        bool is_ignored = false;
        for (size_t i = 0; i < e->n_marks; i++) {
            is_ignored = is_ignored || (e->marks[i].label == LABEL_IGNORED &&
                                        overlap(&found->items[k], &e->marks[i]));
        }
        if (!is_ignored) {
            found->items[n++] = found->items[k];
        }
    }
    found->n = n;
}

void count_example(const struct tagger *t, unsigned class, struct tagger_scratch *scratch, const struct example *e,
                   uint32_t label, struct counts *c)
{
    static struct finding_list found;
    bool touched[COUNT(found.items)] = {false};

    find_all(t, class, scratch, e->text, &found);
    drop_ignored(&found, e);
    c->found += found.n;
    for (size_t i = 0; i < e->n_marks; i++) {
        const struct mark *m = &e->marks[i];
        bool is_touched = false;
        for (size_t k = 0; m->label == label && k < found.n; k++) {
            const struct tagger_entity *f = &found.items[k];
            is_touched = is_touched || overlap(f, m);
            touched[k] = touched[k] || overlap(f, m);
            c->right += f->from == m->from && f->to == m->to;
        }
        c->marked += m->label == label;
        c->marked_touching += is_touched;
    }
    for (size_t k = 0; k < found.n; k++) {
        c->found_touching += touched[k];
    }
}

static double f1_of(size_t right, size_t found, size_t marked)
{
    return found + marked == 0 ? 0 : 2.0 * (double)right / (double)(found + marked);
}

static double share(size_t part, size_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

double f1_by_overlap(const struct counts *c)
{
    double p = share(c->found_touching, c->found);
    double r = share(c->marked_touching, c->marked);

    return p + r > 0 ? 2 * p * r / (p + r) : 0;
}

void print_counts(const char *what, const struct counts *c)
{
    double p = share(c->found_touching, c->found);
    double r = share(c->marked_touching, c->marked);

    (void)printf("%-28s marked %5zu  exact P %.3f R %.3f F1 %.3f  overlap P %.3f R %.3f F1 %.3f\n",
                 what, c->marked, share(c->right, c->found), share(c->right, c->marked),
                 f1_of(c->right, c->found, c->marked), p, r, f1_by_overlap(c));
}

/* --- calibration --------------------------------------------------------------- */

void judge_example(const struct tagger *t, unsigned class, struct tagger_scratch *scratch, const struct example *e,
                   uint32_t label, struct judged_list *judged)
{
    static struct finding_list found;

    find_all(t, class, scratch, e->text, &found);
    drop_ignored(&found, e);
    for (size_t k = 0; k < found.n; k++) {
        struct judged one = {.chance = found.items[k].confidence};
        for (size_t i = 0; i < e->n_marks; i++) {
            one.is_right = one.is_right ||
                           (e->marks[i].label == label && overlap(&found.items[k], &e->marks[i]));
        }
        if (judged->n == judged->cap) {
            judged->cap = judged->cap == 0 ? 4096 : judged->cap * 2;
            judged->items = realloc(judged->items, judged->cap * sizeof(*judged->items));
            if (judged->items == NULL) {
                give_up("out of memory");
            }
        }
        judged->items[judged->n++] = one;
    }
}

static double log_odds(float chance)
{
    float p = chance < 1e-6f ? 1e-6f : chance > 1 - 1e-6f ? 1 - 1e-6f : chance;

    return (double)tagger_log(p / (1 - p));
}

static void print_calibration(const struct judged_list *judged, double slope, double offset)
{
    enum { BINS = 10 };
    size_t n[BINS] = {0};
    size_t right[BINS] = {0};

    for (size_t i = 0; i < judged->n; i++) {
        double p =
            1 /
            (1 + (double)tagger_exp((float)-(slope * log_odds(judged->items[i].chance) + offset)));
        size_t bin = p >= 1 ? BINS - 1 : (size_t)(p * BINS);
        n[bin]++;
        right[bin] += judged->items[i].is_right;
    }
    (void)printf("calibration: slope %.3f offset %.3f\n", slope, offset);
    for (size_t i = 0; i < BINS; i++) {
        if (n[i] > 0) {
            (void)printf("confidence %.1f to %.1f: %zu found, %.2f right\n", (double)i / BINS,
                         (double)(i + 1) / BINS, n[i], share(right[i], n[i]));
        }
    }
}

/* How unlikely the judgements are by that curve. */
static double loss_of(const struct judged_list *judged, double slope, double offset)
{
    double sum = 0;

    for (size_t i = 0; i < judged->n; i++) {
        double odds = slope * log_odds(judged->items[i].chance) + offset;
        float side = (float)(judged->items[i].is_right ? -odds : odds);
        sum += side > 30 ? (double)side : (double)tagger_log(1 + tagger_exp(side));
    }
    return sum;
}

struct curve {
    double slope, offset;
};

/* Newton's step from there. */
static struct curve step_of(const struct judged_list *judged, const struct curve *c)
{
    double g[2] = {0};
    double h[3] = {1e-6, 0, 1e-6};

    for (size_t i = 0; i < judged->n; i++) {
        double x = log_odds(judged->items[i].chance);
        double p = 1 / (1 + (double)tagger_exp((float)-(c->slope * x + c->offset)));
        double miss = (double)judged->items[i].is_right - p;
        g[0] += miss * x;
        g[1] += miss;
        h[0] += p * (1 - p) * x * x;
        h[1] += p * (1 - p) * x;
        h[2] += p * (1 - p);
    }
    double determinant = h[0] * h[2] - h[1] * h[1];
    return (struct curve){(h[2] * g[0] - h[1] * g[1]) / determinant,
                          (h[0] * g[1] - h[1] * g[0]) / determinant};
}

void calibrate(struct tagger_class_settings *settings, const struct judged_list *judged)
{
    struct curve c = {1, 0};
    double loss = loss_of(judged, c.slope, c.offset);

    for (unsigned step = 0; step < 30; step++) {
        struct curve d = step_of(judged, &c);
        /* A whole step may overshoot where the curve is flat: then half of it, and so on. */
        for (unsigned tries = 0; tries < 20; tries++) {
            double better = loss_of(judged, c.slope + d.slope, c.offset + d.offset);
            if (better < loss) {
                loss = better;
                c = (struct curve){c.slope + d.slope, c.offset + d.offset};
                break;
            }
            d = (struct curve){d.slope / 2, d.offset / 2};
        }
    }
    settings->slope = (float)(c.slope < 0.05 ? 0.05 : c.slope);
    settings->offset = (float)c.offset;
    print_calibration(judged, c.slope, c.offset);
}
