/* bench_tagger.c - how fast names and addresses are sought in benign answers, and how long their
 * models take to load.
 *
 * Texts are cut into paragraphs, as in a stream. The time is that of this thread alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "classifiers/embedded.h"
#include "classifiers/tagger.h"
#include "text/segment.h"

enum { BYTES = 4 * 1024 * 1024, ROUNDS = 3 };

static void count(void *ctx, const struct tagger_entity *entity)
{
    size_t *n = ctx;

    *n += entity->to > entity->from;
}

static size_t seek(const struct tagger *t, struct tagger_scratch *scratch, struct span text)
{
    size_t n = 0;

    for (size_t at = 0; at < text.len;) {
        struct span rest = span_slice(text, at, text.len);
        size_t len = segment_first(SEGMENT_PARAGRAPH, rest, true);
        tagger_find(t, scratch, span_of(rest.ptr, len), count, &n);
        at += len;
    }
    return n;
}

/* Best of some: the machine's other work only ever adds. */
static double seconds_to_seek(const struct tagger *t, const struct messages *m, size_t *n)
{
    static struct tagger_scratch scratch;
    double best = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds_spent();
        *n = 0;
        for (size_t i = 0; i < m->n; i++) {
            *n += seek(t, &scratch, m->items[i]);
        }
        double spent = seconds_spent() - start;
        best = spent < best ? spent : best;
    }
    return best;
}

static double seconds_to_load(const char *name)
{
    double best = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        struct error err;
        struct tagger t;
        double start = seconds_spent();
        struct model *m = model_embedded(name, "tagger", &err);
        if (m == NULL || !tagger_open(&t, m, &err)) {
            (void)fprintf(stderr, "%s\n", err.text);
            exit(1);
        }
        double spent = seconds_spent() - start;
        best = spent < best ? spent : best;
        model_close(m);
    }
    return best;
}

static void bench_model(const char *name, const struct messages *m)
{
    struct error err;
    struct tagger t;
    char figure[64];
    size_t n = 0;
    struct model *model = model_embedded(name, "tagger", &err);

    if (model == NULL || !tagger_open(&t, model, &err)) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    double seconds = seconds_to_seek(&t, m, &n);
    (void)snprintf(figure, sizeof(figure), "tagger.%s", name);
    report(figure, "MB/s", (double)m->bytes / seconds / 1e6, m->bytes);
    (void)snprintf(figure, sizeof(figure), "tagger.%s.found", name);
    report(figure, "in 10 KB", (double)n * 10240 / (double)m->bytes, n);
    (void)snprintf(figure, sizeof(figure), "tagger.%s.load", name);
    report(figure, "ms", seconds_to_load(name) * 1e3, ROUNDS);
    model_close(model);
}

int main(void)
{
    struct messages m;

    if (!messages_load(16 * 1024, BYTES, &m)) {
        (void)fprintf(stderr, "bench_tagger: the data is not there\n");
        return 1;
    }
    bench_model("person-name", &m);
    bench_model("postal-address", &m);
    messages_free(&m);
    return 0;
}
