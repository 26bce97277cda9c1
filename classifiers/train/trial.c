#include "classifiers/train/trial.h"

#include <stdlib.h>

#include "classifiers/linear.h"
#include "classifiers/train/logistic.h"

enum { GROUPS_MAX = 24, CURVE_STEPS = 2000 };

static const double found_by_rules = 1e9;
static const double not_scored = -30; /* of a text without a window: it has no letters */

/* The weak one is of answers on sensitive subjects, of which nobody says that each is harmless: it is shown, and sets no
 * threshold. */
static const struct ordinary {
    const char *group;
    bool is_weak;
} ordinary[] = {{"gpteacher", false}, {"arena", false}, {"fastchat", false}, {"hh", true}};

struct fold {
    struct left_out left;
    bool is_weak;             /* its ordinary answers */
    struct scores positive, negative, benign; /* of the source left out, and of the ordinary answers left out with it */
    struct scores sentences;  /* of the ordinary answers, each alone */
    struct scores with_rules; /* positive, with the highest score for what rules find */
};

struct trial {
    const struct windows *windows;
    const struct corpus *corpus;
    enum head head;
    const char *groups[GROUPS_MAX];
    size_t n_groups, n_folds;
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

static bool has_negatives(const struct corpus *c, const char *group, enum head head)
{
    for (size_t i = 0; i < c->n; i++) {
        if (is_negative(&c->items[i], head) && strcmp(c->items[i].recipe->group, group) == 0) {
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

/* Pairs the sources of both kinds, in turn, until each has had one. */
static void plan_folds(struct trial *t)
{
    const struct ordinary *used[COUNT(ordinary)];
    size_t n = 0;

    find_groups(t);
    for (size_t i = 0; i < COUNT(ordinary); i++) {
        if (has_negatives(t->corpus, ordinary[i].group, t->head)) {
            used[n++] = &ordinary[i];
        }
    }
    t->n_folds = t->n_groups == 0 || t->n_groups > n ? t->n_groups : n;
    for (size_t i = 0; i < t->n_folds; i++) {
        t->folds[i].left = (struct left_out){.group = t->groups[i % t->n_groups], .ordinary = n == 0 ? NULL : used[i % n]->group};
        t->folds[i].is_weak = n > 0 && used[i % n]->is_weak;
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

/* By the windows of all of it, as a policy with `hold: all` judges it. */
static double score_of_all(const struct trial *t, const struct pair *pair, size_t document)
{
    struct linear_unit unit = {0};

    for (size_t k = t->windows->of_document[document]; k < t->windows->of_document[document + 1]; k++) {
        if (t->windows->items[k].is_of_all) {
            linear_unit_add(&unit, score_of_window(t, pair, k), t->windows->items[k].bytes);
        }
    }
    return unit.bytes > 0 ? linear_unit_z(&unit) : not_scored;
}

static double score_of(const struct trial *t, const struct pair *pair, size_t document)
{
    double best = not_scored;

    if (goals[t->head].judges_unit) {
        return score_of_all(t, pair, document);
    }
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

static bool score_fold(const struct trial *t, const struct pair *pair, struct fold *fold, struct error *err)
{
    for (size_t i = 0; i < t->corpus->n; i++) {
        const struct document *d = &t->corpus->items[i];
        bool is_positive = (d->recipe->positive & 1U << t->head) != 0;
        if (!is_left_out(d, &fold->left) || (!is_positive && !is_negative(d, t->head))) {
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

static bool run_fold(struct trial *t, struct fold *fold, struct error *err)
{
    struct pair pair = {.has_other = goals[t->head].discount_by < HEAD_COUNT};

    bool is_done = learn(t->windows, t->corpus, t->head, &fold->left, &pair.own, err) &&
                   (!pair.has_other || learn(t->windows, t->corpus, goals[t->head].discount_by, &fold->left, &pair.other, err)) &&
                   score_fold(t, &pair, fold, err);
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

static void print_share(double share, int digits, FILE *out)
{
    (void)(isnan(share) ? fprintf(out, "- | ") : fprintf(out, "%.*f | ", digits, 100 * share));
}

static void print_area(double area, FILE *out)
{
    (void)(isnan(area) ? fprintf(out, "- | ") : fprintf(out, "%.3f | ", area));
}

static void print_fold(struct trial *t, struct fold *f, double threshold, FILE *out)
{
    (void)fprintf(out, "| %s | %s | %s%s | %zu | %zu | %zu | ", goals[t->head].name, f->left.group,
                  f->left.ordinary == NULL ? "-" : f->left.ordinary, f->is_weak ? " (weak)" : "", f->positive.n, f->negative.n,
                  f->benign.n);
    print_area(area_under(&f->positive, &f->negative), out);
    print_area(area_under(&f->positive, &f->benign), out);
    print_share(share_above(&f->positive, threshold), 1, out);
    print_share(t->head == HEAD_INJECTION ? share_above(&f->with_rules, threshold) : (double)NAN, 1, out);
    print_share(share_above(&f->negative, threshold), 1, out);
    print_share(share_above(&f->benign, threshold), 2, out);
    print_share(share_above(&f->sentences, threshold), 3, out);
    (void)fprintf(out, "\n");
}

/* What a source that the head has not seen makes of it: against its own negatives where it has some, which share its subject
 * and style; otherwise against ordinary answers. */
static double area_of(struct fold *f)
{
    return f->negative.n > 0 ? area_under(&f->positive, &f->negative) : area_under(&f->positive, &f->benign);
}

/* All sources together, each by the model that has not seen it: means of the areas, and the worst of each. */
static void print_all(struct trial *t, const struct curve *curve, FILE *out)
{
    double mean = 0, worst = 1, found = 0, flagged = 0, flagged_weak = (double)NAN;
    size_t n = 0;

    for (size_t i = 0; i < t->n_folds; i++) {
        struct fold *f = &t->folds[i];
        double area = area_of(f), share = share_above(&f->benign, curve->threshold);
        mean += area / (double)t->n_folds;
        worst = fmin(worst, area);
        found += (double)f->positive.n * share_above(&f->positive, curve->threshold);
        n += f->positive.n;
        flagged = f->is_weak ? flagged : fmax(flagged, share);
        flagged_weak = f->is_weak ? fmax(flagged_weak, share) : flagged_weak;
    }
    (void)fprintf(out, "| %s | **%s** | AUC mean %.3f, worst %.3f | found %.1f %% | ordinary flagged, worst source %.2f %%",
                  goals[t->head].name, curve->acts ? "acts" : "report only", mean, worst, 100 * found / (double)n, 100 * flagged);
    if (!isnan(flagged_weak)) {
        (void)fprintf(out, ", weak %.2f %%", 100 * flagged_weak);
    }
    (void)fprintf(out, " | | | | | | | | |\n");
}

/* What the folds say together; their areas and shares, at the threshold that the worst of them asks for. */
static bool sum_up(struct trial *t, struct curve *curve, struct error *err)
{
    struct scores positive = {0}, benign = {0};
    bool is_done = true;

    curve->threshold = -INFINITY;
    curve->acts = true;
    for (size_t i = 0; is_done && i < t->n_folds; i++) {
        struct fold *f = &t->folds[i];
        is_done = append(&positive, &f->positive, err) && append(&benign, &f->benign, err);
        double asked = f->is_weak || f->benign.n == 0 ? (double)-INFINITY : reached_by(&f->benign, goals[t->head].ordinary_share);
        curve->threshold = fmax(curve->threshold, asked);
        curve->acts = curve->acts && area_of(f) > TRIAL_ACTS;
    }
    if (is_done) {
        curve->threshold = isinf(curve->threshold) ? 0 : curve->threshold;
        fit(&positive, &benign, curve);
    }
    free_scores(&positive);
    free_scores(&benign);
    return is_done;
}

static void free_folds(struct trial *t)
{
    for (size_t i = 0; i < t->n_folds; i++) {
        free_scores(&t->folds[i].positive);
        free_scores(&t->folds[i].negative);
        free_scores(&t->folds[i].benign);
        free_scores(&t->folds[i].sentences);
        free_scores(&t->folds[i].with_rules);
    }
}

bool trial_run(const struct windows *w, const struct corpus *c, enum head head, FILE *out, struct curve *curve,
               struct error *err)
{
    struct trial t = {.windows = w, .corpus = c, .head = head};
    bool is_done = true;

    plan_folds(&t);
    for (size_t i = 0; is_done && i < t.n_folds; i++) {
        is_done = run_fold(&t, &t.folds[i], err);
    }
    is_done = is_done && (t.n_folds == 0 || sum_up(&t, curve, err));
    for (size_t i = 0; is_done && i < t.n_folds; i++) {
        if (i == 0) {
            print_all(&t, curve, out);
        }
        print_fold(&t, &t.folds[i], curve->threshold, out);
    }
    free_folds(&t);
    return is_done;
}
