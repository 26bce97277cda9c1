/* assigned_main.c - makes the table of the model of assigned values, and says how good it is.
 *
 * usage: train-assigned OUT PATTERNS ROWS… -- HELD…
 *        OUT: a C source; PATTERNS: a file of patterns; ROWS, HELD: files of rows (pairs.h); HELD are measured and not learned
 *        from. Figures to standard output. TRAIN_ASSIGNED_SHOW=1: each pair that is held back, with its score, to standard error. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "classifiers/train/assigned/pairs.h"
#include "classifiers/train/logistic.h"

enum { EPOCHS = 30, SEED = 20261123, SETS_MAX = 96, OUT_MAX = 1024 * 1024, IN_A_LINE = 24, UNITS = 16, ROUNDED_TO = 1000 };

static const double thresholds[] = {0.1, 0.5, 0.9, 0.97};
static const double rate = 0.2, decay = 1e-4;

/* --- learning --------------------------------------------------------------------- */

struct weights {
    double hashed[ASSIGNED_BUCKETS], measures[ASSIGNED_MEASURES];
    double hashed_squares[ASSIGNED_BUCKETS], measures_squares[ASSIGNED_MEASURES];
};

static double score_of(const struct weights *w, const struct assigned_features *f)
{
    double z = 0;

    for (size_t i = 0; i < f->n_hashed; i++) {
        z += w->hashed[f->hashed[i]];
    }
    for (size_t i = 0; i < ASSIGNED_MEASURES; i++) {
        z += w->measures[i] * (double)f->measures[i];
    }
    return z;
}

/* AdaGrad. */
static void step(double *weight, double *squares, double gradient)
{
    double g = gradient - decay * *weight;

    *squares += g * g;
    *weight += rate * g / sqrt(1e-3 + *squares);
}

static void learn_from(struct weights *w, const struct assigned_features *f, const struct pair *pair, double size)
{
    double z = score_of(w, f), error = size * (pair->is_secret ? logistic(-z) : -logistic(z));

    for (size_t i = 0; i < f->n_hashed; i++) {
        step(&w->hashed[f->hashed[i]], &w->hashed_squares[f->hashed[i]], error);
    }
    for (size_t i = 0; i < ASSIGNED_MEASURES; i++) {
        step(&w->measures[i], &w->measures_squares[i], error * (double)f->measures[i]);
    }
}

static void shuffle(size_t *order, size_t n, uint64_t *state)
{
    for (size_t i = n; i > 1; i--) {
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        size_t k = (size_t)((*state * 0x2545f4914f6cdd1dULL >> 11) % i), item = order[k];
        order[k] = order[i - 1];
        order[i - 1] = item;
    }
}

static double rounded(double value, double unit, double most)
{
    double units = nearbyint(value * unit);

    return units > most ? most : units < -most ? -most : units;
}

static void take(const struct weights *w, struct assigned_value_model *m)
{
    for (size_t i = 0; i < ASSIGNED_BUCKETS; i++) {
        m->hashed[i] = (int8_t)rounded(w->hashed[i], UNITS, 127);
    }
    for (size_t i = 0; i < ASSIGNED_MEASURES; i++) {
        m->measures[i] = (float)(nearbyint(w->measures[i] * ROUNDED_TO) / ROUNDED_TO);
    }
}

static bool learn(const struct pairs *p, struct assigned_value_model *m, struct error *err)
{
    CLEANUP(cleanup_free) struct weights *w = calloc(1, sizeof(*w));
    CLEANUP(cleanup_free) struct assigned_features *features = calloc(p->n + 1, sizeof(*features));
    CLEANUP(cleanup_free) size_t *order = calloc(p->n + 1, sizeof(*order));
    double sums[2] = {0};
    uint64_t state = SEED;

    if (w == NULL || features == NULL || order == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "assigned: no memory");
    }
    for (size_t i = 0; i < p->n; i++) {
        assigned_value_measure(p->items[i].before, p->items[i].value, &features[i]);
        sums[p->items[i].is_secret] += (double)p->items[i].weight;
        order[i] = i;
    }
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        shuffle(order, p->n, &state);
        for (size_t i = 0; i < p->n; i++) {
            const struct pair *pair = &p->items[order[i]];
            learn_from(w, &features[order[i]], pair, (double)pair->weight * (sums[0] + sums[1]) / 2 / sums[pair->is_secret]);
        }
    }
    take(w, m);
    return true;
}

/* --- the table -------------------------------------------------------------------- */

static const char head[] =
    "/* assigned_value_table.c - made by `make train`; classifiers/models/assigned-value.md says from what. */\n"
    "#include \"lexical/assigned_value.h\"\n\n"
    "const struct assigned_value_model assigned_value_shipped = {\n    .hashed =\n        {";

static bool print_model(const struct assigned_value_model *m, struct buf *out, struct error *err)
{
    char text[32];
    bool is_put = buf_append(out, span_str(head), err);

    for (size_t i = 0; is_put && i < ASSIGNED_BUCKETS; i++) {
        (void)snprintf(text, sizeof(text), "%s%d,", i % IN_A_LINE == 0 ? "\n            " : " ", m->hashed[i]);
        is_put = buf_append(out, span_str(text), err);
    }
    is_put = is_put && buf_append(out, span_str("\n        },\n    .measures =\n        {\n"), err);
    for (size_t i = 0; is_put && i < ASSIGNED_MEASURES; i++) {
        (void)snprintf(text, sizeof(text), "            %.3fF,\n", (double)m->measures[i]);
        is_put = buf_append(out, span_str(text), err);
    }
    return is_put && buf_append(out, span_str("        },\n};\n"), err);
}

/* --- figures ---------------------------------------------------------------------- */

struct tally {
    const char *set;
    bool is_secret;
    size_t n, reached[COUNT(thresholds)];
};

static struct tally *tally_of(struct tally *tallies, size_t *n, const struct pair *pair)
{
    size_t i = 0;

    while (i < *n && !(strcmp(tallies[i].set, pair->set) == 0 && tallies[i].is_secret == pair->is_secret)) {
        i++;
    }
    if (i == *n && *n < SETS_MAX) {
        tallies[(*n)++] = (struct tally){.set = pair->set, .is_secret = pair->is_secret};
    }
    return &tallies[i < SETS_MAX ? i : SETS_MAX - 1];
}

static void print_figures(const struct pairs *p, const struct assigned_value_model *m, bool is_shown)
{
    struct tally tallies[SETS_MAX];
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++) {
        const struct pair *pair = &p->items[i];
        struct tally *t = tally_of(tallies, &n, pair);
        double score = assigned_value_score(m, pair->before, pair->value);
        t->n++;
        for (size_t k = 0; k < COUNT(thresholds); k++) {
            t->reached[k] += score >= thresholds[k];
        }
        if (is_shown) {
            (void)fprintf(stderr, "%.4f\t%s\t%s\t" SPAN_FMT "\t" SPAN_FMT "\n", score, pair->is_secret ? "secret" : "none", pair->set,
                          SPAN_ARG(pair->before), SPAN_ARG(pair->value));
        }
    }
    for (size_t i = 0; i < n; i++) {
        printf("| %s | %s | %zu |", tallies[i].set, tallies[i].is_secret ? "secret" : "none", tallies[i].n);
        for (size_t k = 0; k < COUNT(thresholds); k++) {
            printf(" %.2f |", 100 * (double)tallies[i].reached[k] / (double)tallies[i].n);
        }
        printf("\n");
    }
}

/* --- main ------------------------------------------------------------------------- */

static bool run(int argc, char **argv, int split, struct error *err)
{
    CLEANUP(pairs_deinit) struct pairs learned = {0};
    CLEANUP(pairs_deinit) struct pairs held = {0};
    CLEANUP(buf_deinit) struct buf out;
    struct assigned_value_model m;

    buf_init(&out, OUT_MAX);
    if (!pairs_init(&learned, argv[2], err) || !pairs_init(&held, argv[2], err)) {
        return false;
    }
    for (int i = 3; i < argc; i++) {
        if (i != split && !pairs_read(i < split ? &learned : &held, argv[i], err)) {
            return false;
        }
    }
    if (!learn(&learned, &m, err)) {
        return false;
    }
    printf("| set | is | pairs | ≥ 0.1 | ≥ 0.5 | ≥ 0.9 | ≥ 0.97 |\n|---|---|--:|--:|--:|--:|--:|\n| **learned from** | | | | | | |\n");
    print_figures(&learned, &m, false);
    printf("| **held back** | | | | | | |\n");
    print_figures(&held, &m, getenv("TRAIN_ASSIGNED_SHOW") != NULL);
    return print_model(&m, &out, err) && file_write_atomic(argv[1], buf_span(&out), 0644, err);
}

int main(int argc, char **argv)
{
    struct error err;
    int split = 3;

    while (split < argc && strcmp(argv[split], "--") != 0) {
        split++;
    }
    if (argc < 4 || split >= argc) {
        (void)fprintf(stderr, "usage: %s OUT PATTERNS ROWS… -- HELD…\n", argv[0]);
        return 2;
    }
    if (!run(argc, argv, split, &err)) {
        (void)fprintf(stderr, "train: %s\n", err.text);
        return 2;
    }
    return 0;
}
