/* tagger_testing.h - a tagger of names made by hand, for tests: a word of a list of given names begins a person, one of surnames goes on
 * with it. */
#ifndef FILTERD_TESTS_TAGGER_TESTING_H
#define FILTERD_TESTS_TAGGER_TESTING_H

#include "testing.h"

#include <stdlib.h>

#include "base/buf.h"
#include "classifiers/model_write.h"
#include "classifiers/tagger.h"

enum { MADE_WORDS = 256, MADE_BUCKETS = 1 << 16 };

struct hand_made {
    struct tagger_settings settings;
    struct tagger_word words[MADE_WORDS];
    struct tagger_weights weights[MADE_BUCKETS];
    struct tagger_class_settings classes[TAGGER_CLASSES]; /* after the first */
};

struct made_tagger {
    struct hand_made parts;
    size_t n_words, n_buckets, n_classes; /* as written */
    unsigned sought;                      /* classes, as bits; persons at first */
    struct buf bytes;
    void *aligned;
    struct model *model;
    struct tagger tagger;
    struct tagger_scratch scratch;
    struct tagger_entity found[64];
    size_t n_found;
};

static inline void made_know_word(struct hand_made *m, const char *word, unsigned flags)
{
    uint32_t hash = 0;

    assert_true(tagger_hash_word(span_str(word), &hash));
    for (uint32_t i = hash;; i++) {
        if (m->words[i % MADE_WORDS].hash == 0) {
            m->words[i % MADE_WORDS] = (struct tagger_word){hash, (uint16_t)flags, 0, 0};
            return;
        }
    }
}

/* What is seen of a capitalised word of exactly these lists. */
static inline void made_weigh(struct hand_made *m, unsigned flags, unsigned label, int8_t weight)
{
    m->weights[tagger_mix(27, flags << 8 | TAGGER_TITLE) >> 16].of[label - 1] = weight;
}

/* Of cmocka: *state is a struct made_tagger, not yet open. */
static inline int made_set_up(void **state)
{
    struct made_tagger *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->parts.settings = (struct tagger_settings){.features_version = TAGGER_FEATURES_VERSION,
                                                 .kind = TAGGER_NAMES,
                                                 .weight = 0.1f,
                                                 .floor = 0.5f,
                                                 .slope = 1};
    made_know_word(&f->parts, "ann", TAGGER_WORD_GIVEN);
    made_know_word(&f->parts, "hara", TAGGER_WORD_SURNAME);
    made_weigh(&f->parts, TAGGER_WORD_GIVEN, TAGGER_PERSON_BEGINS, 100);
    made_weigh(&f->parts, TAGGER_WORD_SURNAME, TAGGER_PERSON, 100);
    for (size_t i = 0; i < TAGGER_CLASSES; i++) {
        f->parts.classes[i] = (struct tagger_class_settings){.floor = 0.5f, .slope = 1};
    }
    f->n_words = MADE_WORDS;
    f->n_buckets = MADE_BUCKETS;
    f->sought = 1u << TAGGER_CLASS_PERSON;
    buf_init(&f->bytes, MODEL_SIZE_MAX);
    *state = f;
    return 0;
}

static inline int made_tear_down(void **state)
{
    struct made_tagger *f = *state;

    model_close(f->model);
    buf_deinit(&f->bytes);
    free(f->aligned);
    free(f);
    return 0;
}

/* Forgets what was opened before, so that another can be made. */
static inline void made_close(struct made_tagger *f)
{
    model_close(f->model);
    f->model = NULL;
    buf_clear(&f->bytes);
    free(f->aligned);
    f->aligned = NULL;
}

static inline bool made_open(struct made_tagger *f, struct error *err)
{
    const struct model_part parts[] = {
        {"settings", &f->parts.settings, sizeof(f->parts.settings)},
        {"words", f->parts.words, f->n_words * sizeof(struct tagger_word)},
        {"weights", f->parts.weights, f->n_buckets * sizeof(struct tagger_weights)},
        {"classes", f->parts.classes, f->n_classes * sizeof(struct tagger_class_settings)}};

    assert_true(model_write("tagger", "test", parts, COUNT(parts) - (f->n_classes == 0), &f->bytes, err));
    f->aligned =
        aligned_alloc(MODEL_ALIGN, (f->bytes.len + MODEL_ALIGN - 1) / MODEL_ALIGN * MODEL_ALIGN);
    assert_non_null(f->aligned);
    memcpy(f->aligned, f->bytes.data, f->bytes.len);
    f->model = model_open_bytes(span_of(f->aligned, f->bytes.len), "test", "tagger", err);
    assert_non_null(f->model);
    return tagger_open(&f->tagger, f->model, err);
}

static void note_found(void *ctx, const struct tagger_entity *entity)
{
    struct made_tagger *f = ctx;

    assert_true(f->n_found < COUNT(f->found));
    f->found[f->n_found++] = *entity;
}

static inline void made_find(struct made_tagger *f, struct span text)
{
    const struct tagger_search search = {&f->tagger, f->sought};

    f->n_found = 0;
    tagger_find(&search, &f->scratch, text, note_found, f);
}

/* The i-th of what was found is this name. */
static inline void made_assert_found(const struct made_tagger *f, size_t i, const char *text, const char *name)
{
    const struct tagger_entity *e = &f->found[i];

    assert_true(i < f->n_found && e->from < e->to && e->to <= strlen(text));
    assert_int_equal(e->to - e->from, strlen(name));
    assert_memory_equal(text + e->from, name, strlen(name));
    assert_true(e->confidence > 0.5f && e->confidence <= 1);
}

#endif
