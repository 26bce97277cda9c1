#include "classifiers/train/tagger/tagger_train.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "classifiers/model_write.h"

/* A candidate token of the training texts. */
struct seen_token {
    uint32_t first_feature;
    uint16_t n_features;
    uint16_t allowed; /* set of labels */
};

struct seen_run {
    uint32_t first, n; /* tokens */
    float weight;
};

/* Of a feature for each label but the first; one cache line. */
struct learnt {
    float weights[TAGGER_WEIGHTED], squares[TAGGER_WEIGHTED];
};

struct trainer {
    const struct training *how;
    const struct tagger_task *task;
    struct seen_token *tokens;
    struct seen_run *runs;
    uint32_t *features; /* buckets */
    size_t n_tokens, n_runs, n_features, cap_tokens, cap_runs, cap_features;
    struct learnt *learnt; /* by bucket */
    float (*means)[TAGGER_WEIGHTED]; /* sums of them, until the end */
    float step_means[TAGGER_LABELS][TAGGER_LABELS];
    float step[TAGGER_LABELS][TAGGER_LABELS], step_squares[TAGGER_LABELS][TAGGER_LABELS];
    bool never[TAGGER_LABELS][TAGGER_LABELS];
    struct tagger_chain chain;
    struct tagger_row rows[TAGGER_RUN], told[TAGGER_RUN];
    uint32_t kept[TAGGER_RUN][TAGGER_FEATURES_MAX];
    size_t n_kept[TAGGER_RUN];
    uint64_t random;
};

static void make_room(void *array_pointer, size_t n, size_t *cap, size_t size)
{
    void **array = array_pointer;

    if (n >= *cap) {
        *cap = *cap == 0 ? 1 << 16 : *cap * 2;
        *array = realloc(*array, *cap * size);
        if (*array == NULL) {
            give_up("out of memory");
        }
    }
}

/* --- what is to be learnt ---------------------------------------------------------- */

static const struct mark *mark_of(const struct example *e, const struct tagger_token *t)
{
    for (size_t i = 0; i < e->n_marks; i++) {
        if (t->from < e->marks[i].to && t->to > e->marks[i].from) {
            return &e->marks[i];
        }
    }
    return NULL;
}

static uint16_t allowed_labels(const struct trainer *r, const struct example *e,
                               const struct tagger_line *line, size_t i)
{
    const struct mark *m = mark_of(e, &line->tokens[i]);

    if (m == NULL) {
        return e->is_partial ? (uint16_t)(((1u << TAGGER_LABELS) - 1) & ~r->task->classes[0].labels) : 1;
    }
    if (m->label == LABEL_IGNORED) {
        return (uint16_t)((1u << TAGGER_LABELS) - 1);
    }
    if (r->task->classes[0].begins == 0) {
        /* Within what is sought, but of no told part. */
        return m->label >= TAGGER_LABELS ? r->task->classes[0].labels : (uint16_t)(1u << m->label);
    }
    bool goes_on =
        i > 0 && line->tokens[i - 1].is_candidate && mark_of(e, &line->tokens[i - 1]) == m;
    return (uint16_t)(1u << (m->label + goes_on));
}

static void add_token(struct trainer *r, const struct example *e, const struct tagger_line *line,
                      size_t i)
{
    uint32_t hashes[TAGGER_FEATURES_MAX];
    size_t n = r->task->features(line, i, hashes);

    make_room(&r->tokens, r->n_tokens, &r->cap_tokens, sizeof(*r->tokens));
    r->tokens[r->n_tokens++] =
        (struct seen_token){(uint32_t)r->n_features, (uint16_t)n, allowed_labels(r, e, line, i)};
    for (size_t f = 0; f < n; f++) {
        make_room(&r->features, r->n_features, &r->cap_features, sizeof(*r->features));
        r->features[r->n_features++] = tagger_bucket(hashes[f], r->how->n_buckets);
    }
}

static void add_example(struct trainer *r, const struct tagger_words *words,
                        struct tagger_scratch *scratch, const struct example *e)
{
    size_t next = 0;
    struct tagger_line line = tagger_read_line(r->task, words, scratch, e->text, 0, &next);

    for (size_t i = 0; i < line.n;) {
        uint32_t n = 0;
        while (n < TAGGER_RUN && i + n < line.n && line.tokens[i + n].is_candidate) {
            n++;
        }
        if (n > 0) {
            make_room(&r->runs, r->n_runs, &r->cap_runs, sizeof(*r->runs));
            r->runs[r->n_runs++] = (struct seen_run){(uint32_t)r->n_tokens, n, e->weight};
            for (size_t k = 0; k < n; k++) {
                add_token(r, e, &line, i + k);
            }
        }
        i += n > 0 ? n : 1;
    }
}

/* --- one step ---------------------------------------------------------------------- */

static float chance_of(struct trainer *r)
{
    return (float)(next_random(&r->random) >> 8) * (1.0f / 16777216.0f);
}

static void choose_features(struct trainer *r, const struct seen_token *t, size_t k)
{
    bool hides_word = chance_of(r) < r->how->lexical_dropout;
    size_t n = 0;

    for (size_t f = 0; f < t->n_features; f++) {
        bool hidden = f < TAGGER_LEXICAL ? hides_word : chance_of(r) < r->how->context_dropout;
        if (!hidden) {
            uint32_t bucket = r->features[t->first_feature + f];
            r->kept[k][n++] = bucket;
            __builtin_prefetch(&r->learnt[bucket], 1);
        }
    }
    r->n_kept[k] = n;
}

static void fill_rows(struct trainer *r, const struct seen_run *run)
{
    for (size_t k = 0; k < run->n; k++) {
        choose_features(r, &r->tokens[run->first + k], k);
    }
    for (size_t k = 0; k < run->n; k++) {
        const struct seen_token *t = &r->tokens[run->first + k];
        float scores[TAGGER_LABELS] = {0};
        float best = 0;
        for (size_t f = 0; f < r->n_kept[k]; f++) {
            for (size_t j = 0; j < TAGGER_WEIGHTED; j++) {
                scores[j + 1] += r->learnt[r->kept[k][f]].weights[j];
            }
        }
        for (size_t j = 0; j < TAGGER_LABELS; j++) {
            best = scores[j] > best ? scores[j] : best;
        }
        memset(&r->rows[k], 0, sizeof(r->rows[k]));
        memset(&r->told[k], 0, sizeof(r->told[k]));
        for (size_t j = 0; j < TAGGER_LABELS; j++) {
            r->rows[k].weight[j] = tagger_exp(scores[j] - best);
            r->told[k].weight[j] = t->allowed >> j & 1 ? r->rows[k].weight[j] : 0;
        }
    }
}

/* Adds sign times the expected number of each step in the run. */
static void add_steps(const struct trainer *r, const struct tagger_row *rows, size_t n, float sign,
                      float expected[TAGGER_LABELS][TAGGER_LABELS])
{
    for (size_t k = 0; k <= n; k++) {
        float pair[TAGGER_LABELS][TAGGER_LABELS];
        float sum = 0;
        for (size_t i = 0; i < TAGGER_LABELS; i++) {
            float before = k == 0 ? (float)(i == 0) : rows[k - 1].forward[i];
            for (size_t j = 0; j < TAGGER_LABELS; j++) {
                float after = k == n ? (float)(j == 0) : rows[k].weight[j] * rows[k].backward[j];
                pair[i][j] = before * r->chain.step[i][j] * after;
                sum += pair[i][j];
            }
        }
        for (size_t i = 0; sum > 0 && i < TAGGER_LABELS; i++) {
            for (size_t j = 0; j < TAGGER_LABELS; j++) {
                expected[i][j] += sign * pair[i][j] / sum;
            }
        }
    }
}

static void move(const struct training *how, float *weight, float *square, float gradient)
{
    gradient -= how->decay * *weight;
    *square += gradient * gradient;
    *weight += how->rate * gradient / sqrtf(*square + 1e-3f);
}

/* Of a feature; unrolled the loop would not be done in vectors. */
static void move_all(const struct training *how, struct learnt *restrict l, const float gradient[restrict TAGGER_WEIGHTED])
{
#pragma GCC unroll 1
    for (size_t j = 0; j < TAGGER_WEIGHTED; j++) {
        move(how, &l->weights[j], &l->squares[j], gradient[j]);
    }
}

static void move_steps(struct trainer *r, size_t n, float weight)
{
    float expected[TAGGER_LABELS][TAGGER_LABELS] = {{0}};

    add_steps(r, r->told, n, weight, expected);
    add_steps(r, r->rows, n, -weight, expected);
    for (size_t i = 0; i < TAGGER_LABELS; i++) {
        for (size_t j = 0; j < TAGGER_LABELS; j++) {
            if (!r->never[i][j] && expected[i][j] != 0) {
                move(r->how, &r->step[i][j], &r->step_squares[i][j], expected[i][j]);
                r->chain.step[i][j] = tagger_exp(r->step[i][j]);
            }
        }
    }
}

static void learn_run(struct trainer *r, const struct seen_run *run)
{
    fill_rows(r, run);
    (void)tagger_chain_run(&r->chain, r->told, run->n);
    (void)tagger_chain_run(&r->chain, r->rows, run->n);
    move_steps(r, run->n, run->weight);
    for (size_t k = 0; k < run->n; k++) {
        float gradient[TAGGER_WEIGHTED];
        float size = 0;
        for (size_t j = 0; j < TAGGER_WEIGHTED; j++) {
            gradient[j] = run->weight * (r->told[k].chance[j + 1] - r->rows[k].chance[j + 1]);
            size += fabsf(gradient[j]);
        }
        if (size < 1e-3f) {
            continue;
        }
        for (size_t f = 0; f < r->n_kept[k]; f++) {
            move_all(r->how, &r->learnt[r->kept[k][f]], gradient);
        }
    }
}

/* --- all of it ------------------------------------------------------------------------ */

/* As before the first step. Labels that go on follow only the same kind; where none begins every
 * step is possible. */
static void begin(struct trainer *r)
{
    memset(r->learnt, 0, sizeof(*r->learnt) * r->how->n_buckets);
    memset(r->step, 0, sizeof(r->step));
    memset(r->step_squares, 0, sizeof(r->step_squares));
    for (size_t i = 0; i < TAGGER_LABELS; i++) {
        for (size_t j = 0; j < TAGGER_LABELS; j++) {
            bool goes_on = r->task->classes[0].begins != 0 && j > 0 && j % 2 == 0;
            r->never[i][j] = goes_on && i != j && i + 1 != j;
            r->chain.step[i][j] = r->never[i][j] ? 0 : 1;
        }
    }
}

/* The mean over the last epochs of all trainings wavers less than where the last step ends. */
static void add_to_means(struct trainer *r)
{
    for (size_t i = 0; i < r->how->n_buckets; i++) {
        for (size_t j = 0; j < TAGGER_WEIGHTED; j++) {
            r->means[i][j] += r->learnt[i].weights[j];
        }
    }
    for (size_t i = 0; i < TAGGER_LABELS; i++) {
        for (size_t j = 0; j < TAGGER_LABELS; j++) {
            r->step_means[i][j] += r->step[i][j];
        }
    }
}

static void take_means(struct trainer *r)
{
    float share = 1.0f / (float)(r->how->averaged * r->how->trainings);

    for (size_t i = 0; i < r->how->n_buckets; i++) {
        for (size_t j = 0; j < TAGGER_WEIGHTED; j++) {
            r->learnt[i].weights[j] = r->means[i][j] * share;
        }
    }
    for (size_t i = 0; i < TAGGER_LABELS; i++) {
        for (size_t j = 0; j < TAGGER_LABELS; j++) {
            r->step[i][j] = r->step_means[i][j] * share;
            r->chain.step[i][j] = r->never[i][j] ? 0 : tagger_exp(r->step[i][j]);
        }
    }
}

static void shuffle(struct trainer *r, uint32_t *order)
{
    for (uint32_t i = (uint32_t)r->n_runs; i > 1; i--) {
        uint32_t other = random_below(&r->random, i);
        uint32_t kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
}

/* One training after the other, each from nothing and in another order. */
static void learn(struct trainer *r)
{
    uint32_t *order = need_memory(r->n_runs, sizeof(*order));

    for (uint32_t i = 0; i < r->n_runs; i++) {
        order[i] = i;
    }
    for (unsigned epoch = 0; epoch < r->how->epochs * r->how->trainings; epoch++) {
        if (epoch % r->how->epochs == 0) {
            begin(r);
        }
        shuffle(r, order);
        for (size_t i = 0; i < r->n_runs; i++) {
            learn_run(r, &r->runs[order[i]]);
        }
        if (epoch % r->how->epochs + r->how->averaged >= r->how->epochs) {
            add_to_means(r);
        }
    }
    free(order);
    take_means(r);
}

static struct tagger finish(const struct trainer *r, const struct tagger_words *words)
{
    enum { STEPS_OF_ONE = 24 };
    size_t n = r->how->n_buckets;
    struct tagger_weights *weights = need_memory(n, sizeof(*weights));
    struct tagger t = {
        .task = r->task, .words = *words, .weights = weights, .n_buckets = r->how->n_buckets};

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < TAGGER_WEIGHTED; j++) {
            float w = r->learnt[i].weights[j] * STEPS_OF_ONE;
            w += w < 0 ? -0.5f : 0.5f;
            weights[i].of[j] = (int8_t)(w > 127 ? 127 : w < -127 ? -127 : w);
        }
    }
    t.settings = (struct tagger_settings){.features_version = TAGGER_FEATURES_VERSION,
                                          .kind = r->how->kind,
                                          .weight = 1.0f / STEPS_OF_ONE};
    t.hopeless = tagger_hopeless(t.settings.weight);
    for (t.n_classes = 0; t.n_classes < r->task->n_classes; t.n_classes++) {
        t.classes[t.n_classes] = (struct tagger_class_settings){.floor = 0.5f, .slope = 1};
    }
    for (size_t i = 0; i < TAGGER_LABELS; i++) {
        for (size_t j = 0; j < TAGGER_LABELS; j++) {
            t.settings.step[i][j] = r->never[i][j] ? -1000 : r->step[i][j];
        }
    }
    t.chain = r->chain;
    return t;
}

struct tagger train_tagger(const struct training *how, const struct tagger_words *words,
                           const struct examples *all)
{
    static const struct tagger_task *const tasks[TAGGER_KINDS] = {&tagger_names, &tagger_addresses};
    struct tagger_scratch *scratch = need_memory(1, sizeof(*scratch));
    struct trainer *r = need_memory(1, sizeof(*r));

    r->how = how;
    r->task = tasks[how->kind];
    r->random = how->seed;
    r->learnt = aligned_alloc(sizeof(*r->learnt), how->n_buckets * sizeof(*r->learnt)); /* begin() clears it */
    if (r->learnt == NULL) {
        give_up("out of memory");
    }
    r->means = need_memory(how->n_buckets, sizeof(*r->means));
    for (size_t i = 0; i < all->n; i++) {
        add_example(r, words, scratch, &all->items[i]);
    }
    learn(r);
    struct tagger t = finish(r, words);
    free(r->learnt);
    free(r->means);
    free(r->tokens);
    free(r->runs);
    free(r->features);
    free(r);
    free(scratch);
    return t;
}

void write_tagger(const struct tagger *t, size_t n_words, const char *name, const char *path)
{
    struct tagger_settings settings = t->settings;
    const struct model_part parts[] = {
        {"settings", &settings, sizeof(settings)},
        {"words", t->words.table, n_words * sizeof(*t->words.table)},
        {"weights", t->weights, (size_t)t->n_buckets * TAGGER_WEIGHTED},
        {"classes", &t->classes[1], (t->n_classes - 1) * sizeof(t->classes[1])}};
    CLEANUP(buf_deinit) struct buf out;
    struct error err;

    settings.floor = t->classes[0].floor;
    settings.slope = t->classes[0].slope;
    settings.offset = t->classes[0].offset;
    buf_init(&out, MODEL_SIZE_MAX);
    if (!model_write("tagger", name, parts, COUNT(parts) - (t->n_classes == 1), &out, &err) ||
        !file_write_atomic(path, buf_span(&out), 0644, &err)) {
        give_up("%s: %s", path, err.text);
    }
}
