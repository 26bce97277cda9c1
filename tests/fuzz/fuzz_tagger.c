/* fuzz_tagger.c - whatever the model says, what a tagger finds lies within the text, in order, with
 * a confidence.
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

struct seen {
    size_t len;
    uint32_t end;
};

static void check(void *ctx, const struct tagger_entity *e)
{
    struct seen *seen = ctx;

    require(e->from >= seen->end && e->from < e->to && e->to <= seen->len);
    require(e->confidence >= 0 && e->confidence <= 1);
    seen->end = e->to;
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
                         .settings = {.weight = (float)(head[225] + 1) / 256,
                                      .floor = (float)(head[226] + 3) / 260,
                                      .slope = head[227]}};
    for (size_t i = 0; i < TAGGER_LABELS; i++) {
        for (size_t j = 0; j < TAGGER_LABELS; j++) {
            t->chain.step[i][j] = (float)head[228 + (i * TAGGER_LABELS + j) % 28];
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tagger_scratch scratch;
    static struct tagger_word words[WORDS];
    static struct tagger_weights weights[BUCKETS];
    struct tagger t;

    if (size < HEAD) {
        return 0;
    }
    make_tagger(data, words, weights, &t);
    struct span text = span_of((const char *)data + HEAD, size - HEAD);
    struct seen seen = {.len = text.len};
    tagger_find(&t, &scratch, text, check, &seen);
    return 0;
}
