#include "classifiers/train/learn.h"

#include <stdlib.h>

#include "classifiers/linear.h"
#include "classifiers/train/logistic.h"

enum { SEED = 20261121 };

struct example {
    const struct window *window;
    float weight; /* below 0: against the head */
};

struct examples {
    struct example *items;
    size_t n;
    double positive, negative;
};

/* xorshift64* */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dULL;
}

static void shuffle(struct example *items, size_t n, uint64_t *state)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = (size_t)((next_random(state) >> 11) % i);
        struct example item = items[k];
        items[k] = items[i - 1];
        items[i - 1] = item;
    }
}

static bool is_of_group(const struct document *d, const char *group)
{
    return group != NULL && (strcmp(d->recipe->group, group) == 0 || (d->also != NULL && strcmp(d->also, group) == 0));
}

bool is_left_out(const struct document *d, const struct left_out *left)
{
    return is_of_group(d, left->group) || is_of_group(d, left->ordinary);
}

bool is_negative(const struct document *d, enum head head)
{
    return (d->recipe->negative & ~d->silent & 1U << head) != 0;
}

/* What the document weighs, below 0 against the head; 0: nothing. */
static double weight_of(const struct document *d, enum head head)
{
    unsigned bit = 1U << head;
    bool is_refusal = (d->recipe->positive & 1U << HEAD_REFUSAL) != 0;

    if (d->recipe->role == ROLE_HELD) {
        return 0;
    }
    if ((d->recipe->positive & bit) != 0) {
        return d->recipe->weight;
    }
    return !is_negative(d, head) ? 0 : -d->recipe->weight * (is_refusal ? goals[head].refusals : 1);
}

static bool collect(const struct windows *w, const struct corpus *c, enum head head, const struct left_out *left,
                    struct examples *out, struct error *err)
{
    *out = (struct examples){.items = calloc(w->n + 1, sizeof(*out->items))};
    if (out->items == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "learn: no memory");
    }
    for (size_t i = 0; i < w->n_documents; i++) {
        double weight = weight_of(&c->items[i], head);
        if (weight == 0 || is_left_out(&c->items[i], left)) {
            continue;
        }
        for (size_t k = w->of_document[i]; k < w->of_document[i + 1]; k++) {
            double size = weight * (w->items[k].is_sentence ? goals[head].sentences : 1);
            if (size > 0 || size < 0) {
                out->items[out->n++] = (struct example){&w->items[k], (float)size};
                *(size > 0 ? &out->positive : &out->negative) += fabs(size);
            }
        }
    }
    return true;
}

static double sum_of(const struct weights *weights, const uint32_t *rows, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += (double)weights->rows[rows[i]];
    }
    return n == 0 ? -30 : weights->bias + sum / sqrt((double)n + LINEAR_SMOOTH);
}

struct step {
    double rate, bias_rate;
    float *squares;
    double bias_square;
};

static void take(struct weights *weights, const struct windows *w, const struct example *e, struct step *step)
{
    const uint32_t *rows = w->rows + e->window->first;
    double z = sum_of(weights, rows, e->window->n), size = fabs((double)e->weight);
    double error = e->weight > 0 ? logistic(-z) : -logistic(z);
    double gradient = size * error, x = 1 / sqrt((double)e->window->n + LINEAR_SMOOTH);

    step->bias_square += gradient * gradient;
    weights->bias += step->bias_rate * gradient / sqrt(1e-3 + step->bias_square);
    for (size_t i = 0; i < e->window->n; i++) {
        float *weight = &weights->rows[rows[i]], *square = &step->squares[rows[i]];
        double g = gradient * x;
        *square += (float)(g * g);
        *weight += (float)(step->rate * g / sqrt(1e-3 + (double)*square));
    }
}

bool learn(const struct windows *w, const struct corpus *c, enum head head, const struct left_out *left,
           struct weights *out, struct error *err)
{
    struct examples examples;
    struct step step = {.rate = goals[head].rate};
    uint64_t state = SEED;

    if (!collect(w, c, head, left, &examples, err)) {
        return false;
    }
    out->rows = calloc((size_t)1 << w->bits, sizeof(*out->rows));
    out->bias = goals[head].bias;
    step.bias_rate = goals[head].bias < 0 ? 0 : step.rate;
    step.squares = calloc((size_t)1 << w->bits, sizeof(*step.squares));
    bool has_room = out->rows != NULL && step.squares != NULL;
    double share = examples.positive > 0 ? goals[head].positives * examples.negative / examples.positive : 1;
    for (size_t i = 0; has_room && i < examples.n; i++) {
        examples.items[i].weight *= examples.items[i].weight > 0 ? (float)share : 1;
    }
    for (unsigned epoch = 0; has_room && epoch < goals[head].epochs; epoch++) {
        shuffle(examples.items, examples.n, &state);
        for (size_t i = 0; i < examples.n; i++) {
            take(out, w, &examples.items[i], &step);
        }
    }
    free(step.squares);
    free(examples.items);
    return has_room || error_set(err, ERROR_NO_MEMORY, "learn: no memory");
}

void weights_deinit(struct weights *w)
{
    free(w->rows);
    w->rows = NULL;
}

double weights_z(const struct weights *weights, const struct windows *w, size_t window)
{
    return sum_of(weights, w->rows + w->items[window].first, w->items[window].n);
}
