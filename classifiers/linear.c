#include "classifiers/linear.h"

#include <math.h>
#include <stdlib.h>

#include "classifiers/uninitialised.h"
#include "text/script.h"
#include "view/segment.h"

_Static_assert(sizeof(struct linear_settings) == 16 && sizeof(struct linear_head) == 52 && sizeof(struct linear_row) == 8,
               "as they stand in models");
_Static_assert((int)SEGMENT_SENTENCE_MAX <= (int)FEATURES_PIECE_MAX, "a sentence is a piece");

struct linear {
    struct model *model;
    const struct linear_settings *settings;
    const struct linear_head *heads;
    const struct linear_row *rows;
};

/* --- opening ---------------------------------------------------------------- */

static bool is_number(float value)
{
    return isfinite(value) && fabsf(value) <= 1e6F;
}

static bool check_head(const struct linear_head *h)
{
    return is_number(h->step) && is_number(h->bias) && is_number(h->slope) && h->slope > 0 && is_number(h->offset) &&
           is_number(h->discount) && h->discount >= 0 && h->discount_by <= LINEAR_HEADS && is_number(h->other_script) && h->acts <= 1 &&
           h->judges_unit <= 1;
}

static bool check(const struct linear *l, size_t n_heads, size_t n_rows, struct error *err)
{
    const struct linear_settings *s = l->settings;

    if (s->features != FEATURES_VERSION) {
        return error_set(err, ERROR_INVALID, "model: features of version %u expected, not %u", (unsigned)FEATURES_VERSION,
                         s->features);
    }
    if (s->bits < LINEAR_BITS_MIN || s->bits > LINEAR_BITS_MAX || s->half == 0 || s->half > LINEAR_HALF_MAX) {
        return error_set(err, ERROR_MALFORMED, "model: settings out of range");
    }
    if (n_heads != LINEAR_HEADS || n_rows != (size_t)1 << s->bits) {
        return error_set(err, ERROR_MALFORMED, "model: %d heads and %zu rows expected", LINEAR_HEADS, (size_t)1 << s->bits);
    }
    for (size_t i = 0; i < n_heads; i++) {
        if (!check_head(&l->heads[i])) {
            return error_set(err, ERROR_MALFORMED, "model: head %zu: numbers out of range", i);
        }
    }
    return true;
}

static bool read_sections(struct linear *l, struct error *err)
{
    size_t n_heads = 0, n_rows = 0;

    l->settings = model_struct(l->model, "settings", sizeof(*l->settings), err);
    if (l->settings == NULL) {
        return false;
    }
    l->heads = model_array(l->model, "heads", sizeof(*l->heads), &n_heads, err);
    if (l->heads == NULL) {
        return false;
    }
    l->rows = model_array(l->model, "rows", sizeof(*l->rows), &n_rows, err);
    return l->rows != NULL && check(l, n_heads, n_rows, err);
}

struct linear *linear_open(struct model *m, struct error *err)
{
    struct linear found = {.model = m};
    struct linear *l = NULL;

    if (read_sections(&found, err)) {
        l = malloc(sizeof(*l));
        if (l == NULL) {
            error_set(err, ERROR_NO_MEMORY, "model: no memory");
        }
    }
    if (l == NULL) {
        model_close(m);
        return NULL;
    }
    *l = found;
    return l;
}

void linear_close(struct linear *l)
{
    if (l != NULL) {
        model_close(l->model);
        free(l);
    }
}

struct span linear_digest(const struct linear *l)
{
    return model_digest(l->model);
}

unsigned linear_head_of(const struct linear *l, struct span name)
{
    unsigned head = 0;

    while (head < LINEAR_HEADS && !(name.len > 0 && name.len == strnlen(l->heads[head].name, MODEL_NAME) &&
                                    memcmp(l->heads[head].name, name.ptr, name.len) == 0)) {
        head++;
    }
    return head;
}

bool linear_acts(const struct linear *l, unsigned head)
{
    return head < LINEAR_HEADS && l->heads[head].acts == 1;
}

bool linear_judges_unit(const struct linear *l, unsigned head)
{
    return head < LINEAR_HEADS && l->heads[head].judges_unit == 1;
}

/* --- scanning ---------------------------------------------------------------- */

typedef int8_t bytes16 __attribute__((vector_size(16)));
typedef int16_t words8 __attribute__((vector_size(16)));
typedef int64_t longs2 __attribute__((vector_size(16)));

/* What is summed of a piece of text, of all heads. */
struct tally {
    int32_t sums[LINEAR_HEADS];
    uint32_t n;
    size_t other_script; /* bytes */
};

/* 256 weights of at most 128 fit 16 bits. */
static void add_rows(const struct linear_row *table, const uint32_t *rows, size_t n, struct tally *t)
{
    enum { AT_ONCE = 255 };

    for (size_t i = 0; i < n;) {
        words8 sum = {0};
        size_t end = n - i < AT_ONCE ? n : i + AT_ONCE;
        for (; i < end; i++) {
            int64_t eight;
            memcpy(&eight, &table[rows[i]], sizeof(eight));
            bytes16 v = (bytes16)(longs2){eight, 0};
            sum += (words8)__builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7) >> 8;
        }
        for (int k = 0; k < LINEAR_HEADS; k++) {
            t->sums[k] += sum[k];
        }
    }
    t->n += (uint32_t)n;
}

static void take_discounts(const struct linear *l, float z[LINEAR_HEADS])
{
    float before[LINEAR_HEADS];

    memcpy(before, z, sizeof(before));
    for (int k = 0; k < LINEAR_HEADS; k++) {
        uint32_t by = l->heads[k].discount_by;
        if (by < LINEAR_HEADS && before[by] > 0) {
            z[k] -= l->heads[k].discount * before[by];
        }
    }
}

/* Two halves scored together; the first may be empty. */
static bool put_out(const struct linear *l, const struct tally *a, const struct tally *b, struct span text,
                    struct linear_window *window, linear_window_fn *found, void *context)
{
    uint32_t n = a->n + b->n;

    if (n == 0 || !features_has_letters(span_slice(text, window->from, window->to))) {
        return true;
    }
    float root = 1 / sqrtf((float)n + LINEAR_SMOOTH);
    float share = (float)(a->other_script + b->other_script) / (float)(window->to - window->from);
    for (int k = 0; k < LINEAR_HEADS; k++) {
        window->z[k] = (float)(a->sums[k] + b->sums[k]) * l->heads[k].step * root + l->heads[k].bias + l->heads[k].other_script * share;
    }
    take_discounts(l, window->z);
    return found(context, window);
}

bool linear_scan(const struct linear *l, struct span text, linear_window_fn *found, void *context)
{
    static const struct tally none;
    LEFT_AS_IT_IS uint32_t rows[FEATURES_MAX];
    struct tally current = {0}, before = {0};
    size_t from = 0, from_before = 0;

    for (size_t at = 0; at < text.len;) {
        size_t len = segment_first(SEGMENT_SENTENCE, span_slice(text, at, text.len), true);
        struct span piece = span_slice(text, at, at + len);
        size_t n = features_of(piece, l->settings->bits, rows);
        add_rows(l->rows, rows, n, &current);
        current.other_script += script_other(piece);
        at += len;
        if (at - from < l->settings->half && at < text.len) {
            continue;
        }
        struct linear_window both = {.from = from_before, .to = at}, alone = {.from = from, .to = at};
        if ((from != from_before && !put_out(l, &before, &current, text, &both, found, context)) ||
            !put_out(l, &none, &current, text, &alone, found, context)) {
            return false;
        }
        before = current;
        from_before = from;
        current = none;
        from = at;
    }
    return true;
}

double linear_score(const struct linear *l, unsigned head, double z)
{
    const struct linear_head *h = &l->heads[head];

    return 1 / (1 + exp(-((double)h->slope * z + (double)h->offset)));
}

double linear_z(const struct linear *l, unsigned head, double score)
{
    const struct linear_head *h = &l->heads[head];

    if (score <= 0) {
        return -INFINITY;
    }
    return score >= 1 ? INFINITY : (log(score / (1 - score)) - (double)h->offset) / (double)h->slope;
}

/* --- explaining -------------------------------------------------------------- */

/* Puts the reason in its place, strongest first. */
static size_t insert(struct linear_reason *reasons, size_t n, size_t max, struct linear_reason reason)
{
    size_t at = n;

    while (at > 0 && reasons[at - 1].weight < reason.weight) {
        at--;
    }
    if (at == max) {
        return n;
    }
    n = n < max ? n + 1 : n;
    memmove(&reasons[at + 1], &reasons[at], (n - at - 1) * sizeof(*reasons));
    reasons[at] = reason;
    return n;
}

/* A sentence's part of z, spread over the bytes that it comes from; and that of a byte of another script. */
struct spread {
    float weights[FEATURES_PIECE_MAX];
    float other_script;
};

static size_t count_features(const struct linear *l, struct span window)
{
    LEFT_AS_IT_IS uint32_t rows[FEATURES_MAX];
    size_t n = 0;

    for (size_t at = 0; at < window.len;) {
        size_t len = segment_first(SEGMENT_SENTENCE, span_slice(window, at, window.len), true);
        n += features_of(span_slice(window, at, at + len), l->settings->bits, rows);
        at += len;
    }
    return n;
}

/* unit: what one of a weight's steps is in z. */
static void spread_weights(const struct linear *l, unsigned head, struct span piece, float unit, struct spread *out)
{
    LEFT_AS_IT_IS struct feature_place places[FEATURES_MAX];
    size_t n = features_places(piece, l->settings->bits, places);

    memset(out->weights, 0, sizeof(out->weights));
    for (size_t i = 0; i < n; i++) {
        size_t to = places[i].to > places[i].from ? places[i].to : places[i].from + 1U;
        float share = unit * l->rows[places[i].row].weights[head] / (float)(to - places[i].from);
        for (size_t k = places[i].from; k < to && k < FEATURES_PIECE_MAX; k++) {
            out->weights[k] += share;
        }
    }
}

static bool is_gap(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The sentence's words, with what is at them. */
static size_t add_words(const struct spread *s, struct span piece, size_t at, struct linear_reason *reasons, size_t n,
                        size_t max)
{
    for (size_t i = 0; i < piece.len;) {
        size_t from = i;
        float sum = 0;
        while (i < piece.len && !is_gap(piece.ptr[i])) {
            sum += s->weights[i++];
        }
        sum += s->other_script * (float)script_other(span_slice(piece, from, i));
        if (sum > 0) {
            n = insert(reasons, n, max, (struct linear_reason){at + from, at + i, sum});
        }
        i += i == from;
    }
    return n;
}

size_t linear_explain(const struct linear *l, unsigned head, struct span window, struct linear_reason *reasons, size_t max)
{
    float unit = l->heads[head].step / sqrtf((float)count_features(l, window) + LINEAR_SMOOTH);
    struct spread spread = {.other_script = window.len > 0 ? l->heads[head].other_script / (float)window.len : 0};
    size_t n = 0;

    for (size_t at = 0; at < window.len;) {
        size_t len = segment_first(SEGMENT_SENTENCE, span_slice(window, at, window.len), true);
        struct span piece = span_slice(window, at, at + len);
        spread_weights(l, head, piece, unit, &spread);
        n = add_words(&spread, piece, at, reasons, n, max);
        at += len;
    }
    return n;
}
