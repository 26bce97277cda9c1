/* linear.h - linear models over hashed n-grams: many heads, one pass.
 *
 * A text is cut into sentences (view/segment.h), sentences are put together to halves of at least `half` bytes, and each
 * half is scored alone and with the one before it, so that what matters is seen with what is around it wherever
 * it is. A window's score is its features' weights, divided by the root of their number and LINEAR_SMOOTH more, as few
 * words say little, made a probability by the head's own curve (Platt). Rows of the table hold the weights of all heads side by side: one look at memory for all.
 *
 * A head may be discounted by another: help with harm is scored less where the same window declines. It may also be told how
 * much of the window is in another script than Latin (text/script.h), which no n-gram that was never seen says.
 *
 * Immutable once open; thread-safe. The model's numbers are checked as they are opened: whatever they are, scores are in
 * [0, 1] and nothing is read outside the table. */
#ifndef FILTERD_CLASSIFIERS_LINEAR_H
#define FILTERD_CLASSIFIERS_LINEAR_H

#include "classifiers/features.h"
#include "classifiers/model.h"

enum { LINEAR_HEADS = 8, LINEAR_BITS_MIN = 8, LINEAR_BITS_MAX = 20, LINEAR_HALF_MAX = 4096, LINEAR_SMOOTH = 60 };

/* As they are in the model: sections "settings" (one), "heads" (LINEAR_HEADS), "rows" (1 << bits). */
struct linear_settings {
    uint32_t features, bits, half, zero;
};

struct linear_head {
    char name[MODEL_NAME];
    float step;     /* what one unit of a weight is worth */
    float bias;
    float slope, offset; /* score = 1 / (1 + exp(-(slope * z + offset))) */
    uint32_t discount_by; /* a head's index, LINEAR_HEADS: none */
    float discount;       /* how much of that head's z, where above 0, is taken away */
    float other_script;   /* added to z, times the share of the window that is letters of no Latin alphabet */
    uint32_t zero;
};

struct linear_row {
    int8_t weights[LINEAR_HEADS];
};

struct linear;

/* Takes the model, on failure too. */
struct linear *linear_open(struct model *m, struct error *err);
void linear_close(struct linear *l);

struct span linear_digest(const struct linear *l);
/* Which head has the name; LINEAR_HEADS: none. */
unsigned linear_head_of(const struct linear *l, struct span name);

struct linear_window {
    size_t from, to; /* bytes of the text */
    float z[LINEAR_HEADS];
};

/* False ends the scan. */
typedef bool linear_window_fn(void *context, const struct linear_window *window);

/* Scores every window of the text that has letters (features_has_letters) and features, in order. False when `found` said so. */
bool linear_scan(const struct linear *l, struct span text, linear_window_fn *found, void *context);

/* The calibrated score of a z of that head; and the z that a score is made of, for comparing many with one. */
double linear_score(const struct linear *l, unsigned head, double z);
double linear_z(const struct linear *l, unsigned head, double score);

/* Which words of a text of one window spoke most for the head, strongest first: bytes of the text, and their part of z. A
 * feature of several words or of parts of one is spread over the bytes that it is made of. */
struct linear_reason {
    size_t from, to;
    float weight;
};
size_t linear_explain(const struct linear *l, unsigned head, struct span window, struct linear_reason *reasons, size_t max);

#endif
