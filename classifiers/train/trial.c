#include "classifiers/train/trial.h"

#include <stdlib.h>

#include "classifiers/train/logistic.h"

enum { GROUPS_MAX = 24, PARTS = 3, CURVE_STEPS = 2000 };

static const double found_by_rules = 1e9;
static const double not_scored = -30; /* of a text without a window: it has no letters */

struct fold {
    struct scores positive, negative, benign; /* of one group left out, and of the harmless texts left out with it */
    struct scores sentences;  /* of the harmless texts, each alone */
    struct scores with_rules; /* positive, with the highest score for what rules find */
};

struct trial {
    const struct windows *windows;
    const struct corpus *corpus;
    enum head head;
    const char *groups[GROUPS_MAX];
    size_t n_groups;
    struct fold folds[GROUPS_MAX];
};

static bool add_score(struct scores *s, double z, struct error *err)
{
    if (s->n == s->cap) {
        size_t cap = s->cap == 0 ? 1024 : 2 * s->cap;
        double *items = realloc(s->items, cap * sizeof(*items));
        if (items == NULL) {
            return error_set(err, ERROR_NO_MEMORY, "trial: no memory");
        }
        s->items = items;
        s->cap = cap;
    }
    s->items[s->n++] = z;
    return true;
}

static void free_scores(struct scores *s)
{
    free(s->items);
    *s = (struct scores){0};
}

static bool has_texts(const struct corpus *c, const char *group)
{
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(c->items[i].recipe->group, group) == 0) {
            return true;
        }
    }
    return false;
}

static void find_groups(struct trial *t)
{
    for (unsigned i = 0; i < n_recipes; i++) {
        bool is_known = t->n_groups > 0 && strcmp(t->groups[t->n_groups - 1], recipes[i].group) == 0;
        bool speaks_for = (recipes[i].role == ROLE_LABELLED || recipes[i].role == ROLE_HELD) && (recipes[i].positive & 1U << t->head) != 0;
        if (speaks_for && !is_known && t->n_groups < GROUPS_MAX && has_texts(t->corpus, recipes[i].group)) {
            t->groups[t->n_groups++] = recipes[i].group;
        }
    }
}

/* The head's own weights and those of the one that discounts it. */
struct pair {
    struct weights own, other;
    bool has_other;
};

static double score_of_window(const struct trial *t, const struct pair *pair, size_t window)
{
    double z = weights_z(&pair->own, t->windows, window);
    double other = pair->has_other ? weights_z(&pair->other, t->windows, window) : 0;

    z += goals[t->head].other_script * (double)t->windows->items[window].other_script;
    return z - (other > 0 ? goals[t->head].discount * other : 0);
}

static double score_of(const struct trial *t, const struct pair *pair, size_t document)
{
    double best = not_scored;

    for (size_t k = t->windows->of_document[document]; k < t->windows->of_document[document + 1]; k++) {
        double z = t->windows->items[k].is_scored ? score_of_window(t, pair, k) : best;
        best = z > best ? z : best;
    }
    return best;
}

static bool score_sentences(const struct trial *t, const struct pair *pair, size_t document, struct scores *to, struct error *err)
{
    for (size_t k = t->windows->of_document[document]; k < t->windows->of_document[document + 1]; k++) {
        if (t->windows->items[k].is_sentence && !add_score(to, score_of_window(t, pair, k), err)) {
            return false;
        }
    }
    return true;
}

static bool score_fold(const struct trial *t, const struct pair *pair, const struct left_out *left, struct fold *fold,
                       struct error *err)
{
    for (size_t i = 0; i < t->corpus->n; i++) {
        const struct document *d = &t->corpus->items[i];
        bool is_positive = (d->recipe->positive & 1U << t->head) != 0;
        if (!is_left_out(d, left) || (!is_positive && !is_negative(d, t->head))) {
            continue;
        }
        struct scores *to = is_positive                        ? &fold->positive
                            : d->recipe->role == ROLE_BENIGN ? &fold->benign
                                                             : &fold->negative;
        double z = score_of(t, pair, i);
        if (!add_score(to, z, err) || (is_positive && !add_score(&fold->with_rules, d->is_found ? found_by_rules : z, err))) {
            return false;
        }
        if (to == &fold->benign && !score_sentences(t, pair, i, &fold->sentences, err)) {
            return false;
        }
    }
    return true;
}

static bool run_fold(struct trial *t, size_t i, struct error *err)
{
    const struct left_out left = {.group = t->groups[i], .part = (uint32_t)(i % PARTS), .parts = PARTS};
    struct pair pair = {.has_other = goals[t->head].discount_by < HEAD_COUNT};

    bool is_done = learn(t->windows, t->corpus, t->head, &left, &pair.own, err) &&
                   (!pair.has_other || learn(t->windows, t->corpus, goals[t->head].discount_by, &left, &pair.other, err)) &&
                   score_fold(t, &pair, &left, &t->folds[i], err);
    weights_deinit(&pair.own);
    weights_deinit(&pair.other);
    return is_done;
}

static bool append(struct scores *to, const struct scores *from, struct error *err)
{
    for (size_t i = 0; i < from->n; i++) {
        if (!add_score(to, from->items[i], err)) {
            return false;
        }
    }
    return true;
}

static size_t count_scored(const struct scores *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        n += s->items[i] > not_scored;
    }
    return n;
}

/* Platt: the two numbers for which the scores are likeliest, texts for and harmless ones weighing the same. What has no score
 * says nothing of them. */
static void fit(const struct scores *positive, const struct scores *negative, struct curve *curve)
{
    double a = 1, b = 0, n_positive = (double)count_scored(positive), n_negative = (double)count_scored(negative);

    for (int step = 0; step < CURVE_STEPS; step++) {
        double da = 0, db = 0, aa = 1e-9, ab = 0, bb = 1e-9;
        for (size_t i = 0; i < positive->n + negative->n; i++) {
            bool is_positive = i < positive->n;
            double z = is_positive ? positive->items[i] : negative->items[i - positive->n];
            double weight = !(z > not_scored) ? 0 : 1 / (is_positive ? n_positive : n_negative);
            double p = logistic(a * z + b), error = weight * ((is_positive ? 1 : 0) - p);
            double curvature = weight * p * (1 - p);
            da += error * z;
            db += error;
            aa += curvature * z * z;
            ab += curvature * z;
            bb += curvature;
        }
        double determinant = aa * bb - ab * ab, change_a = (bb * da - ab * db) / determinant;
        double change_b = (aa * db - ab * da) / determinant;
        a += change_a > 0.5 ? 0.5 : change_a < -0.5 ? -0.5 : change_a;
        b += change_b > 0.5 ? 0.5 : change_b < -0.5 ? -0.5 : change_b;
        a = a < 0.05 ? 0.05 : a;
        if (fabs(change_a) + fabs(change_b) < 1e-9) {
            break;
        }
    }
    curve->slope = a;
    curve->offset = b;
}

static void print_fold(struct trial *t, size_t i, double threshold, FILE *out)
{
    struct fold *f = &t->folds[i];
    double own = area_under(&f->positive, &f->negative), benign = area_under(&f->positive, &f->benign);

    (void)fprintf(out, "| %s | %s | %zu | %zu | ", goals[t->head].name, t->groups[i], f->positive.n, f->negative.n);
    (void)(f->negative.n > 0 ? fprintf(out, "%.3f | ", own) : fprintf(out, "- | "));
    (void)fprintf(out, "%.3f | %.1f | ", benign, 100 * share_above(&f->positive, threshold));
    (void)(t->head == HEAD_INJECTION ? fprintf(out, "%.1f | ", 100 * share_above(&f->with_rules, threshold))
                                     : fprintf(out, "- | "));
    (void)(f->negative.n > 0 ? fprintf(out, "%.1f | ", 100 * share_above(&f->negative, threshold)) : fprintf(out, "- | "));
    (void)fprintf(out, "%.2f | %.3f |\n", 100 * share_above(&f->benign, threshold), 100 * share_above(&f->sentences, threshold));
}

/* All sources together, each by the model that has not seen it. */
static void print_all(const struct trial *t, double threshold, FILE *out)
{
    double found = 0, with_rules = 0, flagged = 0, flagged_sentences = 0;
    size_t n = 0, n_benign = 0, n_sentences = 0;

    for (size_t i = 0; i < t->n_groups; i++) {
        const struct fold *f = &t->folds[i];
        n += f->positive.n;
        n_benign += f->benign.n;
        found += (double)f->positive.n * share_above(&f->positive, threshold);
        with_rules += (double)f->positive.n * share_above(&f->with_rules, threshold);
        flagged += (double)f->benign.n * share_above(&f->benign, threshold);
        n_sentences += f->sentences.n;
        flagged_sentences += f->sentences.n == 0 ? 0 : (double)f->sentences.n * share_above(&f->sentences, threshold);
    }
    (void)fprintf(out, "| %s | **all** | %zu | | | | %.1f | ", goals[t->head].name, n, 100 * found / (double)n);
    (void)(t->head == HEAD_INJECTION ? fprintf(out, "%.1f | ", 100 * with_rules / (double)n) : fprintf(out, "- | "));
    (void)fprintf(out, "| %.2f of %zu | %.3f of %zu |\n", 100 * flagged / (double)n_benign, n_benign,
                  n_sentences == 0 ? 0 : 100 * flagged_sentences / (double)n_sentences, n_sentences);
}

bool trial_run(const struct windows *w, const struct corpus *c, enum head head, FILE *out, struct curve *curve,
               struct error *err)
{
    struct trial t = {.windows = w, .corpus = c, .head = head};
    struct scores positive = {0}, benign = {0};
    bool is_done = true;

    find_groups(&t);
    for (size_t i = 0; is_done && i < t.n_groups; i++) {
        is_done = run_fold(&t, i, err) && append(&positive, &t.folds[i].positive, err) &&
                  append(&benign, &t.folds[i].benign, err);
    }
    if (is_done && t.n_groups > 0) {
        curve->threshold = reached_by(&benign, goals[head].benign_share);
        fit(&positive, &benign, curve);
    }
    if (is_done && t.n_groups > 0) {
        print_all(&t, curve->threshold, out);
    }
    for (size_t i = 0; i < t.n_groups; i++) {
        if (is_done) {
            print_fold(&t, i, curve->threshold, out);
        }
        free_scores(&t.folds[i].positive);
        free_scores(&t.folds[i].negative);
        free_scores(&t.folds[i].benign);
        free_scores(&t.folds[i].sentences);
        free_scores(&t.folds[i].with_rules);
    }
    free_scores(&positive);
    free_scores(&benign);
    return is_done;
}
