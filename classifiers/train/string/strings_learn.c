#include "classifiers/train/string/strings_learn.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "classifiers/train/logistic.h"

enum { EPOCHS = 60, SEED = 20261122, PAIR_MOST = 127, ROUNDED_TO = 1000 };

static const double rate = 0.3, smooth = 0.5, decay = 2e-6;

struct measured {
    float of[RANDOM_FEATURES];
    float weight; /* below 0: harmless */
};

static uint32_t hash_of(struct span text)
{
    uint32_t h = 2166136261U;

    for (size_t i = 0; i < text.len; i++) {
        h = (h ^ (unsigned char)text.ptr[i]) * 16777619U;
    }
    return h ^ h >> 15;
}

static bool is_for_pairs(const struct string *s)
{
    return hash_of(s->text) % 2 == 0;
}

/* --- pairs --------------------------------------------------------------------- */

static void count_pairs(const struct strings *s, double counts[2][RANDOM_STRING_SYMBOLS][RANDOM_STRING_SYMBOLS])
{
    for (size_t i = 0; i < s->n; i++) {
        const struct string *item = &s->items[i];
        unsigned before = RANDOM_STRING_SYMBOLS - 1;
        for (size_t k = 0; !item->is_repeated && is_for_pairs(item) && k < item->text.len && k < RANDOM_STRING_SAMPLE; k++) {
            unsigned symbol = random_string_symbol(item->text.ptr[k]);
            counts[item->is_random][before][symbol] += 1;
            before = symbol;
        }
    }
}

static double share_of(const double row[RANDOM_STRING_SYMBOLS], size_t symbol)
{
    double sum = 0;

    for (size_t i = 0; i < RANDOM_STRING_SYMBOLS; i++) {
        sum += row[i];
    }
    return (row[symbol] + smooth) / (sum + smooth * RANDOM_STRING_SYMBOLS);
}

static bool learn_pairs(const struct strings *s, struct random_string_model *m, struct error *err)
{
    double(*counts)[RANDOM_STRING_SYMBOLS][RANDOM_STRING_SYMBOLS] = calloc(2, sizeof(*counts));

    if (counts == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "strings: no memory");
    }
    count_pairs(s, counts);
    for (size_t i = 0; i < RANDOM_STRING_SYMBOLS; i++) {
        for (size_t k = 0; k < RANDOM_STRING_SYMBOLS; k++) {
            double bits = log2(share_of(counts[0][i], k) / share_of(counts[1][i], k));
            double units = nearbyint(bits * RANDOM_STRING_UNITS);
            m->pairs[i][k] = (int8_t)(units > PAIR_MOST ? PAIR_MOST : units < -PAIR_MOST ? -PAIR_MOST : units);
        }
    }
    free(counts);
    return true;
}

/* --- weights ------------------------------------------------------------------- */

static size_t measure_all(const struct strings *s, const struct random_string_model *m, struct measured *out)
{
    double sums[2] = {0};
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct string *item = &s->items[i];
        if (!item->is_repeated && !is_for_pairs(item)) {
            random_string_measure(m, item->text, out[n].of);
            out[n++].weight = item->is_random ? 1 : -1;
            sums[item->is_random] += 1;
        }
    }
    for (size_t i = 0; i < n; i++) {
        double sum = sums[out[i].weight > 0];
        out[i].weight *= (float)((double)n / 2 / sum);
    }
    return n;
}

static void shuffle(struct measured *items, size_t n, uint64_t *state)
{
    for (size_t i = n; i > 1; i--) {
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        size_t k = (size_t)((*state * 0x2545f4914f6cdd1dULL >> 11) % i);
        struct measured item = items[k];
        items[k] = items[i - 1];
        items[i - 1] = item;
    }
}

static void fit(struct measured *items, size_t n, double weights[RANDOM_FEATURES])
{
    double squares[RANDOM_FEATURES] = {0};
    uint64_t state = SEED;

    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        shuffle(items, n, &state);
        for (size_t i = 0; i < n; i++) {
            double z = 0, size = fabs((double)items[i].weight);
            for (size_t k = 0; k < RANDOM_FEATURES; k++) {
                z += weights[k] * (double)items[i].of[k];
            }
            double error = size * (items[i].weight > 0 ? logistic(-z) : -logistic(z));
            for (size_t k = 0; k < RANDOM_FEATURES; k++) {
                double g = error * (double)items[i].of[k] - decay * weights[k];
                squares[k] += g * g;
                weights[k] += rate * g / sqrt(1e-3 + squares[k]);
            }
        }
    }
}

bool strings_learn(const struct strings *s, struct random_string_model *out, struct error *err)
{
    CLEANUP(cleanup_free) struct measured *items = calloc(s->n + 1, sizeof(*items));
    double weights[RANDOM_FEATURES] = {0};

    if (items == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "strings: no memory");
    }
    if (!learn_pairs(s, out, err)) {
        return false;
    }
    fit(items, measure_all(s, out, items), weights);
    for (size_t k = 0; k < RANDOM_FEATURES; k++) {
        out->weights[k] = (float)(nearbyint(weights[k] * ROUNDED_TO) / ROUNDED_TO);
    }
    return true;
}
