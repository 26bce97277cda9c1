/* fuzz_tagger.c - whatever the model says, what a tagger finds of a class lies within the text, in order, with
 * a confidence, and is the same whichever other classes are sought.
 *
 * The input: 256 bytes for a model's tables and settings, the rest is the text. */
#include <stdlib.h>

#include "classifiers/tagger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 256, WORDS = 64, BUCKETS = 64 };

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

enum { FOUND_MAX = 256 };

struct seen {
    size_t len;
    uint32_t end[TAGGER_CLASSES];
    struct tagger_entity found[TAGGER_CLASSES][FOUND_MAX];
    size_t n[TAGGER_CLASSES];
};

static void check(void *ctx, const struct tagger_entity *e)
{
    struct seen *seen = ctx;

    require(e->class < TAGGER_CLASSES);
    require(e->from >= seen->end[e->class] && e->from < e->to && e->to <= seen->len);
    require(e->confidence >= 0 && e->confidence <= 1);
    seen->end[e->class] = e->to;
    if (seen->n[e->class] < FOUND_MAX) {
        seen->found[e->class][seen->n[e->class]++] = *e;
    }
}

/* A tagger as tagger_open leaves it, of tables that no trainer made. */
static void make_tagger(const uint8_t *head, struct tagger_word words[WORDS],
                        struct tagger_weights weights[BUCKETS], struct tagger *t)
{
    for (size_t i = 0; i < WORDS; i++) {
        words[i] =
            (struct tagger_word){.hash = head[i] == 0 ? 0 : (uint32_t)i * 0x01010101u + head[i],
                                 .flags = (uint16_t)(head[i] * 257u),
                                 .group = head[i]};
    }
    for (size_t i = 0; i < BUCKETS * TAGGER_WEIGHTED; i++) {
        weights[i / TAGGER_WEIGHTED].of[i % TAGGER_WEIGHTED] = (int8_t)head[64 + i % 160];
    }
    *t = (struct tagger){.task = head[224] & 1 ? &tagger_addresses : &tagger_names,
                         .words = {words, WORDS - 1},
                         .weights = weights,
                         .n_buckets = BUCKETS,
                         .settings = {.weight = (float)(head[225] + 1) / 256}};
    t->hopeless = tagger_hopeless(t->settings.weight);
    for (t->n_classes = 0; t->n_classes < t->task->n_classes; t->n_classes++) {
        t->classes[t->n_classes] =
            (struct tagger_class_settings){.floor = (float)(head[226] + 3) / 260, .slope = head[227]};
    }
    for (size_t i = 0; i < TAGGER_LABELS; i++) {
        for (size_t j = 0; j < TAGGER_LABELS; j++) {
            t->chain.step[i][j] = (float)head[228 + (i * TAGGER_LABELS + j) % 28];
        }
    }
}

static void find(const struct tagger *t, unsigned classes, struct span text, struct seen *seen)
{
    static struct tagger_scratch scratch;
    const struct tagger_search search = {t, classes};

    *seen = (struct seen){.len = text.len};
    tagger_find(&search, &scratch, text, check, seen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct seen together, alone;
    static struct tagger_word words[WORDS];
    static struct tagger_weights weights[BUCKETS];
    struct tagger t;

    if (size < HEAD) {
        return 0;
    }
    make_tagger(data, words, weights, &t);
    struct span text = span_of((const char *)data + HEAD, size - HEAD);
    find(&t, (1u << TAGGER_CLASSES) - 1, text, &together);
    for (unsigned k = 0; k < t.n_classes; k++) {
        find(&t, 1u << k, text, &alone);
        require(alone.n[k] == together.n[k]);
        for (size_t i = 0; i < alone.n[k]; i++) {
            const struct tagger_entity *a = &alone.found[k][i], *b = &together.found[k][i];
            require(a->from == b->from && a->to == b->to && a->confidence == b->confidence);
        }
    }
    return 0;
}
