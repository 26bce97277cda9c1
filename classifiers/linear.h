/* linear.h - linear models over hashed n-grams: many heads, one pass.
 *
 * A text is split into sentences (view/segment.h), which are joined to halves of at least `half` bytes. Each
 * half is scored alone and with the previous one, so that every passage is scored with its context. A window's score is
 * the sum of its features' weights, divided by the square root of their number plus LINEAR_SMOOTH, since few
 * words are weak evidence, and mapped to a probability by the head's curve (Platt). A row of the table has the weights of all
 * heads, for one memory access.
 *
 * A head may be discounted by another: help with harm scores less if the same window declines. A head may also use
 * the share of the window in a script other than Latin (text/script.h), which unseen n-grams cannot express.
 *
 * A head judges windows, or a unit (a sentence, a paragraph, all of a text) as a whole: then its z is the mean of the unit's
 * windows, each weighing its bytes. An answer that declines and then helps has windows that decline, and its mean is low.
 *
 * Immutable once open; thread-safe. Opening checks the model's numbers: scores are always in
 * [0, 1], and no access is outside the table. */
#ifndef FILTERD_CLASSIFIERS_LINEAR_H
#define FILTERD_CLASSIFIERS_LINEAR_H

#include "classifiers/features.h"
#include "classifiers/model.h"

enum { LINEAR_HEADS = 8, LINEAR_BITS_MIN = 8, LINEAR_BITS_MAX = 20, LINEAR_HALF_MAX = 4096, LINEAR_SMOOTH = 60 };

/* The layout in the model: sections "settings" (one), "heads" (LINEAR_HEADS), "rows" (1 << bits). */
struct linear_settings {
    uint32_t features, bits, half, zero;
};

struct linear_head {
    char name[MODEL_NAME];
    float step;     /* the value of one unit of a weight */
    float bias;
    float slope, offset; /* score = 1 / (1 + exp(-(slope * z + offset))) */
    uint32_t discount_by; /* a head's index, LINEAR_HEADS: none */
    float discount;       /* the part of that head's z, if positive, that is subtracted */
    float other_script;   /* added to z, times the share of non-Latin letters in the window */
    uint32_t acts;        /* 1: policies may redact and block by it; 0: it only reports */
    uint32_t judges_unit; /* 1: its z is that of the unit, not of a window */
};

struct linear_row {
    int8_t weights[LINEAR_HEADS];
};

struct linear;

/* Takes the model over, also on failure. */
struct linear *linear_open(struct model *m, struct error *err);
void linear_close(struct linear *l);

struct span linear_digest(const struct linear *l);
/* The index of the head with that name; LINEAR_HEADS: none. */
unsigned linear_head_of(const struct linear *l, struct span name);
/* Whether policies may redact and block by what the head finds; otherwise it only reports. */
bool linear_acts(const struct linear *l, unsigned head);
/* Whether the head judges units as a whole; only what it says of all of a text was measured. */
bool linear_judges_unit(const struct linear *l, unsigned head);

/* The windows of a unit, for a head that judges it as a whole; zero: none yet. */
struct linear_unit {
    double sum; /* of z times bytes */
    size_t bytes;
};

static inline void linear_unit_add(struct linear_unit *u, double z, size_t bytes)
{
    u->sum += z * (double)bytes;
    u->bytes += bytes;
}

/* Of at least one window. */
static inline double linear_unit_z(const struct linear_unit *u)
{
    return u->sum / (double)u->bytes;
}

struct linear_window {
    size_t from, to; /* bytes of the text */
    float z[LINEAR_HEADS];
};

/* False ends the scan. */
typedef bool linear_window_fn(void *context, const struct linear_window *window);

/* Scores, in order, every window of the text that has letters (features_has_letters) and features. False when `found`
 * returned false. */
bool linear_scan(const struct linear *l, struct span text, linear_window_fn *found, void *context);

/* The calibrated score for a z of that head; and the z for a score, to compare many with one. */
double linear_score(const struct linear *l, unsigned head, double z);
double linear_z(const struct linear *l, unsigned head, double score);

/* The words of a window that contributed most to the head, strongest first: bytes of the text, and their part of z. The
 * weight of a feature is spread over its bytes. */
struct linear_reason {
    size_t from, to;
    float weight;
};
size_t linear_explain(const struct linear *l, unsigned head, struct span window, struct linear_reason *reasons, size_t max);

#endif
