#include "classifiers/tagger.h"

#include <stdatomic.h>

static bool is_power_of_two(size_t n, unsigned bits_max)
{
    return n > 1 && (n & (n - 1)) == 0 && n <= (size_t)1 << bits_max;
}

/* False for NaN, too. */
static bool is_within(float x, float low, float high)
{
    return x >= low && x <= high;
}

static bool check_class(const struct tagger_class_settings *c)
{
    return is_within(c->floor, 0.01f, 1) && is_within(c->slope, 0, 100) &&
           is_within(c->offset, -100, 100) && c->acts <= 1;
}

static struct tagger_class_settings first_class(const struct tagger_settings *s)
{
    return (struct tagger_class_settings){.floor = s->floor, .slope = s->slope, .offset = s->offset, .acts = 1};
}

static bool check_settings(const struct tagger_settings *s, struct error *err)
{
    const struct tagger_class_settings first = first_class(s);
    bool holds = s->kind < TAGGER_KINDS && is_within(s->weight, 1e-6f, 1) && check_class(&first) && s->zero == 0;

    for (size_t i = 0; i < TAGGER_LABELS; i++) {
        for (size_t j = 0; j < TAGGER_LABELS; j++) {
            holds = holds && is_within(s->step[i][j], -1000, 50);
        }
    }
    if (s->features_version != TAGGER_FEATURES_VERSION) {
        return error_set(err, ERROR_INVALID, "tagger: features of form %d expected, not %u",
                         TAGGER_FEATURES_VERSION, s->features_version);
    }
    return holds || error_set(err, ERROR_INVALID, "tagger: settings out of range");
}

static void fill_chain(struct tagger *t)
{
    memset(&t->chain, 0, sizeof(t->chain));
    for (size_t i = 0; i < TAGGER_LABELS; i++) {
        for (size_t j = 0; j < TAGGER_LABELS; j++) {
            t->chain.step[i][j] =
                t->settings.step[i][j] > -100 ? tagger_exp(t->settings.step[i][j]) : 0;
        }
    }
}

/* The classes after the first. */
static bool read_classes(struct tagger *t, const struct model *m, struct error *err)
{
    size_t n = 0;

    t->classes[0] = first_class(&t->settings);
    t->n_classes = 1;
    if (!model_has(m, "classes")) {
        return true;
    }
    const struct tagger_class_settings *classes = model_array(m, "classes", sizeof(*classes), &n, err);
    if (classes == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (t->n_classes >= t->task->n_classes || !check_class(&classes[i])) {
            return error_set(err, ERROR_INVALID, "tagger: class %zu out of range", i + 1);
        }
        t->classes[t->n_classes++] = classes[i];
    }
    return true;
}

int16_t tagger_hopeless(float weight)
{
    static const float hopeless = 6; /* e^-6: 1 in 400 */
    int16_t steps = 0;

    while (steps < INT16_MAX && (float)steps * weight < hopeless) {
        steps++;
    }
    return steps;
}

static atomic_uint_fast64_t opened;

bool tagger_open(struct tagger *t, const struct model *m, struct error *err)
{
    static const struct tagger_task *const tasks[TAGGER_KINDS] = {&tagger_names, &tagger_addresses};
    size_t n_words = 0;
    size_t n_buckets = 0;
    const struct tagger_settings *settings = model_struct(m, "settings", sizeof(*settings), err);
    const struct tagger_word *words =
        settings == NULL ? NULL : model_array(m, "words", sizeof(*words), &n_words, err);
    const struct tagger_weights *weights =
        words == NULL ? NULL : model_array(m, "weights", sizeof(*weights), &n_buckets, err);

    if (weights == NULL || !check_settings(settings, err)) {
        return false;
    }
    if (!is_power_of_two(n_words, TAGGER_WORDS_BITS_MAX) || n_buckets > TAGGER_BUCKETS_MAX) {
        return error_set(err, ERROR_MALFORMED, "tagger: words of a power of two and at most %d weights expected", TAGGER_BUCKETS_MAX);
    }
    t->task = tasks[settings->kind];
    t->settings = *settings;
    t->words = (struct tagger_words){words, (uint32_t)n_words - 1};
    t->weights = weights;
    t->n_buckets = (uint32_t)n_buckets;
    if (!read_classes(t, m, err)) {
        return false;
    }
    fill_chain(t);
    t->hopeless = tagger_hopeless(settings->weight);
    t->number = atomic_fetch_add_explicit(&opened, 1, memory_order_relaxed) + 1;
    return true;
}
